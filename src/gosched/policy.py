"""Policy: the rules of the scheduler, to be bent. What each of Go's mechanisms is for shows when it is missing.

Fields are numbers and switches: they cost nothing, and are as safe in production as Go's own values. Methods that a subclass overrides are asked at
every decision of their kind. They choose, and the scheduler does: none can lose a goroutine, whatever it answers (core/bend.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from gosched.core.events import AT_GLOBAL, AT_NEXT, AT_TAIL
from gosched.core.g import Goroutine
from gosched.core.sched import Scheduler
from gosched.core.states import FAIRNESS, GLOBAL_BATCH, LOOK_NS, RING, SLICE_NS, SPIN_FACTOR, STEAL_PASSES, WHOLE

NEXT, TAIL, GLOBAL = AT_NEXT, AT_TAIL, AT_GLOBAL

# A tick that never comes, and a slice that is never over.
NEVER_TICK = 1 << 30
NEVER_NS = 1 << 61


@dataclass(frozen=True)
class Policy:
    """The rules by which goroutines are scheduled: Go's, unless said otherwise. For `run(main, policy=…)`, `Runtime(policy=…)`,
    `testing.virtual_run(main, policy=…)` and the laboratory.

    runnext    who becomes runnable runs next on its P; False: it queues behind the others
    inherit    who runs next has what is left of the time slice; False: a slice of its own, so that two who wake each other starve the rest
    steal      a P without work takes from others; False: it waits for its own
    preempt    who has used up its slice is stopped if others wait
    central    one global queue for all, as before Go 1.1
    lifo       of a P's queue the newest comes first
    fairness   every so many ticks a P looks at the global queue first; 0: never
    ring       places in a P's queue, a power of two
    slice      seconds
    share      what a thief takes of a queue, rounded up: more than 0, up to 1
    spin       a thread may look for work to steal while spin × looking threads < busy Ps; 0: always
    passes     over all Ps, before a thief gives up; the last one also takes `next`
    batch      how many a P takes at most from the global queue

    >>> import gosched
    >>> from gosched.testing import virtual_run
    >>> async def main():
    ...     order = []
    ...     async def note(i):
    ...         order.append(i)
    ...     for i in range(4):
    ...         gosched.go(note, i)
    ...     await gosched.asleep(1)
    ...     return order
    >>> virtual_run(main)
    [3, 0, 1, 2]
    >>> virtual_run(main, policy=gosched.Policy(runnext=False))
    [0, 1, 2, 3]
    """

    runnext: bool = True
    inherit: bool = True
    steal: bool = True
    preempt: bool = True
    central: bool = False
    lifo: bool = False
    fairness: int = FAIRNESS
    ring: int = RING
    slice: float = SLICE_NS / 1e9
    share: float = 0.5
    spin: int = SPIN_FACTOR
    passes: int = STEAL_PASSES
    batch: int = GLOBAL_BATCH

    NEXT: ClassVar[int] = NEXT
    TAIL: ClassVar[int] = TAIL
    GLOBAL: ClassVar[int] = GLOBAL

    def __post_init__(self) -> None:
        for name in ("runnext", "inherit", "steal", "preempt", "central", "lifo"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"Policy: {name} must be True or False, not {getattr(self, name)!r}")
        for name, least, most in (("fairness", 0, NEVER_TICK), ("ring", 2, 1 << 16), ("spin", 0, 1 << 16), ("passes", 1, 64), ("batch", 1, 1 << 16)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool):
                raise TypeError(f"Policy: {name} must be an int, not {value!r}")
            if not least <= value <= most:
                raise ValueError(f"Policy: {name} must be from {least:,} to {most:,}, not {value}")
        if self.ring & (self.ring - 1):
            raise ValueError(f"Policy: ring must be a power of two, such as {RING}, not {self.ring}")
        for name, most_s, words in (("slice", 3600.0, "seconds, more than 0"), ("share", 1.0, "more than 0, up to 1")):
            value = getattr(self, name)
            if not isinstance(value, int | float) or isinstance(value, bool):
                raise TypeError(f"Policy: {name} must be a number: {words}; not {value!r}")
            if not 0 < value <= most_s:
                raise ValueError(f"Policy: {name} must be {words}; not {value!r}")

    # ---- what a subclass may decide ----

    def place(self, g: Goroutine, p: int, queued: int) -> int:
        """Where a goroutine goes that became runnable on P p, in whose ring `queued` others wait: self.NEXT, self.TAIL or self.GLOBAL."""
        return self.NEXT

    def global_first(self, p: int, tick: int, queued: int, common: int) -> bool:
        """Whether P p, at its tick, looks at the global queue before its own: `queued` wait in its own, `common` in the global one."""
        return tick % self.fairness == 0 if self.fairness else False

    def victims(self, p: int, n: int) -> Iterable[int]:
        """Whom of n Ps the P p visits, in which order, when it has nothing to do."""
        return range(n)

    # ---- what the scheduler is told ----

    def bend(self, s: Scheduler) -> None:
        """Before its first M. Its rings must have been made with `ring` places."""
        s.runnext = self.runnext and not self.lifo
        s.inherits = self.inherit
        s.steals = self.steal
        s.passes = self.passes if self.steal else 1
        s.central = self.central
        s.lifo = self.lifo
        s.fairness = self.fairness or NEVER_TICK
        s.share = max(1, round(self.share * WHOLE))
        s.spin_factor = self.spin
        s.batch = 1 if self.central else self.batch
        s.place = self.place if self.decides("place") else None
        s.first = self.global_first if self.decides("global_first") else None
        s.order = self.victims if self.decides("victims") and self.steal else None
        s.bend()

    def decides(self, name: str) -> bool:
        return getattr(type(self), name) is not getattr(Policy, name)

    def slice_ns(self) -> int:
        return round(self.slice * 1e9) if self.preempt else NEVER_NS

    def watch(self, s: Scheduler, lag_ns: int = 0, trace_ns: int = 0) -> None:
        """How long slices are. `lag_ns`: by so much earlier somebody is asked, since an answer takes its time."""
        s.set_watch(self.slice_ns(), max(1, self.slice_ns() - lag_ns), LOOK_NS, trace_ns)

    def changes(self) -> dict[str, Any]:
        """What is not Go's, by name."""
        found = {f.name: getattr(self, f.name) for f in fields(self) if f.init and getattr(self, f.name) != f.default}
        found |= {name: type(self).__qualname__ for name in ("place", "global_first", "victims") if self.decides(name)}
        return found


GO = Policy()
"""Go's own."""


def checked_policy(policy: Policy | None) -> Policy:
    if policy is None:
        return GO
    if not isinstance(policy, Policy):
        raise TypeError(f"policy must be a gosched.Policy, not {type(policy).__name__}")
    return policy
