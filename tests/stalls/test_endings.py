"""Main returns while others burn CPU or block their threads: each is told by Goexit, once, and runs all of its finally blocks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from gosched import AbandonedThreadWarning, Goexit, Goroutine, Runtime, WaitGroup, blocking, go, run

from .waiting import COMPILED, FREE_THREADED, MONITORS, NEVER_TOLD, Deadline, spin_for_ever, until


def work() -> int:
    """Some tens of milliseconds of CPU: several slices."""
    n = 0
    for _ in range(1_500_000):
        n += 1
    return n


async def begun(log: list[Any], n: int = 1) -> None:
    await until(lambda: len(log) >= n, "the hogs to begin")


@NEVER_TOLD
@pytest.mark.parametrize("procs", [1, 2])
def test_a_hog_that_never_returns_runs_its_finally_block(procs: int) -> None:
    """And run() returns, without a warning."""
    log: list[str] = []

    def hog() -> None:
        log.append("begins")
        try:
            spin_for_ever()
        finally:
            log.append("plain")

    async def async_hog() -> None:
        log.append("begins")
        try:
            spin_for_ever()
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
        log.append("begins")
        try:
            while True:
                pass
        finally:
            log.append("finally")

    async def async_hog() -> None:
        log.append("begins")
        try:
            while True:
                pass
        finally:
            log.append("finally")

    async def main() -> None:
        go(async_hog if asynchronous else hog)
        await begun(log)

    run(main, gomaxprocs=1)
    assert log == ["begins", "finally"]


def loops_in_calls() -> None:
    def nothing() -> None:
        pass

    while True:
        nothing()


def loops_in_generators() -> None:
    def numbers() -> Any:
        while True:
            yield 1

    sum(numbers())


def recurses() -> None:
    def fib(n: int) -> int:
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    fib(100)


def catches_exceptions() -> None:
    while True:
        try:
            raise KeyError
        except KeyError:
            pass


def catches_every_exception() -> None:
    """`except Exception` does not catch Goexit."""
    while True:
        try:
            raise KeyError
        except Exception:
            pass


def sleeps() -> None:
    while True:
        time.sleep(0.005)


def sleeps_marked() -> None:
    while True:
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
def test_endless_code_of_every_kind(endless: Callable[[], None]) -> None:
    log: list[str] = []

    def hog() -> None:
        log.append("begins")
        try:
            endless()
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
def test_those_that_were_suspended_end_as_well() -> None:
    """More hogs than Ps: most of them stand still in the middle of their code when main returns."""
    started: list[int] = []
    ended: list[int] = []

    def hog(i: int) -> None:
        started.append(i)
        try:
            spin_for_ever()
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
def test_a_long_finally_block_runs_to_its_end(procs: int) -> None:
    """It burns CPU for several slices itself: it is suspended meanwhile, but not told again."""
    log: list[Any] = []

    def hog(i: int) -> None:
        log.append(i)
        try:
            spin_for_ever()
        finally:
            log.append((i, work()))

    async def main() -> None:
        for i in range(3):
            go(hog, i)
        await begun(log, 3)

    run(main, gomaxprocs=procs)
    assert sorted(log[3:]) == [(i, 1_500_000) for i in range(3)]


@NEVER_TOLD
def test_a_goroutine_may_go_on_for_a_while_after_it_was_told() -> None:
    """Goexit comes once."""
    log: list[str] = []

    def hog() -> None:
        log.append("begins")
        try:
            spin_for_ever()
        except Goexit:
            log.append("told")
        work()
        log.append("went on")

    async def main() -> None:
        go(hog)
        await begun(log)

    run(main, gomaxprocs=1)
    assert log == ["begins", "told", "went on"]


def test_a_goroutine_that_swallows_goexit_is_abandoned() -> None:
    stop: list[int] = []
    log: list[str] = []

    def round_and_round() -> None:
        while not stop:
            pass

    def stubborn() -> None:
        log.append("begins")
        while not stop:
            try:
                round_and_round()
            except BaseException as error:
                log.append(type(error).__name__)

    async def main() -> str:
        go(stubborn)
        await begun(log)
        return "main's result"

    words = r"^gosched: after 0\.2 s in which nothing ended, abandoned 1 thread in foreign calls or endless code, with 1 goroutine$"
    try:
        with pytest.warns(AbandonedThreadWarning, match=words):
            assert run(main, gomaxprocs=1, grace=0.2) == "main's result"
    finally:
        stop.append(1)
    if COMPILED or not FREE_THREADED:
        assert log == ["begins", "Goexit"]


def test_an_abandoned_goroutine_still_comes_to_its_end() -> None:
    stop: list[int] = []
    log: list[str] = []
    lock = threading.Lock()

    def round_and_round() -> None:
        while not stop:
            pass

    def slow() -> None:
        log.append("begins")
        with lock:
            try:
                spin_for_ever()
            finally:
                round_and_round()

    async def main() -> None:
        go(slow)
        await begun(log)

    with pytest.warns(AbandonedThreadWarning):
        run(main, gomaxprocs=1, grace=0.1)
    stop.append(1)
    assert lock.acquire(timeout=0.5), "nobody can ever take this lock again"


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
        log.append("begins")
        try:
            naps()
        finally:
            log.append("finally")

    async def main() -> None:
        go(waits)
        await begun(log)

    run(main, gomaxprocs=1)
    assert log == ["begins", "finally"]


@NEVER_TOLD
def test_a_wait_of_the_standard_library_is_left_in_order() -> None:
    log: list[str] = []
    gate = threading.Event()

    def waits() -> None:
        log.append("begins")
        try:
            gate.wait(0.05)
        finally:
            log.append("finally")

    async def main() -> None:
        go(waits)
        await begun(log)

    run(main, gomaxprocs=1)
    assert log == ["begins", "finally"]
    gate.set()


def test_goexit_does_not_strike_the_handler_of_uncaught_exceptions() -> None:
    log: list[str] = []

    def handler(g: Goroutine, error: BaseException) -> None:
        log.append("begins")
        work()
        log.append("ends")

    async def bad() -> None:
        raise ValueError("handled")

    async def main() -> str:
        go(bad)
        await begun(log)
        return "main's result"

    assert run(main, gomaxprocs=2, on_uncaught=handler) == "main's result"
    assert log == ["begins", "ends"]


@pytest.mark.skipif(not FREE_THREADED, reason="nobody is on a leash")
def test_a_hog_without_a_leash_is_told_to_end() -> None:
    log: list[str] = []
    kept: list[object] = []

    def hog() -> None:
        log.append("begins")
        try:
            spin_for_ever()
        finally:
            log.append("finally")

    async def main() -> None:
        g = go(hog)
        await begun(log)
        (m,) = [m for m in Runtime.current().sched.allm if m.goid == g.id]
        kept.extend(m.leashes)
        m.leashes.clear()

    run(main, gomaxprocs=2, grace=0.3)
    assert log == ["begins", "finally"]


def test_the_program_may_fail_beside_hogs() -> None:
    """An uncaught exception ends a program of hogs as main's return does, and is what run() raises."""
    log: list[str] = []
    stop: list[int] = []

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
