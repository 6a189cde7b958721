"""What goroutines do with their time: cpu, syscall, call, io, in the laboratory and in a real run."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import gosched
from gosched import Canceled, DeadlineExceeded, Goexit, WaitGroup, asleep, go, with_cancel, with_timeout
from gosched.core.events import E_GO_START, E_GO_STOP, E_PROC_STEAL, E_PROC_STOP, E_SYSCALL_BEGIN, E_SYSCALL_END, NAMES, PREEMPTED
from gosched.lab import Costs, call, cpu, io, syscall, work
from gosched.lab.clockwork import Clockwork
from gosched.lab.costs import FREE, USUAL
from gosched.lab.kinds import KINDS
from gosched.lab.script import Script
from gosched.lab.virtual import EPOCH
from gosched.policy import GO, Policy
from gosched.program import Main
from gosched.trace import files
from gosched.trace.record import VirtualRecorder
from gosched.trace.replay import Replay
from tests.builds import NEVER_TOLD

from .playing import play

Op = Callable[[float], Awaitable[None]]
OPS: list[Op] = [cpu, syscall, call, io]
every_op = pytest.mark.parametrize("op", OPS, ids=lambda op: op.__name__)
MS = 1_000_000


def told(main: Callable[..., Any], procs: int = 1, costs: Costs = FREE, policy: Policy = GO) -> list[tuple[int, str, int, int]]:
    """A run: (time in ns, event, goroutine, M), and `kinds` of interest only."""
    recorder = VirtualRecorder()
    Clockwork(procs, 1, policy, costs, recorder).run(main)
    replay = Replay.of(files.parse(recorder.data, "work.trace"))
    kinds = (E_GO_START, E_GO_STOP, E_PROC_STOP, E_PROC_STEAL, E_SYSCALL_BEGIN, E_SYSCALL_END)
    return [
        (step.time - EPOCH, "PREEMPTED" if step.kind == E_GO_STOP and step.args[0] == PREEMPTED else NAMES[step.kind], step.g, step.m)
        for step in replay.run()
        if step.kind in kinds
    ]


def makespan(op: Op, procs: int) -> int:
    """Of four that do it for 3 ms."""

    async def main() -> int:
        wg = WaitGroup()
        for _ in range(4):
            wg.go(op, 0.003)
        await wg
        return run.clock - EPOCH

    run = Clockwork(procs, costs=FREE)
    return int(run.run(main))


def all_gone(run: Clockwork) -> bool:
    return not run.sched.live_count() and not run.sched.threads and not run.players and not run.due


# ---- how long ----


@every_op
@pytest.mark.parametrize("seconds", [0, 0.000_001, 0.25, 2])
def test_takes_its_time_and_nothing_else(op: Op, seconds: float) -> None:
    async def main() -> int:
        begun = run.clock
        await op(seconds)
        return run.clock - begun

    run = Clockwork(costs=FREE)
    assert run.run(main) == round(seconds * 1e9)
    assert all_gone(run)


@every_op
def test_takes_real_time_in_a_real_run(op: Op) -> None:
    async def main() -> int:
        begun = time.monotonic_ns()
        await op(0.002)
        return time.monotonic_ns() - begun

    assert gosched.run(main) >= 2 * MS


def test_work_at_the_same_time_takes_as_many_ps() -> None:
    assert [makespan(cpu, procs) for procs in (1, 2, 4)] == [12 * MS, 6 * MS, 3 * MS]


@pytest.mark.parametrize(("op", "expected"), [(cpu, 12), (syscall, 3), (call, 3), (io, 3)], ids=["cpu", "syscall", "call", "io"])
def test_only_work_needs_a_p(op: Op, expected: int) -> None:
    """Those that wait do so at the same time, but for the 40 µs or so until sysmon has taken the P from a syscall."""
    assert 0 <= makespan(op, 1) - expected * MS < MS // 2


# ---- bad input ----

BAD: list[tuple[object, type[Exception], str]] = [
    ("1", TypeError, "seconds must be a number, not '1'"),
    (None, TypeError, "seconds must be a number, not None"),
    (True, TypeError, "seconds must be a number, not True"),
    (-1, ValueError, "seconds must be from 0 to 1,000,000, not -1"),
    (1_000_001, ValueError, "seconds must be from 0 to 1,000,000, not 1000001"),
    (math.nan, ValueError, "seconds must be from 0 to 1,000,000, not nan"),
    (math.inf, ValueError, "seconds must be from 0 to 1,000,000, not inf"),
]


@every_op
@pytest.mark.parametrize(("seconds", "error", "words"), BAD)
def test_bad_input(op: Op, seconds: Any, error: type[Exception], words: str) -> None:
    async def main() -> None:
        await op(seconds)

    for run in (Clockwork().run, gosched.run):
        with pytest.raises(error) as caught:
            run(main)
        assert str(caught.value) == f"{op.__name__}(): {words}"


@every_op
def test_outside_of_goroutines(op: Any) -> None:
    with pytest.raises(RuntimeError) as caught:
        op(1).send(None)
    assert str(caught.value) == f"{op.__name__}() outside of a goroutine: use it inside a goroutine of the laboratory, or of run()"


# ---- ending ----


@every_op
@pytest.mark.parametrize("procs", [1, 2])
def test_main_returns_meanwhile(op: Op, procs: int) -> None:
    log: list[str] = []

    async def busy() -> None:
        try:
            await op(1000)
            log.append("went on")
        except Goexit:
            log.append("Goexit")
            raise
        finally:
            log.append("cleaned up")

    async def main() -> str:
        go(busy)
        await asleep(0.001)
        return "done"

    run = Clockwork(procs)
    assert run.run(main) == "done"
    assert log == ["Goexit", "cleaned up"]
    assert run.clock - EPOCH < 100 * MS, "nobody waited for it"
    assert all_gone(run)


@every_op
def test_a_goroutine_ends_itself_between(op: Op) -> None:
    log: list[str] = []

    async def leaves(wg: WaitGroup) -> None:
        try:
            await op(0.001)
            raise Goexit
        finally:
            await op(0.001)
            log.append("cleaned up")
            wg.done()

    async def main() -> int:
        wg = WaitGroup()
        wg.add(1)
        go(leaves, wg)
        await wg
        return run.clock - EPOCH

    run = Clockwork(costs=FREE)
    assert run.run(main) == 2 * MS
    assert log == ["cleaned up"]
    assert all_gone(run)


def test_io_heeds_its_context() -> None:
    async def main() -> int:
        begun = run.clock
        with pytest.raises(DeadlineExceeded), with_timeout(0.001):
            await io(1000)
        return run.clock - begun

    run = Clockwork(costs=FREE)
    assert run.run(main) == MS
    assert all_gone(run)


@pytest.mark.parametrize("op", [cpu, syscall, call], ids=["cpu", "syscall", "call"])
def test_who_is_busy_hears_of_its_context_afterwards(op: Op) -> None:
    """As in a real program: it is asked where it would wait."""

    async def main() -> int:
        begun = run.clock
        with pytest.raises(DeadlineExceeded), with_timeout(0.001):
            await op(0.005)
            await asleep(1000)
        return run.clock - begun

    run = Clockwork(costs=FREE)
    assert run.run(main) == 5 * MS
    assert all_gone(run)


def test_io_heeds_its_context_in_a_real_run() -> None:
    """And its thread is free meanwhile: there is one P, and who cancels needs it."""

    async def main() -> None:
        ctx, cancel = with_cancel()
        with ctx:
            go(cancel)
            with pytest.raises(Canceled):
                await io(1000)

    gosched.run(main, gomaxprocs=1)


@pytest.mark.parametrize("op", [syscall, call], ids=["syscall", "call"])
def test_a_call_leaves_its_p_to_others_in_a_real_run(op: Op, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is one P: the call returns when another goroutine has had it."""
    had = threading.Event()
    waited: list[bool] = []
    monkeypatch.setattr(work.time, "sleep", lambda seconds: waited.append(had.wait(60)))

    async def main() -> None:
        wg = WaitGroup()
        wg.go(had.set)
        wg.go(op, 1)
        await wg

    gosched.run(main, gomaxprocs=1)
    assert waited == [True]


@NEVER_TOLD
def test_work_is_ended_in_a_real_run() -> None:
    log: list[str] = []

    async def busy(begun: Any) -> None:
        try:
            await begun.asend(None)
            await cpu(1000)
        finally:
            log.append("ended")

    async def main() -> None:
        begun = gosched.Chan[None]()
        go(busy, begun)
        await begun.arecv()

    gosched.run(main, gomaxprocs=2)
    assert log == ["ended"]


# ---- preemption ----


async def two_hogs() -> int:
    wg = WaitGroup()
    wg.go(cpu, 0.03)
    wg.go(cpu, 0.03)
    await wg
    host = work.laboratory("two_hogs")
    assert host is not None
    return host.clock - EPOCH


def test_work_is_stopped_in_the_middle() -> None:
    events = told(two_hogs)
    stops = [(t, g) for t, what, g, _ in events if what == "PREEMPTED"]
    assert [g for _, g in stops] == [3, 2, 3, 2], "in turns, while both have something to do"
    spans = [after[0] - before[0] for before, after in zip([(0, 0), *stops], stops, strict=False)]
    assert all(10 * MS <= span < 20 * MS for span in spans), "a slice, and until sysmon looks"


async def rested() -> int:
    await asleep(0.05)
    return await two_hogs()


def test_work_after_a_pause_is_stopped_as_well() -> None:
    """All Ps were idle, and sysmon asleep; the thread that polled has taken a P by itself."""
    assert [g for _, what, g, _ in told(rested) if what == "PREEMPTED"] == [3, 2, 3, 2]


def test_work_that_was_stopped_is_done_in_full() -> None:
    assert Clockwork(costs=FREE).run(two_hogs) == 60 * MS


def test_no_preemption_where_nobody_waits() -> None:
    async def main() -> None:
        await cpu(0.1)

    assert "PREEMPTED" not in [what for _, what, _, _ in told(main)]


def test_preemption_switched_off() -> None:
    assert "PREEMPTED" not in [what for _, what, _, _ in told(two_hogs, policy=Policy(preempt=False))]


def test_work_goes_on_on_another_thread() -> None:
    """Three on two Ps: who was stopped is bound to no thread, and goes on where there is a P."""

    async def main() -> None:
        wg = WaitGroup()
        for _ in range(3):
            wg.go(cpu, 0.025)
        await wg

    ms = {(g, m) for _, what, g, m in told(main, procs=2, costs=USUAL) if what == "GO_START" and g != 1}
    assert len(ms) > len({g for g, _ in ms}), "somebody was on two"


# ---- calls ----


def calling(op: Op, seconds: float, others: int) -> Callable[[], Any]:
    async def main() -> None:
        wg = WaitGroup()
        for _ in range(others):
            wg.go(cpu, 0.001)
        wg.go(op, seconds)
        await wg

    return main


def test_sysmon_takes_the_p_of_a_syscall_at_its_second_look() -> None:
    events = told(calling(syscall, 0.006, 2))
    begun = next(t for t, what, _, _ in events if what == "SYSCALL_BEGIN")
    taken = [t for t, what, _, _ in events if what == "PROC_STEAL"]
    assert len(taken) == 1
    assert 20_000 <= taken[0] - begun <= 2 * 20_000, "it looks every 20 µs at first, and has to see it twice"
    others = [t for t, what, g, _ in events if what == "GO_START" and g in (2, 3)]
    assert all(taken[0] <= t < 6 * MS for t in others)


def test_a_short_syscall_keeps_its_p() -> None:
    events = told(calling(syscall, 0.000_015, 2))
    assert "PROC_STEAL" not in [what for _, what, _, _ in events]
    back = next(i for i, (_, what, _, _) in enumerate(events) if what == "SYSCALL_END")
    assert events[back][2] == 4
    assert [what for _, what, g, _ in events if g == 4] == ["GO_START", "SYSCALL_BEGIN", "SYSCALL_END"]


def test_a_call_hands_over_its_p_before() -> None:
    events = told(calling(call, 0.006, 2))
    at = next(i for i, (_, what, _, _) in enumerate(events) if what == "SYSCALL_BEGIN")
    begun, stop = events[at : at + 2]
    assert (stop[0], stop[1], stop[3]) == (begun[0], "PROC_STOP", begun[3])
    assert "PROC_STEAL" not in [what for _, what, _, _ in events]


def test_a_call_keeps_its_p_if_nobody_waits_for_it() -> None:
    events = told(calling(call, 0.000_015, 0))
    at = next(i for i, (_, what, _, _) in enumerate(events) if what == "SYSCALL_BEGIN")
    assert events[at + 1][1] == "SYSCALL_END"


# ---- timers ----


@pytest.mark.parametrize("costs", [USUAL, FREE, Costs(wake=0), Costs(start=1_000_000)], ids=["usual", "free", "no wake", "slow start"])
def test_timers_that_are_due_almost_at_once(costs: Costs) -> None:
    """Who comes back from waiting for one may not look for the other while another thread, on its way, is counted as looking: time must go on."""

    async def main() -> None:
        wg = WaitGroup()
        for _ in range(3):
            wg.go(asleep, 0.001)
        await wg

    for procs in (1, 2, 4):
        run = Clockwork(procs, costs=costs)
        turns = run.played(Main(run, ends=True), main, ())
        played = sum(1 for _ in zip(turns, range(2_000), strict=False))
        turns.close()
        assert played < 2_000, f"{procs} Ps: it goes on for ever"
        assert MS <= run.clock - EPOCH < 4 * MS


# ---- kinds ----


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_does_what_it_says(name: str) -> None:
    kind = KINDS[name]
    story = play(Script.of({"procs": 2, "actions": [{"at": 0.0, "start": name, "n": 3}]}))
    assert story.over == "idle", "main waits for more to do"
    assert len(story.all("GO_CREATE")) == 1 + 3 * kind.starts
    assert len(story.all("GO_END")) == 1 + 3 * kind.starts, "main as well, when nobody looks any more"
    shows = {
        "net": "NETPOLL",
        "call": "PROC_STOP",
        "syscall": "SYSCALL_BEGIN",
        "hog": "ASK",
        "sleep": "TIMERS",
        "ping": "GO_UNBLOCK",
        "mutex": "GO_BLOCK",
    }
    assert story.all(shows.get(name, "GO_START"))
