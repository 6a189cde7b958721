cimport cython
from libc.stdint cimport int64_t
from .entry cimport enter_runtime, leave_runtime
from .g cimport Goroutine
from .locked cimport stop_locked, yield_locked
from .m cimport M
from .native cimport current_m, ThreadWords
from .signals cimport Ended, TimedOut

cdef int ALIVE, PARKED, PARKING, RUNNING

cpdef int with_p(M m, Goroutine g) except -1
@cython.locals(m=M, g=Goroutine, mine=Goroutine)
cpdef Goroutine caller()
@cython.locals(m=M, g=Goroutine)
cpdef bint yield_caller() except -1
cpdef bint is_thread(Goroutine g) except -1
@cython.locals(m=M)
cpdef object park_caller(Goroutine g, int64_t until)
@cython.locals(woken=bint, interrupted=bint)
cdef object park_thread(Goroutine g, int64_t until)
