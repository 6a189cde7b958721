cimport cython
from libc.stdint cimport int64_t
from .g cimport Goroutine
from .m cimport M
from .native cimport current_m, LockedWaiter, now, TimerArray
from .p cimport P
from .park cimport ready
from .sched cimport Scheduler
from .signals cimport TimedOut
from .wake cimport wake_poller

cdef int E_TIMERS
cdef int EARLIER, HEAP_ARITY, INSERT
cdef int64_t END_OF_TIME

cpdef int64_t clock(Scheduler s) except -1
@cython.locals(missed=int64_t)
cpdef int64_t next_tick(int64_t when, int64_t period, int64_t at) noexcept

cdef class Timer(LockedWaiter):
    cdef readonly Scheduler sched
    cdef readonly int64_t when
    cdef readonly int64_t period
    cdef readonly int64_t seq
    cdef int64_t placed
    cdef int64_t in_flight
    cdef readonly bint zombie
    cdef public bint lazy
    cdef readonly TimerHeap heap
    cpdef int fire(self, int64_t when, int64_t seq) except -1
    cpdef int run_late(self) except -1
    cpdef int block(self) except -1
    cpdef int unblock(self) except -1
    @cython.locals(pending=bint, todo=int)
    cpdef bint set_time(self, int64_t when, int64_t period) except -1
    cdef int place(self) noexcept
    cdef int settle(self, int todo) except -1
    @cython.locals(pending=bint)
    cpdef bint clear_time(self) except -1
    cdef void bury(self) noexcept

@cython.final
cdef class TimerHeap(TimerArray):
    cdef bint crowded(self) noexcept
    cdef int tidy(self) except -1
    @cython.locals(old=int64_t)
    cdef bint hint(self, int64_t when) noexcept
    @cython.locals(top=bint, when=int64_t)
    cpdef int insert(self, Timer t) except -1
    @cython.locals(parent=int)
    cdef int sift_up(self, int i) noexcept
    @cython.locals(n=int, child=int, best=int, c=int)
    cdef void sift_down(self, int i) noexcept
    @cython.locals(t=Timer)
    cdef Timer pop_top(self)
    cdef void refresh(self) noexcept
    @cython.locals(t=Timer, i=int, j=int, modified=int64_t)
    cdef int adjust(self) except -1
    cdef int drop_buried(self) except -1
    @cython.locals(t=Timer)
    cdef Timer next_buried(self)
    cdef void unlink(self, Timer t) noexcept
    @cython.locals(ran=bint, t=Timer, when=int64_t, seq=int64_t, modified=int64_t)
    cpdef bint run_due(self, int64_t at) except -1
    @cython.locals(t=Timer)
    cdef Timer take_any(self)

@cython.locals(m=M, p=P, heap=TimerHeap)
cpdef TimerHeap heap_here(Scheduler s)
@cython.locals(heap=TimerHeap, when=int64_t, at=int64_t)
cpdef bint run_timers(M m, P p) except -1
@cython.locals(p=P, heap=TimerHeap, n=Py_ssize_t)
cpdef bint any_timer(Scheduler s) except -1
@cython.locals(p=P, heap=TimerHeap)
cpdef int bury_zombies(Scheduler s) except -1
@cython.locals(p=P, first=int64_t, when=int64_t)
cpdef int64_t earliest(Scheduler s) except -1

cdef class WakeTimer(Timer):
    cdef Goroutine g
    cdef bint armed
    @cython.locals(won=bint)
    cpdef int finish(self, object answer) except -1
    cpdef int disarm(self) except -1
@cython.locals(source=TimerHeap, target=TimerHeap, t=Timer)
cpdef int move_timers(P dead, P alive) except -1
