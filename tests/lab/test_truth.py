"""The laboratory tells the truth: its order of events is that of the real runtime on one P; where that cannot be compared, its path is a legal one.

What is compared is what happens to goroutines: who starts whom, who runs, stops, waits for what, is woken by whom, ends, up to the end of main. A
goroutine is known by its place in the order of creation. Ms, Ps and times are left out: real threads have other ones.

A comparison with real threads is sound, and never a matter of luck, because nothing is left that time decides:

    preemption    is switched off in both, and the real runtime has no sysmon: a machine that stands still for a second takes no P from anybody
    cpu()         takes its time in the laboratory. In the real run it takes none, but moves the clock by so much
    timers        look at a clock that stands still but for that, and for who waits for a timer: it is moved to the timer's time. So do those of the
                  laboratory, if the scheduler's own work costs no time

The laboratory itself is compared with what the scheduler's own work costs and without that: on one P the order is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gosched.core.events import E_BY, E_GO_BLOCK, E_GO_CREATE, E_GO_END, E_GO_START, E_GO_STOP, E_GO_UNBLOCK, E_PHASE, E_SPIN, NAMES
from gosched.errors import DeadlockError
from gosched.lab import work
from gosched.lab.costs import FREE, USUAL, Costs
from gosched.lab.scenarios import SCENARIOS, Scenario
from gosched.policy import Policy
from gosched.runtime import Runtime
from gosched.trace import files
from gosched.trace.files import Piece, Recording, decode, encode_event, head
from gosched.trace.queues import NOWHERE, Queues
from gosched.trace.replay import IllegalTrace, Replay
from gosched.trace.things import GONE, Step

from .playing import record, rules, variants

REAL = [(name, label) for name, label in variants() if SCENARIOS[name].real]
Happening = tuple[str | int, ...]


def happenings(recording: Recording) -> list[Happening]:
    """What happens to goroutines, until main is over."""
    replay = Replay.of(recording)
    numbers = {0: 0}
    found: list[Happening] = []
    for step in replay.run():
        if step.kind == E_PHASE and step.args[0] != 0:
            break
        if step.kind == E_GO_CREATE:
            numbers[step.g] = len(numbers)
        if step.kind in DETAILS:
            found.append((NAMES[step.kind], numbers[step.g], *DETAILS[step.kind](replay, step, numbers)))
    return found


# Beside who it is about. The names of coroutine functions are the same in both; main is named by who runs it.
DETAILS: dict[int, Callable[[Replay, Step, dict[int, int]], Happening]] = {
    E_GO_CREATE: lambda replay, step, numbers: (numbers[step.args[1]], replay.name_of(step.g) if step.args[1] else "main"),
    E_GO_START: lambda replay, step, numbers: (),
    E_GO_STOP: lambda replay, step, numbers: step.args,
    E_GO_BLOCK: lambda replay, step, numbers: step.args,
    E_GO_UNBLOCK: lambda replay, step, numbers: (numbers[step.args[1]],),
    E_GO_END: lambda replay, step, numbers: (),
}


class Clock:
    """Of a real runtime: it stands still but for work, and for who waits."""

    def __init__(self, rt: Runtime) -> None:
        self.ns = 1_000_000_000
        host = rt._host
        self.wait = host.poll
        host.now = lambda: self.ns  # type: ignore[method-assign]
        host.poll = self.poll  # type: ignore[method-assign]
        host.roused = lambda m: None  # type: ignore[attr-defined]
        rt.sched.virtual = True  # timers ask the host for the time
        host._first.acquire()  # whoever has this starts sysmon

    def poll(self, until: int) -> None:
        if until >= 0:
            self.ns = max(self.ns, until)
        else:
            self.wait(until)

    def burn(self, ns: int) -> None:
        self.ns += ns


def record_real(scenario: Scenario, policy: Policy, path: Path, patch: pytest.MonkeyPatch) -> Recording:
    rt = Runtime(gomaxprocs=1, trace=path, policy=policy)
    patch.setattr(work, "burn", Clock(rt).burn)
    try:
        with rt:
            rt._run(scenario.program, (), ends=True)  # as run() does: the others end with main
    except DeadlockError:
        assert scenario.id == "deadlock"
    return files.read(path)


def test_which_can_be_compared() -> None:
    assert [name for name, scenario in SCENARIOS.items() if not scenario.real] == ["handoff", "return", "netpoller"], "calls that block, and network"


@pytest.mark.parametrize(("name", "label"), REAL)
def test_order_is_that_of_the_real_runtime(name: str, label: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = SCENARIOS[name]
    policy = rules(scenario, label)
    calm = replace(policy, preempt=False)
    real = happenings(record_real(scenario, calm, tmp_path / "real.trace", monkeypatch))
    assert Counter(kind for kind, *_ in real)["GO_CREATE"] >= 3, "something was recorded"
    assert happenings(record(scenario, 1, policy=calm, costs=FREE)) == real
    assert happenings(record(scenario, 1, policy=calm, costs=USUAL)) == real


def test_a_different_order_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison is no formality: rules that differ in one thing give another order."""
    scenario = SCENARIOS["runnext"]
    real = happenings(record_real(scenario, Policy(preempt=False), tmp_path / "real.trace", monkeypatch))
    assert happenings(record(scenario, 1, policy=Policy(preempt=False, runnext=False))) != real


# ---- legal paths ----


@pytest.mark.parametrize(("name", "label"), variants())
def test_every_run_is_a_legal_path(name: str, label: str) -> None:
    """Every event can happen when it does, and who begins to run was queued where the events say."""
    scenario = SCENARIOS[name]
    for seed, procs, costs in (
        (1, scenario.procs, USUAL),
        (2, scenario.procs, FREE),
        (3, scenario.procs + 1, USUAL),
        (4, 1, Costs(turn=0, wake=90_000)),
    ):
        replay, queues = Replay.of(record(scenario, procs, seed, rules(scenario, label), costs)), Queues()
        steps = 0
        for step in replay.run():
            queues.follow(step)
            assert step.kind != E_GO_START or queues.came[0] != NOWHERE, f"seed {seed}: goroutine {step.g} was in no queue"
            steps += 1
        assert replay.held == 0, "one trail, and it is in order"
        assert steps > 20
        assert all(g.state == GONE for g in replay.world.goroutines.values()), "nobody is lost"
        assert not queues.places, "nor left in a queue"


def without(recording: Recording, kind: int, nth: int) -> Recording:
    """The same, but for one event."""
    (piece,) = recording.pieces
    events = list(decode(piece.data))
    del events[[i for i, event in enumerate(events) if event[2] == kind][nth - 1]]
    before, writer = events[0][:2]
    data = head(before, writer)
    for time, who, event, args in events:
        data += encode_event(E_BY, 0, (who,)) + encode_event(event, time - before, args)
        before = time
    return replace(recording, pieces=[Piece(piece.trail, data)])


@pytest.mark.parametrize("kind", [E_GO_CREATE, E_GO_START, E_GO_BLOCK, E_GO_UNBLOCK, E_GO_END])
def test_a_path_with_a_hole_is_not_legal(kind: int) -> None:
    recording = record(SCENARIOS["runnext"], 1)
    with pytest.raises(IllegalTrace):
        Replay.of(without(recording, kind, 2)).play()


def test_a_path_without_a_remark_is_as_legal() -> None:
    """It was the hole that the rules refused."""
    recording = record(SCENARIOS["runnext"], 1)
    assert happenings(without(recording, E_SPIN, 1)) == happenings(recording)
