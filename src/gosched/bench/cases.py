"""The cases: how large they are, what is counted, the right answer, and the bars of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from gosched.bench.bars import AtLeast, AtMost, Bar, Faster, Flat, Scales, Survives
from gosched.bench.runtimes import RUNTIMES, THREADS, Runtime
from gosched.bench.table import Role
from gosched.bench.work import PARKED, Size
from gosched.system.cpus import num_cpu

# A thread for each goroutine is too much for many of them.
USUAL = tuple(name for name in RUNTIMES if name != THREADS.name)
# In `life`, the largest n of who needs too much time or memory for a million; at most so many goroutines in a cell, as long as n itself is not more.
TOO_MANY = {"trio": 100_000, "gevent": 100_000, THREADS.name: 10_000}
IN_A_CELL = {THREADS.name: 2_000}


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
    scales: bool = False
    """Instead of on `procs` it is measured on more and more Ps, up to twice the cores."""
    pooled: bool = False
    """Plain threads run it in a pool of as many as others have Ps; else every goroutine is a thread of its own, on whatever cores there are."""
    runtimes: tuple[str, ...] = USUAL
    fewer: Mapping[str, int] = field(default_factory=dict)
    """An n of their own for runtimes that need too much for the common one."""
    few: int | None = None
    """A small n that every runtime is measured with too, to see whether the cost per operation grows with n."""
    apart: bool = False
    """gosched is measured as two processes at once too, each on one P with half of it all: the most that a second P could gain."""
    steps: tuple[int, ...] = ()
    """A sweep: every one of these is an n, and `n` the goroutines in a cell, which smaller ones reach by repeating it."""
    more_is_better: bool = False
    seconds: float = 1.0
    """What a cell takes, roughly: for the estimate of what is left."""

    def sizes(self, runtime: Runtime) -> Iterator[tuple[Role, Size]]:
        """What a runtime is measured with."""
        if self.steps:
            most = TOO_MANY.get(runtime.name, max(self.steps))
            in_a_cell = min(self.n, IN_A_CELL.get(runtime.name, self.n))
            yield from ((Role.STEP, Size(n, max(1, in_a_cell // n), 1)) for n in self.steps if n <= most)
            return
        several = ps_of(num_cpu()) if self.scales else self.procs
        for procs in several if runtime.parallel or (self.pooled and runtime is THREADS) else (1,):
            yield Role.MAIN, Size(self.fewer.get(runtime.name, self.n), self.work, procs)
            if self.few is not None:
                yield Role.FEW, Size(self.few, self.work, procs)
        if self.apart and runtime.name == "gosched":
            yield Role.APART, Size(self.n // 2, self.work // 2, 1)


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
            scales=True,
            runtimes=tuple(RUNTIMES),
            fewer={"threads": pick(5_000, 1_000)},
            bars=(Faster("asyncio", 8), Faster("tonio", 1.5), Faster("go", 1)),
        ),
        Case(
            "yield",
            "let 100 goroutines take turns",
            "ns per turn",
            n=100,
            work=pick(5_000, 200),
            answer=lambda size: size.n * size.work,
            operations=lambda size: size.n * size.work,
            scales=True,
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
            runtimes=tuple(RUNTIMES),
            fewer=dict.fromkeys(("asyncio", "uvloop", "trio", "gevent"), pick(100_000, 20_000)) | {"threads": pick(5_000, 500)},
            seconds=3,
            bars=(AtMost(700),),
        ),
        Case(
            "life",
            "start n goroutines that all wait, let them go, and wait for the last one's end",
            "ns per goroutine",
            n=pick(10_000, 1_000),
            answer=lambda size: size.n * size.work,
            operations=lambda size: size.n * size.work,
            runtimes=tuple(RUNTIMES),
            steps=tuple(10**i for i in range(pick(7, 4))),
            seconds=pick(2, 1),
            bars=(Survives(),),
        ),
        Case(
            "fanout",
            "goroutines of 5 ms pure Python",
            "ns per goroutine",
            n=pick(200, 20),
            work=count,
            answer=lambda size: size.n * size.work,
            operations=lambda size: size.n,
            scales=True,
            pooled=True,
            runtimes=tuple(RUNTIMES),
            bars=(Scales(1.8),),
        ),
        Case(
            "tree",
            "every node starts ten children and sums what they give",
            "ns per node",
            n=pick(100_000, 1_000),
            answer=lambda size: size.n * (size.n - 1) // 2,
            operations=lambda size: (size.n * 10 - 1) // 9,
            scales=True,
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
        Case(
            "pingpong",
            "two goroutines pass a number to and fro over unbuffered channels",
            "ns per hop",
            n=pick(200_000, 2_000),
            work=1,
            answer=lambda size: size.n,
            operations=lambda size: size.n * 2,
            runtimes=tuple(RUNTIMES),
            fewer=dict.fromkeys(("trio", "threads"), pick(50_000, 500)),
            bars=(Faster("go", 0.5), Faster("asyncio", 8), Faster("gevent", 6), Faster("tonio", 2.5)),
        ),
        Case(
            "pipeline",
            "numbers go through four stages, over channels of 100 places",
            "ns per item",
            n=pick(100_000, 2_000),
            work=4,
            answer=lambda size: size.n * (size.n - 1) // 2 + size.n * size.work,
            operations=lambda size: size.n,
            fewer={"trio": pick(20_000, 2_000)},
            bars=(Faster("go", 1 / 6), Faster("asyncio", 3)),
        ),
        Case(
            "select",
            "fill one of four channels, then receive from whichever is ready",
            "ns per select",
            n=pick(100_000, 1_000),
            answer=lambda size: size.n,
            operations=lambda size: size.n,
            procs=(1,),
            runtimes=("gosched", "asyncio", "uvloop", "tonio", "go"),
            fewer=dict.fromkeys(("asyncio", "uvloop"), pick(50_000, 1_000)),
            bars=(Faster("asyncio", 5), Faster("go", 0.2)),
        ),
        Case(
            "skynet",
            "every node starts ten children and sums what they send it",
            "ns per leaf",
            n=pick(1_000_000, 1_000),
            answer=lambda size: size.n * (size.n - 1) // 2,
            operations=lambda size: size.n,
            fewer=dict.fromkeys(("trio", "gevent"), pick(100_000, 1_000)),
            seconds=3,
            bars=(Faster("go", 1 / 1.3), Faster("asyncio", 5)),
        ),
        Case(
            "sieve",
            "primes, through a filter for each prime found, over unbuffered channels",
            "ms in all",
            n=pick(500, 50),
            answer=lambda size: nth_prime(size.n),
            operations=lambda size: 1_000_000,
            bars=(Faster("go", 0.5),),
        ),
        Case(
            "mutex",
            "lock and unlock what nobody else wants",
            "ns per lock and unlock",
            n=pick(500_000, 5_000),
            answer=lambda size: size.n,
            operations=lambda size: size.n,
            procs=(1,),
            runtimes=tuple(RUNTIMES),
            bars=(Faster("asyncio", 2),),
        ),
        Case(
            "pairs",
            "100 pairs pass numbers to and fro",
            "ns per hop",
            n=pick(1_000_000, 10_000),
            work=100,
            answer=lambda size: size.n,
            operations=lambda size: size.n * 2,
            fewer=dict.fromkeys(("asyncio", "uvloop", "trio", "gevent"), pick(100_000, 10_000)),
            scales=True,
            apart=True,
            seconds=2,
            bars=(Scales(1.6),),
        ),
        Case(
            "plainhop",
            "two plain functions pass a number to and fro over unbuffered channels",
            "ns per hop",
            n=pick(200_000, 2_000),
            work=1,
            answer=lambda size: size.n,
            operations=lambda size: size.n * 2,
            runtimes=("gosched", "gevent", "go"),
            bars=(Faster("gevent", 3), Faster("go", 0.25)),
        ),
        Case(
            "plainspawn",
            "start plain functions that do nothing, and wait for all",
            "ns per goroutine",
            n=pick(100_000, 10_000),
            work=1_000,
            answer=lambda size: size.n // size.work,
            operations=lambda size: size.n,
            procs=(1,),
            runtimes=("gosched", "gevent", "go"),
            bars=(Faster("gevent", 10),),
        ),
        Case(
            "plainpark",
            "start plain functions that each wait once, a hundred at a time",
            "ns per goroutine",
            n=pick(100_000, 10_000),
            work=100,
            answer=lambda size: size.n,
            operations=lambda size: size.n,
            procs=(1,),
            runtimes=("gosched", "gevent", "go"),
            bars=(Faster("gevent", 2),),
        ),
        Case(
            "plainmemory",
            "what a parked plain function takes",
            "bytes per goroutine",
            n=pick(100_000, 5_000),
            answer=lambda size: size.n,
            operations=lambda size: size.n,
            procs=(1,),
            runtimes=("gosched", "gevent", "go"),
            bars=(Faster("gevent", 1),),
        ),
        Case(
            "echo",
            "TCP echo, messages of 1 KiB over so many connections, the load from another process",
            "ns per message",
            n=pick(100, 10),
            answer=lambda size: size.n,
            operations=lambda size: 1,
            runtimes=("gosched", "asyncio", "uvloop", "gevent", "tonio", "threads", "go"),
            seconds=pick(3, 1),
            bars=(Faster("asyncio", 2), Faster("uvloop", 1), Faster("gevent", 1.5), Faster("tonio", 1)),
        ),
        Case(
            "echowork",
            "the same with 200 us of Python per message",
            "ns per message",
            n=pick(100, 10),
            work=max(1, count // 25),
            answer=lambda size: size.n,
            operations=lambda size: 1,
            scales=True,
            runtimes=("gosched", "asyncio", "tonio"),
            seconds=pick(3, 1),
            bars=(Scales(1.4),),
        ),
        Case(
            "latency",
            "p99 of such messages on 100 connections, beside many that stand idle",
            "ns",
            n=pick(10_000, 50),
            few=pick(100, 10),
            answer=lambda size: size.n,
            operations=lambda size: 1,
            procs=(1,),
            runtimes=("gosched", "asyncio", "uvloop", "gevent"),
            seconds=pick(3, 1),
            bars=(Flat(2),),
        ),
        Case(
            "connections",
            "what an idle connection takes",
            "bytes per connection",
            n=pick(5_000, 200),
            answer=lambda size: size.n,
            operations=lambda size: size.n,
            procs=(1,),
            runtimes=("gosched", "asyncio", "uvloop", "gevent", "tonio", "threads", "go"),
            bars=(Faster("asyncio", 1),),
        ),
        Case(
            "timers",
            "start and stop a timer while n others are pending",
            "ns per start and stop",
            n=pick(100_000, 1_000),
            few=100,
            work=pick(100_000, 2_000),
            answer=lambda size: size.work,
            operations=lambda size: size.work,
            procs=(1,),
            runtimes=("gosched", "asyncio", "uvloop", "go"),
            bars=(Flat(3),),
        ),
        Case(
            "handover",
            "what a select that parked with a timeout leaves behind",
            "bytes per select",
            n=pick(200_000, 20_000),
            answer=lambda size: size.n,
            operations=lambda size: size.n,
            procs=(1,),
            runtimes=("gosched",),
            bars=(AtMost(8),),
        ),
        Case(
            "hogs",
            "how late a ticker of 1 ms is beside n that only compute",
            "ms late, p99",
            n=4,
            work=pick(3_000, 300),
            answer=lambda size: size.work + size.n,
            operations=lambda size: 1_000_000,
            procs=(1,),
            runtimes=("gosched", "asyncio", "threads", "go"),
            seconds=pick(4, 1),
            bars=(AtMost(30),),
        ),
        Case(
            "sleepers",
            "how late a ticker of 1 ms is beside n that block in time.sleep(0.5)",
            "ms late, p99",
            n=50,
            work=pick(3_000, 300),
            seconds=pick(4, 1),
            answer=lambda size: size.work + size.n,
            operations=lambda size: 1_000_000,
            procs=(1,),
            runtimes=("gosched", "asyncio", "go"),
            fewer={"asyncio": 5},
            bars=(AtMost(25),),
        ),
        Case(
            "csum",
            "how late a ticker of 1 ms is beside one in a long C call, sum(range(25_000_000))",
            "ms late, p99",
            n=1,
            work=pick(3_000, 300),
            seconds=pick(4, 1),
            answer=lambda size: size.work + size.n,
            operations=lambda size: 1_000_000,
            procs=(2,),
            runtimes=("gosched", "asyncio"),
            bars=(AtMost(5, procs=2, parallel=True),),
        ),
        Case(
            "preempted",
            "what two that only compute get done in turns of 10 ms, of what one does undisturbed",
            "% of undisturbed",
            n=pick(5, 3),
            work=count * pick(60, 20),
            more_is_better=True,
            seconds=pick(7, 1),
            answer=lambda size: size.n * size.work * 3,
            operations=lambda size: 10_000,
            procs=(1,),
            runtimes=("gosched", "go"),
            bars=(AtLeast(90),),
        ),
        Case(
            "blocking",
            "a call that might block and does not, while nobody waits for the P",
            "ns per call",
            n=pick(200_000, 5_000),
            answer=lambda size: size.n,
            operations=lambda size: size.n,
            procs=(1,),
            runtimes=("gosched", "asyncio", "threads"),
            fewer=dict.fromkeys(("asyncio", "threads"), pick(20_000, 500)),
            bars=(Faster("threads", 20),),
        ),
        Case(
            "sysmon",
            "CPU of all threads but the one that runs n goroutines, which play ping-pong; of all threads, if none does",
            "% of a core",
            n=2,
            few=0,
            work=pick(4_000, 300),
            seconds=pick(4, 1),
            answer=lambda size: PARKED + size.n,
            operations=lambda size: 10_000_000,
            procs=(1,),
            runtimes=("gosched", "go"),
            bars=(AtMost(1), AtMost(0.05, Role.FEW)),
        ),
    )
    return {case.name: case for case in cases}


def ps_of(cores: int) -> tuple[int, ...]:
    """The Ps of the cases that show how a runtime scales: 1, 2, 4, … and all cores; then twice as many, which should cost nothing."""
    doubled = {2**i for i in range(cores.bit_length())}
    return tuple(sorted(doubled | {2, cores, 2 * cores}))


def nth_prime(n: int) -> int:
    primes: list[int] = []
    i = 2
    while len(primes) < n:
        if all(i % prime for prime in primes):
            primes.append(i)
        i += 1
    return primes[-1]
