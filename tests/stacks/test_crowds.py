"""Many stacks at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched import Chan, Event, WaitGroup, ayield_now, go, yield_now
from tests.stalls.waiting import until_slowly

from .places import LONG_ON_PURE, Place

N = 100_000


@pytest.mark.slow
@LONG_ON_PURE
def test_a_hundred_thousand_on_one_channel(light: Place) -> None:
    """All are parked; it is closed; all end."""
    n = N

    def waits(ch: Chan[int], started: WaitGroup, done: WaitGroup) -> None:
        started.done()
        _, ok = ch.recv_ok()
        assert not ok
        done.done()

    async def main() -> tuple[int, int, int]:
        ch: Chan[int] = Chan()
        started, done = WaitGroup(), WaitGroup()
        started.add(n)
        done.add(n)
        for _ in range(n):
            go(waits, ch, started, done)
        await started
        await until_slowly(lambda: gosched.stats().stacks_aside == n, "all to be set aside")
        during = gosched.stats().stacks_aside
        ch.close()
        await done
        await until_slowly(lambda: gosched.num_goroutine() == 1, "the last one's end")
        figures = gosched.stats()
        return during, figures.stacks_aside, figures.threads

    during, after, threads = light.run(main)
    assert (during, after) == (n, 0)
    assert threads < 10


def down(n: int, bottom: Callable[[], Any]) -> int:
    if n == 0:
        bottom()
        return 0
    return 1 + down(n - 1, bottom)


async def adown(n: int, gate: Event) -> int:
    if n == 0:
        await gate
        return 0
    return 1 + await adown(n - 1, gate)


@pytest.mark.slow
@LONG_ON_PURE
@pytest.mark.parametrize("kind", ["plain", "async"])
def test_thousands_that_are_deep_down(light: Place, kind: str) -> None:
    """500 calls deep each, parked at the bottom."""
    n, depth = 10_000 if kind == "plain" else 4_000, 500

    def plain(gate: Event, started: WaitGroup, done: WaitGroup, total: list[int]) -> None:
        def bottom() -> None:
            started.done()
            gate.wait()

        total.append(down(depth, bottom))
        done.done()

    async def deep(gate: Event, started: WaitGroup, done: WaitGroup, total: list[int]) -> None:
        started.done()
        total.append(await adown(depth, gate))
        done.done()

    async def main() -> int:
        gate, started, done = Event(), WaitGroup(), WaitGroup()
        total: list[int] = []
        started.add(n)
        done.add(n)
        for _ in range(n):
            go(plain if kind == "plain" else deep, gate, started, done, total)
        await started
        gate.set()
        await done
        await until_slowly(lambda: gosched.num_goroutine() == 1, "the last one's end")
        assert gosched.stats().stacks_aside == 0
        return sum(total)

    assert light.run(main) == n * depth


@LONG_ON_PURE
def test_a_crowd_in_a_ring(light: Place) -> None:
    """Each passes a number on to the next, bound and free ones in turn."""
    n = 2000

    def passes(mine: Chan[int], other: Chan[int]) -> None:
        for value in mine:
            other.send(value + 1)

    async def apasses(mine: Chan[int], other: Chan[int]) -> None:
        async for value in mine:
            await other.asend(value + 1)

    def main() -> list[int]:
        first: Chan[int] = Chan()
        last = first
        for i in range(n):
            after: Chan[int] = Chan()
            go(apasses if i % 3 == 0 else passes, last, after)
            last = after
        got = []
        for i in range(5):
            first.send(i)
            got.append(last.recv())
        return got

    assert light.run(main) == [n + i for i in range(5)]


def test_outside_threads_and_bound_ones(place: Place) -> None:
    """Threads send and receive on the channels that goroutines wait on."""
    n, each = 8, 100
    got: list[int] = []
    lock = threading.Lock()

    def relays(one: Chan[int], two: Chan[int]) -> None:
        for value in one:
            two.send(value)

    def sends(one: Chan[int], i: int) -> None:
        for k in range(each):
            one.send(i * each + k)

    def receives(two: Chan[int]) -> None:
        for value in two:
            with lock:
                got.append(value)

    one, two = Chan[int](), Chan[int](2)
    takers = [threading.Thread(target=receives, args=(two,)) for _ in range(3)]
    senders = [threading.Thread(target=sends, args=(one, i)) for i in range(n)]

    def closes(wg: WaitGroup) -> None:
        wg.wait()
        two.close()

    async def main() -> None:
        wg = WaitGroup()
        for _ in range(6):
            wg.go(relays, one, two)
        go(closes, wg)
        await until_slowly(lambda: not any(thread.is_alive() for thread in senders), "the senders")
        one.close()
        await until_slowly(lambda: not any(thread.is_alive() for thread in takers), "the takers")

    for thread in takers + senders:
        thread.start()
    place.run(main)
    assert sorted(got) == list(range(n * each))


def test_spawning_from_bound_ones(place: Place) -> None:
    """A tree: each waits for its children by the plain spelling."""

    def node(depth: int, out: Chan[int]) -> None:
        if depth == 0:
            yield_now()
            out.send(1)
            return
        inner: Chan[int] = Chan()
        for i in range(3):
            go(anode if i == 1 else node, depth - 1, inner)
        out.send(1 + sum(inner.recv() for _ in range(3)))

    async def anode(depth: int, out: Chan[int]) -> None:
        if depth == 0:
            await ayield_now()
            out.send(1)
            return
        inner: Chan[int] = Chan()
        for i in range(3):
            go(node if i == 1 else anode, depth - 1, inner)
        await out.asend(1 + inner.recv() + await inner.arecv() + inner.recv())

    def main() -> int:
        out: Chan[int] = Chan()
        go(node, 4, out)
        return out.recv()

    assert place.run(main) == sum(3**i for i in range(5))
