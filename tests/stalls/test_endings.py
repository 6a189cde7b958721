"""Main returns while others burn CPU or block their threads: each is told by Goexit, once, and runs all of its finally blocks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gosched import AbandonedThreadWarning, Goexit, WaitGroup, blocking, go, run
from tests.builds import COMPILED, NEVER_TOLD

# Who has begun is inside its try: the program may end there and then, and Goexit strike at the next line.
from .waiting import MONITORS, Deadline, begun, spin, work


@NEVER_TOLD
@pytest.mark.parametrize("procs", [1, 2])
def test_a_hog_that_never_returns_runs_its_finally_block(procs: int, stop: list[int]) -> None:
    """And run() returns, without a warning."""
    log: list[str] = []

    def hog() -> None:
        try:
            log.append("begins")
            spin(stop)
        finally:
            log.append("plain")

    async def async_hog() -> None:
        try:
            log.append("begins")
            spin(stop)
        finally:
            log.append("async")

    async def main() -> int:
        go(hog)
        go(async_hog)
        await begun(log, 2)
        return 5

    assert run(main, gomaxprocs=procs) == 5
    assert sorted(log) == ["async", "begins", "begins", "plain"]


PASSED_OVER = pytest.mark.skipif(
    MONITORS and not COMPILED, reason="a pure build raises Goexit out of a JUMP event: CPython passes over the handlers of the frame that jumps"
)


@NEVER_TOLD
@PASSED_OVER
@pytest.mark.parametrize("asynchronous", [False, True])
def test_the_finally_block_around_the_loop_itself(asynchronous: bool) -> None:
    log: list[str] = []

    def hog() -> None:
        try:
            log.append("begins")
            while True:
                pass
        finally:
            log.append("finally")

    async def async_hog() -> None:
        try:
            log.append("begins")
            while True:
                pass
        finally:
            log.append("finally")

    async def main() -> None:
        go(async_hog if asynchronous else hog)
        await begun(log)

    run(main, gomaxprocs=1)
    assert log == ["begins", "finally"]


def loops_in_calls(stop: list[int]) -> None:
    def nothing() -> None:
        pass

    while not stop:
        nothing()


def loops_in_generators(stop: list[int]) -> None:
    def numbers() -> Iterator[int]:
        while not stop:
            yield 1

    sum(numbers())


def recurses(stop: list[int]) -> None:
    def fib(n: int) -> int:
        return n if n < 2 or stop else fib(n - 1) + fib(n - 2)

    fib(100)


def catches_exceptions(stop: list[int]) -> None:
    while not stop:
        try:
            raise KeyError
        except KeyError:
            pass


def catches_every_exception(stop: list[int]) -> None:
    """`except Exception` does not catch Goexit."""
    while not stop:
        try:
            raise KeyError
        except Exception:
            pass


def sleeps(stop: list[int]) -> None:
    while not stop:
        time.sleep(0.005)


def sleeps_marked(stop: list[int]) -> None:
    while not stop:
        blocking(time.sleep, 0.005)


ENDLESS = [
    loops_in_calls,
    loops_in_generators,
    recurses,
    catches_exceptions,
    catches_every_exception,
    sleeps,
    sleeps_marked,
]


@NEVER_TOLD
@pytest.mark.parametrize("endless", ENDLESS, ids=lambda f: f.__name__)
def test_endless_code_of_every_kind(endless: Callable[[list[int]], None], stop: list[int]) -> None:
    log: list[str] = []

    def hog() -> None:
        try:
            log.append("begins")
            endless(stop)
        except Goexit:
            log.append("Goexit")
            raise
        finally:
            log.append("finally")

    async def main() -> None:
        go(hog)
        await begun(log)

    run(main, gomaxprocs=1)
    assert log == ["begins", "Goexit", "finally"]


@NEVER_TOLD
def test_those_that_were_suspended_end_as_well(stop: list[int]) -> None:
    """More hogs than Ps: most of them stand still in the middle of their code when main returns."""
    started: list[int] = []
    ended: list[int] = []

    def hog(i: int) -> None:
        try:
            started.append(i)
            spin(stop)
        finally:
            ended.append(i)

    async def main() -> None:
        for i in range(5):
            go(hog, i)
        await begun(started, 5)

    run(main, gomaxprocs=1)
    assert sorted(ended) == list(range(5))


@NEVER_TOLD
@pytest.mark.parametrize("procs", [1, 2])
def test_a_long_finally_block_runs_to_its_end(procs: int, stop: list[int]) -> None:
    """It burns CPU for several slices itself: it is suspended meanwhile, but not told again."""
    log: list[Any] = []

    def hog(i: int) -> None:
        try:
            log.append(i)
            spin(stop)
        finally:
            log.append((i, work()))

    async def main() -> None:
        for i in range(3):
            go(hog, i)
        await begun(log, 3)

    run(main, gomaxprocs=procs)
    assert sorted(log[3:]) == [(i, 1_500_000) for i in range(3)]


@NEVER_TOLD
def test_a_goroutine_may_go_on_for_a_while_after_it_was_told(stop: list[int]) -> None:
    """Goexit comes once."""
    log: list[str] = []

    def hog() -> None:
        try:
            log.append("begins")
            spin(stop)
        except Goexit:
            log.append("told")
        work()
        log.append("went on")

    async def main() -> None:
        go(hog)
        await begun(log)

    run(main, gomaxprocs=1)
    assert log == ["begins", "told", "went on"]


@NEVER_TOLD
def test_a_goroutine_that_swallows_goexit_is_abandoned(stop: list[int]) -> None:
    log: list[str] = []

    def stubborn() -> None:
        while not stop:
            try:
                if not log:
                    log.append("begins")
                spin(stop)
            except BaseException as error:
                log.append(type(error).__name__)

    async def main() -> str:
        go(stubborn)
        await begun(log)
        return "main's result"

    words = r"^gosched: after 0\.2 s in which nothing ended, abandoned 1 thread in foreign calls or endless code, with 1 goroutine$"
    with pytest.warns(AbandonedThreadWarning, match=words):
        assert run(main, gomaxprocs=1, grace=0.2) == "main's result"
    assert log == ["begins", "Goexit"]


@NEVER_TOLD
@pytest.mark.parametrize("marked", [False, True])
def test_a_blocked_goroutine_ends_when_its_call_returns(marked: bool) -> None:
    """It is in a call when main returns; the call is over within the grace."""
    log: list[str] = []

    def naps() -> None:
        if marked:
            blocking(time.sleep, 0.05)
        else:
            time.sleep(0.05)

    def waits() -> None:
        try:
            log.append("begins")
            naps()
        finally:
            log.append("finally")

    async def main() -> None:
        go(waits)
        await begun(log)

    run(main, gomaxprocs=1)
    assert log == ["begins", "finally"]


def test_the_program_may_fail_beside_hogs(stop: list[int]) -> None:
    """An uncaught exception ends a program of hogs as main's return does, and is what run() raises."""
    log: list[str] = []

    def hog() -> None:
        log.append("begins")
        deadline = Deadline("the end")
        while not stop:
            deadline.check()

    async def fails() -> None:
        stop.append(1)
        raise LookupError("the reason")

    async def main() -> None:
        wg = WaitGroup()
        wg.add(1)
        go(hog)
        await begun(log)
        go(fails)
        await wg

    with pytest.raises(LookupError, match="the reason"):
        run(main, gomaxprocs=1)
