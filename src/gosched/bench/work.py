"""What the goroutines of all runtimes do alike, and how it is measured."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import perf_counter_ns as now
from typing import Any, NamedTuple, TypeVar

__all__ = [
    "CHUNK",
    "HOUR",
    "LONG_SUM",
    "NAP",
    "PARKED",
    "TICK",
    "Reading",
    "Size",
    "Ticks",
    "async_bodies",
    "burn",
    "burn_for",
    "cpu_of_threads",
    "hog",
    "long_sum",
    "now",
    "picks",
    "plain_bodies",
    "resident",
]

HOUR = 3600

# Of the ticker in `hogs`, `sleepers` and `csum`, in seconds; the same in nanoseconds.
TICK = 0.001
TICK_NS = 1_000_000

# What a hog computes between two turns where nobody takes its turn away, in nanoseconds; what a sleeper sleeps, in seconds.
CHUNK = 100_000_000
NAP = 0.5

LONG_SUM = 25_000_000

# Goroutines that are parked all the time in `sysmon`.
PARKED = 100

Body = TypeVar("Body")


@dataclass(frozen=True)
class Size:
    """How large a case is run."""

    n: int
    """Goroutines; leaves in `tree` and `skynet`, round trips in `pingpong` and `pairs`, pending timers in `timers`; those beside the ticker in
    `hogs`, `sleepers` and `csum`; who plays ping-pong in `sysmon`; else what a case is about."""
    work: int
    """What each does: turns in `yield`, a count in `fanout`. In `spawn` one in this many counts itself; stages in `pipeline`, pairs that share
    the round trips in `pingpong` and `pairs`, timers started and stopped in `timers`, ticks in `hogs`, `sleepers` and `csum`, what each counts to in
    `preempted`, milliseconds in `sysmon`."""
    procs: int
    """Ps, or threads that run goroutines."""


class Reading(NamedTuple):
    """What one run of a case gives."""

    answer: int
    figure: int
    """Nanoseconds in all, or bytes in all; the p99 of delays in nanoseconds; nanoseconds of CPU in a second; millionths."""


def async_bodies(size: Size) -> tuple[list[Callable[[], Coroutine[Any, Any, None]]], list[int]]:
    """For `spawn`: async functions that do nothing, and here and there one that counts itself in the list given beside them."""
    ran: list[int] = []

    async def nothing() -> None:
        pass

    async def count() -> None:
        ran.append(1)

    return _mixed(size, nothing, count), ran


def plain_bodies(size: Size) -> tuple[list[Callable[[], None]], list[int]]:
    """The same as plain functions, for runtimes that switch stacks."""
    ran: list[int] = []

    def nothing() -> None:
        pass

    def count() -> None:
        ran.append(1)

    return _mixed(size, nothing, count), ran


def _mixed(size: Size, nothing: Body, count: Body) -> list[Body]:
    bodies = [nothing] * size.n
    for i in range(0, size.n, size.work):
        bodies[i] = count
    return bodies


def burn(count: int) -> int:
    """Pure Python that takes as long as it takes to count."""
    i = 0
    while i < count:
        i += 1
    return i


def picks(size: Size) -> list[int]:
    """For `select`: which of four channels gets a value in each turn. The same in every run."""
    return Random(1).choices(range(4), k=size.n)


def resident() -> int:
    """The process's memory in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


class Ticks:
    """What a ticker of 1 ms has seen: how late each tick came that was due, also those that it was too late for. To be made before the ticker."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.delays: list[int] = []
        self.due = now() + TICK_NS

    def note(self) -> bool:
        """The ticker runs. False: it is done."""
        at = now()
        while self.due <= at and len(self.delays) < self.n:
            self.delays.append(at - self.due)
            self.due += TICK_NS
        return not self.over

    @property
    def over(self) -> bool:
        return len(self.delays) == self.n

    def seconds_left(self) -> float:
        """Until the next is due."""
        return max(0, self.due - now()) / 1e9

    def reading(self, others: int) -> Reading:
        """`others`: how many of those beside the ticker have got on."""
        return Reading(len(self.delays) + others, sorted(self.delays)[-1 - self.n // 100])


def hog(mine: list[int]) -> None:
    """Never ends, and never asks for anything."""
    while True:
        mine[0] += 1


def burn_for(ns: int) -> None:
    """Pure Python for so long."""
    end = now() + ns
    while now() < end:
        pass


def long_sum() -> int:
    """One call into C, of some tenths of a second: there is no bytecode in it at which anybody could be asked anything."""
    return sum(range(LONG_SUM))


def cpu_of_threads() -> dict[int, int]:
    """What each thread of the process has used so far, in nanoseconds."""
    used = {}
    for task in Path("/proc/self/task").iterdir():
        try:
            used[int(task.name)] = int((task / "schedstat").read_text().split()[0])
        except OSError:  # it has ended meanwhile
            pass
    return used
