"""The plain spelling: the caller waits with its stack, whatever it is.

A goroutine keeps its M, whose P goes to another (locked.py). A thread that is no goroutine gets a stand-in, a goroutine in no list: it is won and
claimed as any other, and its waker rings the thread's note. Such a thread waits for its own deadline and is open to signals.
"""

from __future__ import annotations

import _thread
from typing import TYPE_CHECKING

from gosched.errors import Goexit, inside_scheduler, plain_in_async

from .bodies import is_coroutine
from .entry import enter_runtime, leave_runtime
from .g import Goroutine
from .interrupt import is_over
from .locked import stop_locked, yield_locked
from .native import ThreadWords, current_m
from .signals import Ended, TimedOut
from .states import ALIVE, PARKED, PARKING, RUNNING, WAIT_REASONS

if TYPE_CHECKING:
    from .m import M

# How many want it to be an error that an async goroutine waits by the plain spelling (gosched.testing).
forbidden = 0


def forbid_plain(by: int) -> None:
    global forbidden
    forbidden += by


def caller() -> Goroutine:
    """The goroutine that runs on this thread, with a P; or a stand-in for a thread that runs none."""
    m: M | None = current_m()
    if m is None or m.in_runtime or not m.busy():
        g = Goroutine.__new__(Goroutine)
        g.given_name = "thread"
        g.home = ThreadWords()
        g.home.hold(g)
        g.scope = None
        g.struck = False
        g.set_state(RUNNING)
        return g
    mine: Goroutine = m.held()
    with_p(m, mine)
    return mine


def with_p(m: M, g: Goroutine) -> None:
    """g, in user code on m, has a P afterwards: its own if it was not taken, its old one, an idle one, or it queues for one."""
    if m.lost_p():
        if not enter_runtime(m):
            yield_locked(m, g)
        leave_runtime(m)


def yield_caller() -> bool:
    """Lets other goroutines run. False: this thread runs none."""
    g = caller()
    if is_thread(g):
        return False
    if forbidden != 0 and is_coroutine(g.body):
        raise plain_in_async("yield")
    m: M = current_m()
    enter_runtime(m)
    yield_locked(m, g)
    leave_runtime(m)
    if is_at_end(m, g):
        raise Goexit
    return True


def is_at_end(m: M, g: Goroutine) -> bool:
    """The program is over, and g is told by who asks: Goexit is not to strike the finally blocks that it has to run now."""
    if m.sched.phase() == ALIVE or g.system:
        return False
    g.told = True
    return True


def is_thread(g: Goroutine) -> bool:
    """g is the stand-in of a thread."""
    return not g.listed()


def goroutine_m() -> M | None:
    """The M on which a goroutine calls, with a P; None: a thread calls that runs none."""
    m: M | None = current_m()
    if m is None or m.in_runtime or not m.busy():
        return None
    if m.lost_p():
        with_p(m, m.held())
    return m


def park_here(m: M) -> object:
    """The goroutine that runs on m is PARKING: the answer, when it is woken. Ended: something else has ended the wait, and interrupt.ending says
    what to raise."""
    g: Goroutine = m.held()
    if forbidden != 0:
        refuse(m, g)
    if g.scope is not None:
        m.sched.fence()  # its wait is open, before it looks
    if g.scope is not None and is_over(g):  # race: its context was cancelled before it waited
        g.struck = True
        g.set_state(RUNNING)
    else:
        enter_runtime(m)
        m.plain_parks += 1
        stop_locked(m, g)
        leave_runtime(m)
    if is_at_end(m, g):
        g.struck = False
        return Ended
    if g.struck:
        g.take_inbox()
        return Ended
    return g.take_inbox()


def refuse(m: M, g: Goroutine) -> None:
    """g is PARKING, and it is an error if it is async. Who has won its wait has answered: then it does not really wait."""
    if is_coroutine(g.body) and m.sched.phase() == ALIVE and g.win():
        g.set_state(RUNNING)
        raise plain_in_async(WAIT_REASONS[g.reason])


def park_caller(g: Goroutine, until: int) -> object:
    """g, which `caller` gave, is PARKING: waits until it is woken; returns the answer. A thread waits until `until` at the longest (-1: for ever)."""
    if is_thread(g):
        return park_thread(g, until)
    return park_here(current_m())


def park_thread(g: Goroutine, until: int) -> object:
    if current_m() is not None and g.win():
        g.set_state(RUNNING)
        raise inside_scheduler()
    g.home.clear_note()  # type: ignore[union-attr]  # race: it was woken before, for the same lock, and lost it to another
    if g.swap_state(PARKING, PARKED):
        interrupted = False
        while True:
            try:
                woken = g.home.doze(until)  # type: ignore[union-attr]
            except KeyboardInterrupt:
                woken = False
                interrupted = True
            if woken:
                break
            if g.win():  # race: at this very moment a waker took us from the queue, and our answer is on its way
                g.set_state(RUNNING)
                if interrupted:
                    raise KeyboardInterrupt
                return TimedOut
            until = -1
        if interrupted:
            _thread.interrupt_main()
    g.set_state(RUNNING)
    return g.take_inbox()
