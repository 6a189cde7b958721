"""gosched.Policy: what it takes, and what each of its switches does to the order of events."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

import gosched
from gosched import Policy, Runtime, WaitGroup, go, now
from gosched.core.events import (
    AT_GLOBAL,
    AT_NEXT,
    AT_TAIL,
    E_ASK,
    E_EXPIRE,
    E_GO_END,
    E_GO_START,
    E_GO_STOP,
    E_GO_UNBLOCK,
    E_PHASE,
    E_PROC_STOP,
    E_QUEUE,
    E_REFILL,
    E_SPILL,
    E_SPIN,
    E_STEAL,
    PREEMPTED,
)
from gosched.lab import cpu
from gosched.lab.costs import USUAL
from gosched.lab.virtual import VirtualRuntime
from gosched.policy import GO
from gosched.testing import virtual_run
from gosched.trace.queues import Queues
from tests.lab.workloads import (
    MS,
    Tape,
    client_and_server,
    crew,
    hogs_and_shorts,
    idles,
    one_polite_of_four,
    pair_beside_a_worker,
    play,
)

SWITCHES = ("runnext", "inherit", "steal", "preempt", "central", "lifo")
RANGES = {"fairness": (0, 1 << 30), "ring": (2, 1 << 16), "spin": (0, 1 << 16), "passes": (1, 64), "batch": (1, 1 << 16)}

# Sysmon looks at least every 4 ms, between turns.
LOOK = 5 * MS


def end(tape: Tape) -> int:
    """When main was over."""
    return tape.of(E_PHASE)[0].time


# ---- what it takes ----


def test_the_defaults_are_gos() -> None:
    assert Policy() == GO
    assert {f.name: f.default for f in fields(Policy)} == {
        "runnext": True,
        "inherit": True,
        "steal": True,
        "preempt": True,
        "central": False,
        "lifo": False,
        "fairness": 61,
        "ring": 256,
        "slice": 0.01,
        "share": 0.5,
        "spin": 2,
        "passes": 4,
        "batch": 128,
    }
    assert (Policy.NEXT, Policy.TAIL, Policy.GLOBAL) == (AT_NEXT, AT_TAIL, AT_GLOBAL)


@pytest.mark.parametrize("name", SWITCHES)
@pytest.mark.parametrize("value", [0, 1, None, "yes"])
def test_a_switch_is_true_or_false(name: str, value: object) -> None:
    with pytest.raises(TypeError, match=f"^Policy: {name} must be True or False, not {re.escape(repr(value))}$"):
        Policy(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", RANGES)
@pytest.mark.parametrize("value", [None, 4.0, "4", True])
def test_a_number_is_an_int(name: str, value: object) -> None:
    with pytest.raises(TypeError, match=f"^Policy: {name} must be an int, not {re.escape(repr(value))}$"):
        Policy(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", RANGES)
def test_a_number_has_a_range(name: str) -> None:
    least, most = RANGES[name]
    for value in (least, most):
        assert getattr(Policy(**{name: value}), name) == value  # type: ignore[arg-type]
    for value in (least - 1, most + 1, -(1 << 70)):
        with pytest.raises(ValueError, match=f"^Policy: {name} must be from {least:,} to {most:,}, not {value}$"):
            Policy(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [3, 255, 257, 65_535])
def test_a_ring_is_a_power_of_two(value: int) -> None:
    with pytest.raises(ValueError, match=f"^Policy: ring must be a power of two, such as 256, not {value}$"):
        Policy(ring=value)


PARTS = {"slice": "seconds, more than 0", "share": "more than 0, up to 1"}


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("value", [None, "0.5", True, 1j])
def test_a_part_is_a_number(name: str, value: object) -> None:
    with pytest.raises(TypeError, match=f"^Policy: {name} must be a number: {PARTS[name]}; not {re.escape(repr(value))}$"):
        Policy(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value"),
    [("slice", 0), ("slice", -0.01), ("slice", float("nan")), ("slice", float("inf")), ("share", 0), ("share", 1.01), ("share", float("nan"))],
)
def test_a_part_has_a_range(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"^Policy: {name} must be {PARTS[name]}; not {re.escape(repr(value))}$"):
        Policy(**{name: value})  # type: ignore[arg-type]


def test_whole_numbers_will_do_for_parts() -> None:
    assert Policy(slice=1, share=1).slice_ns() == 1_000_000_000


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'runext'"):
        Policy(runext=False)  # type: ignore[call-arg]


def test_it_does_not_change() -> None:
    policy = Policy(ring=16)
    with pytest.raises(FrozenInstanceError):
        policy.ring = 32  # type: ignore[misc]
    other = replace(policy, lifo=True)
    assert (policy.lifo, other.lifo, other.ring) == (False, True, 16)
    assert len({policy, replace(other, lifo=False), Policy(ring=16)}) == 1
    with pytest.raises(ValueError, match=r"^Policy: ring must be a power of two"):
        replace(policy, ring=17)


def test_what_is_not_gos() -> None:
    class Own(Policy):
        def victims(self, p: int, n: int) -> list[int]:
            return []

    assert GO.changes() == {}
    assert Policy(steal=False, slice=0.002).changes() == {"steal": False, "slice": 0.002}
    assert Own(ring=8).changes() == {"ring": 8, "victims": Own.__qualname__}


@pytest.mark.parametrize("value", [Policy, {}, "lifo", 0])
def test_something_that_is_no_policy(value: Any) -> None:
    said = f"^policy must be a gosched.Policy, not {type(value).__name__}$"
    with pytest.raises(TypeError, match=said):
        gosched.run(idles, policy=value)
    with pytest.raises(TypeError, match=said):
        Runtime(policy=value)
    with pytest.raises(TypeError, match=said):
        virtual_run(idles, policy=value)


# ---- what each switch does: one P ----


def test_runnext() -> None:
    """Who was started last runs first, and the others as they came; without it all do as they came."""
    assert play(crew, 0, 0, 0, 0).turns() == ["main", "d", "a", "b", "c", "main"]
    assert play(crew, 0, 0, 0, 0, policy=Policy(runnext=False)).turns() == ["main", "a", "b", "c", "d", "main"]


def test_no_runnext_puts_the_woken_one_behind_the_others() -> None:
    """A client that asks a server runs before the workers that were queued first, or after them."""
    hurried, queued = play(client_and_server), play(client_and_server, policy=Policy(runnext=False))
    assert hurried.turns()[:5] == ["main", "serves", "main", "asks", "serves"]
    assert queued.turns() == ["main", "serves", "main", "worker", "worker", "worker", "asks", "serves", "asks", "main"]
    assert (hurried.first(E_GO_END, "asks"), queued.first(E_GO_END, "asks")) == (500_000, 6_500_000)
    assert {step.args[1] for step in queued.of(E_QUEUE)} == {AT_TAIL, AT_GLOBAL}


def test_lifo() -> None:
    tape = play(crew, 0, 0, 0, 0, policy=Policy(lifo=True))
    assert tape.turns() == ["main", "d", "c", "b", "a", "main"]
    assert AT_NEXT not in {step.args[1] for step in tape.of(E_QUEUE)}


def test_lifo_among_those_that_were_not_stolen() -> None:
    """Thieves take the oldest."""
    tape = play(crew, 1, 1, 1, 1, procs=2, policy=Policy(lifo=True))
    assert [(tape.names[step.g], step.p) for step in tape.of(E_GO_START)] == [("main", 0), ("d", 0), ("b", 1), ("c", 0), ("a", 1), ("main", 0)]


def test_central() -> None:
    """One queue, in the order of arrival, and one at a time out of it."""
    tape = play(crew, *[1] * 8, procs=4, policy=Policy(central=True))
    assert "".join(tape.turns()[1:-1]) == "abcdefgh"
    assert {step.args[1] for step in tape.of(E_QUEUE)} == {AT_GLOBAL}
    assert not tape.of(E_STEAL) + tape.of(E_REFILL) + tape.of(E_SPILL)
    assert {step.p for step in tape.of(E_GO_START)} == {0, 1, 2, 3}
    assert end(tape) == 2 * MS


@pytest.mark.parametrize(
    ("ring", "order", "spills"),
    [(16, "nabcdefghijklm", []), (8, "nefghjklmabcdi", [(0, 4)]), (4, "nijlmabecdhfgk", [(0, 2)] * 3), (2, "nlacbedgfihkjm", [(0, 1)] * 6)],
)
def test_ring(ring: int, order: str, spills: list[tuple[int, int]]) -> None:
    """Fourteen on one P. Of a full ring the older half goes to the global queue, with the one that found no place behind it."""
    tape = play(crew, *[0] * 14, policy=Policy(ring=ring))
    assert "".join(tape.turns()[1:-1]) == order
    assert [step.args for step in tape.of(E_SPILL)] == spills


def test_batch() -> None:
    """What a P takes at once from the global queue, where 9 of the 14 stand; what it takes is in its own ring, and so before the rest."""
    for batch, refills in ((1, []), (2, [1, 1, 1, 1]), (4, [3, 3]), (128, [4, 3])):
        tape = play(crew, *[0] * 14, policy=Policy(ring=4, batch=batch))
        assert [step.args for step in tape.of(E_REFILL)] == [(0, n) for n in refills]
        assert "".join(tape.turns()[1:-1]) == "nijlmabecdhfgk"


@pytest.mark.parametrize(("fairness", "between"), [(61, 60), (5, 4), (7, 6), (0, 183)])
def test_fairness(fairness: int, between: int) -> None:
    """The polite one stands alone in the global queue, while 3 × 61 turns of others are had. Its P looks there first at every so manieth tick: main
    was the first."""
    tape = play(one_polite_of_four, policy=Policy(fairness=fairness))
    stopped, again = (at for at, name in enumerate(tape.turns()) if name == "polite")
    assert again - stopped - 1 == between


def test_inherit() -> None:
    """A pair that wakes each other shares a slice; where each has its own, the worker waits until both have done."""
    shared, own = play(pair_beside_a_worker), play(pair_beside_a_worker, policy=Policy(inherit=False))
    (expiry,) = [step for step in shared.of(E_EXPIRE) if step.time <= shared.first(E_GO_START, "worker")]
    assert 10 * MS <= expiry.time <= 10 * MS + LOOK
    assert shared.first(E_GO_START, "worker") == expiry.time
    assert own.of(E_EXPIRE) == []
    assert own.first(E_GO_START, "worker") == own.of(E_GO_END, "ping")[0].time == 24 * MS
    assert own.turns()[-2:] == ["worker", "main"]


def test_preempt() -> None:
    stopped, left = play(hogs_and_shorts), play(hogs_and_shorts, policy=Policy(preempt=False))
    assert [step.args for step in stopped.of(E_GO_STOP)] == [(PREEMPTED,)]
    assert [stopped.names[step.g] for step in stopped.of(E_GO_END)] == ["short"] * 5 + ["hog", "main"]
    assert not left.of(E_ASK) + left.of(E_GO_STOP)
    assert [(left.names[step.g], step.time) for step in left.of(E_GO_END)][:2] == [("hog", 60 * MS), ("short", 60 * MS + MS // 2)]
    assert end(stopped) == end(left) == 62 * MS + MS // 2


@pytest.mark.parametrize("ms", [1, 5, 30, 59])
def test_slice(ms: int) -> None:
    """The hog is stopped when it has had its slice, as soon as sysmon looks; then the five have theirs."""
    tape = play(hogs_and_shorts, policy=Policy(slice=ms / 1e3))
    (ask,) = tape.of(E_ASK)
    (stop,) = tape.of(E_GO_STOP, "hog")
    assert ms * MS <= stop.time == ask.time <= ms * MS + LOOK
    assert [step.time for step in tape.of(E_GO_END, "short")] == [stop.time + n * MS // 2 for n in range(1, 6)]


def test_a_slice_longer_than_the_work() -> None:
    assert play(hogs_and_shorts, policy=Policy(slice=0.061)).told() == play(hogs_and_shorts, policy=Policy(preempt=False)).told()


def test_slices_without_inheritance_are_still_slices() -> None:
    """Whoever is busy for long is stopped, whether or not others inherit."""
    assert len(play(hogs_and_shorts, policy=Policy(inherit=False)).of(E_GO_STOP, "hog")) == 1


# ---- what each switch does: several Ps ----


def test_steal() -> None:
    shared, alone = play(crew, *[1] * 8, procs=4), play(crew, *[1] * 8, procs=4, policy=Policy(steal=False))
    assert (end(shared), end(alone)) == (2 * MS, 8 * MS)
    assert {step.p for step in shared.of(E_GO_START)} == {0, 1, 2, 3}
    assert {step.p for step in alone.of(E_GO_START)} == {0}
    assert alone.of(E_STEAL) == []


def test_who_must_not_steal_still_takes_from_the_global_queue() -> None:
    tape = play(crew, *[1] * 8, procs=4, policy=Policy(steal=False, ring=2))
    assert {step.p for step in tape.of(E_GO_START)} == {0, 1, 2, 3}
    assert tape.of(E_STEAL) == []


async def sleeper() -> None:
    await gosched.asleep(0.001)


async def busy_beside_a_sleeper() -> None:
    go(sleeper)
    await gosched.ayield_now()
    await cpu(0.02)


def test_who_must_not_steal_still_runs_timers_of_others() -> None:
    """P0 is busy, and has a timer that is due: P1 runs it, in time."""
    tape = play(busy_beside_a_sleeper, procs=2, policy=Policy(steal=False, preempt=False))
    assert tape.first(E_GO_UNBLOCK, "sleeper") == MS


@pytest.mark.parametrize(
    ("share", "taken"),
    [(0.5, [4]), (0.25, [2, 1, 1]), (0.01, [1, 1, 1, 1]), (0.51, [5, 1]), (1.0, [8, 7, 6, 5, 4, 3, 2, 1])],
)
def test_share(share: float, taken: list[int]) -> None:
    """Eight are queued with P0, of 4 ms each, a ninth is next. What is taken is rounded up. Who takes all makes the other a thief."""
    tape = play(crew, *[4] * 9, procs=2, policy=Policy(share=share))
    assert [step.args[1] for step in tape.of(E_STEAL)] == taken
    assert end(tape) == 20 * MS


def test_the_newest_of_what_was_stolen_runs_first() -> None:
    tape = play(crew, *[1] * 9, procs=2)
    assert "".join(tape.names[step.g] for step in tape.of(E_GO_START) if step.p == 1 and tape.names[step.g] != "main") == "dabc"


async def drill() -> None:
    """Eight who end at the same time."""
    wg, at = WaitGroup(), now() + 0.001

    async def soldier() -> None:
        await cpu(at - now())
        wg.done()

    wg.add(8)
    for _ in range(8):
        go(soldier)
    await wg


@pytest.mark.parametrize(("spin", "most"), [(0, 8), (1, 8), (2, 4), (3, 3), (4, 2), (8, 1), (100, 1)])
def test_spin(spin: int, most: int) -> None:
    """All eight Ps have run dry at once: one more of their threads looks for work while `spin` times those that do are fewer than eight."""
    looking: set[int] = set()
    found = 0
    for step in play(drill, procs=8, policy=Policy(spin=spin), costs=USUAL).steps:
        if step.kind == E_SPIN:
            looking.add(step.m)
        elif step.kind in (E_GO_START, E_PROC_STOP):
            looking.discard(step.m)
        found = max(found, len(looking))
    assert found == most


async def two_queues() -> None:
    """One P has somebody in `next` only, another has a queue."""
    wg = WaitGroup()
    wg.add(9)

    async def follower() -> None:
        await cpu(0.001)
        wg.done()

    async def leader(n: int) -> None:
        for _ in range(n):
            go(follower)
        await cpu(0.0005)
        wg.done()

    go(leader, 1)
    go(leader, 6)
    await wg


def hasty_raids(passes: int) -> int:
    """How often, in some runs, somebody's `next` was taken although others stood in a queue."""
    found = 0
    for seed in range(12):
        queues = Queues()
        for step in play(two_queues, procs=4, seed=seed, policy=Policy(passes=passes)).steps:
            queues.follow(step)
            if step.kind == E_STEAL and queues.from_next:
                found += any(ring for p, ring in queues.rings.items() if p != step.p)
    return found


def test_passes() -> None:
    """`next` is taken in the last one only: with one alone, from whoever comes first."""
    assert [hasty_raids(passes) for passes in (1, 2, 4)] == [3, 0, 0]


# ---- in the other kinds of time ----


async def chain_beside_another() -> int:
    """How many turns a pair that wakes each other has before a third."""
    there, back, turns, seen = gosched.Chan[int](), gosched.Chan[int](), [0], list[int]()

    async def ask() -> None:
        for _ in range(20_000):
            await there.asend(1)
            await back.arecv()
            turns[0] += 2
        there.close()

    async def answer() -> None:
        async for one in there:
            await back.asend(one)

    async def third() -> None:
        seen.append(turns[0])

    go(answer)
    await gosched.ayield_now()
    go(third)
    go(ask)
    await gosched.asleep(1)
    return seen[0]


def test_in_virtual_time_a_slice_is_so_many_turns() -> None:
    assert 32_000 < virtual_run(chain_beside_another) < 34_000
    assert virtual_run(chain_beside_another, policy=Policy(preempt=False)) == 40_000


def test_what_the_scheduler_is_told() -> None:
    rt = VirtualRuntime(policy=Policy(ring=8, lifo=True, steal=False, central=True, share=0.25))
    s = rt.sched
    assert (s.ring, s.lifo, s.runnext, s.steals, s.passes, s.central, s.batch, s.share) == (8, True, False, False, 1, True, 1, 64)
