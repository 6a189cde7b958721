cimport cython
from libc.stdint cimport int64_t
from .bend cimport asks_global, may_rob, pop_newest, tell_drain, tell_expire, tell_spin
from .g cimport Goroutine
from .guests cimport send_guests_back, take_guest
from .m cimport M
from .p cimport P
from .ending cimport check_dead, polls_in_vain, tell_dead
from .entry cimport submit_late, submit_late_global
from .sched cimport Scheduler
from .runq cimport put_global, put_tail, take_global, take_one_global
from .steal cimport steal_work
from .timers cimport any_timer, bury_zombies, earliest, move_timers, run_timers
from .wake cimport acquire_p, start_spinning, wake_by, wake_p, wake_poller

cdef int E_M_PARK, E_M_POLL, E_M_WAKE, E_NETPOLL, E_PROC_STOP
cdef int EXIT, EXITING, NEVER, P_DEAD, P_IDLE, PARK, POLL

@cython.locals(g=Goroutine)
cpdef Goroutine find_runnable(M m)
cpdef Goroutine at_hand(M m)
cdef bint may_spin(M m) except -1
cpdef bint begin_search(M m) except -1
cdef bint look_at_net(M m) except -1
@cython.locals(n=int)
cdef bint inject(M m) except -1
@cython.locals(g=Goroutine)
cpdef Goroutine from_queues(M m)
@cython.locals(g=Goroutine)
cdef int end_slice(M m) except -1
cpdef int expire_slice(P p) except -1
@cython.locals(g=Goroutine, p=P)
cdef Goroutine last_look(M m)
@cython.locals(g=Goroutine, p=P, victim=P, i=int)
cdef Goroutine look_again(M m, P mine)
@cython.locals(until=int64_t, timer=int64_t, sent=bint, vain=bint)
cpdef Goroutine rest(M m)
@cython.locals(dead=int, p=P, sent=bint)
cpdef Goroutine idle(M m)
@cython.locals(p=P)
cpdef after_poll(M m, int64_t now)
@cython.locals(p=P)
cdef bint retire_p(M m) except -1
@cython.locals(p=P)
cdef Goroutine quit_m(M m)
cdef int64_t sooner(int64_t until, int64_t timer) noexcept
@cython.locals(p=P, i=int)
cpdef int gather_timers(Scheduler s) except -1
