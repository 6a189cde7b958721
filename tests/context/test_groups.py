"""Groups: the block ends when all are done; the first failure cancels the rest; what failed is raised, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched import (
    Canceled,
    Chan,
    Context,
    DeadlineExceeded,
    Goexit,
    GoschedError,
    Group,
    Task,
    after_func,
    asleep,
    background,
    nil,
    now,
    run,
    with_cancel,
    with_timeout,
)
from gosched.testing import virtual_run
from tests.sync.spelled import schedules

from .groups import everywhere, fails_after, grouped, task_body, told
from .operations import Way, ways

# ---- all is well ----


@ways
def test_results(way: Way) -> None:
    """In any order; the block ends with the last."""

    async def main() -> None:
        async def squares(x: int) -> int:
            await way.do(gosched, "sleep", 10 - x)
            return x * x

        begin = now()
        async with grouped(way) as group:
            tasks = [group.go(task_body(way, squares), x) for x in range(5)]
            assert not any(task.done for task in tasks)
            with pytest.raises(GoschedError, match=r"^task .*squares is not done: wait for it, or leave the group's block first$"):
                group.go(squares, 9, name="squares").result()
        assert [task.result() for task in tasks] == [0, 1, 4, 9, 16]
        assert [task.result() for task in tasks] == [task.wait() for task in tasks]
        assert now() - begin == pytest.approx(10)
        assert isinstance(group.ctx.err, Canceled)
        assert Context.current() is background()

    everywhere(main, way)


@ways
def test_waiting_for_a_task(way: Way) -> None:
    """In the body, in another task, in a goroutine of its own: all get the result."""

    async def main() -> None:
        got: list[int] = []

        async def slow() -> int:
            await way.do(gosched, "sleep", 1)
            return 7

        async def waits(task: Task[int]) -> None:
            got.append(await way.do(task, "wait"))

        async with grouped(way) as group:
            task = group.go(task_body(way, slow), name="slow")
            group.go(task_body(way, waits), task)
            way.go(waits, task)
            got.append(await way.do(task, "wait"))
            with pytest.raises(DeadlineExceeded, match=r"^Task\.wait: nothing came of it within 1 s$"):
                await way.do(group.go(nil.arecv), "wait", timeout=1)
            group.ctx.cancel()
        assert got == [7, 7, 7]

    everywhere(main, way)


def test_what_can_be_a_task() -> None:
    """A plain function, an async one, one that returns a coroutine, a coroutine, an operation; each knows its name."""

    async def double(x: int) -> int:
        return 2 * x

    async def main() -> None:
        ch = Chan[int](1)
        ch.send(5)
        async with Group() as group:
            tasks: list[Task[Any]] = [
                group.go(pow, 2, 3),
                group.go(double, 4),
                group.go(lambda: double(5)),
                group.go(double(6)),
                group.go(ch.arecv),
                group.go(double, 1, name="mine"),
            ]
            assert tasks[1].goroutine is not None
            assert tasks[1].goroutine.name == tasks[1].name
            assert repr(tasks[5]) == "<Task 'mine' running>"
        assert [task.result() for task in tasks] == [8, 8, 10, 12, 5, 2]
        assert [task.name for task in tasks][::5] == ["pow", "mine"]
        assert repr(tasks[5]) == "<Task 'mine' done>"

    schedules(main)


@ways
def test_the_context_of_body_and_tasks(way: Way) -> None:
    """The group's, made from the current one, or from the one it was given; what `go` starts has none."""

    async def main() -> None:
        seen: dict[str, Context] = {}

        async def looks(name: str) -> None:
            seen[name] = Context.current()

        with gosched.with_value("user", "gopher") as around:
            async with grouped(way) as group:
                await looks("body")
                group.go(task_body(way, looks), "task")
                way.go(looks, "go")
                await way.do(gosched, "sleep", 1)
                assert group.ctx.parent is around
                assert group.ctx.value("user") == "gopher"
            async with grouped(way, ctx=background()) as other:
                assert other.ctx.parent is background()
            assert Context.current() is around
        assert (seen["body"], seen["task"], seen["go"]) == (group.ctx, group.ctx, background())

    everywhere(main, way)


def test_who_asked_for_a_task() -> None:
    """Not who started it when there was a place: that is the one before it."""

    async def who() -> str | None:
        return gosched.current().created_by

    async def main() -> None:
        async with Group(limit=1) as group:
            tasks = group.go(who), group.go(who)
        asked = main.__code__.co_firstlineno + 2
        assert [task.result() for task in tasks] == [f"{main.__qualname__} in goroutine 1 at {__file__}:{asked}"] * 2

    run(main)


@ways
def test_tasks_start_tasks(way: Way) -> None:
    """Also the last of them, when the body is long done."""

    async def main() -> None:
        count: list[int] = []

        async def spreads(depth: int) -> None:
            await way.do(gosched, "sleep", 1)
            count.append(depth)
            if depth:
                group.go(task_body(way, spreads), depth - 1)
                group.go(task_body(way, spreads), depth - 1)

        async with grouped(way) as group:
            group.go(task_body(way, spreads), 4)
        assert len(count) == 31

    everywhere(main, way)


# ---- failures ----


@ways
def test_the_first_failure_cancels_the_rest(way: Way) -> None:
    """Tasks and body, at once; what was cut short by it is no failure."""

    async def main() -> None:
        begin, log = now(), list[str]()

        async def waits() -> None:
            try:
                await way.do(nil, "recv")
            except Canceled as error:
                log.append(f"{error.__cause__!r} at {now() - begin:g} s")
                raise

        with pytest.raises(ExceptionGroup) as caught:
            async with grouped(way) as group:
                others = [group.go(task_body(way, waits)) for _ in range(3)]
                failing = group.go(task_body(way, fails_after), way, 2, ValueError("no"))
                await waits()
        assert log == ["ValueError('no') at 2 s"] * 4
        assert str(caught.value) == "1 of the group failed (1 sub-exception)"
        assert told(caught.value) == ["ValueError('no')"]
        assert repr(group.ctx.cause) == "ValueError('no')"
        with pytest.raises(ValueError, match=r"^no$"):
            failing.result()
        for task in others:
            with pytest.raises(Canceled):
                task.result()

    everywhere(main, way)


@ways
def test_the_body_fails(way: Way) -> None:
    """Its own failure is among them, first; the tasks are cancelled."""

    async def main() -> None:
        log: list[str] = []

        async def cleans_up() -> None:
            try:
                await way.do(nil, "recv")
            finally:
                await way.do(gosched, "sleep", 1, ctx=background())
                log.append("cleaned up")

        with pytest.raises(ExceptionGroup) as caught:
            async with grouped(way) as group:
                group.go(task_body(way, cleans_up))
                await way.do(gosched, "sleep", 1)
                raise KeyError("body")
        assert told(caught.value) == ["KeyError('body')"]
        assert caught.value.__suppress_context__
        assert log == ["cleaned up"]

    everywhere(main, way)


@ways
def test_several_fail_at_once(way: Way) -> None:
    async def main() -> None:
        with pytest.raises(ExceptionGroup) as caught:
            async with grouped(way) as group:
                for i in range(3):
                    group.go(task_body(way, fails_after), way, 0, ValueError(i))
                await fails_after(way, 0, KeyError("body"))
        assert sorted(told(caught.value)) == ["KeyError('body')", "ValueError(0)", "ValueError(1)", "ValueError(2)"]
        assert told(caught.value)[0] == "KeyError('body')"
        assert str(caught.value) == "4 of the group failed (4 sub-exceptions)"

    everywhere(main, way)


@ways
def test_failure_while_it_is_cancelled(way: Way) -> None:
    """A task, and the body, that raise something else on their way out: these are real."""

    async def main() -> None:
        async def fails_to_clean_up(name: str) -> None:
            try:
                await way.do(nil, "recv")
            finally:
                raise RuntimeError(name)

        with pytest.raises(ExceptionGroup) as caught:
            async with grouped(way) as group:
                group.go(task_body(way, fails_to_clean_up), "task")
                group.go(task_body(way, fails_after), way, 1, ValueError("first"))
                await fails_to_clean_up("body")
        assert sorted(told(caught.value)) == ["RuntimeError('body')", "RuntimeError('task')", "ValueError('first')"]

    everywhere(main, way)


@ways
def test_a_failure_that_others_wait_for(way: Way) -> None:
    """It is in the group once, although the body and another task get it as well."""

    async def main() -> None:
        async def waits(task: Task[Any]) -> None:
            await way.do(task, "wait", ctx=background())

        with pytest.raises(ExceptionGroup) as caught:
            async with grouped(way) as group:
                task = group.go(task_body(way, fails_after), way, 1, ValueError("once"))
                group.go(task_body(way, waits), task)
                await waits(task)
        assert told(caught.value) == ["ValueError('once')"]

    everywhere(main, way)


@ways
def test_a_failure_that_is_caught(way: Way) -> None:
    """To catch it in the body does not undo it: the group has failed. A task that catches its own has not."""

    async def main() -> None:
        async def copes() -> str:
            try:
                await fails_after(way, 1, ValueError("mine"))
            except ValueError:
                return "coped"
            return "?"

        async with grouped(way) as group:
            task = group.go(task_body(way, copes))
        assert task.result() == "coped"

        with pytest.raises(ExceptionGroup) as caught:
            async with grouped(way) as group:
                task = group.go(task_body(way, fails_after), way, 1, ValueError("caught"))
                with pytest.raises(ValueError, match="caught"):
                    await way.do(task, "wait", ctx=background())
        assert told(caught.value) == ["ValueError('caught')"]

    everywhere(main, way)


def test_arguments_that_do_not_fit() -> None:
    """A failure of the group, as one that comes later is."""

    async def nothing() -> None: ...

    async def main() -> None:
        with pytest.raises(ExceptionGroup) as caught:
            async with Group(limit=1) as group:
                group.go(nothing, 1, 2)
        assert "takes 0 positional arguments but 2 were given" in told(caught.value)[0]

    schedules(main)


@ways
def test_nested(way: Way) -> None:
    """The inner group's failure is one of the outer's; each is told as it was."""

    async def main() -> None:
        log: list[str] = []

        async def waits() -> None:
            try:
                await way.do(nil, "recv")
            finally:
                log.append("cut short")

        async def inner() -> None:
            async with grouped(way) as group:
                group.go(task_body(way, waits))
                group.go(task_body(way, fails_after), way, 1, ValueError("deep"))

        with pytest.raises(ExceptionGroup) as caught:
            async with grouped(way) as group:
                group.go(task_body(way, waits))
                group.go(task_body(way, inner))
                async with grouped(way) as second:
                    second.go(task_body(way, waits))
        assert told(caught.value) == ["ExceptionGroup('1 of the group failed', [ValueError('deep')])"]
        assert log == ["cut short"] * 3
        assert caught.value.split(ValueError)[1] is None

    everywhere(main, way)


@ways
def test_an_inner_group_fails_alone(way: Way) -> None:
    """If the failure is caught around it, the outer group goes on."""

    async def main() -> None:
        async def returns() -> int:
            await way.do(gosched, "sleep", 5)
            return 1

        async with grouped(way) as group:
            task = group.go(task_body(way, returns))
            with pytest.raises(ExceptionGroup):
                async with grouped(way) as inner:
                    inner.go(task_body(way, fails_after), way, 1, ValueError("caught"))
            assert Context.current() is group.ctx
            await way.do(gosched, "sleep", 1)
        assert task.result() == 1

    everywhere(main, way)


# ---- what is no Exception ----


@ways
def test_keyboard_interrupt_in_the_body(way: Way) -> None:
    """It leaves as it is; the tasks are cancelled and waited for."""

    async def main() -> None:
        log: list[str] = []

        async def waits() -> None:
            try:
                await way.do(nil, "recv")
            finally:
                log.append("cut short")

        with pytest.raises(KeyboardInterrupt):
            async with grouped(way) as group:
                group.go(task_body(way, waits))
                await way.do(gosched, "sleep", 1)
                raise KeyboardInterrupt
        assert log == ["cut short"]

    everywhere(main, way)


@ways
def test_keyboard_interrupt_in_a_task(way: Way) -> None:
    async def main() -> None:
        with pytest.raises(BaseExceptionGroup) as caught:
            async with grouped(way) as group:
                group.go(task_body(way, fails_after), way, 1, KeyboardInterrupt())
                group.go(nil.arecv)
        assert told(caught.value) == ["KeyboardInterrupt()"]
        assert not isinstance(caught.value, ExceptionGroup)

    everywhere(main, way)


@pytest.mark.parametrize("runs", [run, virtual_run])
@pytest.mark.parametrize("where", ["body", "task"])
def test_system_exit(runs: Callable[..., Any], where: str) -> None:
    """It ends the program, from wherever; the others' finally blocks run."""
    log: list[str] = []
    begun = gosched.Event()

    async def waits() -> None:
        try:
            begun.set()
            await nil.arecv()
        finally:
            log.append("ended")

    async def leaves() -> None:
        await begun
        raise SystemExit(3)

    async def main() -> None:
        async with Group() as group:
            group.go(waits)
            if where == "task":
                group.go(leaves)
            else:
                await leaves()

    with pytest.raises(SystemExit) as caught:
        runs(main)
    assert caught.value.code == 3
    assert log == ["ended"]


@ways
def test_goexit_in_a_task(way: Way) -> None:
    """It ends the task, and is no failure; there is no result."""

    async def main() -> None:
        async with grouped(way) as group:
            task = group.go(task_body(way, fails_after), way, 1, Goexit())
            other = group.go(task_body(way, way.do), gosched, "sleep", 2)
        assert other.result() is None
        with pytest.raises(Goexit):
            task.result()

    everywhere(main, way)


def test_canceled_of_its_own() -> None:
    """A task that ends by the Canceled of a context of its own has not failed; who waits for it gets that."""

    async def main() -> None:
        async def stops() -> None:
            with with_cancel() as mine:
                after_func(1, mine.cancel)
                await nil.arecv()

        async with Group() as group:
            task = group.go(stops)
            other = group.go(asleep, 2)
        assert other.result() is None
        with pytest.raises(Canceled):
            task.result()

    schedules(main)


def test_a_timeout_of_its_own_is_a_failure() -> None:
    """DeadlineExceeded is one, unless it only says that the group's own time is over."""

    async def main() -> None:
        async def too_slow() -> None:
            with with_timeout(1):
                await nil.arecv()

        with pytest.raises(ExceptionGroup) as caught:
            async with Group() as group:
                group.go(too_slow)
                group.go(nil.arecv)
        assert told(caught.value) == ["DeadlineExceeded('context deadline exceeded')"]

    schedules(main)
