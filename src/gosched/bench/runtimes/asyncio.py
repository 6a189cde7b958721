"""The cases on asyncio. Tasks are started in a TaskGroup: no slower than gather() on 3.13, faster on 3.14.

A queue of one place stands for the unbuffered channel that asyncio does not have; None on a queue, for its end.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from itertools import count, pairwise
from typing import Any

from gosched.bench.net.driving import Load, Served, drive
from gosched.bench.work import CHUNK, HOUR, NAP, Reading, Size, Ticks, async_bodies, burn, burn_for, long_sum, now, picks, resident


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


async def crowd(n: int, look: Callable[[], int]) -> tuple[int, int]:
    """Starts n that wait, looks while all do, lets them go and waits for their end: how many there were, and what was seen."""
    everybody = asyncio.Event()
    gate = asyncio.Event()
    arrived = woken = 0

    async def wait() -> None:
        nonlocal arrived, woken
        arrived += 1
        if arrived == n:
            everybody.set()
        await gate.wait()
        woken += 1

    async with asyncio.TaskGroup() as group:
        for _ in range(n):
            group.create_task(wait())
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


async def case_pingpong(size: Size) -> Reading:
    trips = size.n // size.work
    counted: list[int] = []

    async def ping(there: asyncio.Queue[int], back: asyncio.Queue[int]) -> None:
        v = 0
        for _ in range(trips):
            await there.put(v)
            v = await back.get()
        counted.append(v)

    async def pong(there: asyncio.Queue[int], back: asyncio.Queue[int]) -> None:
        for _ in range(trips):
            await back.put(await there.get() + 1)

    begin = now()
    async with asyncio.TaskGroup() as group:
        for _ in range(size.work):
            there: asyncio.Queue[int] = asyncio.Queue(1)
            back: asyncio.Queue[int] = asyncio.Queue(1)
            group.create_task(ping(there, back))
            group.create_task(pong(there, back))
    return Reading(sum(counted), now() - begin)


case_pairs = case_pingpong


async def case_pipeline(size: Size) -> Reading:
    queues: list[asyncio.Queue[int | None]] = [asyncio.Queue(100) for _ in range(size.work + 1)]

    async def source(out: asyncio.Queue[int | None]) -> None:
        for i in range(size.n):
            await out.put(i)
        await out.put(None)

    async def stage(numbers: asyncio.Queue[int | None], out: asyncio.Queue[int | None]) -> None:
        while (v := await numbers.get()) is not None:
            await out.put(v + 1)
        await out.put(None)

    total = 0
    begin = now()
    async with asyncio.TaskGroup() as group:
        group.create_task(source(queues[0]))
        for numbers, out in pairwise(queues):
            group.create_task(stage(numbers, out))
        while (v := await queues[-1].get()) is not None:
            total += v
    return Reading(total, now() - begin)


async def case_select(size: Size) -> Reading:
    queues: list[asyncio.Queue[int]] = [asyncio.Queue(1) for _ in range(4)]
    turns = picks(size)
    right = 0
    begin = now()
    for i, pick in enumerate(turns):
        await queues[pick].put(i)
        done, losers = await asyncio.wait([asyncio.create_task(queue.get()) for queue in queues], return_when=asyncio.FIRST_COMPLETED)
        for loser in losers:
            loser.cancel()
        right += done.pop().result() == i
    return Reading(right, now() - begin)


async def skynet(out: asyncio.Queue[int], first: int, leaves: int) -> None:
    """With queues of one place, on which children wait for their turn, it would take two to three times as long."""
    if leaves == 1:
        out.put_nowait(first)
        return
    sums: asyncio.Queue[int] = asyncio.Queue()
    part = leaves // 10
    children = [asyncio.create_task(skynet(sums, first + i * part, part)) for i in range(10)]
    total = 0
    for _ in children:
        total += await sums.get()
    out.put_nowait(total)


async def case_skynet(size: Size) -> Reading:
    out: asyncio.Queue[int] = asyncio.Queue()
    begin = now()
    await skynet(out, 0, size.n)
    return Reading(out.get_nowait(), now() - begin)


async def case_sieve(size: Size) -> Reading:
    async def generate(out: asyncio.Queue[int]) -> None:
        for i in count(2):
            await out.put(i)

    async def sift(prime: int, numbers: asyncio.Queue[int], out: asyncio.Queue[int]) -> None:
        while True:
            v = await numbers.get()
            if v % prime:
                await out.put(v)

    prime = 0
    begin = now()
    numbers: asyncio.Queue[int] = asyncio.Queue(1)
    tasks = [asyncio.create_task(generate(numbers))]
    for _ in range(size.n):
        prime = await numbers.get()
        out: asyncio.Queue[int] = asyncio.Queue(1)
        tasks.append(asyncio.create_task(sift(prime, numbers, out)))
        numbers = out
    figure = now() - begin
    for task in tasks:
        task.cancel()
    return Reading(prime, figure)


async def case_mutex(size: Size) -> Reading:
    lock = asyncio.Lock()
    last = 0
    begin = now()
    for i in range(1, size.n + 1):
        async with lock:
            last = i
    return Reading(last, now() - begin)


async def case_timers(size: Size) -> Reading:
    def fire() -> None:
        raise AssertionError("an hour has passed")

    loop = asyncio.get_running_loop()
    pending = [loop.call_later(HOUR + i, fire) for i in range(size.n)]
    stopped = 0
    begin = now()
    for i in range(size.work):
        timer = loop.call_later(HOUR / 2, fire)
        timer.cancel()
        stopped += timer.cancelled()
        if i % 100 == 0:
            await asyncio.sleep(0)
    figure = now() - begin
    for timer in pending:
        timer.cancel()
    return Reading(stopped, figure)


async def beside_ticker(size: Size, work: Callable[[], object]) -> Reading:
    """Nobody takes a task's turn away: these give it up by themselves after each piece of work, which is more than plain functions would do."""
    ticks = Ticks(size.work)
    pieces = [0] * size.n

    async def disturb(i: int) -> None:
        while not ticks.over:
            work()
            pieces[i] += 1
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        for i in range(size.n):
            group.create_task(disturb(i))
        while ticks.note():
            await asyncio.sleep(ticks.seconds_left())
    return ticks.reading(sum(n > 0 for n in pieces))


async def case_hogs(size: Size) -> Reading:
    """A hog gives up its turn after every 100 ms: one that never does would let no tick come at all until it ends."""
    return await beside_ticker(size, lambda: burn_for(CHUNK))


async def case_sleepers(size: Size) -> Reading:
    return await beside_ticker(size, lambda: time.sleep(NAP))


async def case_csum(size: Size) -> Reading:
    return await beside_ticker(size, long_sum)


async def case_blocking(size: Size) -> Reading:
    loop = asyncio.get_running_loop()
    zeros = 0
    begin = now()
    for _ in range(size.n):
        zeros += await loop.run_in_executor(None, int) == 0
    return Reading(zeros, now() - begin)


async def with_server(size: Size, idle: bool = False) -> tuple[Served, Load]:
    """Streams: what a Python program would use."""
    served = Served(size)

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            served.request()
            writer.write(data)
            await writer.drain()
        writer.close()

    async with await asyncio.start_server(echo, "127.0.0.1", 0, backlog=4096) as server:
        port: int = server.sockets[0].getsockname()[1]
        return served, await asyncio.get_running_loop().run_in_executor(None, drive, port, size, idle)


async def case_echo(size: Size) -> Reading:
    served, load = await with_server(size)
    return served.speed(load)


case_echowork = case_echo


async def case_latency(size: Size) -> Reading:
    served, load = await with_server(size)
    return served.lateness(load)


async def case_connections(size: Size) -> Reading:
    served, load = await with_server(size, idle=True)
    return served.memory(load)
