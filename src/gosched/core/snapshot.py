"""Figures for stats(), read from outside the hot path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .native import current_m

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M
    from .p import P
    from .sched import Scheduler


def current_goroutine() -> Goroutine | None:
    """The goroutine that this thread runs, if any."""
    m: M | None = current_m()
    return None if m is None else m.held()


def p_figures(p: P) -> tuple[Any, ...]:
    return (
        p.id,
        p.status,
        p.ring_size(),
        p.has_next(),
        p.schedtick,
        p.usertick,
        p.steals,
        p.stolen,
        p.handoffs,
        p.retakes,
        p.blocks,
        p.forced,
        p.timers.size(),
    )


def queue_ids(p: P) -> list[int]:
    """The ids of the goroutines in p's ring, oldest first, by taking them out and putting them back: p's owner only."""
    found = []
    for _ in range(p.ring_size()):
        g: Goroutine = p.pop()
        found.append(g.id)
        p.push(g)
    return found


def m_figures(m: M) -> tuple[Any, ...]:
    p = m.p if m.p is not None and m.p.m is m else None  # it keeps the name of a P that was taken from it
    state = "spinning" if m.spinning and m.state == "running" else m.state
    return (m.id, state, None if p is None else p.id, m.goid if m.busy() else None)


def away_for(m: M, now: int) -> int:
    """For how many ns m's goroutine has been in a call that nobody marked and that has cost it its P. 0: it is not in one."""
    return now - m.blocked_since if m.blocked_in != 0 and m.blocked_in == m.goid and not m.marked() else 0


def left_behind(s: Scheduler) -> int:
    """Goroutines that have not ended, when all should have: but for those that were to finish a generator that was dropped too late for it."""
    n = 0
    for g in s.goroutines():
        n += not g.system
    return n


def sched_figures(s: Scheduler) -> tuple[int, int, int]:
    return (s.global_size(), s.idle_ps(), s.spinning())
