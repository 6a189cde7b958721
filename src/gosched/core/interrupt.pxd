cimport cython
from .native cimport WaitQueue
from .signals cimport Interrupted
from .timers cimport WakeTimer

cdef class Cancellation(WaitQueue):
    cdef readonly object error
    @cython.locals(first=bint, w=WakeTimer)
    cpdef bint cancel_waits(self, object error) except -1
    cdef WakeTimer next_watch(self)
    @cython.locals(late=bint)
    cpdef int watch(self, WakeTimer w) except -1
    cpdef int unwatch(self, WakeTimer w) except -1
