"""Runnable again: what a waker does with a waiting goroutine. The states are in g.py.

The waker may come before the goroutine's coroutine has yielded, so it never touches the coroutine: it moves the state word, and whoever moved it
PARKED -> RUNNABLE, waker or M, queues the goroutine. A waker holds no lock of the thing waited for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .entry import enter_runtime, leave_runtime
from .native import current_m, list_of
from .states import NOTIFIED, PARKED, PARKING, RUNNABLE
from .wake import submit, submit_global

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M
    from .sched import Scheduler


def claim(g: Goroutine) -> bool:
    """True: g was parked and is the caller's to queue. False: its M, or another waker, will."""
    while True:  # race: it parked between the two swaps below
        if g.swap_state(PARKED, RUNNABLE):
            return True
        if g.swap_state(PARKING, NOTIFIED):  # race: the waker came before the coroutine has yielded
            return False
        state = g.state_now()
        if state != PARKED and state != PARKING:
            return False


def ready(g: Goroutine) -> None:
    """Wakes g, from wherever the caller is: a goroutine of the same runtime, of another one, or a thread of neither."""
    if claim(g):
        s: Scheduler = list_of(g).owner
        m: M | None = current_m()
        if m is None or m.sched is not s:
            submit_global(s, g)
        elif m.in_runtime:
            m.late_put(g)
        else:
            enter_runtime(m)
            submit(m, g)
            leave_runtime(m)
