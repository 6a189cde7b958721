cimport cython
from libc.stdint cimport int64_t
from .bend cimport tell_global, tell_spin
from .g cimport Goroutine
from .m cimport M
from .p cimport P
from .sched cimport Scheduler
from .runq cimport put_global, put_next

cdef int E_PROC_START
cdef int P_RUNNING

cpdef int submit(M m, Goroutine g) except -1
cpdef int submit_behind(M m, Goroutine g) except -1
cpdef int wake_by(M m) except -1
cpdef int submit_global(Scheduler s, Goroutine g) except -1
@cython.locals(p=P)
cpdef int wake_p(Scheduler s) except -1
@cython.locals(m=M, number=int)
cpdef int start_m(Scheduler s, P p, bint spinning) except -1
cpdef int rouse(M m) except -1
cpdef int hand_off_p(Scheduler s, P p) except -1
cpdef void start_spinning(M m) noexcept
cpdef int stop_spinning(M m) except -1
cpdef void acquire_p(M m, P p) noexcept
cpdef int unstart_m(Scheduler s, P p, bint spinning) except -1
cdef bint ask_for_spinning(Scheduler s) noexcept
@cython.locals(idle=bint)
cdef bint rest_p(Scheduler s, P p) noexcept
@cython.locals(until=int64_t)
cpdef int wake_poller(Scheduler s, int64_t when) except -1
