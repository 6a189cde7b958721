"""Putting goroutines into queues and taking them out: a P's ring and `next`, and the global queue behind them.

The ring itself, with its races, is native.RunQueue. A goroutine put here is the queue's from then on. The ways are Go's; a scheduler that is `bent`
has others (bend.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .bend import put_bent, put_tail_bent, tell_global, tell_refill

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M
    from .sched import Scheduler


def put_next(m: M, g: Goroutine) -> None:
    """Go's runqput(next=true): g runs next on m's P, and what stood there goes to the tail."""
    if m.sched.bent:
        put_bent(m, g)
    else:
        kicked = m.p.swap_next(g)
        if kicked is not None:
            put_tail(m, kicked)


def put_tail(m: M, g: Goroutine) -> None:
    """Go's runqput: to the tail of m's P. Half of a full ring moves to the global queue together with g."""
    if m.sched.bent:
        put_tail_bent(m, g)
    else:
        while not m.p.push(g) and not m.p.spill_half(m.sched, g):
            pass  # a thief made room between the two


def put_global(s: Scheduler, g: Goroutine) -> None:
    """To the tail of the global queue. Whoever does this wakes an M afterwards, or is one that goes on looking."""
    s.acquire()
    s.global_put(g)
    if s.journal:
        tell_global(s, g)
    s.release()


def take_one_global(m: M) -> Goroutine | None:
    """The head of the global queue alone: the fairness check's share."""
    m.sched.acquire()
    g: Goroutine | None = m.sched.global_take()
    m.sched.release()
    return g


def take_global(m: M) -> Goroutine | None:
    """Lock held. This P's share of the global queue: min(128, size, size / gomaxprocs + 1); the first is returned, the rest goes into the ring."""
    n = m.sched.global_size()
    if n == 0:
        return None
    share = min(m.sched.batch, n, n // m.sched.nproc + 1)
    g: Goroutine = m.sched.global_take()
    if share > 1:
        m.sched.global_refill(m.p, share - 1)
        if m.sched.journal:
            tell_refill(m, n - 1 - m.sched.global_size())  # fewer, if the ring is a small one
    return g
