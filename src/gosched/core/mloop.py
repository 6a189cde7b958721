"""The life of a thread of the runtime: turns of goroutines, and in between the sleeps that find_runnable asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .execute import schedule
from .findrun import after_poll
from .m import M
from .native import drop_spares, set_current_m
from .states import EXIT, PARK
from .wake import acquire_p, submit_global

if TYPE_CHECKING:
    from .p import P
    from .sched import Scheduler


def run_m(s: Scheduler, number: int, p: P, spinning: bool) -> None:
    """The whole of a thread: until the program exits."""
    m = new_m(s, number, p, spinning)
    set_current_m(m)
    try:
        while True:
            verdict = schedule(m)
            if verdict == EXIT:
                return
            sleep(m, verdict)
    finally:
        set_current_m(None)
        forget_m(m)
        drop_spares()


def new_m(s: Scheduler, number: int, p: P, spinning: bool) -> M:
    """The M of this thread, with the P that it was started for."""
    m = M(s, number)
    s.allm.append(m)
    acquire_p(m, p)
    m.spinning = spinning
    m.state = "running"
    return m


def sleep(m: M, verdict: int) -> None:
    """Carries out what find_runnable said."""
    if m.any_late():
        submit_late_global(m)
    if verdict == PARK:
        m.state = "parked"
        m.sleep_note(-1)
        woken(m)
    else:
        m.state = "polling"
        m.sched.host.poll(m.poll_until)
        after_poll(m, m.sched.host.now())
    m.state = "running"


def submit_late_global(m: M) -> None:
    """What finalisers made runnable while m was on its way to sleep."""
    while m.any_late():
        submit_global(m.sched, m.late_take())


def woken(m: M) -> None:
    """Takes over the P that the waker left."""
    p = m.nextp
    m.nextp = None
    if p is not None:
        acquire_p(m, p)


def forget_m(m: M) -> None:
    m.state = "gone"
    m.sched.allm.remove(m)
    m.sched.acquire()
    m.sched.threads -= 1
    m.sched.release()
