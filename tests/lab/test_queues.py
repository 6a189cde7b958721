"""The queues that a reader of a trace knows (trace/queues.py) are the scheduler's own, after every turn, whatever the policy."""

from __future__ import annotations

from typing import Any

import pytest

from gosched import Policy, WaitGroup, ayield_now, gomaxprocs
from gosched.core import picture
from gosched.core.events import E_DRAIN, E_EXPIRE, E_GO_START, E_REFILL, E_SPILL, E_STEAL, NAMES
from gosched.lab.clockwork import Clockwork
from gosched.lab.costs import FREE, USUAL, Costs
from gosched.lab.scenarios import SCENARIOS
from gosched.lab.virtual import VirtualRuntime
from gosched.trace.files import decode, head
from gosched.trace.queues import Queues
from gosched.trace.record import VirtualRecorder
from gosched.trace.replay import Replay
from tests.lab.workloads import client_and_server, crew, hogs_and_shorts, mixed, one_polite_of_four, pair_beside_a_worker


class Compared:
    """Reads along, and compares after each turn. Of long queues the scheduler shows the first, and how many there are."""

    def __init__(self, recorder: VirtualRecorder) -> None:
        assert recorder.trails is not None
        self.trail = recorder.trails.all[0]
        self.replay = Replay(recorder.begun, virtual=True, strings=recorder.trails.strings)
        self.queues = Queues()
        self.place = (0, 0, recorder.begun, 0)
        self.kinds: set[int] = set()
        self.turns = 0
        self.longest = 0

    def read(self) -> None:
        serial, offset, time, who = self.place
        for number, begun, writer, begin, data, _ in self.trail.pieces(serial, offset):
            if number != serial:
                serial, time, who = number, begun, writer
            for event in decode(head(time, who) + data):
                time, who = event[0], event[1]
                step = self.replay.world.apply(*event)
                assert not isinstance(step, str), f"{NAMES[event[2]]}: {step}"
                self.queues.follow(step)
                self.kinds.add(step.kind)
            offset = begin + len(data)
        self.place = (serial, offset, time, who)

    def compare(self, sched: Any) -> None:
        self.read()
        self.turns += 1
        seen = picture.take(sched, 0, {})
        known = [*self.queues.common]
        assert (seen.queue, seen.queued) == (len(known), known[: picture.SHOWN]), "the global queue"
        for p in seen.ps:
            ring = [*self.queues.ring(p[0])]
            self.longest = max(self.longest, len(ring))
            assert (p[4], p[5]) == (len(ring), ring[: picture.SHOWN]), f"the ring of P{p[0]}"
            assert p[6] == self.queues.next.get(p[0], 0), f"who is next on P{p[0]}"


class ComparedClockwork(Clockwork):
    compared: Compared | None = None

    def _turn(self) -> bool:
        went = super()._turn()
        if self.compared is not None:
            self.compared.compare(self.sched)
        return went


class ComparedVirtual(VirtualRuntime):
    compared: Compared | None = None

    def _turn(self) -> bool:
        went = super()._turn()
        if self.compared is not None:
            self.compared.compare(self.sched)
        return went


def compare(program: Any, procs: int, seed: int = 1, policy: Policy | None = None, costs: Costs = FREE) -> Compared:
    recorder = VirtualRecorder(queues=True)
    run = ComparedClockwork(procs, seed, policy or Policy(), costs, recorder)
    run.compared = Compared(recorder)
    run.run(program)
    return run.compared


class Whims(Policy):
    """Each goroutine goes somewhere else than the one before."""

    def place(self, g: Any, p: int, queued: int) -> int:
        return int(g.id) % 3

    def global_first(self, p: int, tick: int, queued: int, common: int) -> bool:
        return tick % 3 == 0

    def victims(self, p: int, n: int) -> list[int]:
        return [*range(n)][::-1]


POLICIES = [
    Policy(),
    Policy(runnext=False),
    Policy(lifo=True),
    Policy(lifo=True, ring=4),
    Policy(central=True),
    Policy(steal=False, ring=2),
    Policy(ring=2),
    Policy(ring=4, batch=3, fairness=3),
    Policy(share=1.0, passes=1),
    Policy(share=0.01, inherit=False),
    Policy(slice=0.0005),
    Whims(),
    Whims(ring=2),
]


async def flood() -> None:
    """More than a ring holds, and more than the scheduler shows."""
    await crew(*[0.01] * 300)


async def chops() -> None:
    """The number of Ps changes while all of them have queues."""
    wg = WaitGroup()

    async def worker(i: int) -> None:
        for _ in range(i % 4):
            await ayield_now()
        if i % 9 == 0:
            gomaxprocs(1 + i % 5)

    async def branch(n: int) -> None:
        for i in range(8):
            wg.go(worker, n + i)

    for n in range(12):
        wg.go(branch, n)
    await wg


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: ",".join(policy.changes()) or "go")
def test_every_queue_after_every_turn(policy: Policy) -> None:
    for procs, costs in ((1, FREE), (2, USUAL), (5, FREE), (5, USUAL)):
        for program in (mixed, client_and_server, hogs_and_shorts, one_polite_of_four, chops):
            assert compare(program, procs, procs, policy, costs).turns > 10
    assert compare(flood, 3, policy=policy).turns > 300


def test_all_kinds_of_moves_were_seen() -> None:
    """So the comparison above has compared something."""
    kinds = compare(flood, 2).kinds | compare(chops, 5, policy=Policy(ring=4)).kinds | compare(pair_beside_a_worker, 1).kinds
    assert kinds >= {E_GO_START, E_STEAL, E_SPILL, E_REFILL, E_DRAIN, E_EXPIRE}
    assert compare(flood, 1).longest > picture.SHOWN


@pytest.mark.parametrize("scenario", [scenario for scenario in SCENARIOS.values() if scenario.id != "deadlock"], ids=lambda scenario: scenario.id)
def test_scenarios(scenario: Any) -> None:
    for policy in (scenario.policy, *(Policy(**bend.policy) for bend in scenario.bends)):
        assert compare(scenario.program, scenario.procs, policy=policy, costs=USUAL).turns > 5


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: ",".join(policy.changes()) or "go")
def test_in_virtual_time_where_the_seed_decides_whose_turn_it_is(policy: Policy) -> None:
    for seed in range(4):
        recorder = VirtualRecorder(queues=True)
        run = ComparedVirtual(3, seed, recorder=recorder, policy=policy)
        run.compared = Compared(recorder)
        run.run(chops)
        assert run.compared.turns > 100
