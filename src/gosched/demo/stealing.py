"""Act 3: pieces of work that are all started on one P; the others take their share. Who ran what is read from a trace of it."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import gosched
from gosched.bench.work import burn
from gosched.demo.outcome import Bar, Chart, Figure, Plain, collector_off, expect, times
from gosched.demo.sizes import Sizes
from gosched.demo.stage import Stage
from gosched.demo.track import Track, track
from gosched.system.cpus import gil_enabled
from gosched.trace.files import read
from gosched.trace.units import count, span

ABOUT = "Pieces of pure Python, all started by one goroutine on one P. A P that has nothing to do takes half of another's queue."
TRACE = "demo.trace"
ROUNDS = 3


@dataclass(frozen=True)
class Stealing(Plain):
    pieces: int
    one: float
    """Seconds on one P, and on all of them: medians."""
    many: float
    told: Track
    gil: bool

    def words(self) -> list[str]:
        gain = f"{times(self.one, self.many)} times as fast (medians of {ROUNDS} rounds)"
        return [
            *map(self.line, range(self.told.procs)),
            f"1 P {span(self.one * 1e9)}, {self.told.procs} Ps {span(self.many * 1e9)}: {gain}",
            *self.remarks(),
        ]

    def line(self, p: int) -> str:
        stolen, raids = self.told.taken(p)
        return f"P{p} ran {self.told.ran()[p]:2d} of {self.pieces}; it took {stolen} from others in {count(raids, 'raid')}"

    def remarks(self) -> list[str]:
        if self.gil:
            return [
                "with the GIL one thread computes at a time, and more Ps only contend for it; on a free-threaded Python all of them compute at once"
            ]
        return []

    def figures(self) -> list[Figure]:
        raids = self.told.raids
        return [
            Figure(str(self.told.procs), "Ps"),
            Figure(str(sum(raid.n for raid in raids)), f"stolen in {count(len(raids), 'raid')}"),
            Figure(times(self.one, self.many), "times as fast as one P" + " (with the GIL)" * self.gil),
        ]

    def charts(self) -> list[Chart]:
        return [Chart("pieces of work by P", tuple(Bar(f"P{p}", n, str(n)) for p, n in enumerate(self.told.ran())))]

    def track(self) -> Track:
        return self.told


def title(sizes: Sizes) -> str:
    return f"Work stealing: {sizes.pieces} pieces of work find their Ps"


def play(stage: Stage, sizes: Sizes) -> Stealing:
    """One P and many in turns, so that both meet the same noise. The last trace stays, for who wants to look closer."""
    procs = max(2, min(4, gosched.num_cpu()))
    trace = stage.folder / TRACE
    one, many = zip(*((work(stage, sizes, 1, None), work(stage, sizes, procs, trace)) for _ in range(ROUNDS)), strict=True)
    told = track(read(trace))
    expect(sum(told.ran()) == sizes.pieces, f"of {sizes.pieces} pieces, {sum(told.ran())} ended according to the trace")
    return Stealing(sizes.pieces, statistics.median(one), statistics.median(many), told, gil_enabled())


def work(stage: Stage, sizes: Sizes, procs: int, trace: Path | None) -> float:
    """Seconds."""
    counted: list[int] = []

    def piece() -> None:
        counted.append(burn(sizes.count))

    async def main() -> float:
        wg = gosched.WaitGroup()
        begin = perf_counter()
        for _ in range(sizes.pieces):
            wg.go(piece)
        await wg
        return perf_counter() - begin

    with collector_off(), stage.telling(lambda: f"{count(procs, 'P')}: {len(counted)} of {sizes.pieces}"):
        seconds: float = gosched.run(main, gomaxprocs=procs, trace=trace)
    expect(counted == [sizes.count] * sizes.pieces, f"{sizes.pieces} pieces that count to {sizes.count:,} counted to {sum(counted):,} in all")
    return seconds
