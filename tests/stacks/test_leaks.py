"""No stack outlives its goroutine, nor anything that was on it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched import Chan, Event, Goexit, ayield_now, go, sleep, yield_now
from gosched.core.states import POOL

from .places import Place, ended, parked, wait_for, wait_slowly


class Mark:
    """Lives as long as a frame has it."""

    other: Mark | None = None


def figures() -> tuple[int, int]:
    found = gosched.stats()
    return found.stacks_aside, found.stacks_spare


def test_the_counts(place: Place) -> None:
    def main() -> list[Any]:
        gate = Event()
        them = [go(gate.wait) for _ in range(200)]
        parked(them)
        wait_for(lambda: not place.light or figures()[0] >= 200, "the stacks to be set aside")
        during = figures()[0]
        gate.set()
        ended(them)
        return [during, *figures(), gosched.stats().threads]

    during, aside, spare, threads = place.run(main)
    assert during in ((200, 201) if place.light else (0,))
    assert aside == 0
    assert spare <= POOL * threads
    if not place.light:
        assert spare == 0


def test_main_is_counted_too(light: Place) -> None:
    """While it asks it is on its own stack; another one sees it waiting."""

    def asks(main: gosched.Goroutine, answers: Chan[int]) -> None:
        wait_for(lambda: main.state == "waiting" and figures()[0], "main to be set aside")  # it may lose its P, or stand, before it waits
        answers.send(figures()[0])

    def main() -> int:
        answers: Chan[int] = Chan()
        go(asks, gosched.current(), answers)
        return answers.recv()

    assert light.run(main) == 1


def waits(gate: Event) -> None:
    gate.wait()


def fails(gate: Event) -> None:
    gate.wait()
    raise LookupError


def fails_in_except(gate: Event) -> None:
    try:
        raise KeyError
    except KeyError:
        gate.wait()
        raise


def leaves(gate: Event) -> None:
    gate.wait()
    raise Goexit


def waits_again(gate: Event) -> None:
    for _ in range(10):
        yield_now()
    gate.wait()
    sleep(0.0005)


ENDINGS = [waits, fails, fails_in_except, leaves, waits_again]


@pytest.mark.slow
@pytest.mark.parametrize("body", ENDINGS)
@pytest.mark.parametrize("cycle", [False, True], ids=["alone", "in a cycle"])
def test_what_was_on_it_is_dropped(place: Place, body: Callable[[Event], None], cycle: bool) -> None:
    marks: list[weakref.ref[Mark]] = []

    def has_one(gate: Event) -> None:
        mark = Mark()
        if cycle:
            mark.other = mark
        marks.append(weakref.ref(mark))
        body(gate)
        del mark

    async def has_one_async(gate: Event) -> None:
        mark = Mark()
        if cycle:
            mark.other = mark
        marks.append(weakref.ref(mark))
        body(gate)
        await ayield_now()
        del mark

    def main() -> list[Any]:
        gate = Event()
        them = [go(has_one_async if i % 2 else has_one, gate) for i in range(20)]
        parked(them)
        alive = sum(mark() is not None for mark in marks)
        gate.set()
        ended(them)
        gc.collect()
        wait_slowly(lambda: not any(mark() for mark in marks), "the marks to go")
        return [alive, figures()[0]]

    assert place.run(main, on_uncaught=lambda g, error: None) == [20, 0]


def test_without_a_cycle_no_collector_is_needed(light: Place) -> None:
    marks: list[weakref.ref[Mark]] = []

    def has_one(gate: Event) -> None:
        mark = Mark()
        marks.append(weakref.ref(mark))
        gate.wait()
        del mark

    def main() -> int:
        gate = Event()
        them = [go(has_one, gate) for _ in range(20)]
        parked(them)
        gate.set()
        ended(them)
        wait_for(lambda: not any(mark() for mark in marks), "the marks to go")
        return figures()[0]

    gc.collect()
    gc.disable()
    try:
        assert light.run(main) == 0
    finally:
        gc.enable()


def test_after_the_program(place: Place) -> None:
    """Those that were unwound at its end: nothing of them is left, nor of the runtime."""
    marks: list[weakref.ref[Mark]] = []

    def has_one() -> None:
        mark = Mark()
        mark.other = mark
        marks.append(weakref.ref(mark))
        Event().wait()
        del mark

    def main() -> None:
        parked([go(has_one) for _ in range(100)])

    for _ in range(3):
        place.run(main)
    gc.collect()
    assert len(marks) == 300
    assert not any(mark() for mark in marks)


def test_spare_ones_are_bounded(light: Place) -> None:
    def main() -> list[int]:
        spare = []
        for _ in range(3):
            gate = Event()
            them = [go(gate.wait) for _ in range(5 * POOL)]
            parked(them)
            gate.set()
            ended(them)
            spare.append(figures()[1] - POOL * gosched.stats().threads)
        return spare

    assert max(light.run(main)) <= 0


def test_dead_ones_are_not_kept(light: Place) -> None:
    import greenlet

    def main() -> tuple[int, int]:
        gate = Event()
        them = [go(gate.wait) for _ in range(5 * POOL)]
        parked(them)
        gate.set()
        ended(them)
        gc.collect()
        found = [thing for thing in gc.get_objects() if isinstance(thing, greenlet.greenlet)]
        return sum(thing.dead for thing in found), len(found) - POOL * gosched.stats().threads

    gc.collect()
    before = [thing.dead for thing in gc.get_objects() if isinstance(thing, greenlet.greenlet)]
    dead, more = light.run(main)
    assert dead <= sum(before) + 2 * POOL
    assert more <= len(before) + POOL


# ---- the collector ----


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", "async"])
def test_a_collection_while_stacks_are_aside(place: Place, kind: str) -> None:
    """By another goroutine: what is on them stays, and their cycles are found afterwards."""
    marks: list[weakref.ref[Mark]] = []

    def has_one(gate: Event, log: list[bool]) -> None:
        mark = Mark()
        mark.other = Mark()
        mark.other.other = mark
        marks.append(weakref.ref(mark))
        numbers = [object() for _ in range(10)]
        for _ in range(3):
            gate.wait()
            yield_now()
            log.append(mark.other is not None and mark.other.other is mark and len(numbers) == 10)

    def collects() -> None:
        for _ in range(3):
            gc.collect()
            yield_now()

    async def acollects() -> None:
        for _ in range(3):
            gc.collect()
            await ayield_now()

    def main() -> tuple[int, list[bool]]:
        gate, log = Event(), list[bool]()
        them = [go(has_one, gate, log) for _ in range(20)]
        parked(them)
        ended([go(collects if kind == "plain" else acollects)])
        alive = sum(mark() is not None for mark in marks)
        gate.set()
        ended([*them, go(collects if kind == "plain" else acollects)])
        gc.collect()
        wait_slowly(lambda: (gc.collect(), not any(mark() for mark in marks))[1], "the marks to go")
        return alive, log

    assert place.run(main) == (20, [True] * 60)


@pytest.mark.slow
def test_a_collection_while_special_methods_wait(place: Place) -> None:
    """C holds what it calls: it must still be there afterwards."""

    class Slow:
        def __init__(self, ch: Chan[int]) -> None:
            self.ch = ch

        def __getitem__(self, i: int) -> int:
            return self.ch.recv() * 0 + i

        def __next__(self) -> int:
            return self.ch.recv()

        def __eq__(self, other: object) -> bool:
            return self.ch.recv() >= 0

        def __hash__(self) -> int:
            return self.ch.recv() * 0

    def uses(ch: Chan[int], log: list[bool]) -> None:
        for _ in range(3):
            slow = Slow(ch)
            log.append(slow[3] == 3)
            log.append(next(slow) >= 0)
            log.append(slow == 1)
            log.append({slow: 1}[slow] == 1)

    def feeds(ch: Chan[int], over: Event) -> None:
        while not over.is_set():
            gosched.select((ch.send, 1), timeout=0.0005)

    def main() -> list[bool]:
        ch: Chan[int] = Chan()
        over, log = Event(), list[bool]()
        them = [go(uses, ch, log) for _ in range(10)]
        feeder = go(feeds, ch, over)
        while not all(g.is_dead() for g in them):
            gc.collect()
            yield_now()
        over.set()
        ended([feeder])
        return log

    assert place.run(main) == [True] * 120


def test_finalisers_that_wait(place: Place) -> None:
    """A collection runs them: who asked for it waits with them, the others go on."""
    log: list[str] = []

    class Last:
        def __init__(self, ch: Chan[str]) -> None:
            self.ch = ch
            self.me = self

        def __del__(self) -> None:
            log.append(self.ch.recv())

    def makes(ch: Chan[str]) -> None:
        yield_now()
        Last(ch)
        yield_now()

    def feeds(ch: Chan[str]) -> None:
        for _ in range(10):
            ch.send("fed")

    def main() -> int:
        ch: Chan[str] = Chan()
        ended([go(makes, ch) for _ in range(10)])
        feeder = go(feeds, ch)
        gc.collect()
        wait_slowly(lambda: len(log) == 10, "the finalisers")
        ended([feeder])
        return figures()[0]

    gc.disable()  # so that the collection is ours, in a goroutine
    try:
        assert place.run(main) == 0
    finally:
        gc.enable()
    assert log == ["fed"] * 10


def test_the_goroutine_itself_goes(place: Place) -> None:
    """A dead one that somebody keeps refers to nothing."""
    marks: list[weakref.ref[Mark]] = []

    def body(mark: Mark, gate: Event) -> None:
        gate.wait()

    def main() -> list[gosched.Goroutine]:
        gate = Event()
        them = []
        for _ in range(10):
            mark = Mark()
            marks.append(weakref.ref(mark))
            them.append(go(body, mark, gate))
        del mark
        parked(them)
        gate.set()
        ended(them)
        wait_for(lambda: not any(mark() for mark in marks), "the arguments to go")
        return them

    assert len(place.run(main)) == 10
