"""Where the tests of this package run, and waiting in the plain spelling."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import gosched
from gosched import Event, Goroutine, go, sleep, yield_now
from tests.builds import COMPILED
from tests.stalls.waiting import Deadline

LONG_ON_PURE = pytest.mark.skipif(not COMPILED, reason="takes too long on the pure build")


class Place:
    """What a goroutine that waits keeps, its stack or its thread, and how many Ps there are."""

    def __init__(self, stacks: str, procs: int) -> None:
        self.stacks = stacks
        self.procs = procs
        self.light = stacks == "greenlet"

    def __repr__(self) -> str:
        return f"{self.stacks}, {self.procs} P"

    def run(self, main: Callable[..., Any], *args: Any, **options: Any) -> Any:
        return gosched.run(main, *args, stacks=self.stacks, gomaxprocs=self.procs, **options)


PLACES = [Place(stacks, procs) for stacks in ("greenlet", "thread") for procs in (1, 2)]


def wait_for(reached: Callable[[], object], what: str) -> None:
    """Yields until then, in the plain spelling."""
    deadline = Deadline(what)
    while not reached():
        deadline.check()
        yield_now()


def wait_slowly(reached: Callable[[], object], what: str) -> None:
    """The same with a sleep in between."""
    deadline = Deadline(what)
    while not reached():
        deadline.check()
        sleep(0.001)


def parked(goroutines: Iterable[Goroutine]) -> None:
    """Until all of them wait."""
    them = list(goroutines)
    wait_for(lambda: all(g.state == "waiting" for g in them), "all to be parked")


def beside(place: Place, gate: Event) -> list[Goroutine]:
    """Goroutines that wait for the gate; one of them is bound to the caller's thread, if goroutines share threads."""
    them, threads = list[Goroutine](), list[int]()

    def waits() -> None:
        threads.append(threading.get_ident())
        gate.wait()

    while not them or (place.light and threads[-1] != threading.get_ident()):  # another M may have taken it
        them.append(go(waits))
        parked(them)
    return them


def ended(goroutines: Iterable[Goroutine]) -> None:
    them = list(goroutines)
    wait_for(lambda: all(g.is_dead() for g in them), "all to end")
