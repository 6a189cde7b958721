"""The timer heap itself: against sorted(), by the number of its operations, and on Ps that come and go."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gosched
from gosched import Chan, Ticker, Timer, WaitGroup, after_func, asleep, ayield_now, go, now, run
from gosched.lab.purecore import core_copy
from gosched.testing import virtual_run

from ..sync.spelled import Do, awaited, both, plain, schedules

# ---- a heap under glass: the same source, uncompiled ----


class Lone:
    """A scheduler that consists of one heap, and of whoever asks to be woken."""

    virtual = True

    def __init__(self, core: Any) -> None:
        self.core = core
        self.pokes = 0
        self.counts = counts = SimpleNamespace(compared=0, swapped=0)

        class Counted(core.timers.TimerHeap):  # type: ignore[misc, name-defined]
            def before(self, i: int, j: int) -> bool:
                counts.compared += 1
                return bool(super().before(i, j))

            def swap(self, i: int, j: int) -> None:
                counts.swapped += 1
                super().swap(i, j)

        self.heap = Counted()
        self.host = self
        self.nproc = 1
        self.allp = [SimpleNamespace(timers=self.heap, id=0)]
        self.at = 1
        self.fired: list[tuple[int, Any]] = []
        lone = self

        class Probe(core.timers.Timer):  # type: ignore[misc, name-defined]
            name: Any = None

            def fire(self, when: int, seq: int) -> None:
                lone.fired.append((when, self.name))

        self.probe = Probe

    def now(self) -> int:
        return self.at

    def last_poll(self) -> int:
        return 0

    def poll_until(self) -> int:
        return 0

    def poll_wake(self) -> None:
        self.pokes += 1

    def timer(self, name: Any, when: int, period: int = 0) -> Any:
        t = self.probe(self)
        t.name = name
        t.set_time(when, period)
        return t

    def run(self, at: int) -> list[tuple[int, Any]]:
        """What fires at `at`."""
        self.at = at
        self.fired = []
        self.heap.run_due(at)
        return self.fired

    def check(self) -> None:
        """The heap property, and what the heap says of itself."""
        entries = [(self.heap.when_at(i), self.heap.timer_at(i)) for i in range(self.heap.size())]
        for i in range(1, len(entries)):
            assert not self.core.timers.TimerHeap.before(self.heap, i, (i - 1) // 4), "a child is before its parent"
        assert all(t.heap is self.heap for _, t in entries)
        assert sum(t.zombie for _, t in entries) == self.heap.zombies()
        assert self.heap.first() == (entries[0][0] if entries else 0)
        live = [t.when for _, t in entries if not t.zombie]
        assert not live or self.heap.wake_time() <= min(live), "somebody would sleep too long"


@pytest.fixture(scope="module")
def core() -> Iterator[Any]:
    with core_copy() as copy:
        yield copy


@given(st.lists(st.integers(1, 60), max_size=80))
def test_it_fires_as_sorted_would(core: Any, whens: list[int]) -> None:
    """In the order of the times, equal ones in the order of insertion."""
    lone = Lone(core)
    for i, when in enumerate(whens):
        lone.timer(i, when)
        lone.check()
    assert lone.run(1000) == sorted((when, i) for i, when in enumerate(whens))
    lone.check()
    assert lone.heap.size() == 0


Step = tuple[str, int, int]
steps = st.lists(
    st.tuples(st.sampled_from(["start", "stop", "reset", "run", "take"]), st.integers(0, 5), st.integers(0, 40)),
    max_size=120,
)


@settings(max_examples=150)
@given(steps)
def test_against_a_model(core: Any, steps: list[Step]) -> None:
    """Starts, stops, resets and runs in any order: what fires is what a dict of times says, at its time and once."""
    lone, model, clock = Lone(core), dict[int, int](), 1
    far = [lone.timer(100 + i, 5000 + i) for i in range(30)]  # so that zombies are few, and stay
    timers = [lone.probe(lone) for _ in range(6)]
    for name, t in enumerate(timers):
        t.name = name
    for op, name, amount in steps:
        t = timers[name]
        if op in ("start", "reset"):
            assert t.set_time(clock + amount, 0) == (name in model)
            model[name] = clock + amount
        elif op == "stop":
            assert t.clear_time() == (name in model)
            model.pop(name, None)
        elif op == "take":
            taken = lone.heap.take_any()  # as for a P that goes
            if taken is not None:
                lone.heap.insert(taken)
        else:
            clock += amount
            due = sorted((when, n) for n, when in model.items() if when <= clock)
            fired = lone.run(clock)
            assert sorted(fired) == due
            assert [when for when, _ in fired] == sorted(when for when, _ in fired)
            for _, n in due:
                del model[n]
        lone.check()
    assert sorted(lone.run(10_000)) == sorted([*((when, n) for n, when in model.items()), *((5000 + i, 100 + i) for i in range(len(far)))])
    lone.check()


@settings(max_examples=60)
@given(st.integers(1, 20), st.integers(1, 20), st.lists(st.integers(1, 70), min_size=1, max_size=12))
def test_periods_keep_their_phase(core: Any, first: int, period: int, gaps: list[int]) -> None:
    """However late the heap is run: one firing for all that were missed, the next one in phase."""
    lone, clock = Lone(core), 1
    t = lone.timer("tick", clock + first, period)
    for gap in gaps:
        clock += gap
        due = t.when
        fired = lone.run(clock)
        assert fired == ([(due, "tick")] if due <= clock else [])
        assert t.when > clock
        assert t.when - clock <= max(first, period)
        assert (t.when - 1 - first) % period == 0
        lone.check()


@pytest.mark.slow
def test_a_hundred_thousand_pending(core: Any) -> None:
    """Starting and stopping one among 100,000 costs a few comparisons, not 100,000: TestLongAdjustTimers, counted."""
    lone, n = Lone(core), 100_000
    entries = lone.heap._entries
    for i in range(n):  # in order: a heap already
        t = lone.probe(lone)
        t.when = t.placed = 1_000_000 + i
        t.heap = lone.heap
        entries.append([t.when, i, t])
    lone.heap._numbers = n
    lone.heap.refresh()
    levels = 9  # of a heap with four children each

    def cost(action: Any) -> int:
        lone.counts.compared = lone.counts.swapped = 0
        action()
        assert lone.counts.swapped <= levels
        return int(lone.counts.compared)

    early = lone.probe(lone)
    assert cost(lambda: early.set_time(5, 0)) <= levels
    assert lone.pokes == 1
    assert cost(early.clear_time) == 0
    assert cost(lambda: early.set_time(500_000, 0)) == 0, "its entry is put right later"
    late = lone.probe(lone)
    assert cost(lambda: late.set_time(9_000_000, 0)) <= levels
    assert cost(late.clear_time) == 0
    middle = entries[n // 2][2]
    assert cost(lambda: middle.set_time(2, 0)) == 0
    assert cost(middle.clear_time) == 0
    lone.counts.compared = 0
    for _ in range(2000):  # come and go, far below a quarter of the heap
        t = lone.probe(lone)
        t.set_time(2_000_000, 0)
        t.clear_time()
    assert lone.counts.compared <= 2000 * levels


def test_zombies_stay_below_a_quarter(core: Any) -> None:
    """Stopped timers do not pile up, and clearing them away costs a constant number of operations each."""
    lone = Lone(core)
    keep = [lone.timer(i, 1000 + i) for i in range(100)]
    lone.counts.compared = 0
    for i in range(5000):
        lone.timer("gone", 5000 + i).clear_time()
        assert lone.heap.size() <= 140
    assert lone.counts.compared <= 5000 * 20
    assert len(keep) == 100
    assert len(lone.run(2000)) == 100


# ---- the build that is in use ----


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["sleep", "func", "chan", "stopped", "reset"])), max_size=40), st.integers(0, 5))
def test_a_program_of_timers(timers: list[tuple[int, str]], seed: int) -> None:
    """Timers of every kind, in virtual time, on two Ps: all fire, in order, at their time."""

    async def main() -> list[tuple[float, int]]:
        begin, log, wg = now(), list[tuple[float, int]](), WaitGroup()

        def note(i: int) -> None:
            log.append((round(now() - begin, 6), i))

        async def sleeps(i: int, s: int) -> None:
            await asleep(s)
            note(i)

        async def receives(i: int, t: Timer) -> None:
            await t.c.arecv()
            note(i)

        for i, (s, kind) in enumerate(timers):
            if kind == "sleep":
                wg.go(sleeps, i, s)
            elif kind == "func":
                after_func(s, note, i)
            elif kind == "chan":
                wg.go(receives, i, Timer(s))
            elif kind == "stopped":
                after_func(s, note, i).stop()
            else:
                after_func(100, note, i).reset(s)
        await wg
        await asleep(200)
        return log

    log = virtual_run(main, gomaxprocs=2, seed=seed)
    assert sorted(log) == sorted((float(s), i) for i, (s, kind) in enumerate(timers) if kind != "stopped")
    assert [t for t, _ in log] == sorted(t for t, _ in log)


@both
def test_timers_of_a_p_that_goes(do: Do) -> None:
    """gomaxprocs goes down while timers are pending on the Ps that go, and up again: every one fires at its time."""

    async def main() -> list[tuple[int, int]]:
        begin, log, wg = now(), list[tuple[int, int]](), WaitGroup()

        async def sleeps(i: int) -> None:
            await do(gosched, "sleep", i)
            log.append((round(now() - begin), i))
            ticker = Ticker(1)
            for _ in range(3):
                await do(ticker.c, "recv")
            log.append((round(now() - begin), i + 3))

        for i in range(1, 13):
            wg.go(sleeps, i)
            after_func(i, lambda i=i: log.append((round(now() - begin), i)))
        for n in (1, 4, 2, 3, 1, 4):
            await asleep(1.5)
            gosched.gomaxprocs(n)
        await wg
        return log

    for log in schedules(main, procs=[4], seeds=range(10)):
        assert len(log) == 36
        assert all(at == due for at, due in log)


def test_timers_of_a_p_that_goes_in_real_time() -> None:
    """The same with threads: nothing gets lost."""

    async def main() -> int:
        fired, wg = list[int](), WaitGroup()

        async def sleeps(do: Do, i: int) -> None:
            await do(gosched, "sleep", 0.0005 * (i % 8))
            fired.append(i)

        async def resizes() -> None:
            for n in (1, 4, 2, 4, 1, 3, 1) * 3:
                gosched.gomaxprocs(n)
                await ayield_now()
                await asleep(0.0001)

        wg.go(resizes)
        for i in range(100):
            wg.go(sleeps, awaited if i % 10 else plain, i)
        await wg
        return len(set(fired))

    assert run(main, gomaxprocs=4) == 100


# ---- fairness ----


@both
def test_after_func_starvation(do: Do) -> None:
    """TestAfterFuncStarvation: a ping-pong pair on one P cannot keep an after_func from running. On the real clock: the pair never rests."""

    async def main() -> bool:
        ping, pong, stop, wg = Chan[int](2), Chan[int](2), list[int](), WaitGroup()

        async def plays(mine: Chan[int], other: Chan[int]) -> None:
            while not stop:
                await do(mine, "recv")
                await do(other, "send", 1)
            other.try_send(1)  # who is stopped before its first turn leaves the other one waiting

        wg.go(plays, ping, pong)
        wg.go(plays, pong, ping)
        ping.send(1)
        after_func(0.001, stop.append, 1)
        await wg
        return True

    assert run(main, gomaxprocs=1)


@pytest.mark.parametrize("yields", [False, True], ids=["TestTimerFairness", "TestTimerFairness2"])
@pytest.mark.parametrize("procs", [1, 2])
def test_timer_fairness(yields: bool, procs: int) -> None:
    """A timer fires although two goroutines saturate a channel; 2: although they also call out to the system all the while."""

    async def main() -> bool:
        ch, stop, wg = Chan[int](), list[int](), WaitGroup()

        async def sends() -> None:
            while not stop:
                await ch.asend(1)
                if yields:
                    await ayield_now()
            ch.close()

        async def receives() -> None:
            async for _ in ch:
                pass

        wg.go(sends)
        wg.go(receives)
        await Timer(0.001).c.arecv()
        stop.append(1)
        await wg
        return True

    assert run(main, gomaxprocs=procs)


def test_a_spinning_goroutine_does_not_hold_up_timers_of_other_ps() -> None:
    """A P whose goroutine never ends has timers: a thief fires them."""

    async def main() -> bool:
        done, fired = list[int](), Chan[bool](1)

        def busy() -> None:
            after_func(0.001, fired.try_send, True)
            while not done:
                pass

        go(busy)
        await fired.arecv(timeout=60)
        done.append(1)
        return True

    assert run(main, gomaxprocs=2)
