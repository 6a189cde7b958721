"""What the tests of this package share: what this interpreter can do, and waiting for events instead of for time."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import gosched
from gosched import Goroutine, asleep, ayield_now
from tests.builds import COMPILED, FREE_THREADED

# A hog can be suspended in the middle of its code. Where not, its P is taken and it runs on without one.
CAN_SUSPEND = sys.version_info >= (3, 12) or COMPILED
# A hog is asked by events of sys.monitoring; else, with a GIL, by a trace function.
MONITORS = sys.version_info >= (3, 12) and not FREE_THREADED
# Far more than any wait here takes on a busy machine: who waits longer than this waits for ever.
PATIENCE = 60.0

monitoring: Any = getattr(sys, "monitoring", None)


class Deadline:
    """Ends a wait that would go on for ever, with what it was for."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.at = time.monotonic() + PATIENCE

    def check(self) -> None:
        assert time.monotonic() < self.at, f"waited {PATIENCE:g} s for {self.what}"


async def until(reached: Callable[[], object], what: str) -> None:
    """Yields until then: the others get every turn in between."""
    deadline = Deadline(what)
    while not reached():
        deadline.check()
        await ayield_now()


async def until_slowly(reached: Callable[[], object], what: str) -> None:
    """The same with a sleep in between: the machine is left to threads without a P."""
    deadline = Deadline(what)
    while not reached():
        deadline.check()
        await asleep(0.001)


def spin(stop: list[Any]) -> int:
    """A hog, until somebody puts something into `stop`. Returns how often it went round."""
    turns = 0
    while not stop:
        turns += 1
    return turns


async def until_suspended(hog: Goroutine) -> bool:
    """Until the hog stands still in the middle of its code, or its P was taken from it. False: it was not suspended."""
    await until(lambda: hog.state == "preempted" or taken(), "the hog to be suspended, or to lose its P")
    return hog.state == "preempted"


def taken() -> int:
    """How often a P was taken from who did not give it up: by force, or because its thread seemed to be blocked."""
    return sum(p.retakes for p in gosched.stats().ps)


def newest_thread() -> int:
    """Threads are numbered from 0, in the order in which they were started."""
    return max(m.id for m in gosched.stats().ms)


def work(turns: int = 1_500_000) -> int:
    """Some tens of milliseconds of CPU: several slices."""
    n = 0
    for _ in range(turns):
        n += 1
    return n


async def begun(log: list[Any], n: int = 1) -> None:
    await until(lambda: len(log) >= n, "the hogs to begin")
