cimport cython
from libc.stdint cimport int64_t
from .entry cimport enter_runtime, leave_runtime
from .g cimport Goroutine, Watcher
from .m cimport M
from .native cimport CountedQueue, current_m, Waiter
from .park cimport ready
from .spawn cimport spawn

cdef int PARKING, RETRY, RETURNED, RUNNING, W_WAITGROUP

@cython.final
cdef class WaitGroup(Watcher):
    cdef CountedQueue queue
    cdef object __weakref__
    @cython.locals(counter=int64_t)
    cpdef add(self, int64_t delta=*)
    cpdef done(self)
    @cython.locals(waiter=WaitGroupWait)
    cdef int wake_all(self) except -1
    @cython.locals(waiter=WaitGroupWait)
    cdef WaitGroupWait first_waiter(self)

@cython.final
cdef class WaitGroupWait(Waiter):
    cdef WaitGroup group
    cdef Goroutine g
    cdef bint woken
    @cython.locals(m=M, have=bint)
    cdef bint wait(self) except -1
    cdef bint leave_queue(self) except -1
