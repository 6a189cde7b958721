"""Small programs through thousands of schedules. SCHEDULES is for all programs together; a failure prints its seed, and `replay` runs it again."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any

import pytest

from gosched.lab.explorer import Hub, Livelock, Program, Stuck, explore, replay
from gosched.lab.purecore import core_copy

from .mutations import race_lines
from .programs import PROGRAMS

pytestmark = pytest.mark.explore
EACH = max(10, int(os.environ.get("SCHEDULES", "2500")) // len(PROGRAMS))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_program(program: Program) -> None:
    with core_copy() as core:
        failure = explore(program, core, range(EACH))
    assert failure is None, f"{program.__name__}, {failure}"


def test_failure_replays() -> None:
    """The same seed fails in the same way, and another copy of core makes no difference."""
    line = next(r for r in race_lines() if r.code == "if not victim._advance(head, n):")
    steal = next(p for p in PROGRAMS if p.__name__ == "steal_against_pop")
    with core_copy(line.neutralise) as core:
        first = explore(steal, core, range(2000))
        assert first is not None
    with core_copy(line.neutralise) as core:
        again = replay(steal, core, first.seed)
    assert again is not None
    assert str(again) == str(first)
    assert str(first).startswith(f"seed {first.seed}: AssertionError")


def test_what_a_failed_schedule_leaves_waits_for_no_lock() -> None:
    """The collector closes it, some time or other, on whatever thread."""
    left: list[Generator[None, None, None]] = []

    def program(hub: Hub, core: Any) -> None:
        ch = core.chan.Channel()

        def waits() -> Generator[None, None, None]:
            try:
                yield
            finally:
                ch.acquire()

        def fails() -> None:
            ch.acquire()
            raise KeyError

        left.append(waits())
        next(left[0])
        hub.spawn("fails", fails)

    with core_copy() as core:
        failure = replay(program, core, 1)
        assert failure is not None
        assert isinstance(failure.error, KeyError)
        left.pop().close()


def test_a_lost_wake_up_is_stuck() -> None:
    def program(hub: Hub, core: object) -> None:
        note = core.native.Note()
        hub.spawn("sleeper", lambda: note.sleep(-1))

    with core_copy() as core:
        failure = replay(program, core, 0)
    assert failure is not None
    assert isinstance(failure.error, Stuck)


def test_endless_polling_is_a_livelock() -> None:
    def program(hub: Hub, core: object) -> None:
        def forever() -> None:
            while True:
                hub.point()

        hub.spawn("poller", forever)

    with core_copy() as core:
        failure = replay(program, core, 0, max_steps=500)
    assert failure is not None
    assert isinstance(failure.error, Livelock)
