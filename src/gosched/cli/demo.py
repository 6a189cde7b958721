"""gosched demo: the main job in half a minute. Every figure it prints is measured while it runs."""

from __future__ import annotations

import argparse
import asyncio
import gc
import time
from collections.abc import Callable
from typing import Any

import gosched
from gosched import DeadlockError, WaitGroup, ayield_now, go
from gosched.system.cpus import gil_enabled

YIELDERS, YIELDS = 100, 1_000
BURNERS, BURN = 40, 400_000


async def nothing() -> None:
    pass


async def yields(wg: WaitGroup) -> None:
    for _ in range(YIELDS):
        await ayield_now()
    wg.done()


async def asyncio_yields() -> None:
    for _ in range(YIELDS):
        await asyncio.sleep(0)


def burn(places: list[int | None]) -> None:
    """Says on which P it runs, and works."""
    me = gosched.current().id
    places += [m.p for m in gosched.stats().ms if m.goroutine == me]
    n = 0
    while n < BURN:
        n += 1


def timed(fn: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds and result, the collector off: it would measure the collector."""
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    result = fn()
    seconds = time.perf_counter() - start
    gc.enable()
    return seconds, result


def add(commands: Any) -> None:
    show = commands.add_parser("demo", help="what it does, measured on the spot")
    show.add_argument("--goroutines", type=int, default=200_000, metavar="N", help="how many to start (default 200,000)")


def run(options: argparse.Namespace) -> int:
    return show(options.goroutines)


def show(goroutines: int) -> int:
    from gosched.cli import about

    print(about())
    spawning(goroutines)
    yielding()
    stealing()
    deadlock()
    print("\nThe same from your own file: see README.md. The scheduler step by step: docs/scheduler.md.")
    return 0


def spawning(n: int) -> None:
    print(f"\n1. {n:,} goroutines that do nothing, started and waited for")

    async def ours() -> None:
        wg = WaitGroup()
        for _ in range(n):
            wg.go(nothing)
        await wg

    async def theirs() -> None:
        await asyncio.gather(*(nothing() for _ in range(n)))

    compare(timed(lambda: gosched.run(ours))[0], timed(lambda: asyncio.run(theirs()))[0], n, "goroutine", "asyncio task")


def yielding() -> None:
    n = YIELDERS * YIELDS
    print(f"\n2. {YIELDERS} goroutines that pass the turn on, {YIELDS:,} times each")

    async def ours() -> None:
        wg = WaitGroup()
        wg.add(YIELDERS)
        for _ in range(YIELDERS):
            go(yields, wg)
        await wg

    async def theirs() -> None:
        await asyncio.gather(*(asyncio_yields() for _ in range(YIELDERS)))

    compare(timed(lambda: gosched.run(ours))[0], timed(lambda: asyncio.run(theirs()))[0], n, "ayield_now()", "asyncio.sleep(0)")


def compare(ours: float, theirs: float, n: int, our_name: str, their_name: str) -> None:
    print(f"   {our_name:16s} {ours / n * 1e9:8,.0f} ns each")
    print(f"   {their_name:16s} {theirs / n * 1e9:8,.0f} ns each   = {theirs / ours:.1f} times as long")


def stealing() -> None:
    print(f"\n3. {BURNERS} pieces of pure Python, all started on one P; idle Ps steal")

    def work(procs: int) -> tuple[float, tuple[list[int | None], gosched.RuntimeStats]]:
        async def main() -> tuple[list[int | None], gosched.RuntimeStats]:
            places: list[int | None] = []
            wg = WaitGroup()
            for _ in range(BURNERS):
                wg.go(burn, places)
            await wg
            return places, gosched.stats()

        return timed(lambda: gosched.run(main, gomaxprocs=procs))

    one, _ = work(1)
    procs = max(2, min(4, gosched.num_cpu()))
    many, (places, figures) = work(procs)
    for p in figures.ps:
        print(f"   P{p.id}: {places.count(p.id):3d} run here, {p.stolen:3d} of them stolen in {p.steals} raids")
    gain = one / many
    note = " (the GIL lets one run at a time; a free-threaded Python does better)" if gil_enabled() else ""
    print(f"   1 P {one:.2f} s, {procs} Ps {many:.2f} s: {gain:.2f} times as fast{note}")


def deadlock() -> None:
    print("\n4. Two goroutines that wait for each other: the program does not hang, it says who waits where")

    async def waits(wg: WaitGroup) -> None:
        await wg

    async def main() -> None:
        wg = WaitGroup()
        wg.add(1)
        go(waits, wg, name="the other one")
        await wg

    try:
        gosched.run(main)
    except DeadlockError as error:
        print("   " + str(error).replace("\n", "\n   "))
