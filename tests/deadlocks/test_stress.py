"""find_deadlocks while others run at full speed: it names those that are lost, and never one that is not."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from gosched import Chan, Deadlock, Mutex, RWMutex, WaitGroup, aselect, ayield_now, find_deadlocks, go, run
from tests.deadlocks.finding import judged

pytestmark = [pytest.mark.stress, pytest.mark.timeout(0)]


async def lost(ch: Chan[Any]) -> None:
    await ch.arecv()


async def player(mine: Chan[Any], theirs: Chan[Any], locks: list[Any], over: list[bool]) -> None:
    """Meets the other over two channels that only they have, and takes locks, always in the same order."""
    while not over:
        await aselect((theirs.send, mine), mine.recv)
        async with locks[0], locks[1]:
            pass
        locks[2].lock()
        await ayield_now()
        locks[2].unlock()


async def short(ch: Chan[Any]) -> None:
    """Waits for a moment on what only its caller has."""
    await ch.asend(1)


async def caller(over: list[bool]) -> None:
    while not over:
        ch: Chan[Any] = Chan()
        go(short, ch)
        await ch.arecv()
        try:
            await ch.arecv(timeout=0.0001)
        except TimeoutError:
            pass


def names(deadlocks: list[Deadlock]) -> set[str]:
    return {g.name for deadlock in deadlocks for g in deadlock.goroutines}


@judged
def test_only_the_lost_are_named(stress_seconds: float) -> None:
    over: list[bool] = []
    seen: list[set[str]] = []

    def ask() -> None:
        found = names(find_deadlocks())
        if not over:  # when a player has left, the other one of its pair may be lost in earnest
            seen.append(found)

    def outsider() -> None:
        while not over:
            ask()

    async def asker() -> None:
        while not over:
            ask()
            await ayield_now()

    async def main() -> set[str]:
        wg = WaitGroup()
        locks = [Mutex(), RWMutex(), Mutex()]
        for _ in range(4):
            a, b = Chan[Any](), Chan[Any]()
            wg.go(player, a, b, locks, over)
            wg.go(player, b, a, locks, over)
            wg.go(caller, over)
        del a, b
        wg.go(asker)
        thread = threading.Thread(target=outsider)
        thread.start()
        for i in range(20):
            go(lost, Chan(), name=f"lost {i}")
        deadline = time.monotonic() + stress_seconds
        while time.monotonic() < deadline:
            await ayield_now()
        over.append(True)
        thread.join()
        return names(find_deadlocks())

    theirs = {f"lost {i}" for i in range(20)}
    assert run(main, gomaxprocs=4) >= theirs
    assert len(seen) > 10
    assert set().union(*seen) == theirs
