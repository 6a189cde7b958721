cimport cython
from .ending cimport check_dead, tell_dead
from .entry cimport begin_rest
from .findrun cimport at_hand
from .g cimport Goroutine
from .guests cimport send_guests_back
from .m cimport M
from .interp cimport switch_stack
from .linger cimport linger
from .p cimport P
from .telling cimport tell_block, tell_stop
from .wake cimport acquire_p, hand_off_p, submit_behind, wake_p

cdef int E_GO_START, E_GO_UNBLOCK, E_M_PARK, E_M_WAKE, E_PROC_STOP
cdef int ALIVE, EXITING, FOR_ANY, FOR_ONE, PARKED, PARKING, POOL, RUNNABLE, RUNNING

cpdef int stop_locked(M m, Goroutine g) except -1
cpdef int yield_locked(M m, Goroutine g) except -1
cpdef int suspend_locked(M m, Goroutine g) except -1
cdef int queue_up(M m, Goroutine g) except -1
cdef int bind(M m, Goroutine g) except -1
@cython.locals(g=Goroutine)
cdef int leave(M m) except -1
cpdef int trim(M m, int n) except -1
cpdef int take_up(M m, Goroutine g) except -1
cdef void unbind(M m, Goroutine g) noexcept
@cython.locals(p=P)
cpdef int give_up_p(M m) except -1
@cython.locals(p=P, dead=int, sent=bint, exits=bint)
cpdef int sleep_locked(M m) except -1
cpdef int lock_to(M m, Goroutine g) except -1
cpdef int unlock_from(M m, Goroutine g) except -1
