"""Goroutines that are bound to a thread: woken from anywhere, they go on at home; and nobody has to wait for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched import Chan, Event, Mutex, Runtime, WaitGroup, after_func, asleep, ayield_now, go, gomaxprocs, sleep, yield_now
from gosched.core.native import current_m
from gosched.testing import virtual_run
from tests.stalls.waiting import PATIENCE, Deadline, until, until_slowly

from .places import Place, ended, parked, wait_for

ident = threading.get_ident


class Stray(Exception):
    """Not at home."""


def stays(ch: Chan[Any], log: list[int]) -> None:
    home = ident()
    for value in ch:
        if ident() != home:
            raise Stray
        log.append(value)


@pytest.mark.parametrize("waker", ["plain", "async", "thread", "timer"])
def test_home_however_it_is_woken(place: Place, waker: str) -> None:
    def main() -> list[int]:
        log: list[int] = []
        channels: list[Chan[int]] = [Chan() for _ in range(5)]
        them = [go(stays, ch, log) for ch in channels]
        parked(them)

        def wakes() -> None:
            for i in range(20):
                channels[i % 5].send(i)

        async def awakes() -> None:
            for i in range(20):
                await channels[i % 5].asend(i)
                await ayield_now()

        if waker == "plain":
            go(wakes)
        elif waker == "async":
            go(awakes)
        elif waker == "thread":
            threading.Thread(target=wakes).start()
        else:
            for i in range(20):
                after_func(0.001 + i * 0.0001, lambda i=i: channels[i % 5].send(i))
        wait_for(lambda: len(log) == 20, "all values")
        for ch in channels:
            ch.close()
        ended(them)
        return sorted(log)

    assert place.run(main) == list(range(20))


def test_sleepers_stay_at_home(place: Place) -> None:
    def sleeps(i: int, wg: WaitGroup) -> None:
        home = ident()
        for _ in range(5):
            sleep(0.0002 * (i % 4))
            if ident() != home:
                raise Stray
        wg.done()

    async def main() -> None:
        wg = WaitGroup()
        wg.add(40)
        for i in range(40):
            go(sleeps, i, wg)
        await wg

    place.run(main)


def test_two_homes_that_talk(place: Place) -> None:
    """Each side on a thread of its own, with many bound to it; every value crosses over."""
    n, rounds = 20, 20

    def side(mine: list[Chan[int]], other: list[Chan[int]], total: list[int], wg: WaitGroup) -> None:
        def one(i: int) -> None:
            home, mine_total = ident(), 0
            for k in range(rounds):
                other[i].send(k)
                mine_total += mine[i].recv()
                if ident() != home:
                    raise Stray
            total.append(mine_total)
            wg.done()

        for i in range(n):
            go(one, i)

    def main() -> list[int]:
        wg, total = WaitGroup(), list[int]()
        wg.add(2 * n)
        left = [Chan[int](1) for _ in range(n)]
        right = [Chan[int](1) for _ in range(n)]
        go(side, left, right, total, wg)
        go(side, right, left, total, wg)
        wg.wait()
        return total

    assert place.run(main) == [sum(range(rounds))] * (2 * n)


def test_an_async_one_is_free_again(place: Place) -> None:
    """It uses both spellings in turn; others, bound and free, do as well."""

    async def mixed(i: int, ch: Chan[int], wg: WaitGroup) -> None:
        for _ in range(20):
            ch.send(i)
            await ayield_now()
            ch.recv()
            await asleep(0)
            yield_now()
            await ch.asend(i)
            await ch.arecv()
        wg.done()

    async def main() -> int:
        wg = WaitGroup()
        ch: Chan[int] = Chan(8)
        wg.add(8)
        for i in range(8):
            go(mixed, i, ch, wg)
        await wg
        return len(ch)

    assert place.run(main) == 0


def test_free_again_means_on_any_thread() -> None:
    """Its thread blocks in another goroutine's foreign call: one that has awaited since its plain operation goes on elsewhere."""
    pytest.importorskip("greenlet")
    gate = threading.Event()

    async def mixed(begun: Event, over: Event) -> int:
        yield_now()
        begun.set()
        await over
        return ident()

    def blocks(taken: list[int]) -> None:
        taken.append(ident())
        gate.wait()

    async def main() -> None:
        begun, over = Event(), Event()
        g = go(mixed, begun, over)
        await begun
        taken: list[int] = []
        go(blocks, taken)
        await until_slowly(lambda: taken, "the foreign call")
        over.set()
        await until_slowly(g.is_dead, "the one that is free")
        gate.set()

    try:
        gosched.run(main, gomaxprocs=1, stacks="greenlet")
    finally:
        gate.set()


# ---- nobody starves ----


@pytest.mark.parametrize("kind", ["async", "plain"])
def test_a_plain_pair_starves_nobody(place: Place, kind: str) -> None:
    """Main starts a pair that never stops, and is woken by it into the P's own queue. A timer ends the pair if main does not get its turn."""
    over: list[int] = []

    def player(mine: Chan[int], other: Chan[int]) -> None:
        while not over:
            other.send(mine.recv() + 1)

    def pair() -> Chan[int]:
        one, two = Chan[int](), Chan[int]()
        go(player, one, two)
        go(player, two, one)
        return one

    def plain() -> int:
        pair().send(0)
        return len(over)

    async def awaits() -> int:
        await pair().asend(0)
        return len(over)

    timer = threading.Timer(PATIENCE, over.append, [1])
    timer.start()
    try:
        turns = place.run(plain if kind == "plain" else awaits)
    finally:
        timer.cancel()
    timer.join()
    assert turns == 0


def test_a_plain_pair_and_such_that_yield(place: Place) -> None:
    """What is in the global queue has its turn, now and then."""

    def player(mine: Chan[int], other: Chan[int]) -> None:
        while True:
            other.send(mine.recv() + 1)

    async def free(turns: list[int]) -> None:
        for _ in range(5):
            turns.append(1)
            await ayield_now()

    def bound(turns: list[int]) -> None:
        for _ in range(5):
            turns.append(1)
            yield_now()

    async def main() -> int:
        turns: list[int] = []
        others = [go(free if i % 2 else bound, turns) for i in range(4)]
        one, two = Chan[int](1), Chan[int]()
        one.send(0)
        go(player, one, two)
        go(player, two, one)
        await until(lambda: all(g.is_dead() for g in others), "the others")
        return len(turns)

    assert place.run(main) == 20


def test_async_ones_that_yield_for_ever_starve_no_bound_one(place: Place) -> None:
    over: list[int] = []

    async def yields() -> None:
        while not over:
            await ayield_now()

    def waits(ch: Chan[int], log: list[int]) -> None:
        for value in ch:
            log.append(value)  # noqa: PERF402

    async def main() -> list[int]:
        log: list[int] = []
        ch: Chan[int] = Chan()
        g = go(waits, ch, log)
        others = [go(yields) for _ in range(5)]
        for i in range(50):
            await ch.asend(i)
        ch.close()
        await until(g.is_dead, "the bound one")
        over.append(1)
        await until(lambda: all(other.is_dead() for other in others), "the others")
        return log

    try:
        assert place.run(main) == list(range(50))
    finally:
        over.append(1)


def test_an_async_pair_starves_no_bound_one(place: Place) -> None:
    """The pair keeps `next` busy; a thread outside wakes the bound one, which comes by the global queue."""
    over: list[int] = []

    async def player(mine: Chan[int], other: Chan[int]) -> None:
        while True:
            await other.asend(await mine.arecv())

    def waits(ch: Chan[int], log: list[int]) -> None:
        for value in ch:
            log.append(value)  # noqa: PERF402

    with Runtime(gomaxprocs=place.procs, stacks=place.stacks) as rt:
        ch: Chan[int] = Chan()
        log: list[int] = []
        g = rt.go(waits, ch, log)
        one, two = Chan[int](1), Chan[int]()
        one.send(0)
        rt.go(player, one, two)
        rt.go(player, two, one)
        for i in range(20):
            ch.send(i)
        ch.close()
        deadline = Deadline("the bound one")
        while not g.is_dead():
            deadline.check()
    assert log == list(range(20))
    assert over == []


def yielders(run: Callable[[Callable[[], None]], object]) -> tuple[list[int], int]:
    """Six that yield by the plain spelling: how often each one did, and by how many turns one was ahead of another at most."""
    turns = [0] * 6
    worst: list[int] = []

    def yields(i: int, begun: Event) -> None:
        begun.wait()
        for _ in range(300):
            turns[i] += 1
            yield_now()
            if max(turns) < 300:
                worst.append(max(turns) - min(turns))

    def main() -> None:
        begun = Event()
        them = [go(yields, i, begun) for i in range(6)]
        parked(them)
        begun.set()
        ended(them)

    run(main)
    return turns, max(worst)


def test_plain_yields_in_turn(place: Place) -> None:
    turns, _ = yielders(place.run)
    assert turns == [300] * 6


def test_nobody_is_a_hundred_turns_ahead() -> None:
    """In virtual time: of real threads one may stand while the others go on."""
    pytest.importorskip("greenlet")
    turns, ahead = yielders(lambda main: virtual_run(main, gomaxprocs=1))
    assert turns == [300] * 6
    assert ahead < 100


# ---- a home without a P ----


def test_many_bound_to_a_home_without_a_p(place: Place) -> None:
    """They are woken by another thread all at once, while their home sleeps."""
    n = 200

    def waits(ch: Chan[int], log: list[int]) -> None:
        log.append(ch.recv())

    async def main() -> int:
        log: list[int] = []
        channels: list[Chan[int]] = [Chan() for _ in range(n)]
        them = [go(waits, ch, log) for ch in channels]
        await until(lambda: all(g.state == "waiting" for g in them), "them to wait")

        def wakes() -> None:
            for i in range(n):
                channels[i].send(i)

        thread = threading.Thread(target=wakes)
        thread.start()
        await until_slowly(lambda: len(log) == n, "all of them")
        thread.join()
        return sum(log)

    assert place.run(main) == sum(range(n))


def test_a_resize_meanwhile(place: Place) -> None:
    def works(i: int, ch: Chan[int], wg: WaitGroup) -> None:
        for _ in range(30):
            ch.send(i)
            yield_now()
            ch.recv()
        wg.done()

    async def main() -> int:
        wg = WaitGroup()
        ch: Chan[int] = Chan(4)
        wg.add(20)
        them = [go(works, i, ch, wg) for i in range(20)]
        for n in (3, 1, 4, 1, 2, 1):
            gomaxprocs(n)
            await asleep(0.001)
        await wg
        await until(lambda: all(g.is_dead() for g in them), "their end")
        return gosched.stats().stacks_aside

    assert place.run(main) == 0


def test_wake_ups_that_cross_with_parks(place: Place) -> None:
    """A waker outside comes at any moment: none is lost."""
    n = 300

    def waits(ch: Chan[int], back: Chan[int]) -> None:
        for value in ch:
            back.send(value)
        back.close()

    with Runtime(gomaxprocs=place.procs, stacks=place.stacks) as rt:
        ch, back = Chan[int](), Chan[int]()
        for _ in range(1):
            rt.go(waits, ch, back)
        for i in range(n):
            ch.send(i)
            assert back.recv() == i
        ch.close()
        assert list(back) == []


def test_a_mutex_among_bound_and_free(place: Place) -> None:
    inside: list[int] = []
    worst: list[int] = []

    def plain(mutex: Mutex, wg: WaitGroup) -> None:
        for _ in range(20):
            with mutex:
                inside.append(1)
                yield_now()
                worst.append(len(inside))
                inside.pop()
        wg.done()

    async def free(mutex: Mutex, wg: WaitGroup) -> None:
        for _ in range(20):
            async with mutex:
                inside.append(1)
                await ayield_now()
                worst.append(len(inside))
                inside.pop()
        wg.done()

    def main() -> None:
        mutex, wg = Mutex(), WaitGroup()
        wg.add(10)
        for i in range(10):
            go(plain if i % 2 else free, mutex, wg)
        wg.wait()

    place.run(main)
    assert worst == [1] * 200


def test_who_wakes_it_brings_it_home_and_no_thief_is_woken_for_it() -> None:
    """A pair on two threads: nobody but its home could run what is woken, so there is nothing to steal, turn after turn."""
    apart = 0

    def main() -> tuple[int, int]:
        there, back, wg = Chan[int](), Chan[int](), WaitGroup()
        steals, homes = [], set()

        def ping() -> None:
            for i in range(50):
                if i in (10, 49):
                    steals.append(sum(p.steals for p in gosched.stats().ps))
                there.send(i)
                back.recv()
            homes.add(current_m())

        def pong() -> None:
            for _ in range(50):
                back.send(there.recv())
            homes.add(current_m())

        wg.go(ping)
        wg.go(pong)
        wg.wait()
        return len(homes), steals[1] - steals[0]

    for seed in range(20):
        homes, stolen = virtual_run(main, gomaxprocs=2, seed=seed)
        if homes == 2:
            apart += 1
            assert stolen == 0
    assert apart > 5
