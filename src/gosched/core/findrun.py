"""What an M does next: find_runnable returns a goroutine to run, or says to poll, to park or to leave. It never blocks; the thread's loop does.

The order is Go's: timers that are due; every 61st tick one from the global queue; own `next` (which inherits the time slice) and ring; a share of
the global queue; steal; and then the way to sleep, on which each step closes a race:

    1  lock: is there anything in the global queue by now?             a spinner that found no P relies on this
    2  put the P on the idle list, then read need_spinning             the third hole, wake.py
    3  unlock; if spinning, drop `spinning`, then look at everything again
    4  poll, if something waits there and nobody polls
    5  lock: go to the idle list of Ms, unless the program ends
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .bend import asks_global, may_rob, pop_newest, tell_drain, tell_expire, tell_spin
from .ending import check_dead, polls_in_vain, tell_dead
from .entry import submit_late, submit_late_global
from .events import E_M_PARK, E_M_POLL, E_M_WAKE, E_NETPOLL, E_PROC_STOP
from .guests import send_guests_back, take_guest
from .runq import put_global, put_tail, take_global, take_one_global
from .states import EXIT, EXITING, NEVER, P_DEAD, P_IDLE, PARK, POLL
from .steal import steal_work
from .timers import any_timer, bury_zombies, earliest, move_timers, run_timers
from .wake import acquire_p, start_spinning, wake_by, wake_p, wake_poller

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M
    from .p import P
    from .sched import Scheduler


def find_runnable(m: M) -> Goroutine | None:
    """The goroutine to run, or None and m.verdict."""
    while True:
        g = at_hand(m)
        if g is not None:
            return g
        if m.sched.phase() == EXITING:
            return quit_m(m)
        if m.p.id >= m.sched.nproc:
            if not retire_p(m):
                return idle(m)
            continue
        if m.sched.net_waiters() != 0 and m.sched.last_poll() != 0 and look_at_net(m):
            continue
        if m.spinning or may_spin(m):
            if not m.spinning:
                start_spinning(m)
            g = steal_work(m)
            if g is not None:
                return g
        g = last_look(m)
        if g is not None:
            return g
        if m.p is None:
            return rest(m)


def may_spin(m: M) -> bool:
    return m.sched.spin_factor * m.sched.spinning() < m.sched.nproc - m.sched.idle_ps()


def begin_search(m: M) -> bool:
    """Virtual time, where finding work takes none: m, between two turns, has nothing at hand and will look elsewhere. It spins from now on."""
    if m.p is None or m.spinning or m.sched.nproc < 2 or not m.p.queue_empty() or m.sched.global_size() != 0 or not may_spin(m):
        return False
    start_spinning(m)
    return True


def look_at_net(m: M) -> bool:
    """What can go on is in m's queue. False: nothing can. Who does not wait there does not count as having polled: sysmon still looks after 10 ms."""
    m.sched.host.look()
    return inject(m)


def inject(m: M) -> bool:
    """Go's injectglist, with a P: whom m has readied goes to the tail of its queue. False: nobody."""
    if not m.any_late():
        return False
    n = 0
    while m.any_late():
        put_tail(m, m.late_take())
        n += 1
    if m.trail is not None:
        m.trail.tell1(m.who, E_NETPOLL, n)
    wake_by(m)
    return True


def at_hand(m: M) -> Goroutine | None:
    """What there is without a search. None also if m has to leave or to give up its P: find_runnable sees to it."""
    m.inherits = False
    if m.sched.phase() == EXITING or m.p.id >= m.sched.nproc:
        return None
    if m.p.slice_over():
        end_slice(m)
    if m.p.timers.size() != 0 and run_timers(m, m.p):
        submit_late(m)
    return from_queues(m)


def from_queues(m: M) -> Goroutine | None:
    """What is there without searching: own queue and the global one."""
    g: Goroutine | None
    if m.any_guests():
        m.guests_first = not m.guests_first
        if m.guests_first:
            return take_guest(m)
    if m.sched.global_size() != 0 and (m.p.slices() % m.sched.fairness == 0 if m.sched.first is None else asks_global(m)):
        g = take_one_global(m)
        if g is not None:
            return g
    g = m.p.take_next()
    if g is not None:
        m.inherits = m.sched.inherits
        return g
    g = m.p.pop() if not m.sched.lifo else pop_newest(m)
    if g is None and m.any_guests():
        g = take_guest(m)
    if g is None and m.sched.global_size() != 0:
        m.sched.acquire()
        g = take_global(m)
        m.sched.release()
    return g


def end_slice(m: M) -> None:
    """A chain of goroutines that ready each other has used up the slice they share, says sysmon: `next` goes where a preempted one goes."""
    m.p.renew()
    g: Goroutine | None = m.p.take_next()
    if g is not None:
        if m.sched.journal:
            tell_expire(m)
        put_global(m.sched, g)


def expire_slice(p: P) -> None:
    """By who measures slices in its own way."""
    p.expire()


def last_look(m: M) -> Goroutine | None:
    """Steps 1 to 3 of the way to sleep. None with a P: search again; None without: sleep."""
    m.sched.acquire()
    g = take_global(m)  # race: a spinner saw this work but found no P for it, and relies on whoever gives one up
    if g is None:
        g = m.guest_take()  # it came while m searched. Without a P m would send it back, and be woken for it
    if g is not None:
        m.sched.release()
        return g
    p = m.p
    m.p = None  # type: ignore[assignment]
    if m.trail is not None:
        m.trail.tell(m.who, E_PROC_STOP)
    m.sched.put_idle_p(p)
    if not m.spinning and m.sched.need_spinning():  # race: work was submitted when no P was idle; nobody else will look
        if m.sched.take_this_p(p):
            m.sched.release()
            acquire_p(m, p)
            start_spinning(m)
            return None
    m.sched.release()
    if not m.spinning:
        return None
    m.spinning = False
    m.sched.add_spinning(-1)
    return look_again(m, p)


def look_again(m: M, mine: P) -> Goroutine | None:
    """A submitter that saw us spinning woke nobody: its work is here, or somebody has it. `mine`: the P that was given up."""
    m.sched.acquire()
    if m.sched.global_size() != 0:  # race: submitted globally while we were the spinner that made wake_p return
        p = m.sched.take_idle_p()
        if p is not None:
            m.p = p
            g = take_global(m)
            m.sched.release()
            acquire_p(m, p)
            m.spinning = True
            m.sched.add_spinning(1)
            tell_spin(m)
            return g
    m.sched.release()
    for i in range(m.sched.nproc if m.sched.steals else 0):
        victim = m.sched.allp[i]
        if victim.status == P_IDLE or victim.queue_empty() or not may_rob(m, mine, i):
            continue
        m.sched.acquire()
        p = m.sched.take_idle_p()  # race: submitted to this P while we were the spinner that made wake_p return
        if p is None:
            m.sched.set_need_spinning(True)  # race: an M that does not look took our P, and another gives up its own without looking
        m.sched.release()
        if p is not None:
            acquire_p(m, p)
            m.spinning = True
            m.sched.add_spinning(1)
            tell_spin(m)
        return None
    return None


def rest(m: M) -> Goroutine | None:
    """Steps 4 and 5. The M has no P and does not spin."""
    if m.sched.nproc < len(m.sched.allp):
        gather_timers(m.sched)
    until = m.sched.host.deadline()
    timer = earliest(m.sched)
    if timer != 0 and not any_timer(m.sched):
        bury_zombies(m.sched)
        submit_late_global(m)
        timer = earliest(m.sched)
    if timer == 0 and until < NEVER:
        return idle(m)
    if m.sched.swap_last_poll(0) != 0:
        if m.sched.phase() == EXITING:  # race: the wake-up for the end went to who polled before us
            return quit_m(m)
        m.poll_until = sooner(until, timer)
        m.sched.set_poll_until(m.poll_until)
        m.sched.acquire()
        m.polling = True
        sent = send_guests_back(m)  # delivered since m gave up its P: they do not wait for the poll's end. Who comes later wakes the poller
        vain = until < 0 and polls_in_vain(m.sched)  # race: what there was to wait for has gone since we looked, and then the others fell asleep
        m.sched.release()
        if sent:
            wake_p(m.sched)
        if vain and not any_timer(m.sched):
            m.sched.host.poll_wake()
        if m.trail is not None:
            m.trail.tell(m.who, E_M_POLL)
        m.verdict = POLL
        return None
    if timer != 0:
        wake_poller(m.sched, timer)  # race: it was set before who polls did so, and after that one had looked
    return idle(m)


def sooner(until: int, timer: int) -> int:
    """Of a poller's deadline (below 0: none) and a timer's time (0: none), as a deadline."""
    if timer != 0 and (until < 0 or timer < until):
        return timer
    return until if until >= 0 else NEVER


def gather_timers(s: Scheduler) -> None:
    """Of Ps that are dead since gomaxprocs went down."""
    for i in range(s.nproc, len(s.allp)):
        p: P = s.allp[i]
        if p.timers.size() != 0:
            move_timers(p, s.allp[0])


def idle(m: M) -> Goroutine | None:
    """Go's stopm up to the sleep: the M is on the idle list, its note clear. Whoever takes it from there sets nextp and wakes the note. Or it has
    guests, and a P is idle for them: then it does not sleep."""
    m.sched.acquire()
    if m.sched.phase() == EXITING:  # race: the program ended, and the list of Ms to tell was made without us
        m.sched.release()
        return quit_m(m)
    p = m.sched.take_idle_p() if m.any_guests() else None
    if p is not None:
        m.sched.release()
        acquire_p(m, p)
        m.verdict = 0
        return None
    m.clear_note()
    m.nextp = None
    m.sched.put_idle_m(m)
    sent = send_guests_back(m)  # race: delivered since m gave up its P, or while it had none
    dead = check_dead(m.sched)
    m.sched.release()
    if sent:
        wake_p(m.sched)
    if dead != 0:
        tell_dead(m.sched, dead)
    if m.trail is not None:
        m.trail.tell(m.who, E_M_PARK)
    m.verdict = PARK
    return None


def after_poll(m: M, now: int) -> None:
    """The M comes back from polling: with an idle P if there is one, else to the idle list. Whom it has readied goes to its queue, or to all."""
    if m.trail is not None:
        m.trail.tell(m.who, E_M_WAKE)
    m.sched.set_poll_until(0)
    m.sched.swap_last_poll(now)
    m.sched.acquire()
    m.polling = False
    p = m.sched.take_idle_p()
    m.sched.release()
    if p is not None:
        acquire_p(m, p)
        inject(m)
    else:
        submit_late_global(m)


def retire_p(m: M) -> bool:
    """gomaxprocs shrank below m's P: its goroutines go to the head of the global queue. True if m got another P."""
    m.sched.acquire()
    p = m.p
    if p.id < m.sched.nproc:  # race: gomaxprocs went up again since we looked without the lock
        m.sched.release()
        return True
    if m.trail is not None:
        m.trail.tell(m.who, E_PROC_STOP)
    p.drain_to_front(m.sched)
    if m.sched.journal:
        tell_drain(m.sched, p)
    p.status = P_DEAD
    p.m = None
    m.p = m.sched.take_idle_p()  # type: ignore[assignment]
    m.sched.release()
    if m.spinning:
        m.spinning = False
        m.sched.add_spinning(-1)
    if m.p is not None:
        acquire_p(m, m.p)
    wake_p(m.sched)  # race: who submitted while we were the spinner woke nobody, and we look no further
    gather_timers(m.sched)
    return m.p is not None


def quit_m(m: M) -> Goroutine | None:
    """The program is over for this thread."""
    if m.spinning:
        m.spinning = False
        m.sched.add_spinning(-1)
    if m.p is not None:
        p = m.p
        m.p = None  # type: ignore[assignment]
        if m.trail is not None:
            m.trail.tell(m.who, E_PROC_STOP)
        m.sched.acquire()
        m.sched.put_idle_p(p)
        m.sched.release()
    m.verdict = EXIT
    return None
