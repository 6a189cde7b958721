"""lock_os_thread: the goroutine stays on its thread, whatever it does, and has it for itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched import (
    Chan,
    Cond,
    Event,
    Mutex,
    WaitGroup,
    aselect,
    asleep,
    ayield_now,
    blocking,
    go,
    lock_os_thread,
    run,
    unlock_os_thread,
    yield_now,
)

from .waiting import spin, until_slowly, until_suspended

ident = threading.get_ident


def test_the_same_thread_across_everything_awaited() -> None:
    async def stays(partner: Chan[int], idents: set[int]) -> None:
        lock_os_thread()
        mutex, event = Mutex(), Event()
        for i in range(10):
            idents.add(ident())
            await ayield_now()
            idents.add(ident())
            await partner.asend(i)
            idents.add(ident())
            await asleep(0.0005)
            idents.add(ident())
            await aselect(partner.recv, timeout=0.0005)
            async with mutex:
                idents.add(ident())
            go(event.set)
            await event
            idents.add(ident())
            blocking(time.sleep, 0.0005)
            idents.add(ident())
        unlock_os_thread()

    async def main() -> list[int]:
        wg, crowd = WaitGroup(), WaitGroup()
        found = []
        for _ in range(3):
            partner: Chan[int] = Chan()
            idents: set[int] = set()
            found.append(idents)
            wg.go(stays, partner, idents)

            async def receives(ch: Chan[int] = partner) -> None:
                for _ in range(10):
                    await ch.arecv()
                    await ayield_now()

            crowd.go(receives)
        await wg
        await crowd
        return [len(idents) for idents in found]

    assert run(main, gomaxprocs=3) == [1, 1, 1]


@pytest.mark.parametrize("asynchronous", [False, True], ids=["plain", "async"])
def test_the_same_thread_across_plain_operations(asynchronous: bool) -> None:
    def works(ch: Chan[int], idents: set[int]) -> None:
        mutex = Mutex()
        cond = Cond(mutex)
        for i in range(10):
            idents.add(ident())
            yield_now()
            ch.send(i)
            idents.add(ident())
            gosched.sleep(0.0005)
            idents.add(ident())
            with mutex, pytest.raises(gosched.DeadlineExceeded):
                cond.wait(timeout=0.0005)
            idents.add(ident())

    async def main() -> tuple[int, list[int]]:
        ch: Chan[int] = Chan()
        idents: set[int] = set()
        wg = WaitGroup()

        def plainly() -> None:
            lock_os_thread()
            works(ch, idents)

        async def awaited() -> None:
            lock_os_thread()
            works(ch, idents)
            await ayield_now()
            idents.add(ident())

        wg.go(awaited if asynchronous else plainly)
        got = [await ch.arecv() for _ in range(10)]
        await wg
        return len(idents), got

    assert run(main, gomaxprocs=2) == (1, list(range(10)))


def test_nothing_else_runs_on_the_thread() -> None:
    mine: set[int] = set()
    others: set[int] = set()

    async def main() -> None:
        lock_os_thread()
        wg = WaitGroup()
        for _ in range(200):
            wg.go(lambda: others.add(ident()))
            mine.add(ident())
            await ayield_now()
        await wg
        unlock_os_thread()

    run(main, gomaxprocs=2)
    assert len(mine) == 1
    assert not mine & others


def test_a_locked_hog_is_suspended_and_stays_on_its_thread() -> None:
    idents: set[int] = set()

    async def main() -> None:
        stop: list[int] = []
        wg = WaitGroup()

        def hog() -> None:
            lock_os_thread()
            idents.add(ident())
            spin(stop)
            idents.add(ident())
            yield_now()
            idents.add(ident())

        g = wg.go(hog)
        await until_suspended(g)
        stop.append(1)
        await wg

    run(main, gomaxprocs=1)
    assert len(idents) == 1


def test_many_locked_goroutines_pass_a_token_round() -> None:
    n, rounds = 10, 5
    idents: dict[int, set[int]] = {i: set() for i in range(n)}

    async def passes(i: int, here: Chan[int], there: Chan[int]) -> None:
        lock_os_thread()
        for _ in range(rounds):
            token = await here.arecv()
            idents[i].add(ident())
            await there.asend(token + 1)

    async def main() -> int:
        ring: list[Chan[int]] = [Chan(1) for _ in range(n)]
        wg = WaitGroup()
        for i in range(n):
            wg.go(passes, i, ring[i], ring[(i + 1) % n])
        await ring[0].asend(0)
        await wg
        return await ring[0].arecv()

    assert run(main, gomaxprocs=2) == n * rounds
    assert [len(seen) for seen in idents.values()] == [1] * n
    assert len(set.union(*idents.values())) == n


def test_gomaxprocs_beside_locked_goroutines() -> None:
    async def main() -> int:
        stop: list[int] = []
        wg = WaitGroup()

        async def locked() -> None:
            lock_os_thread()
            me = ident()
            while not stop:
                await ayield_now()
                assert ident() == me

        for _ in range(3):
            wg.go(locked)
        for i in range(30):
            gosched.gomaxprocs(1 + i % 4)
            await ayield_now()
        stop.append(1)
        await wg
        return gosched.gomaxprocs()

    assert run(main, gomaxprocs=2) == 2


def test_locked_goroutines_unwind_when_main_returns() -> None:
    log: list[str] = []

    async def awaits(wg: WaitGroup) -> None:
        lock_os_thread()
        me = ident()
        try:
            await wg
        finally:
            log.append(f"async on its thread: {ident() == me}")

    def waits(wg: WaitGroup) -> None:
        lock_os_thread()
        try:
            wg.wait()
        finally:
            log.append("plain")

    async def main() -> None:
        wg = WaitGroup()
        wg.add(1)
        both = [go(awaits, wg), go(waits, wg)]
        await until_slowly(lambda: all(g.state == "waiting" for g in both), "both to wait")

    run(main, gomaxprocs=1)
    assert sorted(log) == ["async on its thread: True", "plain"]


@pytest.mark.parametrize("call", [lock_os_thread, unlock_os_thread])
def test_outside_of_a_goroutine(call: Callable[[], Any]) -> None:
    words = rf"^{call.__name__}\(\) outside of a goroutine: use it inside a goroutine: run\(main\), go\(fn\)$"
    with pytest.raises(RuntimeError, match=words):
        call()
