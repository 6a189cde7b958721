"""Policies with methods of their own: what these are asked, what becomes of bad answers, and that Go's rules, spelled out, are Go's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import gosched
from gosched import Chan, Policy, WaitGroup, asleep, ayield_now, go
from gosched.core.events import AT_GLOBAL, AT_NEXT, AT_TAIL, E_GO_END, E_GO_START, E_QUEUE, E_SPILL, E_STEAL
from gosched.core.g import Goroutine
from gosched.core.p import coprimes_of
from gosched.lab.costs import FREE, USUAL, Costs
from gosched.testing import virtual_run
from gosched.trace.queues import Queues
from tests.lab.workloads import Program, client_and_server, crew, hogs_and_shorts, mixed, one_polite_of_four, play

# ---- what they are asked ----


class Places(Policy):
    """`answers`: by the names of goroutines; the others go to the tail."""

    answers: dict[str, int]
    asked: list[tuple[str, int, int]]

    def place(self, g: Goroutine, p: int, queued: int) -> int:
        self.asked.append((g.name, p, queued))
        return self.answers.get(g.name, self.TAIL)


def places(answers: dict[str, int], **changes: Any) -> Places:
    policy = Places(**changes)
    object.__setattr__(policy, "answers", answers)
    object.__setattr__(policy, "asked", [])
    return policy


def test_place_is_asked_for_each_that_becomes_runnable() -> None:
    """With who it is, on which P, and how many are queued there. Not for main, which comes from outside."""
    policy = places({})
    tape = play(crew, 0, 0, 0, policy=policy)
    assert policy.asked == [("a", 0, 0), ("b", 0, 1), ("c", 0, 2), ("main", 0, 0)]
    assert tape.turns() == ["main", "a", "b", "c", "main"]


def test_place_is_asked_by_the_p_that_readies() -> None:
    """Goroutines that were stolen are not asked about; who is woken goes to its waker's P."""
    policy = places({})
    tape = play(crew, 1, 1, 2, procs=2, policy=policy)
    waker = next(step for step in tape.of(E_GO_END) if tape.names[step.g] == "c")
    assert policy.asked == [("a", 0, 0), ("b", 0, 1), ("c", 0, 2), ("main", waker.p, 0)]
    assert len(tape.of(E_STEAL)) == 1


def test_each_answer_of_place() -> None:
    tape = play(crew, 0, 0, 0, 0, 0, policy=places({"b": Policy.NEXT, "c": Policy.GLOBAL, "e": Policy.NEXT}))
    assert [step.args for step in tape.of(E_QUEUE)][1:-1] == [
        (2, AT_TAIL, 0),
        (3, AT_NEXT, 0),
        (4, AT_GLOBAL, 0),
        (5, AT_TAIL, 0),
        (6, AT_NEXT, 0),
        (3, AT_TAIL, 0),  # b, which e has kicked out
    ]
    assert "".join(tape.turns()[1:-1]) == "eadbc"


def test_a_tail_that_is_full_spills() -> None:
    """Whatever place says: nobody is lost for want of room."""
    tape = play(crew, *[0] * 9, policy=places({}, ring=4))
    assert [step.args for step in tape.of(E_SPILL)] == [(0, 2), (0, 2)]
    assert "".join(tape.turns()[1:-1]) == "fgiabecdh"
    assert tape.lost() == set()


def test_place_goes_before_the_switches() -> None:
    tape = play(crew, 0, 0, 0, policy=places({"a": Policy.NEXT}, central=True, runnext=False))
    assert [step.args[1] for step in tape.of(E_QUEUE)][1:4] == [AT_NEXT, AT_TAIL, AT_TAIL]


class Firsts(Policy):
    asked: list[tuple[int, int, int, int]]

    def global_first(self, p: int, tick: int, queued: int, common: int) -> bool:
        self.asked.append((p, tick, queued, common))
        return tick % 7 == 0


def test_global_first_is_asked_while_there_is_a_global_queue() -> None:
    """With the P, its ticks so far, and how many wait in its queue and in the global one."""
    policy = Firsts()
    object.__setattr__(policy, "asked", [])
    tape = play(one_polite_of_four, policy=policy)
    assert policy.asked[0] == (0, 0, 0, 1)  # main, from outside
    assert policy.asked[1:] == [(0, tick, 3, 1) for tick in range(1, 8)]
    assert tape.turns() == play(one_polite_of_four, policy=Policy(fairness=7)).turns()


class Robs(Policy):
    order: list[int]
    asked: list[tuple[int, int]]

    def victims(self, p: int, n: int) -> Iterable[int]:
        self.asked.append((p, n))
        if len(self.asked) > 1_000:
            raise AssertionError("it is asked again and again, in vain")
        return iter(self.order)


def robs(order: list[int], **changes: Any) -> Robs:
    policy = Robs(**changes)
    object.__setattr__(policy, "order", order)
    object.__setattr__(policy, "asked", [])
    return policy


def test_victims_are_visited_in_their_order() -> None:
    """Any iterable will do. One that names no P with work finds none."""
    for order, ps in (([2, 1, 0, 3], {0, 1, 2, 3}), ([1, 2, 3], {0}), ([], {0}), ([0, 0, 0], {0, 1, 2, 3})):
        policy = robs(order)
        tape = play(crew, *[1] * 8, procs=4, policy=policy)
        assert tape.error is None
        assert {step.p for step in tape.of(E_GO_START)} == ps
        assert {n for _, n in policy.asked} == {4}
        assert {p for p, _ in policy.asked} >= {step.p for step in tape.of(E_STEAL)}
        assert tape.lost() == set()


def test_victims_decide_who_is_robbed() -> None:
    """Of all that have a queue, the one that comes first in the order."""
    order = [3, 2, 1, 0]
    for seed in range(5):
        tape, queues, raids = play(mixed, procs=4, seed=seed, policy=robs(order)), Queues(), 0
        for step in tape.steps:
            if step.kind == E_STEAL:
                stocked = [p for p in order if p != step.p and (queues.ring(p) or queues.next.get(p))]
                assert stocked[0] == step.args[0], "a P that comes before it had somebody"
                raids += 1
            queues.follow(step)
        assert raids


def test_victims_are_not_asked_if_nobody_steals() -> None:
    policy = robs([0, 1, 2, 3], steal=False)
    tape = play(crew, *[1] * 8, procs=4, policy=policy)
    assert policy.asked == []
    assert tape.of(E_STEAL) == []


def test_hooks_see_the_goroutine_that_is_no_one_elses() -> None:
    """A policy may keep what it knows in the goroutine's name, id or state: it gets the real one."""
    seen: list[Goroutine] = []

    class Looks(Policy):
        def place(self, g: Goroutine, p: int, queued: int) -> int:
            seen.append(g)
            return self.NEXT

    async def main() -> int:
        wg = WaitGroup()
        wg.add(1)
        go(wg.done, name="only")
        await wg
        return gosched.current().id

    me = virtual_run(main, policy=Looks())
    assert [g.id for g in seen] == [me + 1, me]


# ---- bad answers ----


class Says(Policy):
    """Answers what it is told to after so many good answers."""

    what: str
    answer: Callable[[], Any]
    good: int

    def decide(self, name: str, usual: Any) -> Any:
        if name != self.what:
            return usual
        object.__setattr__(self, "good", self.good - 1)
        return usual if self.good >= 0 else self.answer()

    def place(self, g: Goroutine, p: int, queued: int) -> int:
        return self.decide("place", self.NEXT)  # type: ignore[no-any-return]

    def global_first(self, p: int, tick: int, queued: int, common: int) -> bool:
        return self.decide("global_first", False)  # type: ignore[no-any-return]

    def victims(self, p: int, n: int) -> Iterable[int]:
        return self.decide("victims", range(n))  # type: ignore[no-any-return]


def says(what: str, answer: Callable[[], Any], good: int = 0) -> Says:
    policy = Says()
    for name, value in (("what", what), ("answer", answer), ("good", good)):
        object.__setattr__(policy, name, value)
    return policy


def raises() -> Any:
    raise LookupError("no idea")


BAD = [
    ("place", lambda: None, "Policy.place() must return NEXT, TAIL or GLOBAL, not None"),
    ("place", lambda: 7, "Policy.place() must return NEXT, TAIL or GLOBAL, not 7"),
    ("place", lambda: -1, "Policy.place() must return NEXT, TAIL or GLOBAL, not -1"),
    ("place", lambda: True, "Policy.place() must return NEXT, TAIL or GLOBAL, not True"),
    ("place", lambda: "next", "Policy.place() must return NEXT, TAIL or GLOBAL, not 'next'"),
    ("global_first", lambda: None, "Policy.global_first() must return True or False, not None"),
    ("global_first", lambda: 1, "Policy.global_first() must return True or False, not 1"),
    ("victims", lambda: [0, 4], "Policy.victims() must return numbers of Ps, from 0 to 3, not 4"),
    ("victims", lambda: [-1], "Policy.victims() must return numbers of Ps, from 0 to 3, not -1"),
    ("victims", lambda: ["P1"], "Policy.victims() must return numbers of Ps, from 0 to 3, not 'P1'"),
]

# So many good answers, and some have begun to work.
LATE = {"place": 12, "global_first": 5, "victims": 1}


async def crowd(begun: list[int], ended: list[int]) -> None:
    """Workers that write down when they begin and when they end, whatever happens. All three hooks are asked."""
    wg = WaitGroup()

    async def worker(i: int) -> None:
        begun.append(i)
        try:
            await ayield_now()
            await asleep(0.001 * (i % 5))
            await ayield_now()
        finally:
            ended.append(i)

    for i in range(12):
        wg.go(worker, i)
    await wg


@pytest.mark.parametrize(("what", "answer", "message"), BAD)
@pytest.mark.parametrize("late", [False, True])
def test_a_bad_answer_ends_the_program(what: str, answer: Callable[[], Any], message: str, late: bool) -> None:
    begun, ended = list[int](), list[int]()
    policy = says(what, answer, LATE[what] if late else 0)
    tape = play(crowd, begun, ended, procs=4, policy=policy)
    assert type(tape.error) is TypeError
    assert str(tape.error) == message
    assert tape.lost() == set()
    assert sorted(begun) == sorted(ended), "who has begun was unwound, once"
    assert bool(begun) >= late
    assert policy.good == -1, "it was asked again after its bad answer"


@pytest.mark.parametrize("what", ["place", "global_first", "victims"])
@pytest.mark.parametrize("late", [False, True])
def test_what_a_hook_raises_ends_the_program(what: str, late: bool) -> None:
    begun, ended = list[int](), list[int]()
    tape = play(crowd, begun, ended, procs=4, policy=says(what, raises, LATE[what] if late else 0))
    assert type(tape.error) is LookupError
    assert tape.error.args == ("no idea",)
    assert tape.lost() == set()
    assert sorted(begun) == sorted(ended)


def test_victims_that_are_no_iterable() -> None:
    tape = play(crowd, [], [], procs=4, policy=says("victims", lambda: 3))
    assert type(tape.error) is TypeError
    assert "not iterable" in str(tape.error)


def test_a_generator_that_fails_in_the_middle() -> None:
    def some() -> Iterable[int]:
        yield 0
        raise LookupError("no idea")

    tape = play(crowd, [], [], procs=4, policy=says("victims", some))
    assert type(tape.error) is LookupError
    assert tape.lost() == set()


@pytest.mark.parametrize(("what", "answer", "message"), BAD[:1] + BAD[5:6] + BAD[7:8])
def test_a_bad_answer_in_the_other_kinds_of_time(what: str, answer: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        virtual_run(crowd, [], [], gomaxprocs=4, policy=says(what, answer))
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        gosched.run(waits_for_ever, gomaxprocs=4, policy=says(what, answer))


async def waits_for_ever() -> None:
    """Until its program is ended. Threads come and go meanwhile, and each asks whom to rob."""
    never = Chan[int]()

    async def busy() -> None:
        while True:
            await ayield_now()

    for _ in range(2):
        go(busy)
    await never.arecv()


# ---- Go's rules, spelled out ----


class Spelled(Policy):
    """What Go does, said by hand. Its order of victims is drawn as a P draws it: a generator of its own for each, the same seed."""

    states: dict[int, int]

    def place(self, g: Goroutine, p: int, queued: int) -> int:
        return self.NEXT

    def global_first(self, p: int, tick: int, queued: int, common: int) -> bool:
        return tick % 61 == 0


class SpelledOut(Spelled):
    """The order of victims as well. Who is told whom to visit takes `next` from the first on: as Go does in its last pass."""

    seed: int

    def victims(self, p: int, n: int) -> Iterable[int]:
        at = self.random(p) % n
        steps = coprimes_of(n)
        step = steps[self.random(p) % len(steps)]
        return [(at + i * step) % n for i in range(n)]

    def random(self, p: int) -> int:
        x = self.states.get(p) or (self.seed * 0x9E3779B1 + p * 0x85EBCA6B + 1) & 0xFFFFFFFF or 1
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF
        self.states[p] = x
        return x


def spelled_out(seed: int) -> SpelledOut:
    policy = SpelledOut(passes=1)
    object.__setattr__(policy, "states", {})
    object.__setattr__(policy, "seed", seed)
    return policy


PROGRAMS: list[Program] = [mixed, client_and_server, hogs_and_shorts, one_polite_of_four]


@pytest.mark.parametrize("costs", [FREE, USUAL], ids=["free", "usual"])
@pytest.mark.parametrize("procs", [1, 2, 5, 16])
def test_gos_rules_in_python_are_gos(procs: int, costs: Costs) -> None:
    """Event by event; and so is what is played without a word about queues, the short way of putting."""
    for seed in range(3):
        for program in PROGRAMS:
            plain = play(program, procs=procs, seed=seed, costs=costs)
            assert play(program, procs=procs, seed=seed, costs=costs, policy=Spelled()).told() == plain.told()
            short = play(program, procs=procs, seed=seed, costs=costs, queues=False)
            assert short.told() == [told for told in plain.told() if told[2] not in ("QUEUE", "SPILL", "REFILL", "DRAIN", "EXPIRE", "SPIN")]


@pytest.mark.parametrize("procs", [2, 5, 16])
def test_gos_order_of_victims_in_python_is_gos(procs: int) -> None:
    raids = 0
    for seed in range(3):
        for program in PROGRAMS:
            plain = play(program, procs=procs, seed=seed, policy=Policy(passes=1))
            assert play(program, procs=procs, seed=seed, policy=spelled_out(seed)).told() == plain.told()
            raids += len(plain.of(E_STEAL))
    assert raids


def test_in_virtual_time_too() -> None:
    async def main() -> list[int]:
        log, wg = [], WaitGroup()

        async def worker(i: int) -> None:
            for _ in range(3):
                log.append(i)
                await ayield_now()

        for i in range(20):
            wg.go(worker, i)
        await wg
        return log

    for seed in range(5):
        assert virtual_run(main, gomaxprocs=3, seed=seed, policy=Spelled()) == virtual_run(main, gomaxprocs=3, seed=seed)


# ---- in production ----


class Newest(Policy):
    """Who becomes runnable runs next, every second one last; now and then from the global queue; victims from the last to the first."""

    counts: dict[str, int]

    def count(self, name: str) -> int:
        self.counts[name] = self.counts.get(name, 0) + 1
        return self.counts[name]

    def place(self, g: Goroutine, p: int, queued: int) -> int:
        return (self.NEXT, self.TAIL, self.GLOBAL)[self.count("place") % 3]

    def global_first(self, p: int, tick: int, queued: int, common: int) -> bool:
        return self.count("global_first") % 2 == 0

    def victims(self, p: int, n: int) -> Iterable[int]:
        self.count("victims")
        return reversed(range(n))


async def pipeline(size: int) -> int:
    """Every number goes through two channels and three goroutines."""
    first, second, wg = Chan[int](), Chan[int](3), WaitGroup()

    async def squares() -> None:
        async for n in first:
            await ayield_now()
            await second.asend(n * n)

    async def feeds() -> None:
        for n in range(size):
            await first.asend(n)
        first.close()

    async def closes() -> None:
        await wg
        second.close()

    for _ in range(4):
        wg.go(squares)
    go(feeds)
    go(closes)
    total = 0
    async for n in second:
        total += n
    return total


@pytest.mark.parametrize("procs", [1, 2])
def test_in_production(procs: int) -> None:
    policy = Newest(ring=4)
    object.__setattr__(policy, "counts", {})
    assert gosched.run(pipeline, 500, gomaxprocs=procs, policy=policy) == sum(n * n for n in range(500))
    assert policy.counts["place"] > 500
    assert policy.counts["global_first"] > 100
    assert procs > 1 or "victims" not in policy.counts


@pytest.mark.parametrize("procs", [1, 2])
@pytest.mark.parametrize(
    "policy",
    [
        Policy(runnext=False),
        Policy(lifo=True),
        Policy(central=True),
        Policy(steal=False),
        Policy(inherit=False, preempt=False),
        Policy(ring=2, batch=1, fairness=1),
        Policy(share=1.0, spin=0, passes=1),
        Policy(share=0.01, fairness=0),
    ],
    ids=lambda policy: ",".join(policy.changes()),
)
def test_switches_in_production(policy: Policy, procs: int) -> None:
    assert gosched.run(pipeline, 200, gomaxprocs=procs, policy=policy) == sum(n * n for n in range(200))


def test_the_order_in_production_is_that_of_virtual_time() -> None:
    """One P, and nobody who is busy for long: there is but one order."""

    async def main() -> list[int]:
        log, wg = list[int](), WaitGroup()

        async def worker(i: int) -> None:
            for _ in range(3):
                log.append(i)
                await ayield_now()

        for i in range(20):
            wg.go(worker, i)
        await wg
        return log

    for policy in (Policy(), Policy(lifo=True), Policy(runnext=False, ring=4), Policy(central=True), Spelled()):
        assert gosched.run(main, gomaxprocs=1, policy=policy) == virtual_run(main, policy=policy)
