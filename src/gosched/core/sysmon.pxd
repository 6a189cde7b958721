cimport cython
from .entry cimport retake
from .m cimport M
from .p cimport P
from .sched cimport Scheduler

cdef int ALIVE, LATE, NEWS, OVER, TRACE

@cython.locals(p=P, stage=int, found=int)
cpdef int run_sysmon(Scheduler s) except -1
@cython.locals(m=M)
cpdef int tend(Scheduler s, P p, int stage) except -1
cdef bint needed(Scheduler s, P p) except -1
cdef bint wanted(Scheduler s, P p) except -1
cdef int take_blocked(Scheduler s, P p, M m, int stage) except -1
cdef int take_by_force(Scheduler s, P p) except -1
cpdef bint ask(Scheduler s, M m) except -1
