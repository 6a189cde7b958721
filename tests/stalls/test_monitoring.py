"""Hogs beside the tools of the user: sys.monitoring in use, all of its ids taken, sys.settrace, sys.setprofile. gosched leaves nothing behind."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

import pytest

import gosched
from gosched import AbandonedThreadWarning, WaitGroup, go, run

from .waiting import CAN_SUSPEND, MONITORS, PATIENCE, Deadline, monitoring, spin, taken, until, until_suspended

needs_monitoring = pytest.mark.skipif(not MONITORS, reason="nobody is asked by sys.monitoring here")
IDS = range(6)


def owners() -> list[str | None]:
    return [monitoring.get_tool(number) for number in IDS]


@pytest.fixture
def tools() -> Iterator[list[int]]:
    """Ids that a test takes; given back afterwards."""
    taken: list[int] = []
    yield taken
    for number in taken:
        monitoring.set_events(number, 0)
        for event in ("LINE", "JUMP", "PY_START", "PY_RETURN"):
            monitoring.register_callback(number, getattr(monitoring.events, event), None)
        monitoring.free_tool_id(number)


def take(tools: list[int], number: int) -> None:
    monitoring.use_tool_id(number, "the user's")
    tools.append(number)


def suspended_hog() -> tuple[int, list[str | None]]:
    """A hog on the only P, until it was suspended at least twice; how often, and who had the ids meanwhile."""

    async def main() -> tuple[int, list[str | None]]:
        while True:
            stop: list[int] = []
            wg, before = WaitGroup(), taken()
            wg.go(spin, stop)
            await until(lambda before=before: gosched.stats().preemptions >= 2 or taken() > before, "two suspensions")  # type: ignore[misc]
            ids = owners()
            stop.append(1)
            await wg
            if gosched.stats().preemptions >= 2:
                return gosched.stats().preemptions, ids

    return run(main, gomaxprocs=1)


@needs_monitoring
def test_a_tool_id_is_taken_and_given_back() -> None:
    assert owners() == [None] * 6
    times, meanwhile = suspended_hog()
    assert times >= 2
    assert meanwhile == [None, None, None, None, "gosched", None]
    assert owners() == [None] * 6
    assert suspended_hog()[1] == meanwhile, "and once more"
    assert owners() == [None] * 6


@needs_monitoring
def test_a_program_without_hogs_takes_no_tool_id() -> None:
    async def main() -> list[str | None]:
        await gosched.asleep(0.001)
        return owners()

    assert run(main, gomaxprocs=1) == [None] * 6


@needs_monitoring
@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("local", [False, True], ids=["everywhere", "in the hog"])
def test_the_users_tool_goes_on(number: int, local: bool, tools: list[int]) -> None:
    """Its events arrive before, between and after suspensions, whichever id it has."""
    events = monitoring.events
    seen: Counter[str] = Counter()

    def jump(code: CodeType, start: int, destination: int) -> None:
        if code is spin.__code__:
            seen["JUMP"] += 1

    def line(code: CodeType, number: int) -> None:
        if code is spin.__code__:
            seen["LINE"] += 1

    take(tools, number)
    monitoring.register_callback(number, events.JUMP, jump)
    monitoring.register_callback(number, events.LINE, line)
    if local:
        monitoring.set_local_events(number, spin.__code__, events.JUMP | events.LINE)
    else:
        monitoring.set_events(number, events.JUMP | events.LINE)

    async def main() -> None:
        stop: list[int] = []
        wg = WaitGroup()
        hog = wg.go(spin, stop)
        for _ in range(3):
            await until_suspended(hog)
            before = Counter(seen)
            await until(
                lambda before=before: all(seen[name] > before[name] for name in ("JUMP", "LINE")),  # type: ignore[misc]
                "events after a suspension",
            )
        stop.append(1)
        await wg

    run(main, gomaxprocs=1)
    before = Counter(seen)
    spin([1])
    assert seen["LINE"] > before["LINE"]
    monitoring.set_local_events(number, spin.__code__, 0)
    assert [owner for owner in owners() if owner] == ["the user's"]


@needs_monitoring
def test_coverage_by_lines_that_are_seen_once(tools: list[int]) -> None:
    """A tool that answers DISABLE at each place, as coverage does, sees each line, and the hog gets on."""
    lines: Counter[int] = Counter()

    def line(code: CodeType, number: int) -> Any:
        if code is spin.__code__:
            lines[number - code.co_firstlineno] += 1
        return monitoring.DISABLE

    take(tools, monitoring.COVERAGE_ID)
    monitoring.register_callback(monitoring.COVERAGE_ID, monitoring.events.LINE, line)
    monitoring.set_events(monitoring.COVERAGE_ID, monitoring.events.LINE)
    assert suspended_hog()[0] >= 2
    monitoring.restart_events()
    assert {2, 3, 4, 5} <= set(lines)


@needs_monitoring
def test_all_ids_are_taken(tools: list[int]) -> None:
    """Nobody can be asked, and still nobody starves: the hog's P is taken by force."""
    for number in IDS:
        take(tools, number)

    async def main() -> tuple[int, int]:
        stop: list[int] = []
        wg = WaitGroup()
        for _ in range(3):
            wg.go(spin, stop)
        await until(taken, "a P to be taken")
        stop.append(1)
        await wg
        return gosched.stats().preemptions, taken()

    preemptions, times = run(main, gomaxprocs=1)
    assert preemptions == 0
    assert times >= 1
    assert owners() == ["the user's"] * 6


@needs_monitoring
def test_all_ids_are_taken_when_main_ends(tools: list[int]) -> None:
    for number in IDS:
        take(tools, number)
    log: list[str] = []
    stop: list[int] = []

    def hog() -> None:
        try:
            log.append("begins")
            spin(stop)
        finally:
            log.append("finally")

    async def main() -> None:
        go(hog)
        await until(lambda: log, "the hog to begin")

    try:
        run(main, gomaxprocs=1, grace=PATIENCE)
    except AbandonedThreadWarning:
        stop.append(1)
        raise
    assert log == ["begins", "finally"]


@needs_monitoring
def test_the_tool_id_is_given_back_after_an_exception(script: Any) -> None:
    """The hog is in a C call while it is asked, and raises behind it: it comes by no event any more."""
    done = script(
        """
        import sys, gosched

        async def main():
            gosched.after_func(60, print)
            sum(range(3_000_000))
            raise KeyError

        for _ in range(3):
            try:
                gosched.run(main, gomaxprocs=1)
            except KeyError:
                pass
            print([sys.monitoring.get_tool(number) for number in range(6)])
        """
    )
    assert done.stdout == "[None, None, None, None, None, None]\n" * 3, done.stderr


@pytest.mark.parametrize("set_hook", [sys.settrace, sys.setprofile], ids=["settrace", "setprofile"])
def test_a_traced_hog(set_hook: Any) -> None:
    """The old hooks, active in the hog itself: they see its events, and it is suspended all the same."""
    seen: Counter[str] = Counter()

    def hook(frame: FrameType, event: str, arg: Any) -> Any:
        seen[event] += 1
        return hook

    def work(n: int) -> int:
        total = 0
        for i in range(n):
            total += i
        return total

    def hog(stop: list[int], results: list[bool]) -> None:
        set_hook(hook)
        try:
            n, right = 0, True
            while not stop:
                right = right and work(20) == 190
                n += 1
            results.append(right and n > 0)
        finally:
            set_hook(None)

    async def main() -> list[bool]:
        stop: list[int] = []
        results: list[bool] = []
        wg = WaitGroup()
        g = wg.go(hog, stop, results)
        for _ in range(2):
            await until_suspended(g)
            before = seen["call"]
            await until(lambda before=before: seen["call"] > before, "the hook to be called again")  # type: ignore[misc]
        stop.append(1)
        await wg
        return results

    assert run(main, gomaxprocs=1) == [True]
    assert seen["return"] > 0
    assert bool(seen["line"]) == (set_hook is sys.settrace)


def test_a_trace_function_that_is_itself_a_hog() -> None:
    """Events inside a trace function are not traced again; that of gosched comes through or its P is taken."""

    def hog(stop: list[int]) -> None:
        def hook(frame: FrameType, event: str, arg: Any) -> None:
            spin(stop)

        sys.settrace(hook)
        try:
            (lambda: None)()
        finally:
            sys.settrace(None)

    async def main() -> str:
        stop: list[int] = []
        wg = WaitGroup()
        wg.go(hog, stop)
        await until(lambda: taken() or gosched.stats().preemptions, "a turn beside the hog")
        stop.append(1)
        await wg
        return "done"

    assert run(main, gomaxprocs=1) == "done"


@needs_monitoring
def test_two_runtimes_at_once_share_the_tool_id() -> None:
    """The one that ends first leaves the other's hog as it is."""
    turns: list[str] = []

    async def first(stop: list[int]) -> None:
        wg = WaitGroup()
        hog = wg.go(spin, stop)
        await until_suspended(hog)
        stop.append(1)
        await wg
        turns.append("first")

    async def second() -> None:
        stop: list[int] = []
        wg = WaitGroup()
        wg.go(spin, stop)
        deadline = Deadline("the first runtime to end")
        while "first" not in turns:
            deadline.check()
            await gosched.asleep(0.001)
        before = gosched.stats()
        await until(lambda: gosched.stats().preemptions > before.preemptions or taken(), "a suspension after the other's end")
        stop.append(1)
        await wg
        turns.append("second")

    with gosched.Runtime(gomaxprocs=1) as rt:
        future = rt.submit(second)
        run(first, [], gomaxprocs=1)
        future.result(60)
    assert turns == ["first", "second"]
    assert owners() == [None] * 6


@pytest.mark.skipif(CAN_SUSPEND, reason="here a hog can be suspended")
def test_where_nobody_can_be_asked_ps_are_taken() -> None:
    async def main() -> tuple[int, int]:
        stop: list[int] = []
        wg = WaitGroup()
        wg.go(spin, stop)
        await until(taken, "a P to be taken")
        stop.append(1)
        await wg
        return gosched.stats().preemptions, taken()

    preemptions, times = run(main, gomaxprocs=1)
    assert preemptions == 0
    assert times >= 1
