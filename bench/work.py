"""What the goroutines of all runtimes do alike, and how it is measured."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import perf_counter_ns as now
from typing import Any, NamedTuple, TypeVar

__all__ = ["HOUR", "Reading", "Size", "async_bodies", "burn", "now", "picks", "plain_bodies", "resident"]

HOUR = 3600

Body = TypeVar("Body")


@dataclass(frozen=True)
class Size:
    """How large a case is run."""

    n: int
    """Goroutines; leaves in `tree` and `skynet`, round trips in `pingpong` and `pairs`, pending timers in `timers`; else what a case is about."""
    work: int
    """What each does: turns in `yield`, a count in `fanout`. In `spawn` one in this many counts itself; stages in `pipeline`, pairs that share
    the round trips in `pingpong` and `pairs`, timers started and stopped in `timers`."""
    procs: int
    """Ps, or threads that run goroutines."""


class Reading(NamedTuple):
    """What one run of a case gives."""

    answer: int
    figure: int
    """Nanoseconds in all, or bytes in all."""


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
