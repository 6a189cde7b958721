"""Cancellation against channels, locks and groups, on two Ps: what was sent is received, every lock is free at the end, and nobody stays behind."""

from __future__ import annotations

import random
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

import gosched
from gosched import (
    Canceled,
    Chan,
    Cond,
    Context,
    DeadlineExceeded,
    Event,
    Group,
    Mutex,
    RWMutex,
    Semaphore,
    WaitGroup,
    aselect,
    asleep,
    ayield_now,
    background,
    go,
    nil,
    num_goroutine,
    run,
    select,
    with_cancel,
    with_timeout,
)

pytestmark = [pytest.mark.stress, pytest.mark.timeout(0)]
ENDINGS = (Canceled, DeadlineExceeded)


def some_context(rng: random.Random) -> Context:
    """Over soon: by its time, or by somebody else."""
    if rng.random() < 0.3:
        return with_timeout(rng.random() * 2e-4)
    ctx = with_cancel()
    go(cancels_soon, ctx, rng.randrange(4))
    return ctx


async def cancels_soon(ctx: Context, turns: int) -> None:
    for _ in range(turns):
        await ayield_now()
    ctx.cancel()


async def nobody_stays() -> None:
    end = time.monotonic() + 60
    while num_goroutine() > 1:
        assert time.monotonic() < end, f"{num_goroutine()} goroutines are left: {gosched.stats().by_wait_reason}"
        await asleep(0.001)


def test_channel(stress_seconds: float) -> None:
    """Every value that a sender got rid of is received, once."""
    end = time.monotonic() + stress_seconds
    sent, got = [0] * 8, [0] * 8

    async def asends(i: int, ch: Chan[int], rng: random.Random) -> None:
        while time.monotonic() < end or not any(sent):
            value = rng.randrange(1 << 30)
            try:
                with some_context(rng):
                    if rng.random() < 0.5:
                        await ch.asend(value)
                    else:
                        await aselect((ch.send, value), nil.recv)
                sent[i] += value
            except ENDINGS:
                pass

    def sends(i: int, ch: Chan[int], rng: random.Random) -> None:
        while time.monotonic() < end or not any(sent):
            value = rng.randrange(1 << 30)
            try:
                with some_context(rng):
                    if rng.random() < 0.5:
                        ch.send(value)
                    else:
                        select((ch.send, value), nil.recv)
                sent[i] += value
            except ENDINGS:
                pass

    async def areceives(i: int, ch: Chan[int], rng: random.Random) -> None:
        while not ch.closed:
            try:
                with some_context(rng):
                    got[i] += (await ch.arecv()) if rng.random() < 0.5 else (await aselect(ch.recv, nil.recv))[1]
            except ENDINGS:
                pass
            except gosched.EndOfChannel:
                return

    def receives(i: int, ch: Chan[int], rng: random.Random) -> None:
        while not ch.closed:
            try:
                with some_context(rng):
                    got[i] += ch.recv() if rng.random() < 0.5 else select(ch.recv, nil.recv)[1]
            except ENDINGS:
                pass
            except gosched.EndOfChannel:
                return

    async def main() -> None:
        ch, senders, receivers = Chan[int](random.randrange(3)), WaitGroup(), WaitGroup()
        for i in range(8):
            receivers.go(receives if i % 2 else areceives, i, ch, random.Random(i))
            senders.go(sends if i % 2 else asends, i, ch, random.Random(-i))
        await senders
        ch.close()
        await receivers
        for value in ch:
            got[0] += value
        await nobody_stays()

    run(main, gomaxprocs=2)
    assert sum(sent) == sum(got) > 0


LOCKS: list[tuple[str, Callable[[], Any], str, str]] = [
    ("mutex", Mutex, "lock", "unlock"),
    ("rwmutex", RWMutex, "lock", "unlock"),
    ("semaphore", lambda: Semaphore(1), "acquire", "release"),
]


@pytest.mark.parametrize(("make", "take", "give"), [case[1:] for case in LOCKS], ids=[case[0] for case in LOCKS])
def test_lock(stress_seconds: float, make: Callable[[], Any], take: str, give: str) -> None:
    """One at a time, and free at the end."""
    end = time.monotonic() + stress_seconds
    lock, inside, times = make(), [0], [0] * 8

    def works(i: int) -> None:
        inside[0] += 1
        assert inside[0] == 1, "two are inside"
        times[i] += 1
        inside[0] -= 1

    async def awaits(i: int, rng: random.Random) -> None:
        while time.monotonic() < end or not any(times):
            try:
                with some_context(rng):
                    await getattr(lock, f"a{take}")()
                    try:
                        works(i)
                        await asleep(1e-5)
                    finally:
                        getattr(lock, give)()
            except ENDINGS:
                pass

    def waits(i: int, rng: random.Random) -> None:
        while time.monotonic() < end or not any(times):
            try:
                with some_context(rng):
                    getattr(lock, take)()
                    try:
                        works(i)
                    finally:
                        getattr(lock, give)()
            except ENDINGS:
                pass

    async def main() -> None:
        wg = WaitGroup()
        for i in range(8):
            wg.go(waits if i % 2 else awaits, i, random.Random(i))
        await wg
        assert getattr(lock, f"try_{take}")()
        await nobody_stays()

    run(main, gomaxprocs=2)
    assert any(times)


def test_cond(stress_seconds: float) -> None:
    """However a wait ends, the mutex is held afterwards."""
    end = time.monotonic() + stress_seconds
    mutex, inside, ended = Mutex(), [0], [0] * 6
    cond = Cond(mutex)

    def works() -> None:
        inside[0] += 1
        assert inside[0] == 1, "two are inside"
        inside[0] -= 1

    async def awaits(i: int, rng: random.Random) -> None:
        while time.monotonic() < end or not any(ended):
            async with mutex:
                try:
                    with some_context(rng):
                        await cond
                except ENDINGS:
                    ended[i] += 1
                works()

    def waits(i: int, rng: random.Random) -> None:
        while time.monotonic() < end or not any(ended):
            with mutex:
                try:
                    with some_context(rng):
                        cond.wait()
                except ENDINGS:
                    ended[i] += 1
                works()

    async def main() -> None:
        wg = WaitGroup()
        for i in range(6):
            wg.go(waits if i % 2 else awaits, i, random.Random(i))
        while time.monotonic() < end or not any(ended):
            cond.notify(random.randrange(3))
            await asleep(1e-5)
        await wg
        assert mutex.try_lock()
        await nobody_stays()

    run(main, gomaxprocs=2)
    assert any(ended)


def test_groups(stress_seconds: float) -> None:
    """Groups in groups that fail, are cancelled, or are too slow: each ends, with all its tasks, and says what failed."""
    end = time.monotonic() + stress_seconds

    class Planned(Exception):
        """What a task fails with."""

    async def task(rng: random.Random, depth: int) -> int:
        chance = rng.random()
        if chance < 0.1:
            raise Planned
        if chance < 0.3 and depth:
            return await grouped(rng, depth - 1)
        if chance < 0.5:
            gosched.sleep(rng.random() * 1e-4)
        elif chance < 0.7:
            await asleep(rng.random() * 1e-4)
        elif chance < 0.8:
            await nil.arecv(timeout=1e-4, ctx=None if chance < 0.75 else background())
        return 1

    async def grouped(rng: random.Random, depth: int) -> int:
        with some_context(rng) if rng.random() < 0.3 else with_cancel():
            async with Group(limit=rng.choice((None, 1, 3))) as group:
                tasks = [group.go(task, random.Random(rng.random()), depth) for _ in range(rng.randrange(6))]
                if rng.random() < 0.2:
                    group.ctx.cancel()
        assert all(each.done for each in tasks)
        return len(tasks)

    async def main() -> int:
        rounds = 0
        rng = random.Random(1)
        while time.monotonic() < end or not rounds:
            try:
                await grouped(rng, 3)
            except* Planned:
                pass
            except* DeadlineExceeded:
                pass
            except* Canceled:
                pass
            rounds += 1
            assert Context.current() is background()
        await nobody_stays()
        return rounds

    assert run(main, gomaxprocs=2) > 0


def test_one_context_many_waiters(stress_seconds: float) -> None:
    """All of them hear of it, wherever they are at that moment: on their way to a wait, in it, or out of it; under it, or shielded."""
    end = time.monotonic() + stress_seconds

    async def awaits(ctx: Context, rng: random.Random, begun: WaitGroup) -> None:
        begun.done()
        with with_cancel(ctx):
            while True:
                await ayield_now()
                if rng.random() < 0.3:
                    await asleep(1e-6, ctx=background())
                elif rng.random() < 0.3:
                    with with_cancel():
                        await ayield_now()
                else:
                    await nil.arecv()

    def waits(ctx: Context, rng: random.Random, begun: WaitGroup) -> None:
        begun.done()
        with with_cancel(ctx):
            while True:
                if rng.random() < 0.5:
                    gosched.sleep(1e-6, ctx=background())
                else:
                    nil.recv()

    async def main() -> int:
        rounds = 0
        while time.monotonic() < end or not rounds:
            ctx, begun, over = with_cancel(), WaitGroup(), Event()
            ctx.after_func(over.set)
            begun.add(10)
            for i in range(10):
                go(waits if i % 2 else awaits, ctx, random.Random(rounds + i), begun)
            await begun
            for _ in range(rounds % 5):
                await ayield_now()
            ctx.cancel()
            await over
            await nobody_stays()
            rounds += 1
        return rounds

    assert run(main, gomaxprocs=2) > 0


def test_dropped_generators(stress_seconds: float) -> None:
    """A block is left by whoever closes the generator, at any moment: the context around it ends the wait all the same."""
    end = time.monotonic() + stress_seconds

    async def values() -> AsyncIterator[int]:
        with with_cancel(), with_timeout(3600):
            yield 1

    async def drops(ctx: Context, rng: random.Random) -> None:
        with with_cancel(ctx):
            async for _ in values():
                break
            if rng.random() < 0.3:
                with with_timeout(3600):
                    await asleep(1e-6, ctx=background())
            if rng.random() < 0.5:
                await nil.arecv()
            else:
                nil.recv()

    async def main() -> int:
        rounds = 0
        while time.monotonic() < end or not rounds:
            ctx = with_cancel()
            for i in range(10):
                go(drops, ctx, random.Random(rounds + i))
            for _ in range(rounds % 7):
                await ayield_now()
            ctx.cancel()
            await nobody_stays()
            rounds += 1
        return rounds

    assert run(main, gomaxprocs=2) > 0
