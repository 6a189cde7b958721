cimport cython
from .g cimport Goroutine
from .m cimport M
from .native cimport current_m

cdef int RUNNABLE

@cython.final
cdef class YieldNow:
    pass

@cython.locals(m=M, g=Goroutine)
cdef bint yield_turn() except -1
