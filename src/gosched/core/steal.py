"""Stealing: an M whose P has nothing takes half of another P's queue.

Four passes over all Ps, each in a random order that visits every P once (a random start, a random step coprime to their number). In the last pass
due timers of the others are run too, also of idle Ps; what they wake is the thief's. `next` is taken only then, and from a running P only after a
short wait: whoever readied it is probably about to park and to run it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .bend import ask_order
from .entry import submit_late
from .events import E_STEAL
from .states import P_IDLE, P_RUNNING
from .timers import run_timers

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M
    from .p import P


def steal_work(m: M) -> Goroutine | None:
    """A goroutine from another P, the others of the batch in m's own ring; None if there was nothing."""
    n = m.sched.nproc
    if n < 2:
        return None
    if m.sched.order is not None:
        return steal_in_order(m, n)
    for attempt in range(m.sched.passes):
        last = attempt == m.sched.passes - 1
        position = m.p.random() % n
        step = m.p.random_step(n)
        for _ in range(n):
            victim = m.sched.allp[position]
            position = (position + step) % n
            g = visit(m, victim, last)
            if g is not None:
                return g
    return None


def steal_in_order(m: M, n: int) -> Goroutine | None:
    """The same, where a policy says whom to visit; but timers that are due are not to be missed."""
    g: Goroutine | None
    for number in ask_order(m, m.p, n):
        victim: P = m.sched.allp[number]
        g = visit(m, victim, True)
        if g is not None:
            return g
    for i in range(n):
        victim = m.sched.allp[i]
        g = run_theirs(m, victim)
        if g is not None:
            return g
    return None


def visit(m: M, victim: P, last: bool) -> Goroutine | None:
    if victim.id == m.p.id:
        return None
    if last:
        g = run_theirs(m, victim)
        if g is not None:
            return g
    if victim.status == P_IDLE or not m.sched.steals:
        return None
    return steal(m, victim, last)


def run_theirs(m: M, victim: P) -> Goroutine | None:
    """Timers of another P that are due: one of those that they wake."""
    if victim.timers.size() == 0 or not run_timers(m, victim):
        return None
    submit_late(m)
    g: Goroutine | None = m.p.take_next()
    return m.p.pop() if g is None else g


def steal(m: M, victim: P, take_next: bool) -> Goroutine | None:
    """Half of victim's ring, rounded up, or else its `next` if take_next. The newest of the batch is returned."""
    g: Goroutine | None = m.p.steal_from(victim, m.sched.share)
    n = m.p.last_stolen
    if g is None:
        if not take_next or not victim.has_next():
            return None
        if victim.status == P_RUNNING:
            m.sched.host.courtesy()
        g = victim.take_next()
        if g is None:
            return None
        n = 1
    m.p.steals += 1
    m.p.stolen += n
    if m.trail is not None:
        m.trail.tell2(m.who, E_STEAL, victim.id, n)
    return g
