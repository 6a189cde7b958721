"""The cases on gevent: plain functions on greenlets."""

from __future__ import annotations

from collections.abc import Callable

import gevent  # type: ignore[import-not-found, import-untyped, unused-ignore]
import gevent.event  # type: ignore[import-not-found, import-untyped, unused-ignore]

from bench.work import Reading, Size, burn, now, plain_bodies, resident


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


def case_memory(size: Size) -> Reading:
    everybody = gevent.event.Event()
    gate = gevent.event.Event()
    arrived = woken = 0

    def wait() -> None:
        nonlocal arrived, woken
        arrived += 1
        if arrived == size.n:
            everybody.set()
        gate.wait()
        woken += 1

    before = resident()
    greenlets = [gevent.spawn(wait) for _ in range(size.n)]
    everybody.wait()
    grown = resident() - before
    gate.set()
    gevent.joinall(greenlets)
    return Reading(woken, grown)


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
