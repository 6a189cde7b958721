cimport cython
from libc.stdint cimport int64_t
from .g cimport Goroutine, Watcher
from .m cimport M
from .native cimport current_m, ThreadWords
from .op cimport Op
from .park cimport begin_wait
from .queues cimport Queue
from .signals cimport Parked
from .spawn cimport spawn

cdef int RETURNED, RUNNING, W_WAITGROUP

cdef class GroupCounter(Watcher):
    cdef Queue queue
    cdef object __weakref__
    @cython.locals(counter=int64_t)
    cdef int count(self, int64_t delta) except -1
    cdef int wake_all(self) except -1
    cdef object wait_as(self, Goroutine g)
    @cython.locals(op=GroupWait)
    cpdef GroupWait new_wait(self)
    @cython.locals(left=bint)
    cdef bint take_out(self, Goroutine g) except -1
    cdef int withdraw(self, Goroutine g) except -1
    cdef int through(self) except -1

@cython.final
cdef class GroupWait(Op):
    cdef GroupCounter group
