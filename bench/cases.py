"""The cases: how large they are, what is counted, the right answer, and the bars of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bench.bars import AtMost, Bar, Faster, Scales, Survives
from bench.runtimes import RUNTIMES
from bench.work import Size


@dataclass(frozen=True)
class Case:
    """A program that is written once for every runtime."""

    name: str
    title: str
    unit: str
    n: int
    answer: Callable[[Size], int]
    operations: Callable[[Size], int]
    """What the figure is divided by."""
    bars: tuple[Bar, ...]
    work: int = 0
    procs: tuple[int, ...] = (1, 2)
    """Those above 1 only for runtimes that use several threads."""
    runtimes: tuple[str, ...] = tuple(RUNTIMES)
    fewer: Mapping[str, int] = field(default_factory=dict)
    """An n of their own for runtimes that need too much for the common one."""

    def size(self, runtime: str, procs: int) -> Size:
        return Size(self.fewer.get(runtime, self.n), self.work, procs)


def all_cases(count: int, quick: bool) -> dict[str, Case]:
    """The cases in full, or small enough for a smoke test. `count`: what Python counts to in 5 ms, on the fastest interpreter."""

    def pick(full: int, small: int) -> int:
        return small if quick else full

    cases = (
        Case(
            "spawn",
            "start goroutines that do nothing, and wait for all",
            "ns per goroutine",
            n=pick(100_000, 10_000),
            work=1_000,
            answer=lambda size: size.n // size.work,
            operations=lambda size: size.n,
            bars=(Faster("asyncio", 8), Faster("tonio", 1.5), Faster("go", 1)),
        ),
        Case(
            "yield",
            "let 100 goroutines take turns",
            "ns per turn",
            n=100,
            work=pick(10_000, 200),
            answer=lambda size: size.n * size.work,
            operations=lambda size: size.n * size.work,
            bars=(Faster("asyncio", 5), Faster("tonio", 2.5), Faster("go", 0.5)),
        ),
        Case(
            "memory",
            "what a parked goroutine takes",
            "bytes per goroutine",
            n=pick(1_000_000, 20_000),
            answer=lambda size: size.n,
            operations=lambda size: size.n,
            procs=(1,),
            fewer=dict.fromkeys(("asyncio", "uvloop", "trio", "gevent"), pick(100_000, 20_000)),
            bars=(AtMost(700),),
        ),
        Case(
            "fanout",
            "goroutines of 5 ms pure Python",
            "ns per goroutine",
            n=pick(200, 20),
            work=count,
            answer=lambda size: size.n * size.work,
            operations=lambda size: size.n,
            bars=(Scales(1.8),),
        ),
        Case(
            "tree",
            "every node starts ten children and sums what they give",
            "ns per node",
            n=pick(100_000, 1_000),
            answer=lambda size: size.n * (size.n - 1) // 2,
            operations=lambda size: (size.n * 10 - 1) // 9,
            bars=(Scales(1),),
        ),
        Case(
            "free",
            "release parked goroutines at once",
            "ns per goroutine",
            n=pick(1_000_000, 20_000),
            answer=lambda size: size.n,
            operations=lambda size: size.n,
            runtimes=("gosched", "go"),
            bars=(Survives(),),
        ),
        Case(
            "chain",
            "every goroutine starts the next",
            "ns per goroutine",
            n=pick(100_000, 10_000),
            answer=lambda size: size.n,
            operations=lambda size: size.n,
            runtimes=("gosched", "go"),
            bars=(Survives(),),
        ),
    )
    return {case.name: case for case in cases}
