"""Semaphore and Event: first come first served, weights, who gives up; Go's TestSemaphore."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import gosched
from gosched import DeadlineExceeded, Event, Semaphore, SyncError, WaitGroup, asleep, ayield_now, go, now, run
from gosched.core.interrupt import Cancellation
from gosched.testing import virtual_run

from ..conftest import Script
from .spelled import Do, awaited, both, held, in_threads, plain, schedules, settled

# ---- Semaphore ----


async def hammer(s: Semaphore, do: Do, goroutines: int, loops: int) -> int:
    """HammerSemaphore."""
    counter, wg = [0], WaitGroup()

    async def one() -> None:
        for i in range(loops):
            await do(s, "acquire")
            seen = counter[0]
            if i % 5 == 0:
                await ayield_now()
            counter[0] = seen + 1
            s.release()

    for _ in range(goroutines):
        wg.go(one)
    await wg
    return counter[0]


@both
def test_semaphore(do: Do) -> None:
    """TestSemaphore: a binary one under a hammer."""
    assert set(schedules(hammer, Semaphore(1), do, 5, 20, seeds=range(3))) == {100}
    assert run(hammer, Semaphore(1), do, 10, 50, gomaxprocs=4) == 500


def test_semaphore_in_plain_threads() -> None:
    s, counter = Semaphore(1), [0]

    def one() -> None:
        for _ in range(200):
            with s:
                seen = counter[0]
                counter[0] = seen + 1

    in_threads(*[one] * 4)
    assert counter == [800]
    assert s.try_acquire()


def test_semaphore_between_all_worlds() -> None:
    """Never more inside than there are units."""
    s, inside, most, lock = Semaphore(3), [0], [0], threading.Lock()

    def change(by: int) -> None:
        with lock:
            inside[0] += by
            most[0] = max(most[0], inside[0])

    def thread() -> None:
        for _ in range(50):
            with s:
                change(1)
                change(-1)

    async def main() -> None:
        wg = WaitGroup()

        async def goroutine(do: Do) -> None:
            for _ in range(50):
                async with held(do, s):
                    change(1)
                    await ayield_now()
                    change(-1)

        for do in (awaited, plain) * 3:
            wg.go(goroutine, do)
        await wg

    in_threads(thread, thread, lambda: run(main, gomaxprocs=2))
    assert most[0] <= 3
    assert inside == [0]
    assert s.try_acquire(3)


@both
def test_first_come_first_served(do: Do) -> None:
    """Who wants more than there is keeps those behind it waiting, and so does not starve."""

    async def main() -> list[list[int]]:
        s, log, seen = Semaphore(5), list[int](), list[list[int]]()
        await do(s, "acquire", 4)

        async def wants(n: int) -> None:
            await do(s, "acquire", n)
            log.append(n)

        for n in (3, 1, 2):
            go(wants, n)
            await settled()
        assert not s.try_acquire(1), "there is one, but others wait"
        for n in (1, 2, 1, 1):
            s.release(n)
            await settled()
            seen.append(sorted(log))
        return seen

    for seen in schedules(main):
        assert seen == [[], [1, 3], [1, 3], [1, 2, 3]]


@both
@pytest.mark.parametrize("how", ["timeout", "ctx"])
def test_who_gives_up_lets_the_small_ones_pass(do: Do, how: str) -> None:
    """It wanted all five and blocked those behind it: when it leaves they are served at that moment."""

    async def main() -> tuple[list[tuple[int, float]], bool]:
        s, log, begin, ctx = Semaphore(5), list[tuple[int, float]](), now(), Cancellation()
        await do(s, "acquire", 2)

        async def big() -> None:
            with pytest.raises(TimeoutError):
                await (do(s, "acquire", 5, timeout=1) if how == "timeout" else do(s, "acquire", 5, ctx=ctx))

        async def wants(n: int) -> None:
            await do(s, "acquire", n)
            log.append((n, round(now() - begin, 9)))
            s.release(n)

        go(big)
        await settled()
        for n in (1, 2):
            go(wants, n)
            await settled()
        if how == "ctx":
            gosched.after_func(1, ctx.cancel_waits, TimeoutError("enough"))
        await asleep(2)
        s.release(2)
        return sorted(log), s.try_acquire(5)

    for result in schedules(main):
        assert result == ([(1, 1.0), (2, 1.0)], True)


def test_released_at_the_moment_a_waiter_gives_up(script: Script) -> None:
    """The units go to the next, or are free. In a process of its own: it hung with the semaphore's lock held."""
    done = script(
        """
        import faulthandler
        faulthandler.dump_traceback_later(50, exit=True)
        import gosched
        from gosched import Semaphore, DeadlineExceeded, WaitGroup
        from gosched.testing import virtual_run

        async def awaited(s, n, **options):
            await s.aacquire(n, **options)

        async def plain(s, n, **options):
            s.acquire(n, **options)

        async def main(acquire, first, others):
            s, wg, got = Semaphore(2), WaitGroup(), []
            await s.aacquire(2)

            async def impatient():
                try:
                    await acquire(s, 2, timeout=1)
                except DeadlineExceeded:
                    return
                s.release(2)

            async def patient():
                await acquire(s, 1)
                got.append(1)
                s.release(1)

            if first:
                gosched.after_func(1, s.release, 2)
            for _ in range(2):
                wg.go(impatient)
            for _ in range(others):
                wg.go(patient)
            if not first:
                await gosched.asleep(1)
                s.release(2)
            await wg
            await gosched.asleep(1)
            return len(got), s.try_acquire(2)

        for acquire in (awaited, plain):
            for first in (True, False):
                for others in (0, 1, 3):
                    for procs in (1, 2, 4):
                        for seed in range(10):
                            result = virtual_run(main, acquire, first, others, gomaxprocs=procs, seed=seed)
                            assert result == (others, True), (result, acquire, first, others, procs, seed)
        print("ok")
        """
    )
    assert (done.stdout, done.returncode) == ("ok\n", 0), done.stderr


def test_more_than_there_will_ever_be() -> None:
    """As in Go's x/sync: it waits for its context's end, and keeps nobody waiting for ever."""

    async def main() -> bool:
        s = Semaphore(2)
        with pytest.raises(DeadlineExceeded):
            await s.aacquire(3, timeout=1)
        return s.try_acquire(2)

    assert virtual_run(main)


def test_release_of_what_is_not_held() -> None:
    s = Semaphore(2)
    with pytest.raises(SyncError, match=r"^semaphore: released more than held$"):
        s.release()
    s.acquire()
    with pytest.raises(SyncError, match=r"^semaphore: released more than held$"):
        s.release(2)
    s.release()
    assert s.try_acquire(2)
    assert not s.try_acquire(1)


@pytest.mark.parametrize(("n", "error"), [(-1, ValueError), ("1", TypeError), (1.0, TypeError), (True, TypeError), (None, TypeError)], ids=repr)
def test_bad_numbers(n: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"n must be "):
        Semaphore(n)
    s = Semaphore(5)
    for op in (s.acquire, s.try_acquire, s.release):
        with pytest.raises(error, match=r"^Semaphore: n must be "):
            op(n)

    async def main() -> None:
        with pytest.raises(error, match=r"^Semaphore: n must be "):
            await s.aacquire(n)

    virtual_run(main)
    assert s.try_acquire(5)


def test_nothing_is_there_at_once() -> None:
    s = Semaphore(0)
    s.acquire(0)
    s.release(0)
    assert s.try_acquire(0)
    assert not s.try_acquire()


@both
def test_with(do: Do) -> None:
    async def main() -> bool:
        s = Semaphore(1)
        with pytest.raises(KeyError):
            async with held(do, s):
                assert not s.try_acquire()
                raise KeyError
        return s.try_acquire()

    assert virtual_run(main)


# ---- Event ----


@both
def test_event(do: Do) -> None:
    """All who wait go on; who comes later does not wait; setting it again changes nothing."""

    async def main() -> tuple[int, list[bool]]:
        e, wg, seen, through = Event(), WaitGroup(), list[bool](), list[int]()

        async def waits() -> None:
            await do(e, "wait")
            seen.append(e.is_set())
            through.append(1)

        for _ in range(5):
            wg.go(waits)
        await settled()
        assert not through
        assert not e.is_set()
        e.set()
        await wg
        e.set()
        await do(e, "wait")
        await e
        return len(through), seen

    for result in schedules(main):
        assert result == (5, [True] * 5)


def test_event_between_all_worlds() -> None:
    e = Event()
    log: list[str] = []

    def thread() -> None:
        e.wait()
        log.append("thread")

    async def main() -> None:
        wg = WaitGroup()

        async def waits(do: Do, name: str) -> None:
            await do(e, "wait")
            log.append(name)

        wg.go(waits, awaited, "awaited")
        wg.go(waits, plain, "plain")
        go(e.set)
        await wg

    in_threads(thread, thread, lambda: run(main, gomaxprocs=2))
    assert sorted(log) == ["awaited", "plain", "thread", "thread"]


def test_event_set_by_a_thread_wakes_a_sleeping_runtime() -> None:
    e, waits = Event(), threading.Event()

    async def main() -> str:
        go(waits.set)
        await e
        return "woken"

    result: list[str] = []

    def sets() -> None:
        assert waits.wait(60)
        e.set()

    in_threads(lambda: result.append(run(main, gomaxprocs=1)), sets)
    assert result == ["woken"]
