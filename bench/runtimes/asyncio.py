"""The cases on asyncio. Tasks are started in a TaskGroup: no slower than gather() on 3.13, faster on 3.14."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from bench.work import Reading, Size, async_bodies, burn, now, resident


def run(case: Callable[[Size], Coroutine[Any, Any, Reading]], size: Size) -> Reading:
    return asyncio.run(case(size))


async def case_spawn(size: Size) -> Reading:
    bodies, ran = async_bodies(size)
    begin = now()
    async with asyncio.TaskGroup() as group:
        for body in bodies:
            group.create_task(body())
    return Reading(len(ran), now() - begin)


async def case_yield(size: Size) -> Reading:
    turns: list[int] = []

    async def take_turns() -> None:
        for _ in range(size.work):
            await asyncio.sleep(0)
        turns.append(size.work)

    begin = now()
    async with asyncio.TaskGroup() as group:
        for _ in range(size.n):
            group.create_task(take_turns())
    return Reading(sum(turns), now() - begin)


async def case_memory(size: Size) -> Reading:
    everybody = asyncio.Event()
    gate = asyncio.Event()
    arrived = woken = 0

    async def wait() -> None:
        nonlocal arrived, woken
        arrived += 1
        if arrived == size.n:
            everybody.set()
        await gate.wait()
        woken += 1

    before = resident()
    async with asyncio.TaskGroup() as group:
        for _ in range(size.n):
            group.create_task(wait())
        await everybody.wait()
        grown = resident() - before
        gate.set()
    return Reading(woken, grown)


async def case_fanout(size: Size) -> Reading:
    counted: list[int] = []

    async def count() -> None:
        counted.append(burn(size.work))

    begin = now()
    async with asyncio.TaskGroup() as group:
        for _ in range(size.n):
            group.create_task(count())
    return Reading(sum(counted), now() - begin)


async def node(sums: list[int], first: int, leaves: int) -> None:
    if leaves == 1:
        sums.append(first)
        return
    mine: list[int] = []
    part = leaves // 10
    async with asyncio.TaskGroup() as group:
        for i in range(10):
            group.create_task(node(mine, first + i * part, part))
    sums.append(sum(mine))


async def case_tree(size: Size) -> Reading:
    sums: list[int] = []
    begin = now()
    await node(sums, 0, size.n)
    return Reading(sums[0], now() - begin)
