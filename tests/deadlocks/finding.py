"""What the tests of this package share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gosched import Chan, find_deadlocks, go
from gosched.core import reach
from tests.sync.spelled import settled

# A pure build without a GIL cannot count references: there everything is taken for reachable.
judged = pytest.mark.skipif(not reach.judges, reason="reachability is not judged on this build")

Found = list[tuple[str, list[str]]]


async def found() -> Found:
    """When all others wait: the kinds, each with the names of its goroutines, both in order."""
    await settled()
    return named(find_deadlocks())


def named(deadlocks: list[Any]) -> Found:
    return sorted((d.kind, sorted(g.name for g in d.goroutines)) for d in deadlocks)


# ---- who waits ----


async def receive(ch: Chan[Any]) -> None:
    await ch.arecv()


async def send(ch: Chan[Any], value: Any = None) -> None:
    await ch.asend(value)


def start(fn: Callable[..., Any], *args: Any, name: str = "lost") -> None:
    go(fn, *args, name=name)
