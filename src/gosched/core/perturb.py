"""Exploration: another order than the scheduler's own among those that can run anyway. Between two turns, when nobody is in the runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .runq import put_global, put_tail, take_one_global

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M


def mix(m: M, demotes: bool, local: int, common: int) -> None:
    """Whose turn is it on m: `next` loses its place if `demotes`; then as many others as the random numbers say are passed over."""
    g: Goroutine | None
    if m.p is None:
        return
    if demotes:
        g = m.p.take_next()
        if g is not None:
            put_tail(m, g)
    n = m.p.ring_size()
    for _ in range(local % n if n else 0):
        g = m.p.pop()
        put_tail(m, g)
    n = m.sched.global_size()
    for _ in range(common % n if n else 0):
        put_global(m.sched, take_one_global(m))  # type: ignore[arg-type]  # there are so many
