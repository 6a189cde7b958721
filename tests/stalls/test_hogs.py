"""Code that never comes to the runtime, of every kind, on one P: another goroutine gets its turn, and the hog ends with the right result.

Each kind is one construct that does not end before the flag is raised; who raises it needs the only P for that. `ticks` is an iterator that runs no
bytecode of its own, so the construct itself is what is suspended.
"""

from __future__ import annotations

import inspect
import itertools
import threading
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import gosched
from gosched import WaitGroup, run

from .waiting import CAN_SUSPEND, FREE_THREADED, forced, spin, until, until_suspended

Flag = list[int]


def ticks(flag: Flag) -> Iterator[int]:
    """0, 0, 0, … until the flag is raised."""
    return iter(flag.__len__, 1)


def numbered(flag: Flag) -> tuple[Iterator[tuple[int, int]], Callable[[], int]]:
    """(0, 0), (1, 0), … until the flag is raised; and what the numbers should have summed up to."""
    numbers = itertools.count()
    return zip(numbers, ticks(flag), strict=False), lambda: sum(range(next(numbers) - 1))


def tight_while(flag: Flag) -> bool:
    n = 0
    while not flag:
        n += 1
    return n > 0


def empty_while(flag: Flag) -> bool:
    while not flag:
        pass
    return True


def for_over_range(flag: Flag) -> bool:
    last = -1
    for i in range(1 << 60):
        if i != last + 1 or flag:
            break
        last = i
    return bool(flag) and last >= 0


def nested_calls(flag: Flag) -> bool:
    def third(x: int) -> int:
        return x + 1

    def second(x: int) -> int:
        return third(x) + 1

    def first(x: int) -> int:
        return second(x) + 1

    x = n = 0
    while not flag:
        x = first(x)
        n += 1
    return x == 3 * n


def comprehension(flag: Flag) -> bool:
    return [x for x in ticks(flag) if x] == []


def generator_expression(flag: Flag) -> bool:
    pairs, expected = numbered(flag)
    return sum(i for i, _ in pairs) == expected()


def generator_function(flag: Flag) -> bool:
    pairs, expected = numbered(flag)

    def numbers() -> Iterator[int]:
        for i, _ in pairs:
            yield i

    total = 0
    for i in numbers():
        total += i
    return total == expected()


def recursion(flag: Flag) -> bool:
    """Ever larger problems: the last one alone takes longer than all before."""

    def fib(n: int) -> int:
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    a, b = 0, 1
    for n in itertools.count():
        if fib(n) != a or flag:
            return bool(flag)
        a, b = b, a + b
    return False


def exceptions(flag: Flag) -> bool:
    raised = caught = 0
    while not flag:
        try:
            raised += 1
            raise KeyError(raised)
        except KeyError as error:
            caught += error.args == (raised,)
    return 0 < raised == caught


def with_statements(flag: Flag) -> bool:
    class Counts:
        entered = left = 0

        def __enter__(self) -> None:
            self.entered += 1

        def __exit__(self, *_: object) -> None:
            self.left += 1

    counts = Counts()
    while not flag:
        with counts:
            pass
    return 0 < counts.entered == counts.left


def mapped_by_c(flag: Flag) -> bool:
    """The loop is in C, and comes to bytecode only in the function."""
    pairs, expected = numbered(flag)

    def number(pair: tuple[int, int]) -> int:
        return pair[0]

    return sum(map(number, pairs)) == expected()


def sorted_by_key(flag: Flag) -> bool:
    def key(x: int) -> int:
        return -x

    while not flag:
        if sorted(range(1000), key=key) != list(range(999, -1, -1)):
            return False
    return True


def inside_a_lock(flag: Flag) -> bool:
    lock, n = threading.Lock(), 0
    with lock:
        while not flag:
            n += lock.locked()
    return n > 0 and not lock.locked()


def finaliser(flag: Flag) -> bool:
    """The hog is a __del__."""
    log: list[int] = []

    class Slow:
        def __del__(self) -> None:
            log.append(spin(flag))

    Slow()
    return len(log) == 1


async def asynchronous(flag: Flag) -> bool:
    n = 0
    while not flag:
        n += 1
    return n > 0


async def awaits_what_never_waits(flag: Flag) -> bool:
    async def ready(x: int) -> int:
        return x + 1

    x = n = 0
    while not flag:
        x = await ready(x)
        n += 1
    return x == n > 0


PLAIN = [
    tight_while,
    empty_while,
    for_over_range,
    nested_calls,
    comprehension,
    generator_expression,
    generator_function,
    recursion,
    exceptions,
    with_statements,
    mapped_by_c,
    sorted_by_key,
    inside_a_lock,
    finaliser,
]
ASYNC = [asynchronous, awaits_what_never_waits]


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
    """Where this Python can do it the hog was suspended, at least in one of these runs: on a busy machine its P may be taken by force first."""
    right, times = outcome_of(hog)
    for _ in range(20):
        if times > 0 or not CAN_SUSPEND:
            break
        more, times = outcome_of(hog)
        right = right and more
    assert right
    assert (times > 0) == CAN_SUSPEND


@pytest.mark.parametrize("hog", [tight_while, recursion, generator_expression, exceptions, asynchronous], ids=lambda hog: hog.__name__)
def test_a_hog_is_suspended_again_and_again(hog: Callable[[Flag], Any]) -> None:
    """Nothing of the last time is left behind, neither in the hog's code nor in its thread."""
    results: list[bool] = []

    def plainly(flag: Flag) -> None:
        results.append(hog(flag))

    async def awaited(flag: Flag) -> None:
        results.append(await hog(flag))

    async def main() -> None:
        times = 0
        while times < 5 and CAN_SUSPEND:
            flag: Flag = []
            wg, before = WaitGroup(), forced()
            wg.go(awaited if inspect.iscoroutinefunction(hog) else plainly, flag)
            await until(lambda before=before: gosched.stats().preemptions >= 5 or forced() > before, "five suspensions")  # type: ignore[misc]
            times = gosched.stats().preemptions
            flag.append(1)
            await wg

    run(main, gomaxprocs=1)
    assert all(results)
    assert bool(results) == CAN_SUSPEND


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
        await until(lambda: gosched.stats().ps[0].forced, "the P to be taken")
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
    async def main() -> gosched.RuntimeStats:
        stop: Flag = []
        wg = WaitGroup()
        hog = wg.go(spin, stop)
        await until_suspended(hog)
        during = gosched.stats()
        stop.append(1)
        await wg
        return during

    during = run(main, gomaxprocs=1)
    assert during.preemptions + during.ps[0].forced + during.ps[0].blocks >= 1
    assert during.preemptions == 0 or CAN_SUSPEND
    assert during.ps[0].retakes >= during.ps[0].forced + during.ps[0].blocks


def test_alone_a_hog_is_left_alone() -> None:
    """Nobody waits for a turn: there is no reason to disturb it. It is main itself, for several slices."""

    def main() -> tuple[int, int]:
        n = 0
        while gosched.now() < begin + 0.05:
            n += 1
        figures = gosched.stats()
        return figures.preemptions, figures.ps[0].forced

    begin = gosched.now()
    assert run(main, gomaxprocs=1) == (0, 0)
