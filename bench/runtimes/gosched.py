"""The cases on gosched."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import gosched
from bench.work import Reading, Size, async_bodies, burn, now, resident


def run(case: Callable[[Size], Coroutine[Any, Any, Reading]], size: Size) -> Reading:
    return gosched.run(case, size, gomaxprocs=size.procs)


async def case_spawn(size: Size) -> Reading:
    bodies, ran = async_bodies(size)
    wg = gosched.WaitGroup()
    begin = now()
    for body in bodies:
        wg.go(body)
    await wg
    return Reading(len(ran), now() - begin)


async def case_yield(size: Size) -> Reading:
    turns: list[int] = []

    async def take_turns() -> None:
        for _ in range(size.work):
            await gosched.ayield_now()
        turns.append(size.work)

    wg = gosched.WaitGroup()
    begin = now()
    for _ in range(size.n):
        wg.go(take_turns)
    await wg
    return Reading(sum(turns), now() - begin)


async def case_memory(size: Size) -> Reading:
    before = resident()
    crowd = await Crowd.parked(size.n)
    grown = resident() - before
    return Reading(await crowd.release(), grown)


async def case_fanout(size: Size) -> Reading:
    counted: list[int] = []

    async def count() -> None:
        counted.append(burn(size.work))

    wg = gosched.WaitGroup()
    begin = now()
    for _ in range(size.n):
        wg.go(count)
    await wg
    return Reading(sum(counted), now() - begin)


async def node(sums: list[int], first: int, leaves: int) -> None:
    if leaves == 1:
        sums.append(first)
        return
    mine: list[int] = []
    wg = gosched.WaitGroup()
    part = leaves // 10
    for i in range(10):
        wg.go(node, mine, first + i * part, part)
    await wg
    sums.append(sum(mine))


async def case_tree(size: Size) -> Reading:
    sums: list[int] = []
    begin = now()
    await node(sums, 0, size.n)
    return Reading(sums[0], now() - begin)


async def case_free(size: Size) -> Reading:
    crowd = await Crowd.parked(size.n)
    begin = now()
    woken = await crowd.release()
    return Reading(woken, now() - begin)


async def case_chain(size: Size) -> Reading:
    wg = gosched.WaitGroup()
    reached: list[int] = []

    async def link(k: int) -> None:
        if k == size.n:
            reached.append(k)
        else:
            wg.go(link, k + 1)

    begin = now()
    wg.go(link, 1)
    await wg
    return Reading(reached[0], now() - begin)


class Crowd:
    """Goroutines that are parked on one gate."""

    def __init__(self, n: int) -> None:
        self.arrived = gosched.WaitGroup()
        self.arrived.add(n)
        self.gate = gosched.WaitGroup()
        self.gate.add(1)
        self.all = gosched.WaitGroup()
        self.woken: list[int] = []
        for _ in range(n):
            self.all.go(self.wait)

    @staticmethod
    async def parked(n: int) -> Crowd:
        crowd = Crowd(n)
        await crowd.arrived
        return crowd

    async def wait(self) -> None:
        self.arrived.done()
        await self.gate
        self.woken.append(1)

    async def release(self) -> int:
        """Opens the gate and waits for all; says how many came through."""
        self.gate.done()
        await self.all
        return len(self.woken)
