"""Mutex, RWMutex, Semaphore and Cond with random timeouts: goroutines in both spellings and threads of no runtime, on 4 Ps.

What they guard is plain: two actors inside at once would show. At the end each must be free: nothing was lost by a wait that gave up.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import pytest

from gosched import Cond, DeadlineExceeded, Mutex, RWMutex, Semaphore, WaitGroup, run
from tests.stress.actors import Crew, some_timeout

pytestmark = [pytest.mark.stress, pytest.mark.timeout(0)]

# One way to take a thing: plain or awaited, with a timeout, or by trying. True if it was had.
Plain = Callable[[Any, str, random.Random], bool]


def take(thing: Any, how: str, rng: random.Random, *args: int) -> bool:
    if rng.random() < 0.2:
        return bool(getattr(thing, f"try_{how}")(*args))
    try:
        getattr(thing, how)(*args, timeout=some_timeout(rng))
    except DeadlineExceeded:
        return False
    return True


async def atake(thing: Any, how: str, rng: random.Random, *args: int) -> bool:
    try:
        await getattr(thing, f"a{how}")(*args, timeout=some_timeout(rng))
    except DeadlineExceeded:
        return False
    return True


def everybody(seconds: float, plain: Callable[..., None], awaited: Callable[..., Any]) -> list[list[int]]:
    """Runs 3 threads, 3 goroutines in the plain spelling and 4 that await, each with a list of its own for what it did."""
    end = time.monotonic() + seconds
    tallies = [[0, 0] for _ in range(10)]

    async def main() -> None:
        wg = WaitGroup()
        with Crew() as crew:
            for number, tally in enumerate(tallies):
                rng = random.Random(number)
                if number < 3:
                    crew.start(plain, rng, tally, end)
                else:
                    wg.go(plain if number < 6 else awaited, rng, tally, end)
            await wg

    run(main, gomaxprocs=4)
    return tallies


def test_mutex(stress_seconds: float) -> None:
    mutex, counter = Mutex(), [0, 0]

    def inside(tally: list[int]) -> None:
        before = counter[0]
        counter[1] += 1
        assert counter[1] == before + 1, "two are inside"
        counter[0] = before + 1
        tally[0] += 1
        mutex.unlock()

    def plain(rng: random.Random, tally: list[int], end: float) -> None:
        while time.monotonic() < end:
            if take(mutex, "lock", rng):
                inside(tally)
            else:
                tally[1] += 1

    async def awaited(rng: random.Random, tally: list[int], end: float) -> None:
        while time.monotonic() < end:
            if await atake(mutex, "lock", rng):
                inside(tally)
            else:
                tally[1] += 1

    tallies = everybody(stress_seconds, plain, awaited)
    assert counter == [sum(t[0] for t in tallies)] * 2
    assert mutex.try_lock()
    print(f"{counter[0]:,} locks, {sum(t[1] for t in tallies):,} given up")


def test_rwmutex(stress_seconds: float) -> None:
    rw, counter = RWMutex(), [0, 0]

    def write(tally: list[int]) -> None:
        before = counter[0]
        counter[1] += 1
        assert counter[1] == before + 1, "two are inside"
        counter[0] = before + 1
        tally[0] += 1
        rw.unlock()

    def read() -> None:
        before = counter[0]
        assert counter[1] == before, "reads while another writes"
        assert counter[0] == before
        rw.runlock()

    def plain(rng: random.Random, tally: list[int], end: float) -> None:
        while time.monotonic() < end:
            if rng.random() < 0.3:
                if take(rw, "lock", rng):
                    write(tally)
                    continue
            elif take(rw, "rlock", rng):
                read()
                continue
            tally[1] += 1

    async def awaited(rng: random.Random, tally: list[int], end: float) -> None:
        while time.monotonic() < end:
            if rng.random() < 0.3:
                if await atake(rw, "lock", rng):
                    write(tally)
                    continue
            elif await atake(rw, "rlock", rng):
                read()
                continue
            tally[1] += 1

    tallies = everybody(stress_seconds, plain, awaited)
    assert counter == [sum(t[0] for t in tallies)] * 2
    assert rw.try_lock(), "a reader or a writer was left in it"
    print(f"{counter[0]:,} writes, {sum(t[1] for t in tallies):,} given up")


def test_semaphore(stress_seconds: float) -> None:
    size = 3
    sem = Semaphore(size)
    held = [0] * 10
    """By each actor; read by the others only when one has all of them."""

    def inside(rng: random.Random, tally: list[int], n: int, me: int) -> None:
        held[me] = n
        assert sum(held) <= size or n < size, "others hold what one has whole"
        held[me] = 0
        tally[0] += 1
        sem.release(n)

    def plain(rng: random.Random, tally: list[int], end: float) -> None:
        me = next(numbers)
        while time.monotonic() < end:
            n = rng.randint(1, size)
            if take(sem, "acquire", rng, n):
                inside(rng, tally, n, me)
            else:
                tally[1] += 1

    async def awaited(rng: random.Random, tally: list[int], end: float) -> None:
        me = next(numbers)
        while time.monotonic() < end:
            n = rng.randint(1, size)
            if await atake(sem, "acquire", rng, n):
                inside(rng, tally, n, me)
            else:
                tally[1] += 1

    numbers = iter(range(10))
    tallies = everybody(stress_seconds, plain, awaited)
    assert sem.try_acquire(size), "a permit was lost"
    print(f"{sum(t[0] for t in tallies):,} acquired, {sum(t[1] for t in tallies):,} given up")


def test_cond(stress_seconds: float) -> None:
    """Tokens are made and used. One notification for each, and no timeout may swallow one: at the end no consumer waits in vain."""
    mutex = Mutex()
    cond = Cond(mutex)
    tokens, closed = [0], list[int]()

    def make(tally: list[int]) -> None:
        tokens[0] += 1
        tally[0] += 1
        cond.notify()
        mutex.unlock()

    def use(tally: list[int]) -> None:
        if tokens[0]:
            tokens[0] -= 1
            tally[1] += 1

    def plain(rng: random.Random, tally: list[int], end: float) -> None:
        makes = rng.random() < 0.5
        while time.monotonic() < end:
            if makes:
                if take(mutex, "lock", rng):
                    make(tally)
                continue
            with mutex:
                try:
                    cond.wait_for(lambda: tokens[0] or closed, timeout=some_timeout(rng) or 1e-3)
                except DeadlineExceeded:
                    pass
                use(tally)

    async def awaited(rng: random.Random, tally: list[int], end: float) -> None:
        makes = rng.random() < 0.5
        while time.monotonic() < end:
            if makes:
                if await atake(mutex, "lock", rng):
                    make(tally)
                continue
            async with mutex:
                try:
                    await cond.await_for(lambda: tokens[0] or closed, timeout=some_timeout(rng) or 1e-3)
                except DeadlineExceeded:
                    pass
                use(tally)

    tallies = everybody(stress_seconds, plain, awaited)
    made, used = sum(t[0] for t in tallies), sum(t[1] for t in tallies)
    assert made == used + tokens[0]
    assert mutex.try_lock()
    print(f"{made:,} tokens, {used:,} used")
