"""Act 4: a loop that never ends, on the only P, beside a ticker. In asyncio the same loop has to end, or nothing else would ever run."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import gosched
from gosched.bench.runtimes.gosched import tick
from gosched.bench.work import TICK, Ticks, burn_for
from gosched.bench.work import hog as endless
from gosched.demo.outcome import Bar, Chart, Figure, Plain, expect
from gosched.demo.sizes import Sizes
from gosched.demo.stage import Stage
from gosched.trace.units import count, span

ABOUT = "A plain function that counts in a loop without end, and never asks for anything, beside a ticker of 1 ms. There is one P for both."


@dataclass(frozen=True)
class Hog(Plain):
    ours: list[int]
    """How late each tick was, in nanoseconds."""
    theirs: list[int]
    counted: int
    """By the hog."""
    preemptions: int
    """How often it was suspended in the middle of its code."""
    retakes: int
    """How often its P was taken because it did not answer."""
    hogging: float
    """Seconds, of asyncio's."""

    def words(self) -> list[str]:
        return [
            f"{len(self.ours):,} ticks: 99 of 100 were at most {span(p99(self.ours))} late, the latest {span(max(self.ours))}",
            f"meanwhile the hog counted to {self.counted:,}; it was suspended {count(self.preemptions, 'time')}"
            + (f", and lost its P {count(self.retakes, 'time')}" if self.retakes else ""),
            f"asyncio, with a hog that ends after {self.hogging:g} s: the latest tick was {span(max(self.theirs))} late; "
            "an endless one would stop everything",
        ]

    def figures(self) -> list[Figure]:
        return [
            Figure(span(p99(self.ours)), "late at most, 99 of 100 ticks"),
            Figure(f"{self.counted / 1e6:.1f} million", "counted by the hog meanwhile"),
            Figure(str(self.preemptions), "times suspended"),
        ]

    def charts(self) -> list[Chart]:
        ours, theirs = max(self.ours), max(self.theirs)
        return [Chart("latest tick beside a hog", (Bar("gosched", ours, span(ours)), Bar("asyncio", theirs, span(theirs), ours=False)))]


def p99(delays: list[int]) -> int:
    return sorted(delays)[-1 - len(delays) // 100]


def title(sizes: Sizes) -> str:
    return "A CPU hog that starves nobody"


def play(stage: Stage, sizes: Sizes) -> Hog:
    ours, counted, stats = gosched.run(beside_goroutine, stage, sizes.ticks, gomaxprocs=1)
    theirs = asyncio.run(beside_task(stage, sizes.hogging))
    expect(counted > 0, "the hog did not run")
    return Hog(ours.delays, theirs.delays, counted, stats.preemptions, sum(p.retakes for p in stats.ps), sizes.hogging)


async def beside_goroutine(stage: Stage, n: int) -> tuple[Ticks, int, gosched.RuntimeStats]:
    """The end of this one is the hog's."""
    mine = [0]
    gosched.go(endless, mine)
    ticks = Ticks(n)
    with stage.telling(lambda: f"the hog is at {mine[0]:,}; ticks: {len(ticks.delays):,} of {n:,}"):
        await tick(ticks)
    return ticks, mine[0], gosched.stats()


async def beside_task(stage: Stage, hogging: float) -> Ticks:
    """The ticker has some ticks to itself, before and after."""

    async def hog() -> None:
        await asyncio.sleep(20 * TICK)
        burn_for(round(hogging * 1e9))

    task = asyncio.create_task(hog())
    ticks = Ticks(round(hogging / TICK) + 100)
    with stage.telling(lambda: f"asyncio; ticks: {len(ticks.delays):,} of {ticks.n:,}"):
        while ticks.note():
            await asyncio.sleep(ticks.seconds_left())
    await task
    return ticks
