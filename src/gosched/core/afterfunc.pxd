cimport cython
from libc.stdint cimport int64_t
from .interrupt cimport Heir
from .m cimport M
from .native cimport current_m
from .sched cimport Scheduler
from .spawn cimport spawn, spawn_outside
from .timers cimport Timer

cdef class FuncTimer(Timer):
    cdef object fn
    cdef tuple args
    @cython.locals(m=M)
    cpdef int fire(self, int64_t when, int64_t seq) except -1

cdef class FuncHeir(Heir):
    cdef Scheduler sched
    cdef object fn
    cdef tuple args
