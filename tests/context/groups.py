"""What the tests of groups share: one program for all spellings."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import gosched
from gosched import (
    Group,
    asleep,
    num_goroutine,
)
from tests.sync.spelled import awaited, schedules

from .operations import Way


@asynccontextmanager
async def grouped(way: Way, **options: Any) -> AsyncIterator[Group]:
    """`async with Group()`, or `with Group()`."""
    if way.do is awaited:
        async with Group(**options) as group:
            yield group
    else:
        with Group(**options) as group:
            yield group


def everywhere(main: Callable[..., Any], way: Way) -> None:
    """main, which is spelled so, in virtual time; what it comes to must be the same in every schedule."""

    async def starts() -> None:
        outcome: list[BaseException | None] = []

        async def watched() -> None:
            try:
                await main()
            except BaseException as error:
                outcome.append(error)
            else:
                outcome.append(None)

        way.go(watched)
        await asleep(1000)
        error = outcome[0]
        if error is not None:
            raise error
        assert num_goroutine() == 1

    schedules(starts, procs=(1, 2), seeds=range(3))


async def fails_after(way: Way, seconds: float, error: BaseException) -> None:
    await way.do(gosched, "sleep", seconds)
    raise error


def task_body(way: Way, fn: Callable[..., Any]) -> Any:
    """fn as a task: driven, if a goroutine is to be a plain function."""
    if not way.driven:
        return fn

    def plainly(*args: Any) -> Any:
        steps = fn(*args)
        try:
            steps.send(None)
        except StopIteration as stop:
            return stop.value
        raise AssertionError("a plain task has yielded")

    return plainly


def told(group: BaseExceptionGroup[BaseException]) -> list[str]:
    return [repr(error) for error in group.exceptions]
