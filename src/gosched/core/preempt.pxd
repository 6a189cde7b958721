cimport cython
from .entry cimport enter_runtime, leave_runtime
from .g cimport Goroutine
from .locked cimport suspend_locked
from .m cimport M
from .interp cimport innermost_frame, interrupts_core, raise_soon, stop_no_more, stop_soon
from .native cimport current_m

cdef int ALIVE, EXITING, LEASHES, PREEMPTED, RUNNING

cdef object DELICATE

@cython.locals(g=Goroutine, lost=bint)
cpdef bint suspend(M m) except -1
cpdef int reprieve(M m) except -1
cdef bint tell(M m, Goroutine g) except -1
cpdef bint is_delicate(object frame) except -1
cdef bint told_to_end(M m, Goroutine g) except -1
@cython.locals(g=Goroutine)
cpdef bint doom(M m, object frame) except -1

cpdef bint answer(M m) except -1
cpdef int new_leashes(M m) except -1
cpdef bint trace(M m) noexcept

@cython.final
cdef class Leash:
    cdef M m

@cython.final
cdef class Tracepoint:
    pass

@cython.final
cdef class Watchpoint:
    cdef object forget
