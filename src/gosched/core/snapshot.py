"""Figures for stats() and schedtrace, read from outside the hot path.

Any thread asks, while the others run. An M that another object names may end at any moment: it is compared with those that the caller holds, and
never looked into.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .native import current_m
from .states import RUNNABLE

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


def in_turn_for(m: M, now: int) -> int:
    """For how many ns m's goroutine has not entered the runtime, as far as sysmon has seen: it looks every few ms, and begins anew with one that
    nobody waits for. -1: it runs none, or there is no telling."""
    if not m.busy() or m.state == "locked":
        return -1
    if m.blocked_in != 0 and m.blocked_in == m.goid:
        return now - m.blocked_since
    p = m.p
    if p is None or p.m is not m:  # taken by force
        return -1
    return now - p.stands_since() if p.same_turn() else 0


def kept_waiting(m: M) -> list[Goroutine]:
    """Those that could run, but only on m's thread, which something else keeps."""
    return [g for g in m.sched.goroutines() if waits_for(g, m)]


def waits_for(g: Goroutine, m: M) -> bool:
    return g.home is m and g.state_now() == RUNNABLE


def left_behind(s: Scheduler) -> list[Goroutine]:
    """Goroutines that have not ended, when all should have: but for those that were to finish a generator that was dropped too late for it."""
    return [g for g in s.goroutines() if not is_system(g)]


def is_system(g: Goroutine) -> bool:
    return g.system


def creator_of(g: Goroutine) -> int:
    """The id of the goroutine that started g, 0 for none."""
    return g.creator


def sched_figures(s: Scheduler) -> tuple[int, int, int]:
    return (s.global_size(), s.idle_ps(), s.spinning())


def header_figures(s: Scheduler) -> tuple[int, ...]:
    """Ps, idle ones, threads, spinning ones, whether one is wanted, parked ones, the global queue, and threads that sleep with a goroutine. All but
    the two of spinning are of one moment: the lock guards them."""
    s.acquire()
    procs = s.nproc
    idle = s.idle_ps()
    threads = s.threads
    parked = s.idle_threads
    locked = s.idle_locked
    queue = s.global_size()
    s.release()
    return (procs, idle, threads, s.spinning(), s.need_spinning(), parked, queue, locked)


def spare_goroutines(p: P) -> int:
    """Dead ones that p keeps for reuse."""
    return p.spares


def locked_to(g: Goroutine, m: M) -> bool:
    """By lock_os_thread. A pointer is compared, nothing is counted: g may unlock itself right now."""
    return g.locks != 0 and g.home is m
