"""lock_os_thread: what Go's tests prove about it, under Go's names."""

from __future__ import annotations

import signal
import threading

import pytest

import gosched
from gosched import (
    Chan,
    DeadlockError,
    Goroutine,
    WaitGroup,
    asleep,
    ayield_now,
    go,
    lock_os_thread,
    run,
    unlock_os_thread,
    yield_now,
)

from .waiting import newest_thread, until

ident = threading.get_ident


def locks_of(g: Goroutine) -> list[int]:
    """How often g has locked its thread."""
    return [g.locks]


def test_yield_locked_progress() -> None:
    """TestYieldLockedProgress: who only yields lets others run, thread-locked as well."""

    async def main() -> str:
        lock_os_thread()
        flag: list[int] = []
        go(flag.append, 1)
        await until(lambda: flag, "the other")
        unlock_os_thread()
        return "progress"

    assert run(main, gomaxprocs=1) == "progress"


@pytest.mark.parametrize("plain", [False, True], ids=["async", "plain"])
def test_yield_locked(plain: bool) -> None:
    """TestYieldLocked: a locked goroutine can yield, sleep, and end while it is locked."""

    async def awaits(ch: Chan[bool]) -> None:
        lock_os_thread()
        for _ in range(5):
            await ayield_now()
            await asleep(0.001)
        await ch.asend(True)

    def waits(ch: Chan[bool]) -> None:
        lock_os_thread()
        for _ in range(5):
            yield_now()
            gosched.sleep(0.001)
        ch.send(True)

    async def main() -> bool:
        ch: Chan[bool] = Chan()
        go(waits if plain else awaits, ch)
        return await ch.arecv()

    assert run(main, gomaxprocs=1) is True


@pytest.mark.parametrize("plain", [False, True], ids=["async", "plain"])
def test_block_locked(plain: bool) -> None:
    """TestBlockLocked: a locked goroutine blocks in sends, again and again."""
    n = 10

    async def awaits(ch: Chan[int]) -> None:
        lock_os_thread()
        for i in range(n):
            await ch.asend(i)
        unlock_os_thread()

    def waits(ch: Chan[int]) -> None:
        lock_os_thread()
        for i in range(n):
            ch.send(i)
        unlock_os_thread()

    async def main() -> list[int]:
        ch: Chan[int] = Chan()
        go(waits if plain else awaits, ch)
        return [await ch.arecv() for _ in range(n)]

    assert run(main, gomaxprocs=1) == list(range(n))


def test_lock_os_thread_nesting() -> None:
    """TestLockOSThreadNesting: as many unlocks as locks; one more is no error."""

    async def main() -> list[list[int]]:
        me = gosched.current()
        seen = [locks_of(me)]
        lock_os_thread()
        lock_os_thread()
        seen.append(locks_of(me))
        unlock_os_thread()
        await ayield_now()
        seen.append(locks_of(me))
        unlock_os_thread()
        seen.append(locks_of(me))
        unlock_os_thread()
        seen.append(locks_of(me))
        lock_os_thread()
        seen.append(locks_of(me))
        unlock_os_thread()
        return seen

    assert run(main, gomaxprocs=1) == [[0], [2], [1], [0], [0], [1]]


@pytest.mark.parametrize("plain", [False, True], ids=["async", "plain"])
def test_lock_os_thread_exit(plain: bool) -> None:
    """TestLockOSThreadExit: the thread of a goroutine that ends locked is never used again. Its marks are not seen by any other goroutine."""
    local = threading.local()
    tainted: list[int] = []

    async def awaits() -> None:
        lock_os_thread()
        await ayield_now()
        local.taint = True

    def waits() -> None:
        lock_os_thread()
        yield_now()
        local.taint = True

    def looks(i: int) -> None:
        if hasattr(local, "taint"):
            tainted.append(i)

    async def main() -> int:
        newest = 0
        for i in range(20):
            wg = WaitGroup()
            g = wg.go(waits if plain else awaits)
            await wg
            await until(g.is_dead, "its end")
            for _ in range(5):
                wg.go(looks, i)
            await wg
            newest = max(newest, newest_thread())
        return newest

    assert run(main, gomaxprocs=2) >= 20, "each took its thread with it"
    assert tainted == []


def test_a_thread_that_was_unlocked_is_used_again() -> None:
    async def main() -> int:
        for _ in range(20):
            wg = WaitGroup()

            def locks() -> None:
                lock_os_thread()
                unlock_os_thread()

            wg.go(locks)
            await wg
        return newest_thread()

    assert run(main, gomaxprocs=1) < 20


def test_lock_os_thread_avoids_state_propagation() -> None:
    """TestLockOSThreadAvoidsStatePropagation: what a locked goroutine does to its thread does not reach threads that are started meanwhile."""
    leaked: list[int] = []

    def looks(wg: WaitGroup) -> None:
        if signal.SIGUSR1 in signal.pthread_sigmask(signal.SIG_BLOCK, []):
            leaked.append(ident())
        wg.done()

    def taints() -> None:
        lock_os_thread()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
        wg = WaitGroup()
        wg.add(50)
        for _ in range(50):
            go(looks, wg)
        wg.wait()

    async def main() -> None:
        wg = WaitGroup()
        wg.go(taints)
        await wg

    run(main, gomaxprocs=8)
    assert leaked == []


@pytest.mark.parametrize("other", [False, True], ids=["TestLockedDeadlock", "TestLockedDeadlock2"])
def test_locked_deadlock(other: bool) -> None:
    """A deadlock is reported although threads are locked: main's own, or another's."""

    async def blocks() -> None:
        lock_os_thread()
        wg = WaitGroup()
        wg.add(1)
        await wg

    async def main() -> None:
        if other:
            go(blocks, name="the other")
            await blocks()
        else:
            await blocks()

    with pytest.raises(
        DeadlockError, match=r"^all goroutines are asleep - deadlock!\n\ngoroutine 1 \[sync\.WaitGroup\.Wait, locked to thread\]:"
    ) as caught:
        run(main, gomaxprocs=2)
    assert ("the other" in str(caught.value)) == other


@pytest.mark.parametrize("other", [False, True])
def test_locked_deadlock_by_the_plain_spelling(other: bool) -> None:
    def blocks() -> None:
        lock_os_thread()
        Chan[int]().recv()

    def main() -> None:
        if other:
            go(blocks)
        blocks()

    with pytest.raises(DeadlockError, match=r"goroutine 1 \[chan receive, locked to thread\]:"):
        run(main, gomaxprocs=1)
