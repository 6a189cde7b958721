cimport cython
from libc.stdint cimport int64_t
from .m cimport M
from .native cimport current_m
from .spawn cimport spawn
from .timers cimport Timer

cdef class FuncTimer(Timer):
    cdef object fn
    cdef tuple args
    @cython.locals(m=M)
    cpdef int fire(self, int64_t when, int64_t seq) except -1
