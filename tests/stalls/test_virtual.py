"""lock_os_thread, go(thread=True) and blocking() in virtual time: one real thread plays them all, with the same rules and the same trace per seed."""

from __future__ import annotations

import time
from typing import Any

import pytest

import gosched
from gosched import (
    Chan,
    DeadlockError,
    Event,
    WaitGroup,
    asleep,
    ayield_now,
    blocking,
    go,
    lock_os_thread,
    now,
    sleep,
    unlock_os_thread,
    yield_now,
)
from gosched.lab.virtual import VirtualRuntime
from gosched.testing import explore, virtual_run, wait_all_blocked

pytest.importorskip("greenlet")

SEEDS = range(15)


def my_m() -> int:
    """The M that the calling goroutine is on: its thread, in virtual time."""
    me = gosched.current().id
    return next(m.id for m in gosched.stats().ms if m.goroutine == me)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_locked_goroutine_stays_on_its_m(seed: int) -> None:
    async def locked(ch: Chan[int], ms: set[int]) -> None:
        lock_os_thread()
        for i in range(5):
            ms.add(my_m())
            await ayield_now()
            ms.add(my_m())
            await ch.asend(i)
            ms.add(my_m())
            await asleep(0.5)
        unlock_os_thread()

    async def main() -> list[Any]:
        wg, found = WaitGroup(), []
        for _ in range(2):
            ch: Chan[int] = Chan()
            ms: set[int] = set()
            wg.go(locked, ch, ms)
            got = [await ch.arecv() for _ in range(5)]
            found.append((got, len(ms)))
        await wg
        return found

    assert virtual_run(main, gomaxprocs=3, seed=seed) == [([0, 1, 2, 3, 4], 1)] * 2


@pytest.mark.parametrize("seed", SEEDS)
def test_the_plain_spelling_of_locked_goroutines(seed: int) -> None:
    def locked(here: Chan[int], there: Chan[int], ms: set[int]) -> None:
        lock_os_thread()
        for _ in range(3):
            ms.add(my_m())
            there.send(here.recv() + 1)
            ms.add(my_m())
            yield_now()
            sleep(1.0)
            ms.add(my_m())

    async def main() -> tuple[int, list[int], float]:
        begin = now()
        ring: list[Chan[int]] = [Chan(1) for _ in range(3)]
        all_ms: list[set[int]] = [set() for _ in range(3)]
        wg = WaitGroup()
        for i in range(3):
            wg.go(locked, ring[i], ring[(i + 1) % 3], all_ms[i])
        await ring[0].asend(0)
        await wg
        return await ring[0].arecv(), [len(ms) for ms in all_ms], now() - begin

    token, ms, passed = virtual_run(main, gomaxprocs=2, seed=seed)
    assert (token, ms) == (9, [1, 1, 1])
    assert passed >= 3.0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_thread_of_its_own_ends_with_its_goroutine(seed: int) -> None:
    """Its M is gone afterwards, and no other goroutine was ever on it meanwhile."""

    async def body(over: Event, ms: list[int]) -> None:
        ms.append(my_m())
        await over

    def plain(over: Event, ms: list[int]) -> None:
        ms.append(my_m())
        over.wait()

    async def main() -> tuple[int, int]:
        over, ms = Event(), list[int]()
        others: set[int] = set()
        gs = [go(body, over, ms, thread=True), go(plain, over, ms, thread=True), go(body(over, ms), thread=True)]
        while len(ms) < 3:
            await ayield_now()
        for _ in range(20):
            others.add(my_m())
            await ayield_now()
        over.set()
        while not all(g.is_dead() for g in gs):
            await ayield_now()
        while set(ms) & {m.id for m in gosched.stats().ms}:
            await ayield_now()
        return len(set(ms)), len(others & set(ms))

    assert virtual_run(main, gomaxprocs=2, seed=seed) == (3, 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_blocking_hands_the_p_on(seed: int) -> None:
    """On one P: fn waits, plainly, for what only the others can do."""

    async def main() -> tuple[str, list[int], int]:
        ch: Chan[str] = Chan()
        log: list[int] = []
        for i in range(3):
            go(log.append, i)
        go(ch.send, "value")
        got = blocking(ch.recv)
        await wait_all_blocked()
        return got, sorted(log), gosched.stats().blocking_calls

    assert virtual_run(main, gomaxprocs=1, seed=seed) == ("value", [0, 1, 2], 1)


def test_a_real_sleep_takes_no_virtual_time() -> None:
    async def main() -> float:
        begin = now()
        go(int)
        blocking(time.sleep, 0.001)
        return now() - begin

    assert virtual_run(main) == 0.0


def test_an_hour_of_locked_sleep() -> None:
    def sleeps() -> None:
        lock_os_thread()
        sleep(3600)

    async def main() -> float:
        begin, wg = now(), WaitGroup()
        wg.go(sleeps)
        wg.go(sleeps)
        await wg
        return now() - begin

    assert virtual_run(main) == 3600.0


def test_same_seed_same_trace() -> None:
    async def locked(ch: Chan[int]) -> None:
        lock_os_thread()
        for i in range(3):
            await ch.asend(i)
            sleep(0.1)

    def blocks(ch: Chan[int]) -> None:
        for i in range(3):
            blocking(ch.send, i)
            yield_now()

    async def main() -> int:
        ch: Chan[int] = Chan()
        for i in range(3):
            go(locked, ch, thread=i == 0)
            go(blocks, ch)
        return sum([await ch.arecv() for _ in range(18)])

    def trace(seed: int) -> list[Any]:
        rt = VirtualRuntime(gomaxprocs=2, seed=seed)
        assert rt.run(main) == 18
        return rt.trace

    for seed in SEEDS:
        assert trace(seed) == trace(seed)
    assert len({repr(trace(seed)) for seed in SEEDS}) > 1, "different seeds give different schedules"


@pytest.mark.parametrize("plain", [False, True], ids=["awaited", "plain"])
def test_locked_deadlock(plain: bool) -> None:
    """Go's TestLockedDeadlock2, in virtual time."""

    async def locked() -> None:
        lock_os_thread()
        if plain:
            Chan[int]().recv()
        await Chan[int]().arecv()

    async def main() -> None:
        go(locked, name="the locked one")
        await Event()

    with pytest.raises(
        DeadlockError, match=r"(?s)^all goroutines are asleep - deadlock!.*\[chan receive, locked to thread\] \{name: \"the locked one\"\}:\n"
    ):
        virtual_run(main, gomaxprocs=2)


def test_locked_goroutines_unwind_when_main_returns() -> None:
    log: list[str] = []

    async def awaits() -> None:
        lock_os_thread()
        try:
            await Event()
        finally:
            log.append("async")

    def waits() -> None:
        try:
            Event().wait()
        finally:
            log.append("plain")

    async def main() -> str:
        go(awaits)
        go(waits, thread=True)
        await wait_all_blocked()
        return "result"

    assert virtual_run(main, gomaxprocs=2) == "result"
    assert sorted(log) == ["async", "plain"]


def test_many_schedules_of_lock_and_unlock() -> None:
    """A token that goes round between goroutines that lock and unlock at every step is never lost."""

    async def main() -> None:
        ring: list[Chan[int]] = [Chan() for _ in range(3)]
        wg = WaitGroup()

        async def passes(i: int) -> None:
            for _ in range(3):
                lock_os_thread()
                token = await ring[i].arecv()
                if i:
                    unlock_os_thread()
                await ring[(i + 1) % 3].asend(token + 1)

        async def feeds() -> None:
            await ring[0].asend(0)
            for _ in range(2):
                await ayield_now()

        wg.go(feeds)
        for i in range(3):
            wg.go(passes, i)
        assert await ring[0].arecv() in (0, 3, 6, 9)

    explore(main, seeds=range(50))
