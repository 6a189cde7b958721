"""The life of a thread of the runtime: turns of goroutines, and in between the sleeps that find_runnable asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .bend import tell_spin
from .ending import check_dead, tell_dead
from .entry import begin_rest
from .events import E_M_END, E_M_WAKE
from .execute import schedule
from .findrun import after_poll
from .linger import linger
from .locked import trim
from .m import M
from .native import current_m, drop_spares, set_current_m
from .states import ALIVE, EXIT, EXITING, IDLE_NS, PARK, SPARES
from .wake import acquire_p

if TYPE_CHECKING:
    from .p import P
    from .sched import Scheduler


def run_m(s: Scheduler, number: int, p: P, spinning: bool) -> None:
    """The whole of a thread: until the program exits."""
    m = new_m(s, number, p, spinning)
    set_current_m(m)
    s.join_watch(m)
    try:
        s.host.enter(m)
    finally:
        set_current_m(None)
        forget_m(m)
        drop_spares()


def loop_here() -> None:
    """What runs on each stack of a thread."""
    m: M = current_m()
    loop(m)


def loop(m: M) -> None:
    """On one stack of m's thread: turn after turn, until the thread is to end."""
    while True:
        m.sched.host.ready(m)
        verdict = schedule(m)
        if verdict == EXIT or not sleep(m, verdict):
            return


def new_m(s: Scheduler, number: int, p: P, spinning: bool) -> M:
    """The M of this thread, with the P that it was started for."""
    m = M(s, number)
    s.allm.append(m)
    acquire_p(m, p)
    m.spinning = spinning
    m.state = "running"
    if spinning:
        tell_spin(m)
    return m


def sleep(m: M, verdict: int) -> bool:
    """Carries out what find_runnable said. False: nobody needed this thread for a long time, and it leaves."""
    begin_rest(m)
    if verdict == PARK:
        trim(m, SPARES)
        m.state = "parked"
        if m.aside != 0:
            linger(m)
        if not m.sleep_note(patience(m)):
            if retire_m(m):
                return False
            m.sleep_note(-1)
        m.resting = False
        woken(m)
    else:
        m.state = "polling"
        m.sched.host.poll(m.poll_until)
        m.resting = False
        after_poll(m, m.sched.host.now())
    m.state = "running"
    return True


def patience(m: M) -> int:
    """Until when an idle thread waits: as many as there are Ps stay, and such with goroutines on them; the others were for a burst of calls."""
    return m.sched.host.now() + IDLE_NS if m.sched.idle_threads > m.sched.nproc and m.aside == 0 else -1


def retire_m(m: M) -> bool:
    """m waited long enough: it is counted out, unless somebody has just taken it from the idle list."""
    m.sched.acquire()
    mine = m.sched.drop_idle_m(m)  # race: it was taken from the list in this moment, and a P is on its way
    if mine:
        m.sched.threads -= 1
        m.state = "retired"
    m.sched.release()
    return mine


def woken(m: M) -> None:
    """Takes over the P that the waker left."""
    if m.trail is not None:
        m.trail.tell(m.who, E_M_WAKE)
    p = m.nextp
    m.nextp = None
    if p is not None:
        acquire_p(m, p)
        if m.spinning:
            tell_spin(m)


def forget_m(m: M) -> None:
    if m.sched.phase() != EXITING:  # then nobody has a turn any more, and no thread is to be started for it
        begin_rest(m)
    if m.trail is not None:
        m.trail.tell(m.who, E_M_END)
        m.trail.ended = True
    m.sched.leave_watch(m)
    m.sched.allm.remove(m)
    m.leashes.clear()
    dead = 0
    m.sched.acquire()
    m.sched.past_parks += m.plain_parks
    m.sched.past_preemptions += m.preemptions
    m.sched.past_calls += m.blocking_calls
    if m.state != "retired":
        m.sched.threads -= 1
        dead = check_dead(m.sched) if m.sched.phase() == ALIVE else 0
    m.sched.release()
    m.state = "gone"
    if dead != 0:
        tell_dead(m.sched, dead)
