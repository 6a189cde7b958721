"""The cases on gosched."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count, pairwise
from threading import get_native_id
from typing import Any

import gosched
from gosched import net
from gosched.bench.net.driving import Load, Served, drive
from gosched.bench.work import (
    HOUR,
    NAP,
    PARKED,
    TICK,
    Reading,
    Size,
    Ticks,
    async_bodies,
    burn,
    cpu_of_threads,
    hog,
    long_sum,
    now,
    picks,
    plain_bodies,
    resident,
)


def run(case: Callable[[Size], Any], size: Size) -> Reading:
    return gosched.run(case, size, gomaxprocs=size.procs)  # type: ignore[no-any-return]


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


def case_plainhop(size: Size) -> Reading:
    trips = size.n // size.work
    counted: list[int] = []

    def ping(there: gosched.Chan[int], back: gosched.Chan[int]) -> None:
        v = 0
        for _ in range(trips):
            there.send(v)
            v = back.recv()
        counted.append(v)

    def pong(there: gosched.Chan[int], back: gosched.Chan[int]) -> None:
        for _ in range(trips):
            back.send(there.recv() + 1)

    wg = gosched.WaitGroup()
    begin = now()
    for _ in range(size.work):
        there: gosched.Chan[int] = gosched.Chan()
        back: gosched.Chan[int] = gosched.Chan()
        wg.go(ping, there, back)
        wg.go(pong, there, back)
    wg.wait()
    return Reading(sum(counted), now() - begin)


def case_plainspawn(size: Size) -> Reading:
    bodies, ran = plain_bodies(size)
    wg = gosched.WaitGroup()
    begin = now()
    for body in bodies:
        wg.go(body)
    wg.wait()
    return Reading(len(ran), now() - begin)


def case_plainpark(size: Size) -> Reading:
    """`work` of them wait at a time."""
    woken = 0

    def wait(gate: gosched.Chan[int]) -> None:
        nonlocal woken
        gate.recv()
        woken += 1

    gate: gosched.Chan[int] = gosched.Chan()
    begin = now()
    for _ in range(size.n // size.work):
        wg = gosched.WaitGroup()
        for _ in range(size.work):
            wg.go(wait, gate)
        gosched.yield_now()
        for i in range(size.work):
            gate.send(i)
        wg.wait()
    return Reading(woken, now() - begin)


def case_plainmemory(size: Size) -> Reading:
    everybody, all_ended = gosched.WaitGroup(), gosched.WaitGroup()
    gate: gosched.Chan[int] = gosched.Chan()
    woken = 0

    def wait() -> None:
        nonlocal woken
        everybody.done()
        gate.recv_ok()
        woken += 1

    before = resident()
    everybody.add(size.n)
    for _ in range(size.n):
        all_ended.go(wait)
    everybody.wait()
    grown = resident() - before
    gate.close()
    all_ended.wait()
    return Reading(woken, grown)


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


async def case_life(size: Size) -> Reading:
    woken = 0
    begin = now()
    for _ in range(size.work):
        crowd = await Crowd.parked(size.n)
        woken += await crowd.release()
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


async def tick(ticks: Ticks) -> None:
    with gosched.Ticker(TICK) as ticker:
        while ticks.note():
            await ticker.c.arecv()


async def case_hogs(size: Size) -> Reading:
    """The hogs never end by themselves: the end of the program ends them."""
    counts = [[0] for _ in range(size.n)]
    for mine in counts:
        gosched.go(hog, mine)
    ticks = Ticks(size.work)
    await tick(ticks)
    return ticks.reading(sum(mine[0] > 0 for mine in counts))


async def case_sleepers(size: Size) -> Reading:
    """The sleep is Python's own, of which gosched knows nothing."""
    naps = [0] * size.n
    ticks = Ticks(size.work)

    def sleeper(i: int) -> None:
        while not ticks.over:
            naps[i] += 1
            time.sleep(NAP)

    wg = gosched.WaitGroup()
    for i in range(size.n):
        wg.go(sleeper, i)
    await tick(ticks)
    await wg
    return ticks.reading(sum(n > 0 for n in naps))


async def case_csum(size: Size) -> Reading:
    sums: set[int] = set()
    ticks = Ticks(size.work)

    def summer() -> None:
        while not ticks.over:
            sums.add(long_sum())

    wg = gosched.WaitGroup()
    for _ in range(size.n):
        wg.go(summer)
    await tick(ticks)
    await wg
    return ticks.reading(size.n * (sums == {long_sum()}))


async def case_preempted(size: Size) -> Reading:
    """Two hogs share the P, a slice each; before, in the same process, one counts as far while nobody waits for the P. Median of n such rounds."""
    counted: list[int] = []
    shares: list[int] = []

    def count() -> None:
        counted.append(burn(size.work))

    for _ in range(size.n):
        begin = now()
        alone = gosched.WaitGroup()
        alone.go(count)
        await alone
        middle = now()
        both = gosched.WaitGroup()
        both.go(count)
        both.go(count)
        await both
        shares.append(2_000_000 * (middle - begin) // (now() - middle))
    return Reading(sum(counted), round(statistics.median(shares)))


async def case_blocking(size: Size) -> Reading:
    zeros = 0
    begin = now()
    for _ in range(size.n):
        zeros += gosched.blocking(int) == 0
    return Reading(zeros, now() - begin)


async def case_sysmon(size: Size) -> Reading:
    """Two goroutines play ping-pong, or none; all others wait. The threads that the players run on do not count; if there are none, all do."""
    crowd = await Crowd.parked(PARKED)
    over = False
    ran: set[int] = set()
    there: gosched.Chan[int] = gosched.Chan()
    back: gosched.Chan[int] = gosched.Chan()

    async def ping() -> None:
        v = 0
        while not over:
            ran.add(get_native_id())
            await there.asend(v)
            v = await back.arecv()
        there.close()

    async def pong() -> None:
        async for v in there:
            await back.asend(v + 1)

    players = gosched.WaitGroup()
    for player in (ping, pong)[: size.n]:
        players.go(player)
    await gosched.asleep(0.1)
    if size.n == 0:
        begin, idle = now(), time.process_time_ns()
        await gosched.asleep(size.work / 1_000)
        used, wall = time.process_time_ns() - idle, now() - begin
    else:
        begin, before = now(), cpu_of_threads()
        await gosched.asleep(size.work / 1_000)
        after, wall = cpu_of_threads(), now() - begin
        ran.add(get_native_id())
        used = sum(cpu - before.get(thread, 0) for thread, cpu in after.items() if thread not in ran)
    over = True
    await players
    return Reading(await crowd.release() + size.n, used * 1_000_000_000 // wall)


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


async def with_server(size: Size, idle: bool = False) -> tuple[Served, Load]:
    served = Served(size)

    async def echo(conn: net.Conn) -> None:
        with suppress(ConnectionError):  # the load does not wait for the last answers
            async with conn:
                while data := await conn.aread():
                    served.request()
                    await conn.awrite(data)

    async def serve(listener: net.Listener) -> None:
        async for conn in listener:
            gosched.go(echo, conn)

    async with net.listen("127.0.0.1:0") as listener:
        gosched.go(serve, listener)
        return served, gosched.blocking(drive, listener.address.port, size, idle)


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
