cimport cython
from libc.stdint cimport int64_t
from .chan cimport Channel, wake_waiter
from .native cimport Waiter
from .timers cimport clock, next_tick, Timer

cdef class ChanTimer(Timer):
    cdef Channel channel
    cdef int blocked
    @cython.locals(w=Waiter)
    cpdef int fire(self, int64_t when, int64_t seq) except -1
    cdef Waiter send(self, int64_t when)
    @cython.locals(w=Waiter, at=int64_t, when=int64_t)
    cpdef int run_late(self) except -1
    @cython.locals(todo=int)
    cpdef int block(self) except -1
    cpdef int unblock(self) except -1
    @cython.locals(pending=bint, todo=int)
    cpdef bint restart(self, int64_t when, int64_t period) except -1
    @cython.locals(pending=bint)
    cpdef bint halt(self) except -1
    @cython.locals(pending=bint, drained=bint)
    cdef bint take_back(self) except -1
