"""What channels and selects keep alive: the values in a buffer, and nothing else."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any

import pytest

import gosched
from gosched import Chan, DeadlineExceeded, default, nil
from gosched.core.interrupt import Cancellation

from .worlds import World

PURE = gosched.__build__.startswith("pure")


class Value:
    """Something that tells when it is gone."""


def gone(ref: weakref.ref[Any]) -> bool:
    for _ in range(3):
        if ref() is None:
            return True
        gc.collect()
    return ref() is None


def blocks() -> int:
    gc.collect()
    return sys.getallocatedblocks()


# ---- values ----


def test_a_received_value_is_let_go(world: World) -> None:
    """By the buffer, by the one who sent, by the one who received."""

    async def main(w: World) -> list[weakref.ref[Value]]:
        refs = []
        for capacity in (0, 1, 3):
            ch, done = Chan[Value](capacity), Chan[int]()

            async def sends(ch: Chan[Value] = ch, done: Chan[int] = done) -> None:
                for _ in range(5):
                    value = Value()
                    refs.append(weakref.ref(value))
                    await w.send(ch, value)
                    value = Value()
                    refs.append(weakref.ref(value))
                    await w.select((ch.send, value), nil.recv)
                    del value
                await w.send(done, 1)

            w.go(sends)
            for i in range(5):
                await w.recv(ch)
                await w.select(ch.recv) if i % 2 else await w.recv_ok(ch)
            await w.recv(done)
        return refs

    refs = world.run(main)
    assert len(refs) == 30
    assert all(gone(ref) for ref in refs)


def test_values_in_a_dropped_channel_are_let_go() -> None:
    ch, refs = Chan[Value](10), []
    for _ in range(10):
        value = Value()
        refs.append(weakref.ref(value))
        ch.send(value)
    for _ in range(3):
        ch.recv()
    ch.close()
    del value
    assert sum(ref() is not None for ref in refs) == 7
    del ch
    assert all(gone(ref) for ref in refs)


def test_a_value_that_could_not_be_sent_is_let_go(virtual: World) -> None:
    """Too late, cancelled, closed: the value is the caller's alone again."""

    async def main(w: World) -> list[weakref.ref[Value]]:
        ch, ctx, refs = Chan[Value](), Cancellation(), []

        async def tries(limits: dict[str, Any]) -> None:
            value = Value()
            refs.append(weakref.ref(value))
            try:
                await w.send(ch, value, **limits)
            except (DeadlineExceeded, KeyError, gosched.ClosedChannelError):
                pass

        async def selects() -> None:
            value = Value()
            refs.append(weakref.ref(value))
            await w.select((ch.send, value), timeout=1)

        w.go(tries, {"timeout": 1})
        w.go(tries, {"ctx": ctx})
        w.go(tries, {})
        w.go(selects)
        await w.sleep(2)
        ctx.cancel_waits(KeyError())
        await w.all_blocked()
        ch.close()
        await w.all_blocked()
        return refs

    refs = virtual.run(main)
    assert len(refs) == 4
    assert all(gone(ref) for ref in refs)


# ---- cycles ----


@pytest.mark.parametrize("capacity", [1, 3])
def test_a_channel_that_holds_itself_is_collected(capacity: int) -> None:
    ch = Chan[Any](capacity)
    ch.send(ch)
    ref = weakref.ref(ch)
    del ch
    assert gone(ref)


def test_channels_that_hold_each_other_are_collected() -> None:
    a, b, value = Chan[Any](2), Chan[Any](2), Value()
    a.send(b)
    b.send([a, value])
    a.close()
    refs = [weakref.ref(a), weakref.ref(b), weakref.ref(value)]
    del a, b, value
    assert all(gone(ref) for ref in refs)


def test_a_cycle_through_a_program_is_collected() -> None:
    """Made, used and waited on in goroutines, which ended while they waited."""

    async def main() -> list[weakref.ref[Any]]:
        ch, full = Chan[Any](), Chan[Any](1)
        await full.asend(full)

        async def waits() -> None:
            await gosched.aselect(ch.recv, (full.send, ch))

        async def receives() -> None:
            await ch.arecv()

        for body in (waits, receives, waits):
            gosched.go(body)
        await gosched.testing.wait_all_blocked()
        return [weakref.ref(ch), weakref.ref(full)]

    refs = gosched.testing.virtual_run(main)
    assert all(gone(ref) for ref in refs)


def test_a_dropped_channel_with_nobody_is_freed_at_once() -> None:
    """Without a collection: nothing of gosched holds it."""
    gc.disable()
    try:
        ch = Chan[int](1)
        ch.send(1)
        gosched.select(ch.recv, default)
        with pytest.raises(DeadlineExceeded):
            ch.recv(timeout=0)
        ref = weakref.ref(ch)
        del ch
        assert ref() is None or "t" in sys.abiflags, "held by something"
    finally:
        gc.enable()
    assert gone(ref)


# ---- many ----


@pytest.mark.parametrize("spelling", ["awaited", "plain", "ready at once"])
def test_select2(spelling: str) -> None:
    """select2: 200,000 selects do not grow. One of the channels never gets ready: nothing piles up there either."""
    n = 200_000 if not PURE else 10_000
    if spelling == "plain":
        n //= 10

    async def main() -> int:
        a, b, never = Chan[int](), Chan[int](), Chan[int]()

        async def answers() -> None:
            while True:
                _, value = await gosched.aselect(a.recv, never.recv)
                if value < 0:
                    return
                await gosched.aselect((b.send, value), (never.send, 0))

        async def rounds(count: int) -> None:
            for i in range(count):
                if spelling == "awaited":
                    await gosched.aselect((a.send, i), never.recv)
                    await gosched.aselect(never.recv, b.recv)
                elif spelling == "plain":
                    gosched.select((a.send, i), never.recv)
                    gosched.select(never.recv, b.recv)
                else:
                    await gosched.aselect((buffered.send, i), never.recv)
                    await gosched.aselect(never.recv, buffered.recv)

        buffered = Chan[int](1)
        gosched.go(answers)
        await rounds(500)
        before = blocks()
        await rounds(n // (2 if spelling == "ready at once" else 4))
        grown = blocks() - before
        await a.asend(-1)
        assert not never.try_send(0)
        assert never.try_recv() == (None, False)
        return grown

    assert gosched.run(main, gomaxprocs=1) < 1000


@pytest.mark.parametrize("limit", ["timeout", "ctx", "cancelled ctx", "select"])
def test_waits_that_were_ended_do_not_pile_up(limit: str) -> None:
    """Neither in the channel nor among the timers nor in the context."""
    n = 20_000 if not PURE else 2_000

    async def main() -> int:
        ch, ctx = Chan[int](), Cancellation()
        ctx_over = Cancellation()
        ctx_over.cancel_waits(KeyError())

        async def rounds(count: int) -> None:
            for _ in range(count):
                if limit == "timeout":
                    try:
                        await ch.arecv(timeout=0)
                    except DeadlineExceeded:
                        pass
                elif limit == "ctx":
                    await buffered.asend(1, ctx=ctx)
                    await buffered.arecv(ctx=ctx, timeout=1000)
                elif limit == "cancelled ctx":
                    try:
                        await ch.asend(1, ctx=ctx_over, timeout=1000)
                    except KeyError:
                        pass
                else:
                    await gosched.aselect(ch.recv, (ch.send, 1), timeout=0)

        buffered = Chan[int](1)
        await rounds(500)
        before = blocks()
        await rounds(n)
        return blocks() - before

    assert gosched.run(main, gomaxprocs=1) < 1000


def test_timeouts_that_were_not_needed_do_not_pile_up() -> None:
    """A wait with a long timeout that is answered soon, again and again: the stopped timers go."""
    n = 20_000 if not PURE else 2_000

    async def main() -> int:
        there, back = Chan[int](), Chan[int]()

        async def answers() -> None:
            async for i in there:
                await back.asend(i, timeout=5000)

        async def rounds(count: int) -> None:
            for i in range(count):
                await there.asend(i, timeout=5000)
                await back.arecv(timeout=5000)

        gosched.go(answers)
        await rounds(500)
        before = blocks()
        await rounds(n)
        return blocks() - before

    assert gosched.run(main, gomaxprocs=1) < 1000


def test_a_long_queue(virtual: World) -> None:
    """A thousand who wait in one channel, and leave it again in an order of their own."""
    n = 1000 if not virtual.plain else 60

    async def main(w: World) -> int:
        ch, got = Chan[int](), list[int]()

        async def waits(number: int) -> None:
            try:
                got.append(await w.recv(ch, timeout=1 + (number * 7919) % n))
            except DeadlineExceeded:
                pass

        for number in range(n):
            w.go(waits, number)
        await w.sleep(n / 2)
        sent = 0
        while ch.try_send(sent):
            sent += 1
        await w.all_blocked()
        assert sorted(got) == list(range(sent))
        return sent

    assert n // 3 < virtual.run(main) < n
