"""The cases on trio. Its memory channels are Go's: unbuffered with 0 places, closed by who sends."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from itertools import count, pairwise
from typing import Any

import trio  # type: ignore[import-not-found, import-untyped, unused-ignore]

from gosched.bench.work import Reading, Size, async_bodies, burn, now, resident


def run(case: Callable[[Size], Awaitable[Reading]], size: Size) -> Reading:
    reading: Reading = trio.run(case, size)
    return reading


async def case_spawn(size: Size) -> Reading:
    bodies, ran = async_bodies(size)
    begin = now()
    async with trio.open_nursery() as nursery:
        for body in bodies:
            nursery.start_soon(body)
    return Reading(len(ran), now() - begin)


async def case_yield(size: Size) -> Reading:
    turns: list[int] = []

    async def take_turns() -> None:
        for _ in range(size.work):
            await trio.lowlevel.checkpoint()
        turns.append(size.work)

    begin = now()
    async with trio.open_nursery() as nursery:
        for _ in range(size.n):
            nursery.start_soon(take_turns)
    return Reading(sum(turns), now() - begin)


async def crowd(n: int, look: Callable[[], int]) -> tuple[int, int]:
    """Starts n that wait, looks while all do, lets them go and waits for their end: how many there were, and what was seen."""
    everybody = trio.Event()
    gate = trio.Event()
    arrived = woken = 0

    async def wait() -> None:
        nonlocal arrived, woken
        arrived += 1
        if arrived == n:
            everybody.set()
        await gate.wait()
        woken += 1

    async with trio.open_nursery() as nursery:
        for _ in range(n):
            nursery.start_soon(wait)
        await everybody.wait()
        seen = look()
        gate.set()
    return woken, seen


async def case_memory(size: Size) -> Reading:
    before = resident()
    woken, after = await crowd(size.n, resident)
    return Reading(woken, after - before)


async def case_life(size: Size) -> Reading:
    woken = 0
    begin = now()
    for _ in range(size.work):
        woken += (await crowd(size.n, int))[0]
    return Reading(woken, now() - begin)


async def case_fanout(size: Size) -> Reading:
    counted: list[int] = []

    async def count() -> None:
        counted.append(burn(size.work))

    begin = now()
    async with trio.open_nursery() as nursery:
        for _ in range(size.n):
            nursery.start_soon(count)
    return Reading(sum(counted), now() - begin)


async def node(sums: list[int], first: int, leaves: int) -> None:
    if leaves == 1:
        sums.append(first)
        return
    mine: list[int] = []
    part = leaves // 10
    async with trio.open_nursery() as nursery:
        for i in range(10):
            nursery.start_soon(node, mine, first + i * part, part)
    sums.append(sum(mine))


async def case_tree(size: Size) -> Reading:
    sums: list[int] = []
    begin = now()
    await node(sums, 0, size.n)
    return Reading(sums[0], now() - begin)


async def case_pingpong(size: Size) -> Reading:
    trips = size.n // size.work
    counted: list[int] = []

    async def ping(there: Any, back: Any) -> None:
        v = 0
        for _ in range(trips):
            await there.send(v)
            v = await back.receive()
        counted.append(v)

    async def pong(there: Any, back: Any) -> None:
        for _ in range(trips):
            await back.send(await there.receive() + 1)

    begin = now()
    async with trio.open_nursery() as nursery:
        for _ in range(size.work):
            there_in, there_out = trio.open_memory_channel(0)
            back_in, back_out = trio.open_memory_channel(0)
            nursery.start_soon(ping, there_in, back_out)
            nursery.start_soon(pong, there_out, back_in)
    return Reading(sum(counted), now() - begin)


case_pairs = case_pingpong


async def case_pipeline(size: Size) -> Reading:
    channels: list[Any] = [trio.open_memory_channel(100) for _ in range(size.work + 1)]

    async def source(out: Any) -> None:
        async with out:
            for i in range(size.n):
                await out.send(i)

    async def stage(numbers: Any, out: Any) -> None:
        async with out:
            async for v in numbers:
                await out.send(v + 1)

    total = 0
    begin = now()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(source, channels[0][0])
        for (_, numbers), (out, _) in pairwise(channels):
            nursery.start_soon(stage, numbers, out)
        async for v in channels[-1][1]:
            total += v
    return Reading(total, now() - begin)


async def skynet(nursery: Any, out: Any, first: int, leaves: int) -> None:
    if leaves == 1:
        out.send_nowait(first)
        return
    give, sums = trio.open_memory_channel(math.inf)
    part = leaves // 10
    for i in range(10):
        nursery.start_soon(skynet, nursery, give, first + i * part, part)
    total = 0
    for _ in range(10):
        total += await sums.receive()
    out.send_nowait(total)


async def case_skynet(size: Size) -> Reading:
    give, sums = trio.open_memory_channel(math.inf)
    begin = now()
    async with trio.open_nursery() as nursery:
        await skynet(nursery, give, 0, size.n)
    return Reading(sums.receive_nowait(), now() - begin)


async def case_sieve(size: Size) -> Reading:
    async def generate(out: Any) -> None:
        for i in count(2):
            await out.send(i)

    async def sift(prime: int, numbers: Any, out: Any) -> None:
        while True:
            v = await numbers.receive()
            if v % prime:
                await out.send(v)

    prime = 0
    begin = now()
    async with trio.open_nursery() as nursery:
        give, numbers = trio.open_memory_channel(0)
        nursery.start_soon(generate, give)
        for _ in range(size.n):
            prime = await numbers.receive()
            give, out = trio.open_memory_channel(0)
            nursery.start_soon(sift, prime, numbers, give)
            numbers = out
        figure = now() - begin
        nursery.cancel_scope.cancel()
    return Reading(prime, figure)


async def case_mutex(size: Size) -> Reading:
    lock = trio.Lock()
    last = 0
    begin = now()
    for i in range(1, size.n + 1):
        async with lock:
            last = i
    return Reading(last, now() - begin)
