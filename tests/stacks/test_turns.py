"""A hog on a thread to which others are bound: they get their turns, but never in the middle of what it holds."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import gosched
from gosched import Chan, Event, WaitGroup, asleep, go, yield_now
from gosched.core.native import current_m
from tests.builds import COMPILED, NEVER_TOLD
from tests.stalls.waiting import CAN_SUSPEND, PATIENCE, until, until_slowly

from .places import Place

pytestmark = [NEVER_TOLD, pytest.mark.skipif(not CAN_SUSPEND, reason="in a pure build of 3.11 a hog is not suspended in the middle of its code")]
ident = threading.get_ident


@pytest.fixture
def stop() -> Iterator[list[int]]:
    raised: list[int] = []
    yield raised
    raised.append(1)


async def soon(reached: Callable[[], object], what: str) -> None:
    """until_slowly, for what takes some tens of milliseconds, or for ever."""
    late = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < late, f"waited for {what}"
        await asleep(0.001)


def spins(stop: list[int]) -> None:
    while not stop:
        pass


def calls(stop: list[int]) -> None:
    def inner(x: int) -> int:
        return x + 1

    n = 0
    while not stop:
        n = inner(n)


def in_try_except(stop: list[int]) -> None:
    try:
        while not stop:
            try:
                int("x")
            except ValueError:
                pass
    except KeyError:
        pass


def in_a_generator(stop: list[int]) -> None:
    def steps() -> Iterator[int]:
        while not stop:
            yield 1

    sum(steps())


@pytest.mark.parametrize("hog", [spins, calls, in_try_except, in_a_generator])
def test_a_bound_one_gets_its_turns(place: Place, hog: Callable[[list[int]], None], stop: list[int]) -> None:
    """It was bound to the hog's thread before; others wake it all the time."""
    homes: dict[str, int] = {}

    def bound(ch: Chan[int], log: list[int]) -> None:
        homes["bound"] = ident()
        for value in ch:
            log.append(value)  # noqa: PERF402

    def burns() -> None:
        figures = gosched.stats()
        homes["moved"] = figures.preemptions + sum(p.retakes for p in figures.ps)
        homes["hog"] = ident()
        hog(stop)

    async def main() -> list[int]:
        log: list[int] = []
        ch: Chan[int] = Chan(20)
        g = go(bound, ch, log)
        await until(lambda: g.state == "waiting", "it to wait")
        burning = go(burns)
        await until_slowly(lambda: "hog" in homes, "the hog")
        for i in range(5):
            await ch.asend(i)
            await soon(lambda i=i: len(log) > i, "its turn")  # type: ignore[misc]
        stop.append(1)
        await until_slowly(burning.is_dead, "the hog's end")
        return log

    assert place.run(main) == list(range(5))
    if place.procs == 1 and place.light and not homes["moved"]:  # race: main may lose the P to another M, before or after the bound one runs
        assert homes["bound"] == homes["hog"]


class Deaf:
    """Loses three questions: late, very late, when the P is taken, and the first one after that."""

    def __init__(self, asker: Any) -> None:
        self.asker = asker
        self.cheap = asker.cheap
        self.lost = 0

    def ask(self, m: Any) -> bool:
        if self.lost < 3:
            self.lost += 1
            return True
        return bool(self.asker.ask(m))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.asker, name)


def test_a_lost_question_is_asked_again(place: Place, stop: list[int]) -> None:
    """The hog has no P any more, so that sysmon sees it no more, and the bound one can run on its thread alone."""
    if not place.light:
        pytest.skip("nobody is bound to another one's thread")

    def bound(ch: Chan[int], log: list[int]) -> None:
        for value in ch:
            log.append(value)  # noqa: PERF402

    def burns(begun: list[int]) -> None:
        begun.append(1)
        spins(stop)

    async def main() -> int:
        host = current_m().sched.host
        host.asker = deaf = Deaf(host.asker)
        log: list[int] = []
        ch: Chan[int] = Chan(1)
        g = go(bound, ch, log)
        await until(lambda: g.state == "waiting", "it to wait")
        begun: list[int] = []
        burning = go(burns, begun)
        await until_slowly(lambda: begun, "the hog")
        await ch.asend(1)
        await soon(lambda: log, "its turn")
        stop.append(1)
        await until_slowly(burning.is_dead, "the hog's end")
        return deaf.lost

    lost = place.run(main)
    assert lost == 3 or place.procs > 1  # with more, they may not have met


@pytest.mark.parametrize("n", [1, 3])
def test_hogs_take_turns_with_plain_yielders(place: Place, n: int, stop: list[int]) -> None:
    if place.light and n > 1 and not COMPILED:
        pytest.skip("a pure build cannot ask a thread again while a hog that it asked is set aside there")

    def yields(log: list[int]) -> None:
        for _ in range(5):
            log.append(1)
            yield_now()

    async def main() -> int:
        log: list[int] = []
        hogs = [go(spins, stop) for _ in range(n)]
        others = [go(yields, log) for _ in range(2)]
        await soon(lambda: len(log) == 10, "the others")
        stop.append(1)
        await until_slowly(lambda: all(g.is_dead() for g in [*hogs, *others]), "all ends")
        return gosched.stats().stacks_aside

    assert place.run(main) == 0


def test_a_hog_that_was_parked_before(place: Place, stop: list[int]) -> None:
    """It is bound itself, and burns after it was woken."""

    def burns(gate: Event, begun: list[int]) -> None:
        gate.wait()
        begun.append(1)
        spins(stop)

    def bound(ch: Chan[int], log: list[int]) -> None:
        for value in ch:
            log.append(value)  # noqa: PERF402

    async def main() -> list[int]:
        gate, begun, log = Event(), list[int](), list[int]()
        ch: Chan[int] = Chan(5)
        them = [go(burns, gate, begun), go(bound, ch, log)]
        await until(lambda: all(g.state == "waiting" for g in them), "both to wait")
        gate.set()
        await until_slowly(lambda: begun, "the hog")
        for i in range(3):
            await ch.asend(i)
            await soon(lambda i=i: len(log) > i, "its turn")  # type: ignore[misc]
        stop.append(1)
        await until_slowly(them[0].is_dead, "the hog's end")
        return log

    assert place.run(main) == [0, 1, 2]


def burn(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def with_block(lock: Any, inside: list[int]) -> None:
    with lock:
        inside.append(1)
        burn(0.025)
        inside.pop()


def finally_block(lock: Any, inside: list[int]) -> None:
    lock.acquire()
    try:
        inside.append(1)
        burn(0.025)
    finally:
        inside.pop()
        lock.release()


def in_a_call(lock: Any, inside: list[int]) -> None:
    with lock:
        inside.append(1)
        for _ in range(2):
            deeper()
        inside.pop()


def deeper() -> None:
    try:
        burn(0.012)
    except ValueError:
        pass


def in_a_handler(lock: Any, inside: list[int]) -> None:
    with lock:
        try:
            raise ValueError
        except ValueError:
            inside.append(1)
            burn(0.025)
            inside.pop()


@pytest.mark.slow
@pytest.mark.parametrize("holds", [with_block, finally_block, in_a_call, in_a_handler])
def test_an_rlock_is_never_shared(place: Place, holds: Callable[[Any, list[int]], None]) -> None:
    """Whoever has it on this thread while the hog is inside would have got it because an RLock knows threads only."""
    lock, inside, shared, turns = threading.RLock(), list[int](), list[int](), list[int]()

    def hog() -> None:
        for _ in range(5):
            holds(lock, inside)
            burn(0.012)

    def neighbour(ch: Chan[int]) -> None:
        for _ in ch:
            turns.append(1)
            if lock.acquire(blocking=False):
                if inside:
                    shared.append(1)
                lock.release()

    async def main() -> None:
        ch: Chan[int] = Chan()
        g = go(neighbour, ch)
        await until(lambda: g.state == "waiting", "it to wait")
        burning = go(hog)
        while not burning.is_dead():
            await ch.asend(1)
            await asleep(0.001)  # not a chain of two that ready each other: the hog has its turns
        ch.close()
        await until_slowly(g.is_dead, "the neighbour's end")

    place.run(main)
    assert shared == []
    assert turns


def test_a_crowd_of_hogs_and_waits(place: Place) -> None:
    """Each burns for more than a slice between its waits: sums are right."""
    total: list[int] = []

    def works(i: int, ch: Chan[int], wg: WaitGroup) -> None:
        n = 0
        for k in range(3):
            burn(0.011)
            ch.send(k)
            n += ch.recv()
            yield_now()
        total.append(n)
        wg.done()

    async def main() -> int:
        wg = WaitGroup()
        ch: Chan[int] = Chan(10)
        wg.add(8)
        for i in range(8):
            go(works, i, ch, wg)
        await wg
        return len(ch)

    assert place.run(main) == 0
    assert sum(total) == 24


# ---- the edges of a block ----


def tight_with(lock: Any, stop: list[int]) -> None:
    while not stop:
        with lock:
            pass


def tight_finally(lock: Any, stop: list[int]) -> None:
    while not stop:
        lock.acquire()
        try:
            len(stop)  # something: of an empty block 3.11 leaves no trace
        finally:
            lock.release()


def tight_manager(lock: Any, stop: list[int]) -> None:
    @contextlib.contextmanager
    def held() -> Iterator[None]:
        with lock:
            yield

    while not stop:
        with held():
            pass


@pytest.mark.slow
@pytest.mark.parametrize("hog", [tight_with, tight_finally, tight_manager])
def test_an_rlock_is_not_shared_at_the_edges(hog: Callable[[Any, list[int]], None], stop: list[int]) -> None:
    """A loop that takes the lock and gives it back: its neighbour on the thread never owns it."""
    pytest.importorskip("greenlet")
    lock: Any = threading.RLock()
    owned: list[bool] = []

    def neighbour(ch: Chan[int]) -> None:
        for _ in ch:
            owned.append(lock._is_owned())

    async def main() -> None:
        ch: Chan[int] = Chan()
        g = go(neighbour, ch)
        await until(lambda: g.state == "waiting", "it to wait")
        burning = go(hog, lock, stop)
        for _ in range(60):
            await ch.asend(1)
            await asleep(0.001)
        stop.append(1)
        ch.close()
        await until_slowly(lambda: g.is_dead() and burning.is_dead(), "their ends")

    gosched.run(main, gomaxprocs=1, stacks="greenlet")
    assert owned == [False] * 60
