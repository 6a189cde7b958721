"""The cases on gevent: plain functions on greenlets.

SimpleQueue is the leanest of its queues, with one place the fastest stand-in for an unbuffered channel; gevent's own Channel, which has none, takes
a tenth to a half longer. StopIteration on a queue is its end. Semaphore(1) is the cheapest of its locks.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, pairwise
from typing import Any

import gevent  # type: ignore[import-not-found, import-untyped, unused-ignore]
import gevent.event  # type: ignore[import-not-found, import-untyped, unused-ignore]
import gevent.lock  # type: ignore[import-not-found, import-untyped, unused-ignore]
from gevent.queue import SimpleQueue  # type: ignore[import-not-found, import-untyped, unused-ignore]
from gevent.server import StreamServer  # type: ignore[import-not-found, import-untyped, unused-ignore]

from gosched.bench.net.driving import Load, Served, drive
from gosched.bench.work import Reading, Size, burn, now, plain_bodies, resident


def run(case: Callable[[Size], Reading], size: Size) -> Reading:
    return case(size)


def case_spawn(size: Size) -> Reading:
    bodies, ran = plain_bodies(size)
    begin = now()
    gevent.joinall([gevent.spawn(body) for body in bodies])
    return Reading(len(ran), now() - begin)


def case_yield(size: Size) -> Reading:
    turns: list[int] = []

    def take_turns() -> None:
        for _ in range(size.work):
            gevent.sleep(0)
        turns.append(size.work)

    begin = now()
    gevent.joinall([gevent.spawn(take_turns) for _ in range(size.n)])
    return Reading(sum(turns), now() - begin)


def crowd(n: int, look: Callable[[], int]) -> tuple[int, int]:
    """Starts n that wait, looks while all do, lets them go and waits for their end: how many there were, and what was seen."""
    everybody = gevent.event.Event()
    gate = gevent.event.Event()
    arrived = woken = 0

    def wait() -> None:
        nonlocal arrived, woken
        arrived += 1
        if arrived == n:
            everybody.set()
        gate.wait()
        woken += 1

    greenlets = [gevent.spawn(wait) for _ in range(n)]
    everybody.wait()
    seen = look()
    gate.set()
    gevent.joinall(greenlets)
    return woken, seen


def case_memory(size: Size) -> Reading:
    before = resident()
    woken, after = crowd(size.n, resident)
    return Reading(woken, after - before)


def case_life(size: Size) -> Reading:
    woken = 0
    begin = now()
    for _ in range(size.work):
        woken += crowd(size.n, int)[0]
    return Reading(woken, now() - begin)


def case_fanout(size: Size) -> Reading:
    counted: list[int] = []

    def count() -> None:
        counted.append(burn(size.work))

    begin = now()
    gevent.joinall([gevent.spawn(count) for _ in range(size.n)])
    return Reading(sum(counted), now() - begin)


def node(sums: list[int], first: int, leaves: int) -> None:
    if leaves == 1:
        sums.append(first)
        return
    mine: list[int] = []
    part = leaves // 10
    gevent.joinall([gevent.spawn(node, mine, first + i * part, part) for i in range(10)])
    sums.append(sum(mine))


def case_tree(size: Size) -> Reading:
    sums: list[int] = []
    begin = now()
    node(sums, 0, size.n)
    return Reading(sums[0], now() - begin)


def case_pingpong(size: Size) -> Reading:
    trips = size.n // size.work
    counted: list[int] = []

    def ping(there: Any, back: Any) -> None:
        v = 0
        for _ in range(trips):
            there.put(v)
            v = back.get()
        counted.append(v)

    def pong(there: Any, back: Any) -> None:
        for _ in range(trips):
            back.put(there.get() + 1)

    greenlets = []
    begin = now()
    for _ in range(size.work):
        there, back = SimpleQueue(1), SimpleQueue(1)
        greenlets += [gevent.spawn(ping, there, back), gevent.spawn(pong, there, back)]
    gevent.joinall(greenlets)
    return Reading(sum(counted), now() - begin)


case_pairs = case_plainhop = case_pingpong
case_plainspawn = case_spawn
case_plainmemory = case_memory


def case_plainpark(size: Size) -> Reading:
    """`work` of them wait at a time."""
    woken = 0

    def wait(gate: Any) -> None:
        nonlocal woken
        gate.get()
        woken += 1

    gate = SimpleQueue()
    begin = now()
    for _ in range(size.n // size.work):
        greenlets = [gevent.spawn(wait, gate) for _ in range(size.work)]
        gevent.sleep(0)
        for i in range(size.work):
            gate.put(i)
        gevent.joinall(greenlets)
    return Reading(woken, now() - begin)


def case_pipeline(size: Size) -> Reading:
    queues = [SimpleQueue(100) for _ in range(size.work + 1)]

    def source(out: Any) -> None:
        for i in range(size.n):
            out.put(i)
        out.put(StopIteration)

    def stage(numbers: Any, out: Any) -> None:
        for v in numbers:
            out.put(v + 1)
        out.put(StopIteration)

    begin = now()
    gevent.spawn(source, queues[0])
    for numbers, out in pairwise(queues):
        gevent.spawn(stage, numbers, out)
    total = sum(queues[-1])
    return Reading(total, now() - begin)


def skynet(out: Any, first: int, leaves: int) -> None:
    if leaves == 1:
        out.put(first)
        return
    sums = SimpleQueue()
    part = leaves // 10
    for i in range(10):
        gevent.spawn(skynet, sums, first + i * part, part)
    total = 0
    for _ in range(10):
        total += sums.get()
    out.put(total)


def case_skynet(size: Size) -> Reading:
    out = SimpleQueue()
    begin = now()
    skynet(out, 0, size.n)
    return Reading(out.get(), now() - begin)


def case_sieve(size: Size) -> Reading:
    def generate(out: Any) -> None:
        for i in count(2):
            out.put(i)

    def sift(prime: int, numbers: Any, out: Any) -> None:
        while True:
            v = numbers.get()
            if v % prime:
                out.put(v)

    prime = 0
    begin = now()
    numbers = SimpleQueue(1)
    greenlets = [gevent.spawn(generate, numbers)]
    for _ in range(size.n):
        prime = numbers.get()
        out = SimpleQueue(1)
        greenlets.append(gevent.spawn(sift, prime, numbers, out))
        numbers = out
    figure = now() - begin
    gevent.killall(greenlets)
    return Reading(prime, figure)


def case_mutex(size: Size) -> Reading:
    lock = gevent.lock.Semaphore(1)
    last = 0
    begin = now()
    for i in range(1, size.n + 1):
        with lock:
            last = i
    return Reading(last, now() - begin)


def with_server(size: Size, idle: bool = False) -> tuple[Served, Load]:
    served = Served(size)

    def echo(sock: Any, address: object) -> None:
        while data := sock.recv(65_536):
            served.request()
            sock.sendall(data)

    server = StreamServer(("127.0.0.1", 0), echo, backlog=4096)
    server.start()
    load: Load = gevent.get_hub().threadpool.apply(drive, (server.server_port, size, idle))
    server.stop()
    return served, load


def case_echo(size: Size) -> Reading:
    served, load = with_server(size)
    return served.speed(load)


case_echowork = case_echo


def case_latency(size: Size) -> Reading:
    served, load = with_server(size)
    return served.lateness(load)


def case_connections(size: Size) -> Reading:
    served, load = with_server(size, idle=True)
    return served.memory(load)
