"""Real threads, more of them than cores, for a share of STRESS_SECONDS each: no crash, no lost goroutine, no lost wake-up.

Made for a free-threaded build, where they run at the same time; on others the GIL interleaves them. A watchdog dumps all threads and ends the process
if a test hangs (faulthandler_timeout).
"""

from __future__ import annotations

import gc
import os
import random
import threading
import time

import pytest

import gosched
from gosched import Runtime, WaitGroup, ayield_now, go, run
from gosched.core.entry import retake

pytestmark = [pytest.mark.stress, pytest.mark.timeout(0)]


def test_spawn_yield_park(stress_seconds: float) -> None:
    """4 Ms: trees of goroutines that yield and wait for each other. Every one is counted."""
    rounds = total = 0

    async def node(depth: int, out: list[int]) -> None:
        if depth == 0:
            await ayield_now()
            out.append(1)
            return
        wg, results = WaitGroup(), list[int]()
        for _ in range(4):
            wg.go(node, depth - 1, results)
        await wg
        out.append(1 + sum(results))

    async def main() -> int:
        out: list[int] = []
        await node(6, out)
        return out[0]

    end = time.monotonic() + stress_seconds
    expected = sum(4**i for i in range(7))
    while time.monotonic() < end:
        assert run(main, gomaxprocs=4) == expected
        rounds += 1
        total += expected
    print(f"{total:,} goroutines in {rounds} runs")


def test_retakes_and_resizes(stress_seconds: float) -> None:
    """Somebody takes Ps away all the time, and gomaxprocs changes, while goroutines spawn, yield and park."""

    async def worker(depth: int, done: WaitGroup) -> None:
        for _ in range(20):
            await ayield_now()
        if depth:
            wg = WaitGroup()
            for _ in range(3):
                wg.add(1)
                go(worker, depth - 1, wg)
            await wg
        done.done()

    async def main(stop: list[int]) -> int:
        rounds = 0
        while not (stop and rounds):
            done = WaitGroup()
            done.add(20)
            for _ in range(20):
                go(worker, 2, done)
            await done
            gosched.gomaxprocs(random.randint(1, 6))
            rounds += 1
        return rounds

    stop: list[int] = []
    with Runtime(gomaxprocs=4) as rt:

        def sysmon() -> None:
            while not stop:
                for p in list(rt.sched.allp):
                    retake(rt.sched, p)
                time.sleep(0.0002)

        taker = threading.Thread(target=sysmon)
        timer = threading.Timer(stress_seconds, stop.append, (1,))
        taker.start()
        timer.start()
        rounds = rt.run(main, stop)
        taker.join()
        figures = rt.stats()
        retakes = sum(p.retakes for p in rt.sched.allp)
    assert rounds > 0
    print(f"{rounds} rounds, {retakes:,} retakes, {figures.threads} threads")


def test_threads_outside(stress_seconds: float) -> None:
    """Threads of no runtime submit goroutines, wake waiting ones, and collect garbage."""

    async def square(x: int) -> int:
        await ayield_now()
        return x * x

    end = time.monotonic() + stress_seconds
    errors: list[BaseException] = []
    counts: list[int] = []

    def outside(rt: Runtime) -> None:
        n = 0
        try:
            while time.monotonic() < end:
                futures = [rt.submit(square, i) for i in range(50)]
                assert [f.result(60) for f in futures] == [i * i for i in range(50)]
                n += 50
                if n % 1000 == 0:
                    gc.collect()
        except BaseException as error:
            errors.append(error)
        counts.append(n)

    with Runtime(gomaxprocs=3) as rt:
        threads = [threading.Thread(target=outside, args=(rt,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not errors
    print(f"{sum(counts):,} submitted")


def test_ends_of_main(stress_seconds: float) -> None:
    """Many short programs, each ended while its goroutines are in every state: all unwind, no thread stays."""
    end = time.monotonic() + stress_seconds
    runs = 0

    async def main(seed: int) -> None:
        rng = random.Random(seed)
        started, ended = [0], list[int]()
        never = WaitGroup()
        never.add(1)

        async def parks() -> None:
            try:
                await never
            finally:
                ended.append(1)

        async def yields() -> None:
            while True:
                await ayield_now()

        for _ in range(rng.randrange(30)):
            go(rng.choice((parks, yields)))
            started[0] += 1
        for _ in range(rng.randrange(10)):
            await ayield_now()

    while time.monotonic() < end or not runs:
        run(main, runs, gomaxprocs=1 + runs % 4)
        runs += 1
    assert runs > 0
    print(f"{runs} programs")


def test_a_million_at_once() -> None:
    """A million goroutines parked and freed at once, and a chain of 100,000 spawns: no crash, no recursion error."""
    n = int(os.environ.get("STRESS_GOROUTINES", "1000000")) if gosched.__build__ == "compiled" else 50_000

    async def parks(gate: WaitGroup, done: WaitGroup) -> None:
        await gate
        done.done()

    async def chain(left: int, done: WaitGroup) -> None:
        if left:
            go(chain, left - 1, done)
        else:
            done.done()

    async def main() -> None:
        gate, done = WaitGroup(), WaitGroup()
        gate.add(1)
        done.add(n)
        for _ in range(n):
            go(parks, gate, done)
        await ayield_now()
        gate.done()
        await done
        last = WaitGroup()
        last.add(1)
        go(chain, 100_000, last)
        await last

    run(main, gomaxprocs=2)
