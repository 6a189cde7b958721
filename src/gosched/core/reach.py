"""Which goroutines that sleep can still be woken, as far as Python itself can tell: the twin of reach.pyx, whose reach.h explains it.

Others run on between any two lines, so the answer is to be asked for twice. Without a GIL references cannot be counted from here: everybody is taken
for wakeable.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from .g import Goroutine
from .native import ChannelWords, GoroutineList, LockedWaiter, RunQueue, SchedulerWords, ThreadWords, WaitQueue

if TYPE_CHECKING:
    from .native import StateWord

judges: bool = getattr(sys, "_is_gil_enabled", lambda: True)()

OUTSIDE = (type, ModuleType, CodeType, ThreadWords, RunQueue, SchedulerWords, GoroutineList, Goroutine)


def wakeable(sleepers: list[Goroutine]) -> list[bool]:
    """Each of them sleeps without a stack: True for those that something alive can wake."""
    if not judges:
        return [True] * len(sleepers)
    heap = Heap(sleepers)
    return [heap.wakes(g) for g in sleepers]


def edges(o: Any) -> Iterable[Any]:
    if isinstance(o, FunctionType):
        return (o.__closure__, o.__defaults__, o.__kwdefaults__, vars(o))
    return gc.get_referents(o)


class Heap:
    """All that can be reached from goroutines that sleep."""

    def __init__(self, sleepers: list[Goroutine]) -> None:
        self.numbers: dict[int, int] = {}
        self.nodes: list[Any] = []
        self.inside: list[int] = []
        self.guards: set[int] = set()
        self.woken = {id(g): False for g in sleepers}
        for g in sleepers:
            self.count(vars(g).values())
        done = 0
        while done < len(self.nodes):
            o = self.nodes[done]
            if isinstance(o, LockedWaiter):
                self.guards.add(id(getattr(o, "g", None)))
            self.count(edges(o))
            done += 1
        o = None
        self.alive = [False] * done
        self.todo: list[Any] = []
        for at, seen in enumerate(counts(self.nodes)):
            if seen > self.inside[at]:
                self.revive(at)
        for g in sleepers:
            on = g.waits_on()
            if (g.guarded and id(g) not in self.guards) or (on is not None and id(on) not in self.numbers):
                self.wake(g)
        while self.todo:
            self.spread(self.todo.pop())

    def count(self, found: Iterable[Any]) -> None:
        for o in found:
            if gc.is_tracked(o) and not isinstance(o, OUTSIDE):
                at = self.numbers.setdefault(id(o), len(self.nodes))
                if at == len(self.nodes):
                    self.nodes.append(o)
                    self.inside.append(0)
                self.inside[at] += 1

    def revive(self, at: int) -> None:
        if not self.alive[at]:
            self.alive[at] = True
            self.todo.append(self.nodes[at])

    def wake(self, w: Any) -> None:
        """w waits in the queue of what is alive: a goroutine, or what stands for one."""
        g: StateWord = w if isinstance(w, Goroutine) else w.g
        if self.woken.get(id(g)) is False:
            self.woken[id(g)] = True
            self.reach(vars(g).values())

    def reach(self, found: Iterable[Any]) -> None:
        for o in found:
            at = self.numbers.get(id(o))
            if at is not None:
                self.revive(at)

    def spread(self, o: Any) -> None:
        self.reach(edges(o))
        if isinstance(o, WaitQueue):
            for w in (*o._waiters, getattr(o, "writer", None)):
                if w is not None:
                    self.wake(w)
        elif isinstance(o, ChannelWords):
            for w in (*o._receivers, *o._senders):
                self.wake(w)
        elif isinstance(o, LockedWaiter) and hasattr(o, "g"):
            self.wake(o)

    def wakes(self, g: Goroutine) -> bool:
        return self.woken[id(g)]


def counts(nodes: list[Any]) -> list[int]:
    """How many references each has, but for those of this module."""
    probe = [object()]
    (own,) = [sys.getrefcount(o) for o in probe]
    return [sys.getrefcount(o) - own for o in nodes]
