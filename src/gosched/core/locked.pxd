cimport cython
from .ending cimport check_dead
from .g cimport Goroutine
from .m cimport M
from .p cimport P
from .wake cimport acquire_p, hand_off_p, submit_behind

cdef int ALIVE, EXITING, PARKED, PARKING, RUNNABLE, RUNNING

cpdef int stop_locked(M m, Goroutine g) except -1
cpdef int yield_locked(M m, Goroutine g) except -1
@cython.locals(target=M)
cpdef int start_locked(M m, Goroutine g) except -1
cdef void bind(M m, Goroutine g) noexcept
cdef void unbind(M m, Goroutine g) noexcept
@cython.locals(p=P)
cpdef int give_up_p(M m) except -1
@cython.locals(p=P, dead=bint)
cpdef int sleep_locked(M m) except -1
cpdef int lock_to(M m, Goroutine g) except -1
cpdef int unlock_from(M m, Goroutine g) except -1
