"""Act 1: goroutines that are all alive at once, in front of one gate. As many tasks of asyncio as there is time for, in a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from time import perf_counter

import gosched
from gosched.bench.runtimes.gosched import Crowd
from gosched.demo.outcome import Bar, Chart, Figure, Plain, collector_off, expect, memory, size, times
from gosched.demo.sizes import Sizes
from gosched.demo.stage import Stage
from gosched.trace.units import span

ABOUT = "Each waits at one gate with all the others, and goes on when it opens. One P; Python's collector is off, also for asyncio."


@dataclass(frozen=True)
class Waiting:
    """So many waited, in so many bytes."""

    n: int
    started: float
    """Seconds until all of them waited."""
    bytes: int
    released: int
    """How many went on when the gate opened."""
    ended: float
    """Seconds until all of them had ended."""

    @property
    def start_of_one(self) -> float:
        """In nanoseconds."""
        return self.started / self.n * 1e9

    @property
    def bytes_of_one(self) -> float:
        return self.bytes / self.n


@dataclass(frozen=True)
class Crowds(Plain):
    ours: Waiting
    theirs: Waiting

    def words(self) -> list[str]:
        ours, theirs = self.ours, self.theirs
        return [
            f"{ours.n:,} started and waiting after {span(ours.started * 1e9)}, in {size(ours.bytes)}: "
            f"{span(ours.start_of_one)} and {size(ours.bytes_of_one)} each",
            f"the gate opens: all of them have gone on and ended {span(ours.ended * 1e9)} later",
            f"asyncio, {theirs.n:,} tasks in a process of their own: {span(theirs.start_of_one)} and {size(theirs.bytes_of_one)} each: "
            f"{times(theirs.start_of_one, ours.start_of_one)} and {times(theirs.bytes_of_one, ours.bytes_of_one)} times as much",
        ]

    def figures(self) -> list[Figure]:
        return [
            Figure(f"{self.ours.n:,}", "goroutines at once"),
            Figure(span(self.ours.started * 1e9), "to start them"),
            Figure(size(self.ours.bytes), "for all of them"),
            Figure(span(self.ours.ended * 1e9), "to release them"),
        ]

    def charts(self) -> list[Chart]:
        ours, theirs = self.ours, self.theirs
        return [
            Chart(
                "memory of one that waits",
                (
                    Bar("gosched", ours.bytes_of_one, size(ours.bytes_of_one)),
                    Bar("asyncio", theirs.bytes_of_one, size(theirs.bytes_of_one), ours=False),
                ),
            ),
            Chart(
                "time to start one",
                (
                    Bar("gosched", ours.start_of_one, span(ours.start_of_one)),
                    Bar("asyncio", theirs.start_of_one, span(theirs.start_of_one), ours=False),
                ),
            ),
        ]


def title(sizes: Sizes) -> str:
    return f"{'A million' if sizes.goroutines == 1_000_000 else f'{sizes.goroutines:,}'} goroutines, alive at once"


def play(stage: Stage, sizes: Sizes) -> Crowds:
    with collector_off():
        ours = gosched.run(goroutines, stage, sizes.goroutines, gomaxprocs=1)
    stage.tell(f"{sizes.tasks:,} tasks of asyncio")
    theirs = tasks(sizes.tasks)
    stage.forget()
    return Crowds(ours, theirs)


async def goroutines(stage: Stage, n: int) -> Waiting:
    before, begin = memory(), perf_counter()
    with stage.telling(lambda: f"starting them: {size(max(memory() - before, 0))}"):
        crowd = await Crowd.parked(n)
    started, grown = perf_counter() - begin, memory() - before
    begin = perf_counter()
    with stage.telling(lambda: f"released: {len(crowd.woken):,}"):
        released = await crowd.release()
    ended = perf_counter() - begin
    expect(released == n, f"{n:,} goroutines waited at the gate, and {released:,} went on")
    return Waiting(n, started, grown, released, ended)


def tasks(n: int) -> Waiting:
    """What goroutines left behind in this process would be taken for memory that tasks need not: they get a fresh one."""
    done = subprocess.run([sys.executable, "-m", "gosched.demo.tasks", str(n)], capture_output=True, text=True, check=False)
    expect(done.returncode == 0, f"the process with asyncio's tasks failed:\n{done.stderr}")
    waiting = Waiting(**json.loads(done.stdout))
    expect(waiting.released == n, f"{n:,} tasks waited at the gate, and {waiting.released:,} went on")
    return waiting
