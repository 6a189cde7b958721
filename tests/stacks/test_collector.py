"""What only a stack that was set aside refers to is kept by the collector: a function that was deleted, a class, a module. On a free-threaded build
frames do not count such references, and the collector must be shown them (core/parked.h)."""

from __future__ import annotations

import gc
import sys
import threading
import types
import weakref
from typing import Any

import pytest

from gosched import Chan, Event, WaitGroup, go, yield_now
from tests.builds import BARE

from .places import Place, ended, parked

BODIES = {
    "function": "def body(ch):\n    return inner(ch)\ndef inner(ch):\n    return ch.recv() + len([1, 2])",
    "called from C": "def body(ch):\n    return sorted([0], key=lambda _: inner(ch))[0] + 3\ndef inner(ch):\n    return ch.recv()",
    "generator": "def body(ch):\n    return sum(inner(ch)) + 2\ndef inner(ch):\n    yield ch.recv()",
    "class": "class Thing:\n    two = 2\n    def run(self, ch):\n        return ch.recv() + self.two\ndef body(ch):\n    return Thing().run(ch)",
    "recursion": "def body(ch, n=40):\n    return body(ch, n - 1) if n else ch.recv() + 2",
    "way out": (
        "class Thing:\n    def __enter__(self):\n        pass\n    def __exit__(self, *_):\n        self.got = self.ch.recv()\n        return True\n"
        "def body(ch):\n    thing = Thing()\n    thing.ch = ch\n    with thing:\n        raise ValueError\n    return thing.got + 2"
    ),
    "exception": "def body(ch):\n    try:\n        raise ValueError(2)\n    except ValueError as error:\n        return ch.recv() + error.args[0]",
}


def churn() -> None:
    """Collections, and new objects of the kinds that would take the place of what was freed."""
    for _ in range(3):
        gc.collect()
        for _ in range(100):
            space: dict[str, Any] = {}
            exec(BODIES["class"], space)


def test_code_that_is_deleted_after_gc_freeze(place: Place) -> None:
    """Which hides from the collector all that there is, also what shows it the frames."""
    if BARE and place.light:
        pytest.skip("a pure build on a free-threaded Python shows the collector nothing; it has threads by default")
    gc.freeze()
    deleted_while_it_waits(place, "function")


@pytest.mark.slow
@pytest.mark.parametrize("kind", BODIES)
def test_code_that_is_deleted_while_it_waits(place: Place, kind: str) -> None:
    deleted_while_it_waits(place, kind)


def deleted_while_it_waits(place: Place, kind: str) -> None:
    def main() -> list[int]:
        got: list[int] = []
        chans: list[Chan[int]] = [Chan() for _ in range(5)]
        them, spaces = [], [dict[str, Any]() for _ in chans]
        for ch, space in zip(chans, spaces, strict=True):
            exec(BODIES[kind] + "\ndef main(ch, got):\n    got.append(body(ch))", space)
            them.append(go(space["main"], ch, got))
        parked(them)
        for space in spaces:
            space.clear()  # only the frames have it now
        churn()
        for ch in chans:
            ch.send(1)
        ended(them)
        return got

    assert place.run(main) == [3] * 5


class Waits:
    def __init__(self, gate: Event) -> None:
        gate.wait()


def test_an_object_that_waits_while_it_is_made(place: Place) -> None:
    """CPython calls an __init__ that it knows well by a frame of its own below it, which greenlet leaves out when it links those of a stack aside."""
    n = 20

    def make(gate: Event) -> Waits:
        return Waits(gate)

    def makes(gate: Event, done: WaitGroup) -> None:
        opened = Event()
        opened.set()
        for _ in range(50):  # so that it is known well, on this thread
            make(opened)
        make(gate)
        done.done()

    def main() -> None:
        gate, done = Event(), WaitGroup()
        done.add(n)
        them = [go(makes, gate, done) for _ in range(n)]
        parked(them)
        churn()
        gate.set()
        done.wait()

    place.run(main)


def test_a_module_that_is_reloaded_while_it_runs(place: Place) -> None:
    """The functions that wait are the old ones, with the old globals."""

    def load(answer: int) -> types.ModuleType:
        module = types.ModuleType("passing")
        exec(f"def ask(ch):\n    ch.recv()\n    return answer()\ndef answer():\n    return {answer}", module.__dict__)
        sys.modules["passing"] = module
        return module

    def main() -> list[int]:
        got: list[int] = []
        ch: Chan[int] = Chan()
        them = [go(lambda ask: got.append(ask(ch)), load(i).ask) for i in range(4)]
        parked(them)
        del sys.modules["passing"].ask
        del sys.modules["passing"]
        churn()
        for _ in them:
            ch.send(0)
        ended(them)
        return sorted(got)

    assert place.run(main) == [0, 1, 2, 3]


def test_what_is_done_is_let_go(place: Place) -> None:
    """The collector is shown what waits, and nothing else."""

    def main() -> list[bool]:
        refs: list[weakref.ref[Any]] = []
        for _ in range(3):
            space: dict[str, Any] = {}
            exec(BODIES["function"] + "\ndef main(ch, got):\n    got.append(body(ch))", space)
            ch: Chan[int] = Chan()
            g = go(space["main"], ch, [])
            refs += [weakref.ref(space["inner"]), weakref.ref(space["main"])]
            parked([g])
            ch.send(1)
            ended([g])
            del space, g
        for _ in range(3):
            yield_now()
            gc.collect()
        return [ref() is None for ref in refs]

    assert place.run(main) == [True] * 6


@pytest.mark.slow
def test_others_ask_what_is_there(place: Place) -> None:
    """gc.get_referents() and get_objects(), by a thread, while goroutines come and go: they walk the same lists."""
    over: list[int] = []
    looks: list[int] = []

    def look() -> None:
        while not over:
            looks.append(sum(len(gc.get_referents(thing)) for thing in gc.get_objects() if type(thing).__name__ == "Yards"))
            gc.collect(0)

    def main() -> int:
        wg = WaitGroup()
        gate = Event()

        def hops(n: int) -> None:
            for _ in range(n):
                yield_now()
            gate.wait()

        for _ in range(40):
            wg.go(hops, 50)
        for _ in range(400):
            yield_now()
        gate.set()
        wg.wait()
        return len(looks)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        place.run(main)
    finally:
        over.append(1)
        thread.join()
    assert looks
