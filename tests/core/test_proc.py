"""Behaviours that Go's runtime/proc_test.go proves, as far as this stage has them, under Go's names."""

from __future__ import annotations

import gc
import threading

import pytest

import gosched
from gosched import WaitGroup, ayield_now, go, run
from gosched.core.p import coprimes_of
from tests.calm import run_calmly


def test_main_goroutine_id() -> None:
    """TestMainGoroutineID."""

    async def main() -> int:
        return gosched.current().id

    assert run(main) == 1


def test_num_goroutine() -> None:
    """TestNumGoroutine: 1 at the start, and what was started."""

    async def main() -> tuple[int, int, int]:
        first = gosched.num_goroutine()
        wg, done = WaitGroup(), WaitGroup()
        wg.add(1)

        async def waits() -> None:
            await wg
            done.done()

        for _ in range(10):
            done.add(1)
            go(waits)
        second = gosched.num_goroutine()
        wg.done()
        await done
        while gosched.num_goroutine() > 1:
            await ayield_now()
        return first, second, gosched.num_goroutine()

    assert run(main) == (1, 11, 1)


def test_yield_progress() -> None:
    """TestYieldProgress: a loop that only yields lets the others run."""

    async def main() -> str:
        flag = []

        async def sets() -> None:
            flag.append(1)

        go(sets)
        while not flag:
            await ayield_now()
        return "progress"

    assert run(main, gomaxprocs=1) == "progress"


@pytest.mark.parametrize("nested", [False, True], ids=["TestGoroutineParallelism", "TestGoroutineParallelism2"])
def test_goroutine_parallelism(nested: bool) -> None:
    """P goroutines that wait for each other without yielding really run at the same time on P Ps; nested: also when started by one another."""
    n = 4

    def meets(here: list[int], lock: threading.Lock) -> None:
        with lock:
            here.append(1)
        while len(here) < n:
            pass

    async def starts(wg: WaitGroup, left: int, here: list[int], lock: threading.Lock) -> None:
        if left > 1:
            wg.go(starts, wg, left - 1, here, lock)
        wg.go(meets, here, lock)

    async def main() -> None:
        for _ in range(3):
            wg, here, lock = WaitGroup(), list[int](), threading.Lock()
            if nested:
                wg.go(starts, wg, n, here, lock)
            else:
                for _ in range(n):
                    wg.go(meets, here, lock)
            await wg
            assert len(here) == n

    run(main, gomaxprocs=n)


def test_stop_the_world_deadlock() -> None:
    """TestStopTheWorldDeadlock: collections and gomaxprocs changes beside a goroutine that spins never deadlock."""

    async def main() -> None:
        stop: list[int] = []

        async def resizes() -> None:
            for i in range(200):
                gosched.gomaxprocs(1 + i % 4)
                await ayield_now()

        async def collects() -> None:
            for _ in range(5):
                gc.collect()
                await ayield_now()

        async def spins() -> None:
            while not stop:
                await ayield_now()

        wg = WaitGroup()
        go(spins)
        wg.go(resizes)
        wg.go(collects)
        await wg
        stop.append(1)

    run(main, gomaxprocs=4)


def test_steal_order() -> None:
    """TestStealOrder: every start and every coprime step visit each P exactly once, for 1 to 64 Ps."""
    for n in range(1, 65):
        for step in coprimes_of(n):
            orders = {tuple((start + step * i) % n for i in range(n)) for start in range(n)}
            assert len(orders) == n
            assert all(sorted(order) == list(range(n)) for order in orders)


def test_big_gomaxprocs() -> None:
    """TestBigGOMAXPROCS: 1024 Ps."""

    async def main() -> int:
        wg = WaitGroup()
        for _ in range(100):
            wg.go(lambda: None)
        await wg
        return gosched.gomaxprocs()

    assert run(main, gomaxprocs=1024) == 1024


def test_getg_thread_switch() -> None:
    """TestGetgThreadSwitch: the current goroutine is itself, whichever thread it is resumed on."""

    async def checks(threads: set[int]) -> None:
        me = gosched.current()
        for _ in range(200):
            await ayield_now()
            assert gosched.current() is me
            threads.add(threading.get_ident())

    async def main() -> None:
        wg, threads = WaitGroup(), set[int]()
        for _ in range(20):
            wg.go(checks, threads)
        await wg

    run(main, gomaxprocs=4)


def test_goroutine_ids_are_unique() -> None:
    """Ids come in batches per P."""

    async def main() -> list[int]:
        wg = WaitGroup()
        ids: list[int] = []

        async def branch() -> None:
            ids.extend(wg.go(lambda: None).id for _ in range(50))

        for _ in range(20):
            ids.append(wg.go(branch).id)
        await wg
        return ids

    ids = run(main, gomaxprocs=4)
    assert len(ids) == len(set(ids)) == 20 * 51
    assert 1 not in ids


# ---- who runs next, on one P ----


def order_of(starts: int) -> list[int]:
    log: list[int] = []

    async def main() -> None:
        wg = WaitGroup()
        for i in range(starts):
            wg.go(log.append, i)
        await wg

    run_calmly(main)
    return log


def test_the_newest_runs_first_then_the_others_in_order() -> None:
    assert order_of(5) == [4, 0, 1, 2, 3]


def test_ring_overflow_sends_the_oldest_half_to_the_global_queue() -> None:
    """With main in `next`'s place gone: 0 … 255 fill the ring, the 257th kicks 0 … 127 and 256 out."""
    log = order_of(300)
    assert sorted(log) == list(range(300))
    assert log[0] == 299
    assert log.index(128) < log.index(0), "the ring comes before the global queue"
    assert log.index(0) < log.index(127) < log.index(256), "the global queue keeps the order"


def test_every_61st_tick_takes_one_from_the_global_queue() -> None:
    """A full ring cannot keep a globally queued goroutine waiting for more than 61 turns."""

    async def main() -> list[str]:
        log: list[str] = []
        wg = WaitGroup()

        async def yields() -> None:
            await ayield_now()
            log.append("global")

        for _ in range(200):
            wg.go(log.append, "local")
        wg.go(yields)
        await wg
        return log

    log = run_calmly(main)
    assert len(log) == 201
    assert log.index("global") <= 61


def test_a_chain_of_next_shares_one_slice() -> None:
    """Two goroutines that start each other for ever run as one: their slice ends, and the others get their turn."""

    yields = 5

    async def main() -> int:
        turns, stop = [0], list[int]()

        def chain() -> None:
            turns[0] += 1
            if not stop:
                go(chain)

        go(chain)
        for _ in range(yields):
            await ayield_now()
        stop.append(1)
        return turns[0]

    assert run(main, gomaxprocs=1) > 2 * yields, "they take turns with main"
