cimport cython
from libc.stdint cimport int64_t
from .chan cimport wake_waiter
from .entry cimport end_rest
from .g cimport Goroutine
from .kernel cimport Epoll, Events
from .m cimport M
from .native cimport ChannelWords, current_m, ThreadWords, Waiter
from .sched cimport Scheduler
from .signals cimport Woken
from .timers cimport clock, Timer
from .wake cimport wake_poller

cdef int EXITING, NET_CLOSED, NET_EXPIRED, NET_OK, NET_OVER, NET_WAITS, READ, W_IO, WRITE
cdef int64_t NEVER, NOBODY

cdef class PollDesc(ChannelWords):
    cdef readonly Scheduler sched
    cdef readonly int fd
    cdef public int64_t tag
    cdef readonly int users
    cdef public int64_t sent
    cdef Goroutine reader
    cdef Goroutine writer
    cdef public object armer
    cdef object shuts
    cdef int ready
    cdef readonly int busy
    cdef int expired
    cdef int64_t read_when
    cdef int64_t write_when
    cdef DeadlineTimer read_timer
    cdef DeadlineTimer write_timer
    @cython.locals(code=int)
    cpdef int begin_by(self, ThreadWords who, int mode) except -1
    @cython.locals(code=int)
    cpdef int wait_by(self, ThreadWords who, int mode) except -1
    @cython.locals(dropped=bint, shut=bint, w=Waiter)
    cpdef int finish(self, Goroutine g, int mode) except -1
    cpdef int withdraw(self, Goroutine g, int mode) except -1
    @cython.locals(open_=bint)
    cpdef bint borrow(self) except -1
    @cython.locals(shut=bint)
    cpdef int restore(self) except -1
    cpdef int arrive(self, int modes) except -1
    @cython.locals(modes=int)
    cpdef int expire(self, int64_t when) except -1
    @cython.locals(first=bint, shut=bint)
    cpdef bint close_desc(self) except -1
    cpdef int wake_all(self, int modes) except -1
    @cython.locals(w=Waiter)
    cdef int wake_some(self, int mode, int64_t n) except -1
    cpdef int move_deadline(self, int modes, int64_t when, bint past) except -1
    @cython.locals(read=int64_t, write=int64_t, same=bint)
    cdef int set_timers(self) except -1
    @cython.locals(read=DeadlineTimer, write=DeadlineTimer)
    cdef int make_timers(self) except -1
    cdef int verdict(self, int mode) noexcept
    cdef int own(self, ThreadWords who, int mode) except -1
    cdef bint owns(self, ThreadWords who, int mode) except -1
    cdef bint disown(self, Goroutine g, int mode) except -1
    cdef int seat(self, ThreadWords who, int mode) except -1
    @cython.locals(w=Waiter)
    cdef Waiter next_waiter(self, int mode)
    @cython.locals(m=M)
    cdef int seek_poller(self, int mode) except -1

@cython.final
cdef class DeadlineTimer(Timer):
    cdef PollDesc desc

@cython.final
cdef class EpollPoller:
    cdef readonly Scheduler sched
    cdef readonly Epoll epoll
    cdef Events found
    cdef Events seen
    cdef readonly dict table
    cdef int64_t serial
    cpdef int attach(self, PollDesc desc) except -1
    cpdef int detach(self, PollDesc desc) except -1
    cpdef int64_t deadline(self) noexcept
    @cython.locals(delay=int64_t, n=int)
    cpdef int wait(self, int64_t until) except -1
    cpdef int look(self) except -1
    @cython.locals(i=int, tag=int64_t, desc=PollDesc)
    cdef int deliver(self, Events events, int n) except -1
    cpdef int wake(self) except -1
    @cython.locals(desc=PollDesc)
    cpdef int give_up(self) except -1
    cpdef int close(self) except -1

cdef int set_timer(Timer timer, int64_t when) except -1
cpdef bint anybody_waits(Scheduler s) except -1
cpdef bint claim_look(Scheduler s) except -1
cpdef int end_look(Scheduler s) except -1
