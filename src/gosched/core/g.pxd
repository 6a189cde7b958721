cimport cython
from libc.stdint cimport int64_t
from .native cimport StateWord

cdef int DEAD, PARKED, PARKING

cdef class Watcher:
    cpdef goroutine_done(self, Goroutine g, int outcome, object value)

@cython.final
@cython.no_gc
cdef class Goroutine(StateWord):
    cdef readonly int64_t id
    cdef object body
    cdef object args
    cdef object context
    cdef object code
    cdef int lasti
    cdef int64_t creator
    cdef object given_name
    cdef Watcher watcher
    cdef public object waiting_on
    cdef int reason
    cdef int phase
    cdef public bint system
    cdef void reset(self) noexcept
    cpdef bint is_dead(self)
