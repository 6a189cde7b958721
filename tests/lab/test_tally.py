"""What `measure` counts as it goes (core/tally.py) is what a replay of the whole trace counts."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from gosched import Policy, go
from gosched.core.events import E_GO_CREATE, E_GO_END, E_GO_START, E_GO_STOP, E_M_START, E_PHASE, E_STEAL, PREEMPTED
from gosched.core.tally import bucket_of, value_of
from gosched.lab import cpu, measure
from gosched.lab.costs import FREE, USUAL, Costs
from gosched.trace.files import Recording
from gosched.trace.replay import Replay
from gosched.trace.things import RUNNABLE, RUNNING
from tests.conftest import HOME, Script
from tests.lab.workloads import crew, hogs_and_shorts, mixed, pair_beside_a_worker, play

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Counted:
    """By the states of goroutines in a checked world, with no buckets."""

    goroutines: int = 0
    turns: int = 0
    steals: int = 0
    stolen: int = 0
    preemptions: int = 0
    threads: int = 0
    makespan: int = -1
    busy: int = 0
    waits: list[int] = field(default_factory=list)
    ran: dict[int, int] = field(default_factory=dict)
    queued: dict[int, int] = field(default_factory=dict)
    served: list[float] = field(default_factory=list)

    def fairness(self) -> float:
        return sum(self.served) ** 2 / (len(self.served) * sum(share * share for share in self.served)) if self.served else 1.0


def count(recording: Recording) -> Counted:
    replay, found = Replay.of(recording), Counted()
    since: dict[int, int] = {}  # when each that runs was counted up to
    for step in replay.run():
        g = replay.world.goroutines.get(step.g)
        found.goroutines += step.kind == E_GO_CREATE
        found.threads += step.kind == E_M_START
        found.preemptions += step.kind == E_GO_STOP and step.args[0] == PREEMPTED
        if step.kind == E_STEAL:
            found.steals += 1
            found.stolen += step.args[1]
        if step.kind == E_PHASE and found.makespan < 0:
            found.makespan = step.time - recording.header.begun
            for begun in since.values():
                found.busy += step.time - begun
        if step.kind == E_GO_START and g is not None:
            found.turns += 1
            found.waits.append(g.since - g.was_since)
        if g is None or g.since != step.time:
            continue
        if g.was == RUNNABLE:
            found.queued[g.id] = found.queued.get(g.id, 0) + g.since - g.was_since
        if g.was == RUNNING and g.id in since and g.state != RUNNING:
            begun = since.pop(g.id)
            found.ran[g.id] = found.ran.get(g.id, 0) + step.time - begun
            found.busy += step.time - begun if found.makespan < 0 else 0
        if g.state == RUNNING:
            since.setdefault(g.id, step.time)
        if step.kind == E_GO_END and found.ran.get(g.id):
            found.served.append(found.ran[g.id] / (found.ran[g.id] + found.queued.get(g.id, 0)))
    return found


async def leaves_others_behind() -> None:
    """Main ends while another runs, one waits, and one has never begun."""
    go(cpu, 1.0)
    go(cpu, 1.0)
    go(cpu, 1.0)
    await cpu(0.01)


PROGRAMS: list[tuple[Any, tuple[Any, ...]]] = [
    (mixed, (12,)),
    (crew, (1.0, 0.5, 2.0, 0.0, 3.0, 1.0)),
    (crew, (0.02,) * 600),  # more events than are read at once, and than one piece holds
    (hogs_and_shorts, ()),
    (pair_beside_a_worker, ()),
    (leaves_others_behind, ()),
]
POLICIES = [Policy(), Policy(slice=0.0003), Policy(steal=False), Policy(central=True), Policy(share=1.0, spin=0)]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: ",".join(policy.changes()) or "go")
@pytest.mark.parametrize(("program", "args"), PROGRAMS, ids=lambda value: getattr(value, "__name__", None))
@pytest.mark.parametrize("costs", [FREE, USUAL], ids=["free", "usual"])
def test_measured_is_what_a_replay_counts(program: Any, args: tuple[Any, ...], policy: Policy, costs: Costs) -> None:
    for procs in (1, 2, 8):
        tape = play(program, *args, procs=procs, seed=5, policy=policy, costs=costs, queues=False)
        counted = count(tape.recording)
        result = measure(program, *args, procs=procs, seed=5, policy=policy, costs=costs)
        for name in ("goroutines", "turns", "steals", "stolen", "preemptions", "threads"):
            assert getattr(result, name) == getattr(counted, name), name
        assert result.value == tape.value
        assert result.makespan == counted.makespan / 1e9
        assert result.utilisation == pytest.approx(counted.busy / (procs * counted.makespan))
        assert result.utilisation <= 1.0
        assert result.longest == max(counted.waits) / 1e9
        assert result.fairness == pytest.approx(counted.fairness())
        waits = sorted(counted.waits)
        for share, told in ((0.5, result.p50), (0.99, result.p99)):
            exact = waits[max(0, -(-len(waits) * round(share * 100) // 100) - 1)]
            assert told == pytest.approx(exact / 1e9, rel=0.03), f"{share:.0%}"


def test_figures_by_hand() -> None:
    """Four of 1 ms and a main of none, on two Ps, where nothing else takes time. Two are stolen of a queue of three, and main, when it is woken."""
    result = measure(crew, 1, 1, 1, 1, procs=2, costs=FREE)
    assert (result.makespan, result.utilisation, result.longest, result.p50) == (0.002, 1.0, 0.001, 0.0)
    assert (result.goroutines, result.turns, result.steals, result.stolen, result.preemptions, result.threads) == (5, 6, 2, 3, 0, 2)
    assert result.fairness == pytest.approx((1 + 1 + 0.5 + 0.5) ** 2 / (4 * (1 + 1 + 0.25 + 0.25)))


def test_who_runs_when_main_ends_was_busy_until_then() -> None:
    assert measure(leaves_others_behind, procs=2, costs=FREE).utilisation == 1.0


def test_buckets_are_exact_to_three_percent() -> None:
    for ns in [*range(5_000), *(1 << n for n in range(60)), *((1 << n) - 1 for n in range(1, 60)), 123_456_789_012]:
        assert value_of(bucket_of(ns)) == pytest.approx(ns, rel=1 / 32)
        assert bucket_of(ns) <= bucket_of(ns + 1) <= bucket_of(ns) + 1
        assert bucket_of(ns) < 2_048


def test_times_that_are_far_apart(script: Script) -> None:
    """They have more bits than an int of C's. In a process of its own, for it could crash."""
    done = script(
        """
        import gosched
        from gosched.lab import measure
        from tests.lab.workloads import crew

        async def sleeps():
            await gosched.asleep(1e6)

        result = measure(crew, 5_000, 5_000, 5_000, policy=gosched.Policy(preempt=False))
        print(round(result.makespan, 3), round(result.longest, 3), abs(result.p99 / 10 - 1) < 0.03, round(measure(sleeps).makespan))
        """,
        PYTHONPATH=os.pathsep.join(map(str, (ROOT, HOME))),
    )
    assert (done.stderr, done.stdout) == ("", "15.0 10.0 True 1000000\n")


def test_what_a_workload_raises_is_raised() -> None:
    async def fails() -> None:
        await cpu(0.001)
        raise KeyError("measured")

    with pytest.raises(KeyError, match="measured"):
        measure(fails)
