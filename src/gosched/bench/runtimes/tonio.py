"""The cases on TonIO, in its `await` dialect.

`spawn.without_results` is the fastest of its ways to start tasks and wait for them; its own benchmark uses it too. It does not give tasks
contextvars of their own unless it is told to, which gosched and the others always do.

Its channels are Go's: unbuffered with 0 places, closed by who sends; a receiver then gets a BrokenPipeError.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from itertools import count, pairwise
from typing import Any

import tonio.colored as tonio  # type: ignore[import-not-found, import-untyped, unused-ignore]
from tonio.colored import net  # type: ignore[import-not-found, import-untyped, unused-ignore]
from tonio.colored.sync import Lock  # type: ignore[import-not-found, import-untyped, unused-ignore]
from tonio.colored.sync.channel import channel, unbounded  # type: ignore[import-not-found, import-untyped, unused-ignore]

from gosched.bench.net.driving import Load, Served, drive
from gosched.bench.work import Reading, Size, async_bodies, burn, now, picks, resident


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


async def crowd(n: int, look: Callable[[], int]) -> tuple[int, int]:
    """Starts n that wait, looks while all do, lets them go and waits for their end: how many there were, and what was seen."""
    everybody = tonio.Event()
    gate = tonio.Event()
    arrived = woken = 0

    async def wait() -> None:
        nonlocal arrived, woken
        arrived += 1
        if arrived == n:
            everybody.set()
        await gate.wait()
        woken += 1

    tasks = tonio.spawn.without_results(*[wait() for _ in range(n)])
    await everybody.wait()
    seen = look()
    gate.set()
    await tasks
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

    players = []
    begin = now()
    for _ in range(size.work):
        there_in, there_out = channel(0)
        back_in, back_out = channel(0)
        players += [ping(there_in, back_out), pong(there_out, back_in)]
    await tonio.spawn.without_results(*players)
    return Reading(sum(counted), now() - begin)


case_pairs = case_pingpong


async def case_pipeline(size: Size) -> Reading:
    channels = [channel(100) for _ in range(size.work + 1)]

    async def source(out: Any) -> None:
        for i in range(size.n):
            await out.send(i)
        out.close()

    async def stage(numbers: Any, out: Any) -> None:
        try:
            while True:
                await out.send(await numbers.receive() + 1)
        except BrokenPipeError:
            out.close()

    total = 0
    begin = now()
    tonio.spawn.without_tracking(source(channels[0][0]), *[stage(numbers, out) for (_, numbers), (out, _) in pairwise(channels)])
    try:
        while True:
            total += await channels[-1][1].receive()
    except BrokenPipeError:
        return Reading(total, now() - begin)


async def case_select(size: Size) -> Reading:
    channels = [channel(1) for _ in range(4)]
    turns = picks(size)
    right = 0
    begin = now()
    for i, pick in enumerate(turns):
        await channels[pick][0].send(i)
        right += await tonio.select(*[receiver.receive() for _, receiver in channels]) == i
    return Reading(right, now() - begin)


async def skynet(out: Any, first: int, leaves: int) -> None:
    if leaves == 1:
        out.send(first)
        return
    give, sums = unbounded()
    part = leaves // 10
    tonio.spawn.without_tracking(*[skynet(give, first + i * part, part) for i in range(10)])
    total = 0
    for _ in range(10):
        total += await sums.receive()
    out.send(total)


async def case_skynet(size: Size) -> Reading:
    give, sums = unbounded()
    begin = now()
    await skynet(give, 0, size.n)
    return Reading(await sums.receive(), now() - begin)


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
    give, numbers = channel(0)
    tonio.spawn.without_tracking(generate(give))
    for _ in range(size.n):
        prime = await numbers.receive()
        give, out = channel(0)
        tonio.spawn.without_tracking(sift(prime, numbers, give))
        numbers = out
    return Reading(prime, now() - begin)


async def case_mutex(size: Size) -> Reading:
    lock = Lock()
    last = 0
    begin = now()
    for i in range(1, size.n + 1):
        async with lock:
            last = i
    return Reading(last, now() - begin)


async def with_server(size: Size, idle: bool = False) -> tuple[Served, Load]:
    served = Served(size)

    async def echo(stream: Any) -> None:
        while data := await stream.receive_some(65_536):
            served.request()
            await stream.send_all(data)
        stream.close()

    async def serve(listener: Any) -> None:
        while True:
            stream = await listener.accept()
            tonio.spawn(echo(stream))

    (listener,) = await net.open_tcp_listeners(0, host="127.0.0.1", backlog=4096)
    async with tonio.scope() as scope:
        scope.spawn(serve(listener))
        load: Load = await tonio.spawn_blocking(drive, listener.socket.getsockname()[1], size, idle)
        scope.cancel()
    return served, load


async def case_echo(size: Size) -> Reading:
    served, load = await with_server(size)
    return served.speed(load)


case_echowork = case_echo


async def case_connections(size: Size) -> Reading:
    served, load = await with_server(size, idle=True)
    return served.memory(load)
