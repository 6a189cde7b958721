"""Waking Ms: no wake-up is lost, and no more than one M is woken per submission.

The protocol, between an M that submits work and Ms that run out of it:
    submitter   puts the goroutine into a queue, then reads `spinning` and `idle_ps`
    spinner     drops `spinning`, then looks into every queue again (findrun.py)
so one of them sees the other, whatever the order. A spinner that finds work wakes the next one (stop_spinning), and so they ramp up as a chain.

The third hole: work was submitted while no P was idle and nobody was spinning, and at that moment an M that does not spin gives up its P without
looking. The submitter leaves `need_spinning` behind and reads `idle_ps` again; the M puts its P on the idle list and reads `need_spinning` again.
(Go takes the scheduler's lock for this at every submission; two words read in opposite order do it without.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .bend import tell_global, tell_spin
from .events import E_PROC_START
from .runq import put_global, put_next
from .states import P_RUNNING

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M
    from .p import P
    from .sched import Scheduler


def submit(m: M, g: Goroutine) -> None:
    """A goroutine that became runnable: next on m's P, or in the global queue if m has none."""
    if m.p is None:
        submit_behind(m, g)
    else:
        put_next(m, g)
        wake_by(m)


def submit_behind(m: M, g: Goroutine) -> None:
    """From m to the tail of the global queue. As submit_global, without counting a reference to the scheduler that all Ms share."""
    m.sched.acquire()
    m.sched.global_put(g)
    if m.sched.journal:
        tell_global(m.sched, g)
    m.sched.release()
    wake_by(m)


def wake_by(m: M) -> None:
    """wake_p, after a look that counts no reference either: mostly there is nobody to wake."""
    if m.sched.spinning() == 0 and (m.sched.idle_ps() != 0 or not m.sched.need_spinning()):
        wake_p(m.sched)


def submit_global(s: Scheduler, g: Goroutine) -> None:
    put_global(s, g)
    wake_p(s)


def wake_p(s: Scheduler) -> None:
    """One more M, spinning, if a P is idle and nobody looks for work already."""
    if s.spinning() == 0 and (s.idle_ps() != 0 or ask_for_spinning(s)) and s.claim_spinning():
        s.acquire()
        p = s.take_idle_p()
        s.release()
        if p is None:
            s.add_spinning(-1)
        else:
            start_m(s, p, True)


def ask_for_spinning(s: Scheduler) -> bool:
    """No P is idle: leaves word for the M that gives one up next. True if one is idle by now."""
    if not s.need_spinning():
        s.set_need_spinning(True)  # race: an M that does not spin gives up its P right now, without looking at our queue
    return s.idle_ps() != 0  # race: it gave it up before it could see need_spinning


def start_m(s: Scheduler, p: P, spinning: bool) -> None:
    """Gives p, which the caller owns, to an idle M or to a new one. If spinning, the caller has counted it."""
    s.acquire()
    m = s.take_idle_m()
    number = -1
    if m is None:
        number = s.next_m
        s.next_m += 1
        s.threads += 1  # race: counted before the lock is dropped, or the deadlock check would miss a thread on its way
    s.release()
    if m is None:
        s.host.start_m(number, p, spinning)
    else:
        m.spinning = spinning
        m.nextp = p
        rouse(m)


def rouse(m: M) -> None:
    """Wakes a thread that sleeps."""
    m.wake_note()
    if m.sched.virtual:
        m.sched.host.roused(m)


def unstart_m(s: Scheduler, p: P, spinning: bool) -> None:
    """The host could not start the thread: nobody runs with p."""
    s.acquire()
    s.threads -= 1
    s.put_idle_p(p)
    s.release()
    if spinning:
        s.add_spinning(-1)


def hand_off_p(s: Scheduler, p: P) -> None:
    """Go's handoffp: p was taken from an M that is busy elsewhere. It goes to another M if there is anything to do, else it idles."""
    p.handoffs += 1
    p.m = None
    if not p.queue_empty() or s.global_size() != 0:
        start_m(s, p, False)
    elif s.spinning() + s.idle_ps() == 0 and s.claim_spinning():
        s.set_need_spinning(False)
        start_m(s, p, True)
    elif not rest_p(s, p):
        start_m(s, p, False)
    else:
        if p.timers.wake_time() != 0:
            wake_poller(s, p.timers.wake_time())
        if s.need_spinning():  # race: work came to a queue while p was on its way to the idle list
            wake_p(s)


def rest_p(s: Scheduler, p: P) -> bool:
    """Puts p on the idle list, unless there is global work or all the others idle and nobody polls."""
    s.acquire()
    idle = s.global_size() == 0 and (s.idle_ps() != s.nproc - 1 or s.last_poll() == 0)
    if idle:
        s.put_idle_p(p)
    s.release()
    return idle


def wake_poller(s: Scheduler, when: int) -> None:
    """A timer is due at `when`, perhaps earlier than who polls knows."""
    if s.last_poll() != 0:
        wake_p(s)
    else:
        until = s.poll_until()
        if until <= 0 or until > when:
            s.host.poll_wake()


def start_spinning(m: M) -> None:
    m.spinning = True
    tell_spin(m)
    m.sched.add_spinning(1)
    m.sched.set_need_spinning(False)


def stop_spinning(m: M) -> None:
    """m found work: somebody else looks on."""
    m.spinning = False
    m.sched.add_spinning(-1)
    wake_p(m.sched)


def acquire_p(m: M, p: P) -> None:
    """p, which the caller owns, is m's from now on."""
    m.p = p
    m.set_token(p)
    p.m = m
    p.status = P_RUNNING
    p.drive(m)
    if m.trail is not None:
        m.trail.tell1(m.who, E_PROC_START, p.id)
    m.sched.rouse_watch()  # race: sysmon goes to sleep because every P is idle, and nobody watches this one
