"""Waiting, and runnable again. The states are in g.py.

The waker may come before the goroutine's coroutine has yielded, so it never touches the coroutine: it wins the wait, moves the state word, and
whoever moved it PARKED -> RUNNABLE, waker or M, queues the goroutine. A waker holds no lock of the thing waited for when it calls `ready`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gosched.errors import no_runtime

from .entry import enter_runtime, leave_runtime
from .events import E_GO_UNBLOCK, OUTSIDE
from .guests import bring
from .native import ThreadWords, current_m, list_of
from .signals import Again
from .states import NOTIFIED, PARKED, PARKING, RETRY, RUNNABLE
from .wake import submit, submit_global

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M
    from .sched import Scheduler


def arrived(what: object) -> M | None:
    """The M whose goroutine is about to await an operation, of that name. None: it has lost its P; it yields, and begins anew when it has one."""
    m: M | None = current_m()
    if m is None:
        raise no_runtime(f"await {what}", "a goroutine: run(main), go(fn)")
    if m.lost_p() and not regain_p(m):
        g: Goroutine = m.held()
        g.set_inbox(Again)
        g.set_state(RETRY)
        return None
    return m


def awaiting(what: str) -> Goroutine | None:
    """The same, but the goroutine."""
    m = arrived(what)
    return None if m is None else m.held()


def words_of(g: Goroutine) -> ThreadWords:
    """Of the thread that g, or who it stands for, runs on: this one."""
    words: ThreadWords = current_m() if g.listed() else g.home  # type: ignore[assignment]
    return words


def regain_p(m: M) -> bool:
    """From user code, where the P was lost: another one, if there is any."""
    have = enter_runtime(m)
    leave_runtime(m)
    return have


def begin_wait(g: Goroutine, reason: int, on: object) -> None:
    """From here on g can be woken, as soon as a waker can find it. By g itself, before it is in any queue. `on`: what it waits on, or None."""
    g.reason = reason
    g.wait_on(on)
    g.set_state(PARKING)
    g.open_wait()


def claim(g: Goroutine) -> bool:
    """By who has won g's wait. True: g was parked and is the caller's to queue. False: its M will."""
    while True:  # race: it parked between the two swaps below
        if g.swap_state(PARKED, RUNNABLE):
            return True
        if g.swap_state(PARKING, NOTIFIED):  # race: the waker came before the coroutine has yielded
            return False
        state = g.state_now()
        if state != PARKED and state != PARKING:
            return False


def ready(g: Goroutine) -> None:
    """By who has won g's wait: wakes g, from wherever the caller is: a goroutine of the same runtime, of another one, or a thread of neither."""
    m: M | None = current_m()
    g.waker = 0 if m is None or m.trail is None or m.in_runtime or not g.listed() or not g.belongs_to(m) else m.goid
    if claim(g):
        if not g.listed():
            g.home.wake_note()  # type: ignore[union-attr]  # the stand-in of a thread
        elif m is None or not g.belongs_to(m) or m.resting:
            ready_elsewhere(list_of(g).owner, g)
        elif m.in_runtime:
            if m.trail is not None:
                m.trail.tell2(m.who, E_GO_UNBLOCK, g.id, 0)
            m.late_put(g)
        else:
            if m.trail is not None:
                m.trail.tell2(m.who, E_GO_UNBLOCK, g.id, g.waker)
            enter_runtime(m)
            if g.home is None or g.home is m or not bring(m, g):
                submit(m, g)
            leave_runtime(m)


def ready_elsewhere(s: Scheduler, g: Goroutine) -> None:
    """g was claimed by a thread that is no M of its runtime, or one that rests."""
    if s.trail is not None:
        s.trail.tell2(OUTSIDE, E_GO_UNBLOCK, g.id, 0)
    submit_global(s, g)
