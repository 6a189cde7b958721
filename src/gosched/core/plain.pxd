cimport cython
from libc.stdint cimport int64_t
from .entry cimport enter_runtime, leave_runtime
from .g cimport Goroutine
from .interrupt cimport is_over
from .locked cimport stop_locked, yield_locked
from .m cimport M
from .bodies cimport is_coroutine
from .native cimport current_m, ThreadWords
from .signals cimport Ended, TimedOut

cdef int ALIVE, PARKED, PARKING, RUNNING
cdef int forbidden

cpdef forbid_plain(int by)

cpdef int with_p(M m, Goroutine g) except -1
@cython.locals(m=M, g=Goroutine, mine=Goroutine)
cpdef Goroutine caller()
@cython.locals(m=M, g=Goroutine)
cpdef bint yield_caller() except -1
cdef bint is_at_end(M m, Goroutine g) noexcept
cpdef bint is_thread(Goroutine g) except -1
cdef int refuse(M m, Goroutine g) except -1
@cython.locals(m=M)
cpdef object park_caller(Goroutine g, int64_t until)
@cython.locals(woken=bint, interrupted=bint)
cdef object park_thread(Goroutine g, int64_t until)
@cython.locals(m=M)
cpdef M goroutine_m()
@cython.locals(g=Goroutine)
cpdef object park_here(M m)
