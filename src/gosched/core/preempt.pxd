cimport cython
from .entry cimport enter_runtime, leave_runtime
from .g cimport Goroutine
from .locked cimport yield_locked
from .m cimport M
from .native cimport current_m, innermost_module, raise_soon

cdef int ALIVE, EXITING, LEASHES, PREEMPTED, RUNNING

cdef object DELICATE

@cython.locals(g=Goroutine, lost=bint)
cpdef bint suspend(M m) except -1
cpdef int reprieve(M m) except -1
cdef bint told_to_end(M m, Goroutine g) except -1
@cython.locals(g=Goroutine)
cpdef bint doom(M m) except -1

cpdef bint answer(M m) except -1
cpdef int new_leashes(M m) except -1

@cython.final
cdef class Leash:
    cdef M m

@cython.final
cdef class Watchpoint:
    cdef object forget
