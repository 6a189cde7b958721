"""stats(): a snapshot of a runtime as frozen dataclasses. Read without stopping anything: the figures are of nearly one moment."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from gosched.core.g import Goroutine
from gosched.core.sched import Scheduler
from gosched.core.snapshot import m_figures, p_figures, sched_figures
from gosched.core.states import P_NAMES


@dataclass(frozen=True)
class PStats:
    """One P. `stolen` counts the goroutines that it took from others in `steals` raids. Of the `retakes`, it was taken from goroutines in blocking
    calls `blocks` times, and by force from such that did not answer `forced` times.

    >>> import gosched
    >>> async def main():
    ...     return [(p.id, p.status) for p in gosched.stats().ps]
    >>> gosched.run(main, gomaxprocs=1)
    [(0, 'running')]
    """

    id: int
    status: str
    queue: int
    runnext: bool
    schedtick: int
    usertick: int
    steals: int
    stolen: int
    handoffs: int
    retakes: int
    blocks: int
    forced: int
    timers: int


@dataclass(frozen=True)
class MStats:
    """One thread: running, spinning, parked, polling, locked; its P and the goroutine on it, or None.

    >>> import gosched
    >>> async def main():
    ...     return [(m.state, m.p, m.goroutine) for m in gosched.stats().ms if m.goroutine]
    >>> gosched.run(main, gomaxprocs=1)
    [('running', 0, 1)]
    """

    id: int
    state: str
    p: int | None
    goroutine: int | None


@dataclass(frozen=True)
class RuntimeStats:
    """A runtime at nearly one moment.

    >>> import gosched
    >>> async def main():
    ...     return gosched.stats()
    >>> figures = gosched.run(main, gomaxprocs=2)
    >>> figures.gomaxprocs, figures.goroutines, [p.id for p in figures.ps]
    (2, 1, [0, 1])
    """

    gomaxprocs: int
    goroutines: int
    by_state: dict[str, int]
    by_wait_reason: dict[str, int]
    global_queue: int
    idle_ps: int
    spinning_ms: int
    idle_ms: int
    locked_ms: int
    """Threads that sleep with a goroutine on their stack: it waits by the plain spelling."""
    threads: int
    plain_parks: int
    """How often goroutines have waited so."""
    stacks_aside: int
    """Stacks on which a goroutine waits, each on its thread; and those kept for reuse."""
    stacks_spare: int
    preemptions: int
    """How often goroutines were suspended in the middle of their code."""
    blocking_calls: int
    """How often blocking() was called."""
    ps: tuple[PStats, ...]
    ms: tuple[MStats, ...]


def collect(sched: Scheduler, goroutines: list[Goroutine] | None = None) -> RuntimeStats:
    """`goroutines`: all of them, if the caller has that list already."""
    goroutines = sched.goroutines() if goroutines is None else goroutines
    global_queue, idle_ps, spinning = sched_figures(sched)
    ps = []
    ms = list(sched.allm)
    blocked = sched.blocked_goroutines()
    for p in sched.allp[: sched.nproc]:
        number, status, *figures = p_figures(p)
        ps.append(PStats(number, P_NAMES[status], *figures))
    return RuntimeStats(
        gomaxprocs=sched.nproc,
        goroutines=len(goroutines),
        by_state=dict(Counter(g.state_given(blocked) for g in goroutines)),
        by_wait_reason=dict(Counter(g.wait_reason for g in goroutines if g.wait_reason)),
        global_queue=global_queue,
        idle_ps=idle_ps,
        spinning_ms=spinning,
        idle_ms=sched.idle_threads,
        locked_ms=sched.idle_locked,
        threads=sched.threads,
        plain_parks=sched.past_parks + sum(m.plain_parks for m in ms),
        stacks_aside=sum(m.aside for m in ms),
        stacks_spare=sum(len(m.pool) for m in ms),
        preemptions=sched.past_preemptions + sum(m.preemptions for m in ms),
        blocking_calls=sched.past_calls + sum(m.blocking_calls for m in ms),
        ps=tuple(ps),
        ms=tuple(MStats(*m_figures(m)) for m in ms),
    )
