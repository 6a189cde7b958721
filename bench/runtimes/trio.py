"""The cases on trio."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import trio  # type: ignore[import-not-found, import-untyped, unused-ignore]

from bench.work import Reading, Size, async_bodies, burn, now, resident


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


async def case_memory(size: Size) -> Reading:
    everybody = trio.Event()
    gate = trio.Event()
    arrived = woken = 0

    async def wait() -> None:
        nonlocal arrived, woken
        arrived += 1
        if arrived == size.n:
            everybody.set()
        await gate.wait()
        woken += 1

    before = resident()
    async with trio.open_nursery() as nursery:
        for _ in range(size.n):
            nursery.start_soon(wait)
        await everybody.wait()
        grown = resident() - before
        gate.set()
    return Reading(woken, grown)


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
