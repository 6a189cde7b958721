cimport cython
from libc.stdint cimport int64_t
from .g cimport Goroutine
from .native cimport CountedQueue
from .park cimport begin_wait, ready
from .signals cimport Parked

cdef int RUNNING, W_COND, W_EVENT, W_RLOCK, W_SEMAPHORE, W_WLOCK

cdef class Queue(CountedQueue):
    cdef object __weakref__
    cpdef int withdraw(self, Goroutine g) except -1
    @cython.locals(g=Goroutine)
    cdef bint win_first(self)
    cdef int win_all(self) except -1
    @cython.locals(g=Goroutine)
    cdef int ready_won(self) except -1
    @cython.locals(g=Goroutine)
    cdef Goroutine next_won(self)

cdef class EventCore(Queue):
    cdef bint happened
    cpdef set(self)
    cpdef bint is_set(self) except -1
    cpdef object wait_for_it(self, Goroutine g)

cdef class CondCore(Queue):
    cpdef object enlist(self, Goroutine g)
    cpdef int strike(self, Goroutine g) except -1
    cpdef int notify_first(self, int64_t n) except -1

cdef class SemaphoreCore(Queue):
    cdef readonly int64_t size
    cdef readonly int64_t free
    cdef bint take(self, int64_t n) noexcept
    @cython.locals(taken=bint)
    cpdef bint take_now(self, int64_t n) except -1
    cpdef object acquire_for(self, Goroutine g, int64_t n)
    @cython.locals(free=int64_t)
    cpdef int give_back(self, int64_t n) except -1
    @cython.locals(g=Goroutine)
    cdef int admit(self) except -1
    @cython.locals(g=Goroutine)
    cdef bint win_first_only(self)
    cpdef int leave(self, Goroutine g) except -1

cdef class RWCore(Queue):
    cdef readonly int64_t readers
    cdef readonly bint pending
    cdef Goroutine writer
    @cython.locals(free=bint)
    cpdef bint read_now(self) except -1
    cpdef object read_for(self, Goroutine g)
    @cython.locals(writer=Goroutine, won=bint)
    cpdef int read_done(self) except -1
    @cython.locals(free=bint)
    cpdef bint write_now(self) except -1
    cpdef object write_for(self, Goroutine g)
    cpdef int write_left(self, Goroutine g) except -1
    cpdef int write_done(self) except -1
    cdef int admit(self) except -1
