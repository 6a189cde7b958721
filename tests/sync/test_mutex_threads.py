"""Mutex between threads: goroutines of several runtimes and threads that are none. Nobody is ever inside with another."""

from __future__ import annotations

import threading

import pytest

from gosched import DeadlineExceeded, Mutex, WaitGroup, ayield_now, run
from gosched.core.interrupt import Cancellation

from .spelled import Do, awaited, held, in_threads, plain


class Inside:
    """Who is inside. One at a time."""

    def __init__(self) -> None:
        self.who: object = None
        self.visits = 0

    def enter(self, who: object) -> None:
        assert self.who is None, f"{who} came in, and {self.who} was inside"
        self.who = who
        self.visits += 1

    def leave(self, who: object) -> None:
        assert self.who == who, f"{who} was inside, and so was {self.who}"
        self.who = None


def test_mutex_in_plain_threads() -> None:
    """TestMutex, and no goroutine anywhere."""
    m, inside = Mutex(), Inside()

    def one(me: int) -> None:
        for _ in range(2000):
            m.lock(timeout=60)
            inside.enter(me)
            inside.leave(me)
            m.unlock()

    in_threads(*[lambda me=me: one(me) for me in range(4)])  # type: ignore[misc]
    assert inside.visits == 8000
    assert m.try_lock()


def test_a_woken_thread_that_loses_waits_on() -> None:
    """One that takes the mutex again at once, as soon as it has unlocked it: the waiter is woken, loses, and sleeps until the next unlock."""

    def trial() -> None:
        m, inside, done = Mutex(), Inside(), threading.Event()
        m.lock()
        inside.enter("barger")

        def waits() -> None:
            try:
                for _ in range(20):
                    m.lock(timeout=60)
                    inside.enter("waiter")
                    inside.leave("waiter")
                    m.unlock()
            finally:
                done.set()

        def barges() -> None:
            while not done.is_set():
                inside.leave("barger")
                m.unlock()
                if not m.try_lock():
                    m.lock(timeout=60)
                inside.enter("barger")
            inside.leave("barger")
            m.unlock()

        in_threads(waits, barges)
        assert m.try_lock()

    for _ in range(10):
        trial()


@pytest.mark.parametrize("how", ["timeout", "ctx"])
def test_threads_that_give_up_all_the_time(how: str) -> None:
    """Half of them wait for next to nothing: who gives up at the moment of an unlock takes nothing along and gives nothing away."""
    m, inside = Mutex(), Inside()

    def patient(me: int) -> None:
        for _ in range(400):
            m.lock(timeout=60)
            inside.enter(me)
            inside.leave(me)
            m.unlock()

    def impatient(me: int) -> None:
        for i in range(400):
            try:
                if how == "timeout":
                    m.lock(timeout=i % 5 * 1e-5)
                else:
                    ctx = Cancellation()
                    if i % 3 == 0:
                        ctx.cancel_waits(DeadlineExceeded("long ago"))
                    m.lock(timeout=2e-5, ctx=ctx)
            except DeadlineExceeded:
                continue
            inside.enter(me)
            inside.leave(me)
            m.unlock()

    in_threads(*[lambda me=me, body=body: body(me) for me, body in enumerate((patient, impatient, impatient, patient))])  # type: ignore[misc]
    assert inside.visits >= 800
    assert m.try_lock(), "nobody has it any more"


def test_goroutines_that_give_up_all_the_time() -> None:
    """The same with goroutines of both spellings on real threads."""
    m, inside = Mutex(), Inside()

    async def main() -> None:
        wg = WaitGroup()

        async def impatient(do: Do, me: int) -> None:
            for i in range(100):
                try:
                    await do(m, "lock", timeout=i % 5 * 1e-5)
                except DeadlineExceeded:
                    continue
                inside.enter(me)
                inside.leave(me)
                m.unlock()

        async def patient(me: int) -> None:
            for _ in range(200):
                async with m:
                    inside.enter(me)
                    await ayield_now()
                    inside.leave(me)

        for i in range(6):
            wg.go(impatient, (awaited, plain)[i % 2], i)
        for i in range(2):
            wg.go(patient, 10 + i)
        await wg

    run(main, gomaxprocs=4)
    assert m.try_lock()


def test_mutex_between_all_worlds() -> None:
    """Goroutines of both spellings, of two runtimes, and plain threads share one mutex."""
    m, counter = Mutex(), [0]

    def in_thread() -> None:
        for _ in range(100):
            with m:
                seen = counter[0]
                counter[0] = seen + 1

    async def counts(do: Do) -> None:
        for i in range(100):
            async with held(do, m):
                seen = counter[0]
                if i % 10 == 0:
                    await ayield_now()
                counter[0] = seen + 1

    async def main() -> None:
        wg = WaitGroup()
        for do in (awaited, plain, awaited):
            wg.go(counts, do)
        await wg

    in_threads(in_thread, lambda: run(main, gomaxprocs=2), in_thread, lambda: run(main, gomaxprocs=1))
    assert counter == [2 * 100 + 2 * 3 * 100]
    assert m.try_lock()
