cimport cython
from libc.stdint cimport int64_t
from .chan cimport Channel
from .g cimport Goroutine
from .native cimport Waiter, WaitQueue
from .park cimport ready
from .sched cimport Scheduler
from .signals cimport Interrupted
from .snapshot cimport current_goroutine
from .timers cimport Timer, WakeTimer

cdef class Heir:
    pass

cdef class Cancellation(WaitQueue):
    cdef readonly object error
    cdef readonly object cause
    cdef public bint endless
    cdef Channel channel
    cdef dict heirs
    cdef object __weakref__
    cdef readonly Cancellation parent
    cdef public DeadlineTimer timer
    @cython.locals(node=Cancellation, child=Cancellation, i=Py_ssize_t)
    cpdef bint cancel_waits(self, object error, object cause=*) except -1
    @cython.locals(first=bint)
    cdef bint settle(self, object error, object cause) except -1
    @cython.locals(more=bint)
    cdef int strike_all(self) except -1
    @cython.locals(won=bint, scope=Scope, watch=WakeTimer, w=Waiter)
    cdef bint strike_next(self) except -1
    cpdef bint over(self)
    @cython.locals(late=bint)
    cpdef int watch(self, WakeTimer w) except -1
    cpdef int unwatch(self, Waiter w) except -1
    cpdef int depend_on(self, Cancellation parent) except -1
    cpdef int leave_parent(self) except -1
    cpdef int add_heir(self, object heir) except -1
    cpdef bint drop_heir(self, object heir) except -1
    cdef object take_heir(self)
    @cython.locals(fresh=Channel)
    cpdef Channel done_channel(self)
    cdef int close_channel(self) except -1
    cpdef object seen_error(self)

cdef class DeadlineTimer(Timer):
    cdef Cancellation ctx
    cdef object error
    cpdef int fire(self, int64_t when, int64_t seq) except -1

@cython.final
cdef class Scope(Waiter):
    cdef Goroutine g
    cdef readonly Cancellation ctx
    cdef Scope outer
    cdef bint left
    cdef int covers
    @cython.locals(won=bint)
    cdef bint strike(self) noexcept
    @cython.locals(here=bint)
    cdef bint cover(self) except -1
    @cython.locals(won=bint, bare=bint, gone=bint)
    cdef bint lift(self) except -1
    @cython.locals(innermost=bint)
    cdef bint leave(self) except -1

cdef int uncover(Scope scope) except -1
@cython.locals(scope=Scope)
cdef Scope cover_innermost(Goroutine g)
@cython.locals(scope=Scope)
cpdef Scope enter_scope(Goroutine g, Cancellation ctx)
cpdef int leave_scope(Scope scope) except -1
@cython.locals(scope=Scope)
cdef int drop_left(Goroutine g) except -1
cpdef Scope shield(Goroutine g)
cpdef int unshield(Goroutine g, Scope scope) except -1
cdef class Shielded:
    cdef Goroutine g
    cdef Scope scope

cpdef int end_scope(Goroutine g) except -1
@cython.locals(scope=Scope)
cpdef Cancellation current_scope(Goroutine g)
@cython.locals(scope=Scope, ctx=Cancellation)
cpdef bint has_deadline(Goroutine g) except -1
@cython.locals(scope=Scope)
cpdef bint is_over(Goroutine g) except -1
cpdef object ending(Goroutine g)
@cython.locals(scope=Scope)
cdef object error_of(Goroutine g)
cpdef object copy_of(object error)
