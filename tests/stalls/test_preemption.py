"""What Go's runtime/proc_test.go proves about preemption and fairness, under Go's names.

Where a hog cannot be suspended (pure on 3.11) its P goes to the others: they get on as well, and that is all these tests look at.
"""

from __future__ import annotations

import gc
import os
import threading
import time

import pytest

import gosched
from gosched import Chan, Event, WaitGroup, after, aselect, asleep, ayield_now, go, run, yield_now
from tests.builds import NEVER_TOLD

from .waiting import Deadline, spin, until, until_slowly


def test_preemption() -> None:
    """TestPreemption: two goroutines that call functions while they wait for each other's number, on one P."""
    rounds = 8

    def call(x: int) -> int:
        return x

    async def main() -> int:
        number = [0]

        def counts(mine: int) -> None:
            deadline = Deadline("the other's number")
            for i in range(rounds):
                while number[0] != call(2 * i + mine):
                    deadline.check()
                number[0] += 1

        wg = WaitGroup()
        wg.go(counts, 0)
        wg.go(counts, 1)
        await wg
        return number[0]

    assert run(main, gomaxprocs=1) == 2 * rounds


def test_preemption_gc() -> None:
    """TestPreemptionGC: collections come through while as many goroutines as there are Ps spin, and more."""

    async def main() -> None:
        stop: list[int] = []
        wg = WaitGroup()
        for _ in range(4):
            wg.go(spin, stop)
        for _ in range(3):
            await ayield_now()
            gc.collect()
        stop.append(1)
        await wg

    run(main, gomaxprocs=2)


@NEVER_TOLD
def test_async_preempt(stop: list[int]) -> None:
    """TestAsyncPreempt: loops without a call, and an empty one, on one P; they never end, and main does."""

    async def main() -> int:
        begun: list[int] = []

        def counts_for_ever() -> None:
            begun.append(1)
            n = 0
            while not stop:
                n += 1

        def empty_loop() -> None:
            begun.append(1)
            spin(stop)

        go(counts_for_ever)
        go(empty_loop)
        await until(lambda: len(begun) == 2, "both to begin")
        gc.collect()
        return len(begun)

    assert run(main, gomaxprocs=1) == 2


@pytest.mark.parametrize("procs", [1, 2])
@pytest.mark.parametrize("calls", [False, True], ids=["TestTimerFairness", "TestTimerFairness2"])
def test_timer_fairness(calls: bool, procs: int) -> None:
    """Two goroutines keep a channel full, and a timer still fires; TestTimerFairness2: with system calls in the loop."""

    async def main() -> int:
        ch: Chan[int] = Chan()
        done: Chan[None] = Chan()
        wg = WaitGroup()
        read, write = os.pipe()

        async def sends() -> None:
            while (await aselect((ch.send, 1), done.recv_ok))[0] == 0:
                if calls:
                    os.read(read, 0)

        for _ in range(2):
            wg.go(sends)
        timer, received, index = after(0.02), 0, 0
        deadline = Deadline("the timer")
        while index == 0:
            deadline.check()
            index, _ = await aselect(ch.recv, timer.recv)
            received += index == 0
        done.close()
        await wg
        os.close(read)
        os.close(write)
        return received

    assert run(main, gomaxprocs=procs) > 0


def test_ping_pong_hog() -> None:
    """TestPingPongHog: on one P, a pair that hands a token to each other with long turns and one with short turns get comparable shares."""

    async def main() -> tuple[int, int]:
        done: Chan[None] = Chan()
        wg = WaitGroup()

        async def turns(limit: int, counter: list[int], token: Chan[int]) -> None:
            while (await aselect(token.recv, done.recv_ok))[0] == 0:
                for _ in range(limit):
                    counter[0] += 1
                if (await aselect((token.send, 1), done.recv_ok))[0] != 0:
                    return

        heavy, light = [0], [0]
        for limit, counter in ((50_000, heavy), (5_000, light)):
            token: Chan[int] = Chan()
            wg.go(turns, limit, counter, token)
            wg.go(turns, limit, counter, token)
            await token.asend(1)

        def comparable() -> bool:
            low, high = sorted((heavy[0], light[0]))
            return low >= 50_000 and high <= 20 * low

        await until_slowly(comparable, "counts within a factor of 20")
        found = heavy[0], light[0]
        done.close()
        await wg
        return found

    heavy, light = run(main, gomaxprocs=1)
    assert heavy > 0
    assert light > 0


@pytest.mark.parametrize("micros", [10, 100, 1000])
def test_preemption_after_syscall(micros: int) -> None:
    """TestPreemptionAfterSyscall: eight goroutines take turns between short calls and some work, on two Ps, and all get done."""
    done: list[int] = []

    def works(i: int) -> None:
        for _ in range(10):
            time.sleep(micros / 1e6)
            for _ in range(10_000):
                pass
        done.append(i)

    async def main() -> None:
        wg = WaitGroup()
        for i in range(8):
            wg.go(works, i)
        await wg

    run(main, gomaxprocs=2)
    assert sorted(done) == list(range(8))


def test_gc_fairness() -> None:
    """TestGCFairness: goroutines that do nothing but short system calls do not keep main from its turn, on one P."""

    async def main() -> int:
        stop: list[int] = []
        wg, counts = WaitGroup(), [0, 0]
        sink = os.open(os.devnull, os.O_WRONLY)

        def writes(i: int) -> None:
            while not stop:
                os.write(sink, b".")
                counts[i] += 1

        wg.go(writes, 0)
        wg.go(writes, 1)
        await asleep(0.01)
        await until_slowly(lambda: all(counts), "both to write")
        stop.append(1)
        await wg
        os.close(sink)
        return min(counts)

    assert run(main, gomaxprocs=1) > 0


def test_gc_fairness_2() -> None:
    """TestGCFairness2: goroutines that make the collector busy all get on, on one P."""

    async def main() -> None:
        stop: list[int] = []
        wg, counts = WaitGroup(), [0, 0, 0]

        def allocates(i: int) -> None:
            while not stop:
                knot: list[object] = []
                knot.append(knot)
                counts[i] += 1

        for i in range(3):
            wg.go(allocates, i)
        for _ in range(2):
            before = list(counts)
            await until_slowly(lambda before=before: all(map(int.__gt__, counts, before)), "everybody to allocate")  # type: ignore[misc]
        stop.append(1)
        await wg

    run(main, gomaxprocs=1)


def test_stop_the_world_deadlock() -> None:
    """TestStopTheWorldDeadlock: collections, changes of gomaxprocs and a goroutine that spins without ever yielding."""

    async def main() -> None:
        stop: list[int] = []
        wg, hogs = WaitGroup(), WaitGroup()

        async def resizes() -> None:
            for i in range(20):
                gosched.gomaxprocs(1 + i % 4)
                await ayield_now()

        async def collects() -> None:
            for _ in range(3):
                gc.collect()
                await ayield_now()

        hogs.go(spin, stop)
        wg.go(resizes)
        wg.go(collects)
        await wg
        stop.append(1)
        await hogs

    run(main, gomaxprocs=3)


@pytest.mark.parametrize("plain", [False, True], ids=["awaited", "plain"])
def test_yield_progress(plain: bool) -> None:
    """TestYieldProgress: who only yields lets the others run, beside a hog as well."""

    async def awaits(flag: list[int]) -> None:
        while not flag:
            await ayield_now()

    def yields(flag: list[int]) -> None:
        while not flag:
            yield_now()

    async def main() -> str:
        flag: list[int] = []
        wg = WaitGroup()
        wg.go(yields if plain else awaits, flag)
        wg.go(spin, flag)
        await asleep(0.001)
        flag.append(1)
        await wg
        return "progress"

    assert run(main, gomaxprocs=1) == "progress"


@pytest.mark.parametrize("procs", [1, 2, 4])
def test_goroutine_parallelism(procs: int) -> None:
    """TestGoroutineParallelism: goroutines that spin until it is their turn get on, also if there are more of them than Ps."""
    n, rounds = 4, 2

    async def main() -> int:
        turn = [0]

        def spins(mine: int) -> None:
            deadline = Deadline("my turn")
            for i in range(rounds):
                while turn[0] != n * i + mine:
                    deadline.check()
                turn[0] += 1

        wg = WaitGroup()
        for i in range(n):
            wg.go(spins, i)
        await wg
        return turn[0]

    assert run(main, gomaxprocs=procs) == n * rounds


@pytest.mark.parametrize("polled", [False, True], ids=["", "polled"])
@pytest.mark.parametrize("load", [False, True], ids=["", "load"])
def test_goroutine_parallelism_2(load: bool, polled: bool) -> None:
    """TestGoroutineParallelism2: the same, started from one another: with Ps that went idle before, and with somebody who polls."""
    n = 4

    async def main() -> int:
        if load:
            crowd = WaitGroup()
            for _ in range(n):
                crowd.go(spin, [1])
            await crowd
        if polled:
            go(asleep, 60)
            await ayield_now()
        here: list[int] = []
        lock, wg = threading.Lock(), WaitGroup()

        def meets() -> None:
            deadline = Deadline("all to be here")
            with lock:
                here.append(1)
            while len(here) < n:
                deadline.check()

        async def starts(left: int) -> None:
            if left > 1:
                wg.go(starts, left - 1)
            wg.go(meets)

        wg.go(starts, n)
        await wg
        return len(here)

    assert run(main, gomaxprocs=n) == n


def test_after_func_beside_hogs() -> None:
    """Go's TestAfterFuncStarvation with hogs in the place of the ping-pong: timers are run although every P is hogged."""

    async def main() -> str:
        stop: list[int] = []
        fired, wg = Event(), WaitGroup()
        for _ in range(3):
            wg.go(spin, stop)
        gosched.after_func(0.005, fired.set)
        await fired
        stop.append(1)
        await wg
        return "fired"

    assert run(main, gomaxprocs=2) == "fired"


def test_a_plain_pair_starves_nobody() -> None:
    """Two that ready each other for ever, each on its thread, share one slice: when it is over, it is the others' turn."""
    over: list[int] = []

    def relays(inbox: Chan[int], outbox: Chan[int]) -> None:
        for value in inbox:
            if over:
                break
            outbox.send(value)
        outbox.close()

    async def yields() -> None:
        for _ in range(3):
            await ayield_now()

    async def main() -> None:
        there, back, others, pair = Chan[int](1), Chan[int](1), WaitGroup(), WaitGroup()
        for _ in range(3):
            others.go(yields)
        pair.go(relays, there, back)
        pair.go(relays, back, there)
        await there.asend(1)
        await others
        over.append(1)
        await pair

    run(main, gomaxprocs=1)


def test_those_that_yield_for_ever_end_with_main() -> None:
    """By the plain spelling, too: the yield raises Goexit."""
    log: list[str] = []

    def yields() -> None:
        try:
            log.append("begins")
            while True:
                yield_now()
        finally:
            log.append("finally")

    async def main() -> None:
        for _ in range(3):
            go(yields)
        await until(lambda: len(log) == 3, "them to begin")

    run(main, gomaxprocs=1)
    assert log == ["begins"] * 3 + ["finally"] * 3
