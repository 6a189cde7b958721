"""Groups that are cut short, from inside and from outside, and groups with a limit; where and how often one can be used."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

import gosched
from gosched import (
    Canceled,
    Context,
    DeadlineExceeded,
    Event,
    GoschedError,
    Group,
    after_func,
    asleep,
    background,
    go,
    nil,
    now,
    run,
    with_cancel,
    with_timeout,
)
from gosched.testing import virtual_run
from tests.sync.spelled import schedules, settled

from .groups import everywhere, fails_after, grouped, task_body, told
from .operations import Way, ways

# ---- cancelled ----


@ways
def test_cancelled_from_outside(way: Way) -> None:
    """The block raises Canceled, and no ExceptionGroup: in the body, or while it waits for the tasks."""

    async def main() -> None:
        for body_waits in (True, False):
            begin = now()
            with pytest.raises(Canceled, match=r"^context canceled$") as caught, with_cancel() as outer:
                after_func(2, outer.cancel, ValueError("enough"))
                async with grouped(way) as group:
                    tasks = [group.go(nil.arecv) for _ in range(3)]
                    if body_waits:
                        await way.do(nil, "recv")
            assert now() - begin == pytest.approx(2)
            assert repr(caught.value.__cause__) == "ValueError('enough')"
            assert all(task.done for task in tasks)

    everywhere(main, way)


@ways
def test_a_deadline_outside(way: Way) -> None:
    async def main() -> None:
        for body_waits in (True, False):
            begin = now()
            with pytest.raises(DeadlineExceeded, match=r"^context deadline exceeded$"), with_timeout(2):
                async with grouped(way) as outer, grouped(way) as inner:
                    outer.go(nil.arecv)
                    inner.go(task_body(way, way.do), nil, "recv")
                    if body_waits:
                        await way.do(nil, "recv")
            assert now() - begin == pytest.approx(2)

    everywhere(main, way)


@ways
def test_failure_while_it_is_cancelled_from_outside(way: Way) -> None:
    """It is not swallowed: the failures are raised."""

    async def main() -> None:
        async def fails_to_clean_up() -> None:
            try:
                await way.do(nil, "recv")
            finally:
                raise RuntimeError("real")

        with pytest.raises(ExceptionGroup) as caught, with_timeout(1):
            async with grouped(way) as group:
                group.go(task_body(way, fails_to_clean_up))
        assert told(caught.value) == ["RuntimeError('real')"]

    everywhere(main, way)


@ways
def test_cancelled_by_its_own_context(way: Way) -> None:
    """group.ctx.cancel(): all stop, and the block ends as if nothing had happened."""

    async def main() -> None:
        async with grouped(way) as group:
            task = group.go(nil.arecv)
            after_func(1, group.ctx.cancel)
            await way.do(nil, "recv")
            pytest.fail("it waits for ever")
        with pytest.raises(Canceled):
            task.result()
        assert now() == 2
        await way.do(gosched, "sleep", 1)

    everywhere(main, way)


@ways
def test_nothing_is_cut_short(way: Way) -> None:
    """The context around it is over when all are done: the block need not wait, and what it returns is not lost."""

    async def main() -> None:
        async def value() -> int:
            with with_cancel() as outer:
                async with grouped(way) as group:
                    result: int = await way.do(group.go(pow, 2, 3), "wait")
                    outer.cancel()
                    return result

        assert await value() == 8

    everywhere(main, way)


def test_cancel_before_start() -> None:
    """Tasks of a group that is cancelled never start; a coroutine is closed."""

    async def main() -> None:
        started: list[int] = []

        async def starts() -> None:
            started.append(1)

        async with Group() as group:
            group.ctx.cancel(ValueError("too late"))
            tasks = [group.go(starts), group.go(starts()), group.go(started.append, 1)]
            assert all(task.done for task in tasks)
            assert all(task.goroutine is None for task in tasks)
            with pytest.raises(Canceled) as caught:
                await tasks[0]
            assert repr(caught.value.__cause__) == "ValueError('too late')"
        assert not started

    schedules(main)


@ways
def test_the_wait_for_the_tasks_is_shielded(way: Way) -> None:
    """However long their clean-up takes: the block does not end before it."""

    async def main() -> None:
        log: list[str] = []

        async def cleans_up() -> None:
            try:
                await way.do(nil, "recv")
            finally:
                await way.do(gosched, "sleep", 10, ctx=background())
                log.append("cleaned up")

        with pytest.raises(DeadlineExceeded), with_timeout(1):
            async with grouped(way) as group:
                group.go(task_body(way, cleans_up))
        assert log == ["cleaned up"]
        assert now() == 12

    everywhere(main, way)


# ---- limit ----


@ways
@pytest.mark.parametrize("limit", [1, 3])
def test_limit(way: Way, limit: int) -> None:
    """Never more than that, and never fewer than could; first come first served; `go` never blocks."""

    async def main() -> None:
        running, most, order = [0], [0], list[int]()

        async def works(i: int) -> int:
            order.append(i)
            running[0] += 1
            most[0] = max(most[0], running[0])
            await way.do(gosched, "sleep", 1)
            running[0] -= 1
            return i

        begin = now()
        async with grouped(way, limit=limit) as group:
            tasks = [group.go(task_body(way, works), i) for i in range(9)]
            assert now() == begin
            assert sum(task.goroutine is not None for task in tasks) == limit
            assert repr(tasks[-1]).endswith("waiting for a place>")
        assert [task.result() for task in tasks] == list(range(9))
        assert most == [limit]
        assert now() - begin == pytest.approx(9 / limit)
        assert all(abs(i - at) < limit for at, i in enumerate(order))

    everywhere(main, way)


@ways
def test_limit_and_a_failure(way: Way) -> None:
    """Those that wait for a place never start."""

    async def main() -> None:
        started: list[int] = []

        async def works(i: int) -> None:
            started.append(i)
            await fails_after(way, 1, ValueError(i))

        with pytest.raises(ExceptionGroup) as caught:
            async with grouped(way, limit=2) as group:
                tasks = [group.go(task_body(way, works), i) for i in range(100)]
        assert sorted(started) == [0, 1]
        assert told(caught.value) in (["ValueError(0)"], ["ValueError(1)"], ["ValueError(0)", "ValueError(1)"], ["ValueError(1)", "ValueError(0)"])
        for task in tasks[2:]:
            with pytest.raises(Canceled):
                task.result()

    everywhere(main, way)


def test_limit_with_tasks_that_start_tasks() -> None:
    """One that waits for a task that has no place would wait for ever: here it only starts it."""

    async def main() -> None:
        seen: list[int] = []

        async def spreads(n: int) -> None:
            seen.append(n)
            if n:
                group.go(spreads, n - 1)
            await asleep(1)

        async with Group(limit=1) as group:
            group.go(spreads, 20)
        assert seen == list(range(20, -1, -1))

    schedules(main)


# ---- where it is used ----


@ways
def test_used_twice(way: Way) -> None:
    async def main() -> None:
        group = Group()
        with pytest.raises(GoschedError, match=r"^Group\.go\(\): outside of the group's block: use `with Group\(\) as group:`$"):
            group.go(pow, 1, 2)
        with group:
            with pytest.raises(GoschedError, match=r"^with: this group has been used: make a new one for each block$"), group:
                pass
            assert group.go(pow, 1, 2).wait() == 1
        with pytest.raises(GoschedError, match=r"^with: this group has been used: make a new one for each block$"), group:
            pass
        with pytest.raises(GoschedError, match=r"^Group\.go\(\): outside of the group's block"):
            group.go(pow, 1, 2)

    everywhere(main, way)


def test_from_another_thread() -> None:
    """A thread starts tasks; the block waits for them, whenever they come. One that comes too late is told so."""

    async def main() -> tuple[int, int]:
        done, refused, started = list[int](), list[int](), threading.Event()

        def starts(group: Group) -> None:
            try:
                for i in range(1000):
                    group.go(done.append, i)
                    started.set()
            except GoschedError:
                refused.append(1)

        async with Group() as group:
            thread = threading.Thread(target=starts, args=(group,))
            thread.start()
            gosched.blocking(started.wait, 60)
        n = len(done)
        gosched.blocking(thread.join)
        assert len(done) == n, "a task ran after the block's end"
        return n, len(refused)

    for _ in range(20):
        n, refused = run(main, gomaxprocs=2)
        assert (n == 1000) != bool(refused)


def test_an_async_generator_is_closed() -> None:
    """Its group is cancelled, waited for, and its failures are told."""

    async def main() -> None:
        log: list[str] = []

        async def cleans_up(fails: bool) -> None:
            try:
                await nil.arecv()
            finally:
                await asleep(1, ctx=background())
                log.append("cleaned up")
                if fails:
                    raise ValueError("in the generator")

        async def values(fails: bool) -> AsyncIterator[int]:
            async with Group() as group:
                group.go(cleans_up, fails)
                yield 1

        async with aclosing(values(False)) as it:
            await anext(it)
            await asleep(1)
        assert log == ["cleaned up"]
        assert Context.current() is background()
        with pytest.raises(ExceptionGroup) as caught:
            async with aclosing(values(True)) as it:
                await anext(it)
                await asleep(1)
        assert told(caught.value) == ["ValueError('in the generator')"]

    schedules(main)


def test_main_is_over_meanwhile() -> None:
    """A group in another goroutine is ended with the program: finally blocks run, and nobody waits for ever."""
    log: list[str] = []

    async def waits(name: str) -> None:
        try:
            await nil.arecv()
        finally:
            log.append(name)

    async def grouped_elsewhere(begun: Event) -> None:
        try:
            async with Group() as group:
                group.go(waits, "task")
                await asleep(0.001)
                begun.set()
        finally:
            log.append("block")

    async def main() -> None:
        begun = Event()
        go(grouped_elsewhere, begun)
        await begun
        await settled()

    for runs in (run, virtual_run):
        log.clear()
        runs(main)
        assert sorted(log) == ["block", "task"]


@pytest.mark.parametrize("limit", [None, 100])
def test_ten_thousand(limit: int | None) -> None:
    async def main() -> int:
        async def works(i: int) -> int:
            await gosched.ayield_now()
            return i

        async with Group(limit=limit) as group:
            tasks = [group.go(works, i) for i in range(10_000)]
        return sum(task.result() for task in tasks)

    assert run(main, gomaxprocs=2) == sum(range(10_000))


def test_ten_thousand_are_cancelled() -> None:
    async def main() -> int:
        async with Group() as group:
            tasks = [group.go(nil.arecv) for _ in range(10_000)]
            await settled()
            group.ctx.cancel()
        return sum(task.done for task in tasks)

    assert virtual_run(main) == 10_000
