"""lock_os_thread and go(thread=True) beside goroutines that have their stacks on the same thread."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import gosched
from gosched import Chan, Event, WaitGroup, ayield_now, go, lock_os_thread, sleep, unlock_os_thread, yield_now
from tests.stalls.waiting import until, until_slowly

from .places import Place, ended, parked

ident = threading.get_ident


def test_a_thread_that_is_home_to_others(place: Place) -> None:
    """They were bound to it before it was locked, and go on there meanwhile."""
    idents: dict[str, set[int]] = {"locker": set(), "others": set(), "new": set()}

    def other(ch: Chan[int], log: list[int]) -> None:
        for value in ch:
            idents["others"].add(ident())
            log.append(value)

    def locker(begun: Event, ch: Chan[int]) -> None:
        lock_os_thread()
        begun.set()
        for i in range(10):
            idents["locker"].add(ident())
            ch.send(i)
            sleep(0.0005)
            yield_now()
        unlock_os_thread()

    def main() -> list[int]:
        ch: Chan[int] = Chan()
        log: list[int] = []
        them = [go(other, ch, log) for _ in range(4)]
        parked(them)
        begun = Event()
        g = go(locker, begun, ch)
        begun.wait()
        for _ in range(10):
            ended([go(lambda: idents["new"].add(ident()))])
        ended([g])
        ch.close()
        ended(them)
        return sorted(log)

    assert place.run(main) == list(range(10))
    assert len(idents["locker"]) == 1


def test_nothing_new_runs_on_a_locked_thread(place: Place) -> None:
    mine: list[int] = []
    others: set[int] = set()

    def locker(begun: Event, over: Event) -> None:
        lock_os_thread()
        mine.append(ident())
        begun.set()
        over.wait()
        unlock_os_thread()

    async def main() -> None:
        begun, over, wg = Event(), Event(), WaitGroup()
        waiting = [go(over.wait) for _ in range(3)]
        await until(lambda: all(g.state == "waiting" for g in waiting), "them to wait")
        g = go(locker, begun, over)
        await begun
        for _ in range(30):
            wg.go(lambda: others.add(ident()))
            await ayield_now()
        await wg
        over.set()
        await until_slowly(lambda: g.is_dead() and all(w.is_dead() for w in waiting), "all ends")

    place.run(main)
    assert not others & set(mine)


@pytest.mark.parametrize("kind", ["plain", "async"])
def test_it_nests(place: Place, kind: str) -> None:
    idents: set[int] = set()

    def plain() -> None:
        lock_os_thread()
        lock_os_thread()
        idents.add(ident())
        yield_now()
        unlock_os_thread()
        idents.add(ident())
        sleep(0.0005)
        idents.add(ident())
        unlock_os_thread()
        unlock_os_thread()
        yield_now()

    async def mixed() -> None:
        lock_os_thread()
        lock_os_thread()
        idents.add(ident())
        yield_now()
        await ayield_now()
        idents.add(ident())
        unlock_os_thread()
        await ayield_now()
        idents.add(ident())
        yield_now()
        idents.add(ident())
        unlock_os_thread()
        await ayield_now()

    def main() -> int:
        gate = Event()
        others = [go(gate.wait) for _ in range(3)]
        parked(others)
        ended([go(plain if kind == "plain" else mixed)])
        gate.set()
        ended(others)
        return gosched.stats().stacks_aside

    assert place.run(main) == 0
    assert len(idents) == 1


@pytest.mark.parametrize("kind", ["plain", "async"])
def test_ending_locked_while_others_are_bound_there(place: Place, kind: str) -> None:
    """They go on, on their thread; when the last is gone nothing is left of it."""
    wrong: list[str] = []
    log: list[int] = []

    def other(ch: Chan[int]) -> None:
        home = ident()
        for value in ch:
            log.append(value)
            if ident() != home:
                wrong.append("moved")

    def ends_locked() -> None:
        lock_os_thread()
        yield_now()

    async def ends_locked_async() -> None:
        lock_os_thread()
        yield_now()
        await ayield_now()

    async def main() -> int:
        channels: list[Chan[int]] = [Chan() for _ in range(4)]
        them = [go(other, ch) for ch in channels]
        await until(lambda: all(g.state == "waiting" for g in them), "them to wait")
        for _ in range(3):
            g = go(ends_locked if kind == "plain" else ends_locked_async)
            await until_slowly(g.is_dead, "its end")
            for i, ch in enumerate(channels):
                await ch.asend(i)
        for ch in channels:
            ch.close()
        await until_slowly(lambda: all(g.is_dead() for g in them), "their ends")
        return gosched.stats().stacks_aside

    assert place.run(main) == 0
    assert sorted(log) == sorted([0, 1, 2, 3] * 3)
    assert wrong == []


def test_a_thread_of_its_own(place: Place) -> None:
    """go(thread=True) with a plain body that waits in every way: always on its thread, which is nobody else's."""
    idents: list[set[int]] = [set() for _ in range(6)]
    others: set[int] = set()

    def body(i: int, ch: Chan[int], wg: WaitGroup) -> None:
        for _ in range(10):
            idents[i].add(ident())
            ch.send(i)
            idents[i].add(ident())
            sleep(0.0002)
            idents[i].add(ident())
            yield_now()
        wg.done()

    def main() -> int:
        ch: Chan[int] = Chan()
        wg = WaitGroup()
        wg.add(6)
        them = [go(body, i, ch, wg, thread=True) for i in range(6)]
        for _ in range(60):
            ch.recv()
            others.add(ident())
        wg.wait()
        ended(them)
        return gosched.stats().stacks_aside

    assert place.run(main) == 0
    assert [len(seen) for seen in idents] == [1] * 6
    assert len(set.union(*idents)) == 6


def test_a_thread_of_its_own_that_is_told_to_end(place: Place) -> None:
    log: list[int] = []

    def body(i: int) -> None:
        try:
            Event().wait()
        finally:
            log.append(i)

    def main() -> None:
        parked([go(body, i, thread=True) for i in range(5)])

    place.run(main)
    assert sorted(log) == list(range(5))


def test_a_locked_main(place: Place) -> None:
    def adds(ch: Chan[int], i: int) -> None:
        yield_now()
        ch.send(i)

    def main() -> tuple[int, bool]:
        lock_os_thread()
        mine = ident()
        ch: Chan[int] = Chan()
        for i in range(20):
            go(adds, ch, i)
        return sum(ch.recv() for _ in range(20)), ident() == mine

    assert place.run(main) == (190, True)


def test_locked_ones_that_talk(place: Place) -> None:
    def player(mine: Chan[int], other: Chan[int], log: list[Any]) -> None:
        lock_os_thread()
        home = ident()
        for value in mine:
            if value == 200:
                break
            other.send(value + 1)
            if ident() != home:
                log.append("moved")
        other.close()

    def main() -> list[Any]:
        log: list[Any] = []
        pairs = []
        for _ in range(3):
            one, two = Chan[int](1), Chan[int](1)
            pairs += [go(player, one, two, log), go(player, two, one, log)]
            one.send(0)
        ended(pairs)
        return log

    assert place.run(main) == []
