"""One test, two spellings, many schedules: what the tests of sync and timing share."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from gosched import ayield_now, stats
from gosched.testing import virtual_run

Do = Callable[..., Awaitable[Any]]
TWINS = {"wait": "await_", "wait_for": "await_for"}


async def awaited(thing: Any, op: str, *args: Any, **options: Any) -> Any:
    """thing's operation by its twin."""
    return await getattr(thing, TWINS.get(op, f"a{op}"))(*args, **options)


async def plain(thing: Any, op: str, *args: Any, **options: Any) -> Any:
    """The same by the plain spelling."""
    return getattr(thing, op)(*args, **options)


both = pytest.mark.parametrize("do", [awaited, plain], ids=["awaited", "plain"])


@asynccontextmanager
async def held(do: Do, lock: Any) -> AsyncIterator[None]:
    """`async with lock`, or `with lock`."""
    if do is awaited:
        async with lock:
            yield
    else:
        with lock:
            yield


async def settled() -> None:
    """Until every other goroutine waits, in virtual time, which does not move meanwhile."""
    quiet = 0
    while quiet < 10:
        await ayield_now()
        states = stats().by_state
        quiet = 0 if states.get("runnable") or states.get("running") != 1 else quiet + 1


def schedules(main: Callable[..., Any], *args: Any, procs: Iterable[int] = (1, 2, 4), seeds: Iterable[int] = range(5)) -> list[Any]:
    """main's results in virtual time, for every number of Ps and every seed."""
    return [virtual_run(main, *args, gomaxprocs=n, seed=seed) for n in procs for seed in seeds]


def in_threads(*bodies: Callable[[], object]) -> None:
    """Runs each in a thread that is no goroutine; the first exception is raised here."""
    errors: list[BaseException] = []

    def guarded(body: Callable[[], object]) -> None:
        try:
            body()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(body,), daemon=True) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "a thread hangs"
    if errors:
        raise errors[0]
