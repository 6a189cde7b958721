"""gomaxprocs: more or fewer Ps while the program runs, without stopping it.

New Ps come up idle. Of the Ps that go, an idle one is dead at once; one whose M is in user code is retaken here; one whose M is in the runtime is
given up by that M before it looks for work the next time (findrun.retire_p). The goroutines of a P that goes stand at the head of the global queue
afterwards, in their order. Callers take turns, by a flag and not by a lock: they run Python meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .bend import tell_drain
from .events import E_PROC_STEAL, E_PROCS, OUTSIDE
from .findrun import gather_timers
from .native import nap
from .states import COURTESY_NS, P_DEAD
from .wake import wake_p

if TYPE_CHECKING:
    from .m import M
    from .p import P
    from .sched import Scheduler


def resize(s: Scheduler, n: int) -> int:
    """Sets the number of Ps and returns what it was."""
    while not s.try_resizing():  # race: two callers would make the same P twice
        nap(COURTESY_NS)
    old = s.nproc
    if n > old:
        s.grow(n)
    elif n < old:
        s.acquire()
        shrink(s, n)
        s.release()
        gather_timers(s)
    if s.trail is not None:
        s.trail.tell1(OUTSIDE, E_PROCS, n)
    s.end_resizing()
    for _ in range(max(1, n - old)):
        wake_p(s)
    return old


def shrink(s: Scheduler, n: int) -> None:
    """Lock held."""
    s.nproc = n
    for i in range(n, len(s.allp)):
        p: P = s.allp[i]
        if not s.take_this_p(p):
            m: M | None = p.m
            if m is None or not m.retake_p(p):
                continue
            if s.trail is not None:
                s.trail.tell2(OUTSIDE, E_PROC_STEAL, p.id, m.id)
        p.drain_to_front(s)
        if s.journal:
            tell_drain(s, p)
        p.status = P_DEAD
        p.m = None
    s.watch_procs(n)  # last: fewer Ps than are idle would send sysmon to sleep
