"""Laws of the scheduler, on random programs in virtual time: no goroutine is lost, no P stands idle while somebody could run, fork-join programs take
no longer than greedy schedulers do, and few steals spread them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gosched import Policy, WaitGroup, gomaxprocs
from gosched.core import picture
from gosched.core.events import E_GO_START, E_PHASE, E_STEAL
from gosched.core.states import P_IDLE
from gosched.lab import cpu
from gosched.lab.clockwork import Clockwork
from gosched.lab.costs import FREE, USUAL, Costs
from tests.lab.workloads import crew, mixed, play

pytestmark = pytest.mark.slow

# ---- fork and join ----


@dataclass(frozen=True)
class Tree:
    """A goroutine that works, starts its children, waits for them, and works again. In µs."""

    before: int
    children: tuple[Tree, ...] = ()
    after: int = 0

    def work(self) -> int:
        return self.before + self.after + sum(child.work() for child in self.children)

    def span(self) -> int:
        """The longest chain of work in which each part needs the one before."""
        return self.before + self.after + max((child.span() for child in self.children), default=0)

    def depth(self) -> int:
        """The same in steps, whatever they take: a start is one, and so is each of the two parts."""
        return 2 + max((1 + number + child.depth() for number, child in enumerate(self.children)), default=0)

    def size(self) -> int:
        return 1 + sum(child.size() for child in self.children)


async def grow(tree: Tree) -> None:
    wg = WaitGroup()
    await cpu(tree.before / 1e6)
    for child in tree.children:
        wg.go(grow, child)
    await wg
    await cpu(tree.after / 1e6)


def full(depth: int, width: int, us: int) -> Tree:
    return Tree(us, tuple(full(depth - 1, width, us) for _ in range(width)) if depth else (), us)


times = st.integers(0, 3_000)
leaves = st.builds(Tree, times)
trees = st.recursive(leaves, lambda children: st.builds(Tree, times, st.lists(children, max_size=5).map(tuple), times), max_leaves=40)
procs = st.sampled_from([1, 2, 3, 4, 8, 33])
seeds = st.integers(0, 1_000)


@settings(max_examples=100)
@given(trees, procs, seeds)
@example(Tree(0, tuple(Tree(1_000) for _ in range(12))), 4, 1)
@example(full(6, 2, 50), 8, 3)
def test_grahams_bound(tree: Tree, n: int, seed: int) -> None:
    """No greedy schedule takes longer than (work - span) / P + span. What the scheduler itself does is free here."""
    tape = play(grow, tree, procs=n, seed=seed, queues=False)
    took = tape.of(E_PHASE)[0].time
    assert tree.span() * 1_000 <= took
    assert n * took <= (tree.work() + (n - 1) * tree.span()) * 1_000


def test_without_stealing_grahams_bound_does_not_hold() -> None:
    """So the test above can fail."""
    tree = full(6, 2, 50)
    took = play(grow, tree, procs=8, policy=Policy(steal=False), queues=False).of(E_PHASE)[0].time
    assert took == tree.work() * 1_000 > (tree.work() + 7 * tree.span()) * 1_000 / 8


# Cilk's bound is for one task a steal, and for expected values: some constant × P × depth. Go steals half of a queue. Here every single run keeps to
# half a steal for each P and each step of the longest chain; the worst that was seen has 0.27.
STEALS = 0.5


def steals(tree: Tree, n: int, seed: int, costs: Costs = FREE) -> int:
    return len(play(grow, tree, procs=n, seed=seed, costs=costs, queues=False).of(E_STEAL))


@settings(max_examples=100)
@given(trees, procs, seeds, st.sampled_from([FREE, USUAL]))
@example(full(8, 2, 10), 4, 1, FREE)
@example(full(4, 4, 10), 8, 1, USUAL)
def test_cilks_bound_on_steals(tree: Tree, n: int, seed: int, costs: Costs) -> None:
    found = steals(tree, n, seed, costs)
    assert found <= STEALS * n * tree.depth()
    assert n > 1 or found == 0


def test_steals_grow_with_the_depth_not_with_the_size() -> None:
    """Twice as deep is 32 times the goroutines; steals become 4 times as many at most."""
    small, large = full(5, 2, 10), full(10, 2, 10)
    assert (small.size(), large.size()) == (63, 2_047)
    for n in (2, 4, 8):
        fewer, more = (sum(steals(tree, n, seed, USUAL) for seed in range(2)) for tree in (small, large))
        assert 0 < more <= 4 * fewer


# ---- nobody idle, nobody lost ----

switches = st.booleans()
policies = st.builds(
    Policy,
    runnext=switches,
    inherit=switches,
    steal=switches,
    preempt=switches,
    central=switches,
    lifo=switches,
    fairness=st.sampled_from([0, 1, 7, 61]),
    ring=st.sampled_from([2, 4, 256]),
    slice=st.sampled_from([0.0005, 0.01]),
    share=st.sampled_from([0.01, 0.5, 1.0]),
    spin=st.sampled_from([0, 1, 2, 50]),
    passes=st.sampled_from([1, 4]),
    batch=st.sampled_from([1, 3, 128]),
)


class Watched(Clockwork):
    """Looks, whenever the clock is about to move on, for a P that stands idle while somebody is queued."""

    lazy = 0
    looks = 0

    def _move_to(self, time: int) -> None:
        seen = picture.take(self.sched, 0, {})
        queued = seen.queue + sum(p[4] + (p[6] != 0) for p in seen.ps)
        idle = sum(p[1] == P_IDLE for p in seen.ps)
        Watched.looks += 1
        Watched.lazy += bool(idle and queued)
        super()._move_to(time)


def idle_beside_work(program: Any, *args: Any, **how: Any) -> int:
    Watched.lazy = Watched.looks = 0
    play(program, *args, runtime=Watched, **how)
    assert Watched.looks
    return Watched.lazy


@settings(max_examples=100)
@given(trees.filter(lambda tree: tree.work() > 0), procs, seeds, policies)
def test_work_is_conserved(tree: Tree, n: int, seed: int, policy: Policy) -> None:
    """Where the scheduler's own doing takes no time, time does not pass while a P is idle and a goroutine is queued. Unless nobody may steal."""
    lazy = idle_beside_work(grow, tree, procs=n, seed=seed, policy=policy)
    assert lazy == 0 or not policy.steal


@settings(max_examples=40)
@given(st.integers(1, 9), procs, seeds, policies)
def test_work_is_conserved_with_calls_and_waits(size: int, n: int, seed: int, policy: Policy) -> None:
    assert idle_beside_work(mixed, size, procs=n, seed=seed, policy=policy) == 0 or not policy.steal


def test_without_stealing_ps_idle_beside_work() -> None:
    """So the tests above can fail."""
    assert idle_beside_work(crew, 1, 1, 1, 1, procs=2, policy=Policy(steal=False)) > 0


@settings(max_examples=100)
@given(st.integers(1, 12), procs, seeds, policies, st.sampled_from([FREE, USUAL]))
def test_nobody_is_lost(size: int, n: int, seed: int, policy: Policy, costs: Costs) -> None:
    """Under any policy everybody ends, and all that they did is there: the replay knows each event to be legal."""
    tape = play(mixed, size, procs=n, seed=seed, policy=policy, costs=costs)
    assert tape.error is None
    assert tape.value == 3 * sum(range(size)) + sum(range(size))
    assert tape.lost() == set()
    assert {step.p for step in tape.of(E_GO_START)} <= set(range(n))


async def shrinking(size: int) -> int:
    """While the number of Ps goes up and down."""
    done, wg = [0], WaitGroup()

    async def worker(i: int) -> None:
        await cpu(0.0001 * (i % 7))
        if i % 5 == 0:
            gomaxprocs(1 + i % 4)
        done[0] += 1

    for i in range(size):
        wg.go(worker, i)
    await wg
    return done[0]


@settings(max_examples=40)
@given(st.integers(1, 60), procs, seeds, policies)
def test_nobody_is_lost_when_ps_go(size: int, n: int, seed: int, policy: Policy) -> None:
    tape = play(shrinking, size, procs=n, seed=seed, policy=policy)
    assert (tape.error, tape.value, tape.lost()) == (None, size, set())


@pytest.mark.parametrize("n", [1, 2, 64])
def test_a_tree_of_thousands(n: int) -> None:
    tree = full(5, 4, 10)
    tape = play(grow, tree, procs=n, costs=USUAL, queues=False)
    assert len(tape.names) == tree.size() == 1_365
    assert tape.lost() == set()
