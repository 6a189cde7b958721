"""The cases on gosched."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from itertools import count, pairwise
from typing import Any

import gosched
from bench.work import HOUR, Reading, Size, async_bodies, burn, now, picks, resident


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


async def case_pingpong(size: Size) -> Reading:
    trips = size.n // size.work
    counted: list[int] = []

    async def ping(there: gosched.Chan[int], back: gosched.Chan[int]) -> None:
        v = 0
        for _ in range(trips):
            await there.asend(v)
            v = await back.arecv()
        counted.append(v)

    async def pong(there: gosched.Chan[int], back: gosched.Chan[int]) -> None:
        for _ in range(trips):
            await back.asend(await there.arecv() + 1)

    wg = gosched.WaitGroup()
    begin = now()
    for _ in range(size.work):
        there: gosched.Chan[int] = gosched.Chan()
        back: gosched.Chan[int] = gosched.Chan()
        wg.go(ping, there, back)
        wg.go(pong, there, back)
    await wg
    return Reading(sum(counted), now() - begin)


case_pairs = case_pingpong


async def case_pipeline(size: Size) -> Reading:
    channels: list[gosched.Chan[int]] = [gosched.Chan(100) for _ in range(size.work + 1)]

    async def source(out: gosched.Chan[int]) -> None:
        for i in range(size.n):
            await out.asend(i)
        out.close()

    async def stage(numbers: gosched.Chan[int], out: gosched.Chan[int]) -> None:
        async for v in numbers:
            await out.asend(v + 1)
        out.close()

    total = 0
    begin = now()
    gosched.go(source, channels[0])
    for numbers, out in pairwise(channels):
        gosched.go(stage, numbers, out)
    async for v in channels[-1]:
        total += v
    return Reading(total, now() - begin)


async def case_select(size: Size) -> Reading:
    channels: list[gosched.Chan[int]] = [gosched.Chan(1) for _ in range(4)]
    a, b, c, d = channels
    turns = picks(size)
    right = 0
    begin = now()
    for i, pick in enumerate(turns):
        await channels[pick].asend(i)
        _, v = await gosched.aselect(a.recv, b.recv, c.recv, d.recv)
        right += v == i
    return Reading(right, now() - begin)


async def skynet(out: gosched.Chan[int], first: int, leaves: int) -> None:
    if leaves == 1:
        await out.asend(first)
        return
    sums: gosched.Chan[int] = gosched.Chan()
    part = leaves // 10
    for i in range(10):
        gosched.go(skynet, sums, first + i * part, part)
    total = 0
    for _ in range(10):
        total += await sums.arecv()
    await out.asend(total)


async def case_skynet(size: Size) -> Reading:
    out: gosched.Chan[int] = gosched.Chan()
    begin = now()
    gosched.go(skynet, out, 0, size.n)
    total = await out.arecv()
    return Reading(total, now() - begin)


async def case_sieve(size: Size) -> Reading:
    async def generate(out: gosched.Chan[int]) -> None:
        for i in count(2):
            await out.asend(i)

    async def sift(prime: int, numbers: gosched.Chan[int], out: gosched.Chan[int]) -> None:
        while True:
            v = await numbers.arecv()
            if v % prime:
                await out.asend(v)

    prime = 0
    begin = now()
    numbers: gosched.Chan[int] = gosched.Chan()
    gosched.go(generate, numbers)
    for _ in range(size.n):
        prime = await numbers.arecv()
        out: gosched.Chan[int] = gosched.Chan()
        gosched.go(sift, prime, numbers, out)
        numbers = out
    return Reading(prime, now() - begin)


async def case_mutex(size: Size) -> Reading:
    mutex = gosched.Mutex()
    last = 0
    begin = now()
    for i in range(1, size.n + 1):
        async with mutex:
            last = i
    return Reading(last, now() - begin)


async def case_timers(size: Size) -> Reading:
    def fire() -> None:
        raise AssertionError("an hour has passed")

    pending = [gosched.after_func(HOUR + i, fire) for i in range(size.n)]
    stopped = 0
    begin = now()
    for i in range(size.work):
        timer = gosched.after_func(HOUR / 2, fire)
        stopped += timer.stop()
        if i % 100 == 0:
            await gosched.ayield_now()
    figure = now() - begin
    for timer in pending:
        timer.stop()
    return Reading(stopped, figure)


async def case_handover(size: Size) -> Reading:
    """Whoever feeds waits until its value is taken, so that every select finds nothing, sets its timer and parks."""
    values: gosched.Chan[int] = gosched.Chan()
    never: gosched.Chan[int] = gosched.Chan()
    taken: gosched.Chan[None] = gosched.Chan()

    async def feed() -> None:
        for i in count():
            await values.asend(i)
            await taken.arecv()

    async def take(selects: int) -> int:
        got = 0
        for _ in range(selects):
            index, _ = await gosched.aselect(values.recv, never.recv, timeout=HOUR)
            got += index == 0
            await taken.asend(None)
        return got

    gosched.go(feed)
    await take(size.n // 10)
    before = resident()
    got = await take(size.n)
    return Reading(got, resident() - before)


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
