"""Hogs on one P: another goroutine gets its turn, whatever they do, and they end with the right result."""

from __future__ import annotations

import inspect
import threading
import zlib
from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched import Runtime, WaitGroup, ayield_now, go, run
from tests.builds import COMPILED, FREE_THREADED

from .hogs import ASYNC, PLAIN, Flag, asynchronous, exceptions, generator_expression, recursion, ticks, tight_while
from .waiting import CAN_SUSPEND, Deadline, spin, taken, until, until_suspended

# Until a hog was suspended: on a busy machine its P may be taken first. Without a compiler that is often so, see the last test.
ATTEMPTS = 200 if COMPILED else 2


def outcome_of(hog: Callable[[Flag], Any]) -> tuple[bool, int]:
    """Runs the hog on the only P; main gets a turn beside it, and raises the flag. The hog's result, and how often it was suspended."""
    results: list[bool] = []

    def plainly(flag: Flag) -> None:
        results.append(hog(flag))

    async def awaited(flag: Flag) -> None:
        results.append(await hog(flag))

    async def main() -> int:
        flag: Flag = []
        wg = WaitGroup()
        g = wg.go(awaited if inspect.iscoroutinefunction(hog) else plainly, flag)
        await until(lambda: g.state != "runnable", "the hog to begin")
        await until_suspended(g)
        flag.append(1)
        await wg
        return gosched.stats().preemptions

    times = run(main, gomaxprocs=1)
    return results == [True], times


@pytest.mark.parametrize("hog", PLAIN + ASYNC, ids=lambda hog: hog.__name__)
def test_a_hog_lets_another_run_and_ends_with_its_result(hog: Callable[[Flag], Any]) -> None:
    """Where this Python can do it the hog was suspended, at least in one of a few runs."""
    right, times = outcome_of(hog)
    for _ in range(ATTEMPTS):
        if times > 0 or not CAN_SUSPEND:
            break
        more, times = outcome_of(hog)
        right = right and more
    assert right
    assert (times > 0) == CAN_SUSPEND or not COMPILED


@pytest.mark.parametrize("hog", [tight_while, recursion, generator_expression, exceptions, asynchronous], ids=lambda hog: hog.__name__)
def test_a_hog_is_suspended_again_and_again(hog: Callable[[Flag], Any]) -> None:
    """Nothing of the last time is left behind, neither in the hog's code nor in its thread."""
    results: list[bool] = []

    def plainly(flag: Flag) -> None:
        results.append(hog(flag))

    async def awaited(flag: Flag) -> None:
        results.append(await hog(flag))

    async def main() -> None:
        for _ in range(ATTEMPTS):
            flag: Flag = []
            wg, before = WaitGroup(), taken()
            wg.go(awaited if inspect.iscoroutinefunction(hog) else plainly, flag)
            await until(lambda before=before: gosched.stats().preemptions >= 5 or taken() > before, "five suspensions")  # type: ignore[misc]
            flag.append(1)
            await wg
            if gosched.stats().preemptions >= 5 or not CAN_SUSPEND:
                break
        assert (gosched.stats().preemptions >= 5) == CAN_SUSPEND or not COMPILED

    run(main, gomaxprocs=1)
    assert results
    assert all(results)


def test_hogs_share_one_p() -> None:
    """Five of them, and main: everybody gets on, while none of them ever gives way."""
    counts = [0] * 5

    def hog(i: int, stop: Flag) -> None:
        while not stop:
            counts[i] += 1

    async def main() -> None:
        stop: Flag = []
        wg = WaitGroup()
        for i in range(5):
            wg.go(hog, i, stop)
        for _ in range(2):
            before = list(counts)
            await until(lambda before=before: all(map(int.__gt__, counts, before)), "every hog to get on")  # type: ignore[misc]
        stop.append(1)
        await wg

    run(main, gomaxprocs=1)
    assert all(counts)


def test_hogs_on_every_p() -> None:
    async def main() -> int:
        stop: Flag = []
        wg = WaitGroup()
        hogs = [wg.go(spin, stop) for _ in range(6)]
        await until(lambda: all(g.state != "runnable" for g in hogs), "every hog to have had a turn")
        stop.append(1)
        await wg
        return len(hogs)

    assert run(main, gomaxprocs=3) == 6


def test_a_hog_that_holds_a_lock_which_another_needs() -> None:
    """Suspended inside `with lock`: who wants the lock blocks its thread and loses its P, and so the hog comes to its end."""
    log: list[str] = []

    def hog(lock: threading.Lock, flag: Flag) -> None:
        with lock:
            flag.append(0)
            while len(flag) < 2:
                pass
            for _ in range(300_000):
                pass
            log.append("hog")

    def wants(lock: threading.Lock, flag: Flag) -> None:
        flag.append(1)
        with lock:
            log.append("the other")

    async def main() -> None:
        lock, flag, wg = threading.Lock(), list[int](), WaitGroup()
        wg.go(hog, lock, flag)
        await until(lambda: flag, "the hog to have the lock")
        wg.go(wants, lock, flag)
        await wg

    run(main, gomaxprocs=1)
    assert log == ["hog", "the other"]


def test_what_a_hog_starts_meanwhile_runs() -> None:
    """The hog calls go() again and again, without a P for some of the time."""
    seen: list[int] = []

    async def main() -> int:
        stop: Flag = []
        wg = WaitGroup()

        def hog() -> int:
            n = 0
            while not stop:
                if n < 1000:
                    wg.go(seen.append, n)
                    n += 1
            return n

        wg.go(hog)
        await until(lambda: len(seen) == 1000, "all that the hog has started")
        stop.append(1)
        await wg
        return len(set(seen))

    assert run(main, gomaxprocs=1) == 1000


@pytest.mark.skipif(not FREE_THREADED, reason="with a GIL, C code that keeps it stops everything")
def test_a_long_c_call() -> None:
    """It cannot be suspended: its P is taken by force."""

    async def main() -> tuple[int, int]:
        flag: Flag = []
        results: list[int] = []
        wg = WaitGroup()
        wg.go(lambda: results.append(sum(ticks(flag))))
        await until(taken, "the P to be taken")
        flag.append(1)
        await wg
        return gosched.stats().ps[0].retakes, results[0]

    retakes, total = run(main, gomaxprocs=1)
    assert retakes >= 1
    assert total == 0


def test_a_long_c_call_without_the_gil() -> None:
    """It computes, but for the interpreter its thread is away, as in a blocking call."""
    data = bytes(range(256)) * 4096

    def packs(stop: Flag, done: list[bytes]) -> None:
        while not stop:
            done.append(zlib.compress(data, 9))

    async def main() -> None:
        stop: Flag = []
        done: list[bytes] = []
        wg = WaitGroup()
        wg.go(packs, stop, done)
        await until(lambda: len(done) >= 3, "three of them")
        stop.append(1)
        await wg
        assert all(zlib.decompress(packed) == data for packed in done[:3])

    run(main, gomaxprocs=1)


def test_figures_tell_what_was_done() -> None:
    async def main() -> tuple[gosched.RuntimeStats, gosched.RuntimeStats]:
        stop: Flag = []
        wg = WaitGroup()
        hog = wg.go(spin, stop)
        await until_suspended(hog)
        during = gosched.stats()
        stop.append(1)
        await wg
        return during, gosched.stats()

    during, later = run(main, gomaxprocs=1)  # sysmon may be counting while we read
    assert during.preemptions + during.ps[0].retakes >= 1
    assert during.preemptions == 0 or CAN_SUSPEND
    assert later.ps[0].retakes >= during.ps[0].forced + during.ps[0].blocks


def test_alone_a_hog_is_left_alone() -> None:
    """Nobody waits for a turn: there is no reason to disturb it. It is main itself, for several slices. On a busy machine it may have waited for the
    GIL so long that it seemed to be blocked: then once more."""

    async def main() -> tuple[int, int] | None:
        begin, n = gosched.now(), 0
        while gosched.now() < begin + 0.05:
            n += 1
        figures = gosched.stats()
        await ayield_now()
        return None if figures.ps[0].blocks else (figures.preemptions, figures.ps[0].forced)

    deadline = Deadline("a run in which it did not seem to be blocked")
    while (found := run(main, gomaxprocs=1)) is None:
        deadline.check()
    assert found == (0, 0)


def test_a_hog_that_is_seen_late_is_asked_as_well(stop: Flag) -> None:
    async def main() -> int:
        go(spin, stop)
        await until(lambda: gosched.stats().preemptions or (taken() and not CAN_SUSPEND), "the hog to be asked")
        return gosched.stats().preemptions

    with Runtime(gomaxprocs=1) as rt:
        rt.sched.set_watch(1, 10_000_000, 1_000_000, 0)  # late after 10 ms, very late a nanosecond later
        times = rt.run(main)
        stop.append(1)
    assert (times > 0) == CAN_SUSPEND
