cimport cython
from libc.stdint cimport int64_t
from .entry cimport retake
from .m cimport M
from .p cimport P
from .sched cimport Scheduler

cdef int E_ASK, E_BLOCKED, SYSMON
cdef int AGAIN, ALIVE, LATE, NEWS, OVER, POLL_NOW, POLL_NS, TRACE

@cython.locals(found=int)
cpdef int run_sysmon(Scheduler s) except -1
cpdef int64_t glance(Scheduler s, int64_t now) except -1
cpdef bint any_busy(Scheduler s) except -1
@cython.locals(p=P, i=int, stage=int)
cdef int attend(Scheduler s) except -1
@cython.locals(last=int64_t)
cdef int look_at_net(Scheduler s) except -1
@cython.locals(m=M)
cpdef int tend(Scheduler s, P p, int stage) except -1
cdef bint needed(Scheduler s, P p) except -1
cdef bint wanted(Scheduler s, P p, M m) except -1
cdef int take_blocked(Scheduler s, P p, M m, int stage) except -1
cdef int take_by_force(Scheduler s, P p, M m) except -1
@cython.locals(ns=int64_t)
cdef int64_t stood_for(Scheduler s, P p) except -1
cdef bint ask_hog(Scheduler s, P p, M m) except -1
cpdef bint ask(Scheduler s, M m) except -1
@cython.locals(m=M, anybody=bint)
cdef int ask_again(Scheduler s) except -1
