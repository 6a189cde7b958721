"""WaitGroup in both spellings and from threads: Go's sync/waitgroup_test.go by name. Its awaited form alone is in tests/core/test_waitgroup.py."""

from __future__ import annotations

import threading

import pytest

from gosched import Chan, DeadlineExceeded, SyncError, WaitGroup, asleep, ayield_now, go, run
from gosched.testing import virtual_run

from .spelled import Do, awaited, both, in_threads, plain, schedules, settled


@both
def test_wait_group(do: Do) -> None:
    """TestWaitGroup: a barrier, and it can be used again."""

    async def main() -> None:
        first, second = WaitGroup(), WaitGroup()
        for _ in range(4):
            n = 8
            first.add(n)
            second.add(n)
            exited = Chan[bool](n)

            async def worker(exited: Chan[bool] = exited) -> None:
                first.done()
                await do(second, "wait")
                await exited.asend(True)

            for _ in range(n):
                go(worker)
            await do(first, "wait")
            for _ in range(n):
                assert exited.try_recv() == (None, False), "WaitGroup released group too soon"
                second.done()
            for _ in range(n):
                await exited.arecv()

    schedules(main, seeds=range(4))
    run(main, gomaxprocs=4)


def test_wait_group_in_plain_threads() -> None:
    """TestWaitGroup without any goroutine."""
    first, second, n = WaitGroup(), WaitGroup(), 5
    exited: list[int] = []

    def worker() -> None:
        first.done()
        second.wait()
        exited.append(1)

    def master() -> None:
        first.wait()
        for _ in range(n):
            assert not exited, "WaitGroup released group too soon"
            second.done()

    for _ in range(3):
        first.add(n)
        second.add(n)
        exited.clear()
        in_threads(master, *[worker] * n)
        assert len(exited) == n


@both
def test_wait_group_misuse(do: Do) -> None:
    """TestWaitGroupMisuse: below zero. The counter stays as it was."""

    async def main() -> None:
        wg = WaitGroup()
        wg.add(1)
        wg.done()
        with pytest.raises(SyncError, match=r"^sync: negative WaitGroup counter$"):
            wg.done()
        with pytest.raises(SyncError, match=r"^sync: negative WaitGroup counter$"):
            wg.add(-5)
        await do(wg, "wait")

    virtual_run(main)


@both
def test_wait_group_reuse_misuse(do: Do) -> None:
    """Counted up again before a waiter, already released, has returned: that waiter says so."""

    async def main() -> list[str]:
        wg, log = WaitGroup(), list[str]()
        wg.add(1)

        async def waits() -> None:
            try:
                await do(wg, "wait")
            except SyncError as error:
                log.append(str(error))

        go(waits)
        await settled()
        wg.done()
        wg.add(1)
        await settled()
        wg.done()
        return log

    for log in schedules(main, procs=[1]):
        assert log == ["sync: WaitGroup is reused before previous Wait has returned"]


@both
def test_wait_group_race(do: Do) -> None:
    """TestWaitGroupRace: wait does not return before the last done."""

    async def main() -> None:
        for _ in range(100):
            wg, n = WaitGroup(), list[int]()

            def one(wg: WaitGroup = wg, n: list[int] = n) -> None:
                n.append(1)
                wg.done()

            wg.add(1)
            go(one)
            wg.add(1)
            go(one)
            await do(wg, "wait")
            assert len(n) == 2, "Spurious wakeup from Wait"

    run(main, gomaxprocs=4)
    schedules(main, procs=(1, 3), seeds=range(2))


def test_wait_group_race_between_threads() -> None:
    """TestWaitGroupRace: goroutines count down, a thread waits."""
    for _ in range(50):
        wg, n = WaitGroup(), list[int]()
        wg.add(2)

        def one(wg: WaitGroup = wg, n: list[int] = n) -> None:
            n.append(1)
            wg.done()

        def waits(wg: WaitGroup = wg, n: list[int] = n) -> None:
            wg.wait()
            assert len(n) == 2

        in_threads(waits, one, one)


@both
def test_wait_group_go(do: Do) -> None:
    """TestWaitGroupGo: plain functions, async ones, coroutines."""

    async def main() -> int:
        wg, n = WaitGroup(), [0]

        async def counts() -> None:
            await ayield_now()
            n[0] += 1

        def counts_plainly() -> None:
            n[0] += 1

        for _ in range(5):
            wg.go(counts)
            wg.go(counts_plainly)
            wg.go(counts())
        await do(wg, "wait")
        return n[0]

    assert set(schedules(main)) == {15}


@both
def test_many_waiters(do: Do) -> None:
    """All of them go on, and only then."""

    async def main() -> int:
        wg, released, ends = WaitGroup(), list[int](), WaitGroup()
        wg.add(3)

        async def waits() -> None:
            await do(wg, "wait")
            released.append(1)

        for _ in range(7):
            ends.go(waits)
        for _ in range(3):
            await settled()
            assert not released
            wg.done()
        await do(ends, "wait")
        return len(released)

    assert set(schedules(main)) == {7}


@both
def test_some_give_up(do: Do) -> None:
    """At the moment of the last done: each is released or gives up, and nobody else is touched."""

    async def main(first: bool) -> tuple[int, int]:
        wg, gave_up, released, ends = WaitGroup(), list[int](), list[int](), WaitGroup()
        wg.add(1)

        async def last() -> None:
            await asleep(1)
            wg.done()

        async def impatient() -> None:
            try:
                await do(wg, "wait", timeout=1)
            except DeadlineExceeded:
                gave_up.append(1)
            else:
                released.append(1)

        async def patient() -> None:
            await do(wg, "wait")
            released.append(1)

        if first:
            ends.go(last)
            await settled()
        for _ in range(3):
            ends.go(impatient)
            ends.go(patient)
        if not first:
            await settled()
            ends.go(last)
        await ends
        assert repr(wg) == "<WaitGroup counter=0 waiters=0>"
        return len(gave_up) + len(released), len(released)

    for first in (True, False):
        for total, released in schedules(main, first):
            assert total == 6
            assert released >= 3


def test_between_all_worlds() -> None:
    """Goroutines of both spellings and a thread wait for goroutines and a thread."""
    wg, begun = WaitGroup(), threading.Event()
    passed: list[str] = []
    wg.add(3)

    def thread_works() -> None:
        assert begun.wait(60)
        wg.done()

    def thread_waits() -> None:
        wg.wait()
        passed.append("thread")

    async def main() -> None:
        ends = WaitGroup()

        async def waits(do: Do, name: str) -> None:
            await do(wg, "wait")
            passed.append(name)

        ends.go(waits, awaited, "awaited")
        ends.go(waits, plain, "plain")
        for _ in range(5):
            await ayield_now()
        assert not passed
        wg.done()
        go(wg.done)
        begun.set()
        await ends

    in_threads(thread_waits, thread_works, lambda: run(main, gomaxprocs=2))
    assert sorted(passed) == ["awaited", "plain", "thread"]


@pytest.mark.parametrize("delta", ["1", None, 1.5])
def test_add_needs_a_number(delta: object) -> None:
    with pytest.raises(TypeError):
        WaitGroup().add(delta)  # type: ignore[arg-type]


def test_wait_of_nothing_needs_no_goroutine() -> None:
    WaitGroup().wait()
    WaitGroup().wait(timeout=0)
