"""The cases on TonIO, in its `await` dialect.

`spawn.without_results` is the fastest of its ways to start tasks and wait for them; its own benchmark uses it too. It does not give tasks
contextvars of their own unless it is told to, which gosched and the others always do.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import tonio.colored as tonio  # type: ignore[import-not-found, import-untyped, unused-ignore]

from bench.work import Reading, Size, async_bodies, burn, now, resident


def run(case: Callable[[Size], Coroutine[Any, Any, Reading]], size: Size) -> Reading:
    reading: Reading = tonio.run(case(size), threads=size.procs)
    return reading


async def case_spawn(size: Size) -> Reading:
    bodies, ran = async_bodies(size)
    begin = now()
    await tonio.spawn.without_results(*[body() for body in bodies])
    return Reading(len(ran), now() - begin)


async def case_yield(size: Size) -> Reading:
    turns: list[int] = []

    async def take_turns() -> None:
        for _ in range(size.work):
            await tonio.yield_now()
        turns.append(size.work)

    begin = now()
    await tonio.spawn.without_results(*[take_turns() for _ in range(size.n)])
    return Reading(sum(turns), now() - begin)


async def case_memory(size: Size) -> Reading:
    everybody = tonio.Event()
    gate = tonio.Event()
    arrived = woken = 0

    async def wait() -> None:
        nonlocal arrived, woken
        arrived += 1
        if arrived == size.n:
            everybody.set()
        await gate.wait()
        woken += 1

    before = resident()
    tasks = tonio.spawn.without_results(*[wait() for _ in range(size.n)])
    await everybody.wait()
    grown = resident() - before
    gate.set()
    await tasks
    return Reading(woken, grown)


async def case_fanout(size: Size) -> Reading:
    counted: list[int] = []

    async def count() -> None:
        counted.append(burn(size.work))

    begin = now()
    await tonio.spawn.without_results(*[count() for _ in range(size.n)])
    return Reading(sum(counted), now() - begin)


async def node(sums: list[int], first: int, leaves: int) -> None:
    if leaves == 1:
        sums.append(first)
        return
    mine: list[int] = []
    part = leaves // 10
    await tonio.spawn.without_results(*[node(mine, first + i * part, part) for i in range(10)])
    sums.append(sum(mine))


async def case_tree(size: Size) -> Reading:
    sums: list[int] = []
    begin = now()
    await node(sums, 0, size.n)
    return Reading(sums[0], now() - begin)
