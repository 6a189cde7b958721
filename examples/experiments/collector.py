"""Many goroutines, and Python's cyclic collector, which looks at all of them again and again. What it costs, and what helps.

python examples/experiments/collector.py
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from measuring import CPU, Reading, arguments, compare, timed

from gosched import Chan, WaitGroup

Step = Callable[[], object]


def nothing() -> None: ...


async def crowd(n: int, before: Step, look: Step) -> tuple[int, float]:
    """Starts n that wait, and ends them. How long `look` takes while all of them wait."""
    begun, ended, gate, awake = WaitGroup(), WaitGroup(), Chan[int](), []

    async def wait() -> None:
        begun.done()
        await gate.arecv_ok()
        awake.append(1)

    begun.add(n)
    for _ in range(n):
        ended.go(wait)
    await begun
    before()
    begin = CPU()
    look()
    took = CPU() - begin
    gate.close()
    await ended
    return len(awake), took


@contextmanager
def fresh_collector() -> Iterator[None]:
    """With nothing left over to collect, and as it was, afterwards."""
    thresholds = gc.get_threshold()
    gc.collect()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.enable()
        gc.set_threshold(*thresholds)


def under(setting: Step, n: int) -> Reading:
    """Start and end, all of it, under a setting of the collector."""
    with fresh_collector():
        setting()
        (awake, _), figure = timed(crowd, n, nothing, nothing)
        return Reading(awake, figure)


def one_collection(before: Step, n: int) -> Reading:
    with fresh_collector():
        return Reading(*timed(crowd, n, before, gc.collect).answer)


SETTINGS = {
    "as Python has it": nothing,
    "gc.set_threshold(10_000)": partial(gc.set_threshold, 10_000),
    "gc.set_threshold(100_000)": partial(gc.set_threshold, 100_000),
    "gc.disable()": gc.disable,
}


def main() -> None:
    options = arguments(__doc__)
    n, rounds = (1_000, 1) if options.small else (100_000, options.rounds)
    settings = {name: partial(under, setting, n) for name, setting in SETTINGS.items()}
    compare(f"start {n:,} goroutines that wait, and end them", "µs each", settings, n, rounds, 1e6 / n)
    looks = {"gc.collect()": partial(one_collection, nothing, n), "the same after gc.freeze()": partial(one_collection, gc.freeze, n)}
    compare(f"one collection while {n:,} wait", "ms", looks, n, rounds, 1e3)


if __name__ == "__main__":
    main()
