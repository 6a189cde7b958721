cimport cython
from .g cimport Goroutine
from .m cimport M
from .native cimport current_m, immortal

cdef int BEHIND, GLOBAL, RUNNABLE

@cython.final
cdef class YieldNow:
    cdef int where

@cython.final
cdef class Done:
    pass

@cython.locals(m=M, g=Goroutine)
cdef bint yield_turn(int where) except -1
