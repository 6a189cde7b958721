"""Act 2: a value there and back over unbuffered channels, against asyncio's queues of one place. In turns, so that both meet the same noise."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from gosched.bench.runtimes import asyncio as theirs
from gosched.bench.runtimes import gosched as ours
from gosched.bench.work import Reading, Size
from gosched.demo.outcome import Bar, Chart, Figure, Plain, collector_off, expect, times
from gosched.demo.sizes import Sizes
from gosched.demo.stage import Stage
from gosched.trace.units import span

ABOUT = "Two goroutines hand a value back and forth, over unbuffered channels; two tasks the same over asyncio.Queue(1)."


@dataclass(frozen=True)
class Hops(Plain):
    """Nanoseconds for one, of each round."""

    ours: list[float]
    theirs: list[float]

    @property
    def ratio(self) -> str:
        return times(statistics.median(self.theirs), statistics.median(self.ours))

    def words(self) -> list[str]:
        return [
            f"a hop takes {of(self.ours)}; asyncio's {of(self.theirs)}: {self.ratio} times as long",
            f"medians of {len(self.ours)} rounds of each, in turns, and the fastest and slowest",
        ]

    def figures(self) -> list[Figure]:
        return [Figure(span(statistics.median(self.ours)), "a hop"), Figure(self.ratio, "times as long in asyncio")]

    def charts(self) -> list[Chart]:
        ours, theirs = statistics.median(self.ours), statistics.median(self.theirs)
        return [Chart("a hop over a channel", (Bar("gosched", ours, span(ours)), Bar("asyncio", theirs, span(theirs), ours=False)))]


def of(rounds: list[float]) -> str:
    return f"{span(statistics.median(rounds))} ({span(min(rounds))}–{span(max(rounds))})"


def title(sizes: Sizes) -> str:
    return "A channel hop against asyncio"


def play(stage: Stage, sizes: Sizes) -> Hops:
    hops = Hops([], [])
    for n in range(sizes.rounds):
        stage.tell(f"round {n + 1} of {sizes.rounds}" + (f": so far {hops.ratio} times as long in asyncio" if n else ""))
        with collector_off():
            hops.ours.append(hop(ours.run(ours.case_pingpong, Size(sizes.trips, 1, 1)), sizes.trips))
            hops.theirs.append(hop(theirs.run(theirs.case_pingpong, Size(sizes.queue_trips, 1, 1)), sizes.queue_trips))
    stage.forget()
    return hops


def hop(reading: Reading, trips: int) -> float:
    expect(reading.answer == trips, f"after {trips:,} round trips the value was {reading.answer:,}")
    return reading.figure / (2 * trips)
