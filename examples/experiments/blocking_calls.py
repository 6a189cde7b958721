"""blocking(fn), or just fn()? What the mark costs if the call is short, and what it gains if it is not. And the same by a pool of threads.

python examples/experiments/blocking_calls.py
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from measuring import CPU, WALL, Reading, arguments, compare, timed

from gosched import WaitGroup, ayield_now, blocking

CALLERS = 100


async def unmarked(fn: Callable[[float], object], value: float, n: int) -> int:
    for _ in range(n):
        fn(value)
    return n


async def marked(fn: Callable[[float], object], value: float, n: int) -> int:
    for _ in range(n):
        blocking(fn, value)
    return n


async def by_callers(way: Callable[..., Awaitable[int]], seconds: float, n: int) -> int:
    """So many goroutines share the calls, on one P, and go back to the scheduler after each."""
    done: list[int] = []
    wg = WaitGroup()

    async def caller() -> None:
        for _ in range(n // CALLERS):
            await way(time.sleep, seconds, 1)
            done.append(1)
            await ayield_now()

    for _ in range(CALLERS):
        wg.go(caller)
    await wg
    return len(done)


def by_threads(fn: Callable[[float], object], value: float, n: int, threads: int, clock: Callable[[], float]) -> Reading:
    with ThreadPoolExecutor(threads) as pool:
        begin = clock()
        futures = [pool.submit(fn, value) for _ in range(n)]
        for future in futures:
            future.result()
        return Reading(len(futures), clock() - begin)


def main() -> None:
    options = arguments(__doc__)
    n, calls, rounds = (1_000, CALLERS, 1) if options.small else (100_000, 2_000, options.rounds)
    short = {
        "int(x)": partial(timed, unmarked, int, 1.5, n),
        "blocking(int, x)": partial(timed, marked, int, 1.5, n),
        "a pool of one thread": partial(by_threads, int, 1.5, n, 1, CPU),
    }
    compare("a call that does not block", "ns each", short, n, rounds, 1e9 / n)
    for seconds in (0.0001, 0.001, 0.01):
        sleeps = {
            "unmarked": partial(timed, by_callers, unmarked, seconds, calls, clock=WALL),
            "blocking": partial(timed, by_callers, marked, seconds, calls, clock=WALL),
            "a pool of 100 threads": partial(by_threads, time.sleep, seconds, calls, CALLERS, WALL),
        }
        title = f"{calls:,} × time.sleep({seconds:g}) by 100 goroutines on one P; at best {seconds * calls / CALLERS * 1e3:g} ms"
        compare(title, "ms in all", sleeps, calls, rounds, 1e3)


if __name__ == "__main__":
    main()
