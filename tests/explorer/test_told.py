"""What is told, is told in time: in every schedule, the events in the order in which they were written are a legal history.

A real trace has a trail for each M, and clocks to merge them by; its reader forgives a little (trace/replay.py). Here there is one trail, whose order
is the truth, and nothing is forgiven but what events.py allows: PROC_STEAL may come late. A word that is told after others can see what it tells of
is found, as the broken versions below prove.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest

from gosched.core.events import E_PROC_LOST
from gosched.lab.explored import ExploredHost
from gosched.lab.explorer import Failure, Hub, Program, explore
from gosched.lab.purecore import core_copy
from gosched.trace.files import Event, Piece, decode, encode_event, head
from gosched.trace.replay import IllegalTrace, Replay, Trail
from gosched.trace.things import Step

from .programs import PROGRAMS

pytestmark = [pytest.mark.explore, pytest.mark.timeout(600)]
EACH = max(10, int(os.environ.get("SCHEDULES", "2500")) // len(PROGRAMS) // 5)


class StrictReplay(Replay):
    """Only who waits for a PROC_STEAL, or for what such a one will tell, may wait."""

    def refused(self, trail: Trail, event: Event, complaint: str) -> Step | None:
        heads = [event, *(other.head for other in self.waiting if other.head is not None)]
        if all(kind != E_PROC_LOST for _, _, kind, _ in heads):
            raise IllegalTrace(event, trail.number, 0, complaint)
        return super().refused(trail, event, complaint)


@contextmanager
def written_down(hosts: list[ExploredHost]) -> Iterator[None]:
    """The schedulers that are made meanwhile tell what happens."""
    begin = ExploredHost.__init__

    def init(self: ExploredHost, *args: Any, **options: Any) -> None:
        begin(self, *args, **options)
        trails = self.core.trail.Trails(1 << 40, one=True)
        trails.set_clock(1)
        self.sched.write_down(trails)
        hosts.append(self)

    with mock.patch.object(ExploredHost, "__init__", init):
        yield


def told(program: Program) -> Program:
    """The program, whose history must be legal in the end, beside what it checks itself."""

    def run(hub: Hub, core: Any) -> Callable[[], None]:
        hosts: list[ExploredHost] = []
        with written_down(hosts):
            check = program(hub, core)

        def both() -> None:
            if check is not None:
                check()
            for host in hosts:
                play(host.sched.trails)

        return both

    run.__name__ = program.__name__
    return run


def play(trails: Any) -> None:
    """Each event at a time of its own, in a trail of its writer's."""
    replay = StrictReplay(begun=0, strings=trails.strings, name="a schedule")
    by_writer: dict[int, list[tuple[int, Event]]] = defaultdict(list)
    events = (event for _, begun, who, _, data, _ in trails.all[0].pieces(0, 0) for event in decode(head(begun, who) + data))
    for at, event in enumerate(events, 1):
        by_writer[event[1]].append((at, event))
    for number, (who, line) in enumerate(by_writer.items()):
        times = [0, *(at for at, _ in line)]
        data = b"".join(encode_event(kind, at - before, args) for before, (at, (_, _, kind, args)) in zip(times, line, strict=False))
        replay.feed(Piece(number, head(0, who) + data))
    replay.close()
    replay.play()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_a_legal_history(program: Program) -> None:
    with core_copy() as core:
        failure = explore(told(program), core, range(EACH))
    assert failure is None, f"{program.__name__}, {failure}"


# A module, lines of it, and the same in the wrong order.
TELLS = "    if m.trail is not None:\n        "
LATE = {
    "a wait that others can end": (
        "execute",
        f"{TELLS}tell_yield(m, g)\n",
        "",
        "    elif g.state_now() == PARKING and g.swap_state(PARKING, PARKED):\n",
        "    elif g.state_now() == PARKING and g.swap_state(PARKING, PARKED) and (m.trail is None or tell_block(m, g) or True):\n",
    ),
    "one that was woken, and can be taken": (
        "park",
        "            if m.trail is not None:\n                m.trail.tell2(m.who, E_GO_UNBLOCK, g.id, g.waker)\n",
        "",
        "            submit(m, g)\n",
        "            submit(m, g)\n            m.trail.tell2(m.who, E_GO_UNBLOCK, g.id, g.waker)\n",
    ),
    "a new one, that can be taken": (
        "spawn",
        f"{TELLS}tell_create(m, g, number)\n",
        "",
        "        submit(m, g)\n",
        "        submit(m, g)\n        tell_create(m, g, number)\n",
    ),
    "a P that is idle": (
        "findrun",
        f"{TELLS}m.trail.tell(m.who, E_PROC_STOP)\n    m.sched.put_idle_p(p)\n",
        "    m.sched.put_idle_p(p)\n",
        "    m.sched.release()\n    if not m.spinning:\n",
        f"    m.sched.release()\n{TELLS}m.trail.tell(m.who, E_PROC_STOP)\n    if not m.spinning:\n",
    ),
    "one that yielded, and can be taken": (
        "execute",
        "    else:\n        tell_stop(m, g)\n",
        "    else:\n        pass\n",
        "        g.set_state(RUNNABLE)\n        submit_behind(m, g)\n",
        "        g.set_state(RUNNABLE)\n        submit_behind(m, g)\n        tell_stop(m, g)\n",
    ),
}


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
@pytest.mark.parametrize("name", LATE)
def test_a_word_that_comes_late_is_found(name: str) -> None:
    where, *words = LATE[name]

    def broken(module: str, text: str) -> str:
        if module == where:
            for right, wrong in zip(words[::2], words[1::2], strict=True):
                assert right in text, right
                text = text.replace(right, wrong, 1)
        return text

    assert isinstance(first_failure(broken), Failure), f"no schedule shows that {name} is told too late"


def first_failure(transform: Callable[[str, str], str]) -> Failure | None:
    with core_copy(transform) as core:
        for round_ in range(20):
            for program in PROGRAMS:
                failure = explore(told(program), core, range(round_ * 20, round_ * 20 + 20))
                if failure is not None and isinstance(failure.error, IllegalTrace):
                    return failure
    return None
