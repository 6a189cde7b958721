cimport cython
from .g cimport Goroutine
from .m cimport M
from .p cimport P
from .sched cimport Scheduler
from .native cimport current_m
from .wake cimport acquire_p, hand_off_p, submit, submit_global

cdef int E_PROC_LOST, E_PROC_STEAL, E_PROC_STOP, SYSMON

cpdef bint enter_runtime(M m) except -1
cpdef int leave_runtime(M m) except -1
@cython.locals(p=P)
cpdef bint exit_syscall(M m) except -1
@cython.locals(p=P)
cdef bint survives(M m) except -1
@cython.locals(g=Goroutine)
cpdef int submit_late(M m) except -1
cpdef int submit_late_global(M m) except -1
cpdef int begin_rest(M m) except -1
@cython.locals(m=M)
cpdef int end_rest() except -1
@cython.locals(m=M)
cpdef bint retake(Scheduler s, P p) except -1
