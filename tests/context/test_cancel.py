"""Cancellation as users meet it: before, during, after; twice; in finally; in generators; blocks that are left in another order."""

from __future__ import annotations

import gc
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import gosched
from gosched import (
    Canceled,
    Chan,
    Context,
    DeadlineExceeded,
    GoschedError,
    WaitGroup,
    after_func,
    asleep,
    background,
    go,
    nil,
    now,
    run,
    with_cancel,
    with_timeout,
    without_cancel,
)
from gosched.testing import virtual_run
from tests.sync.spelled import Do, both, schedules, settled

from .operations import Way, ways

# ---- when ----


@ways
def test_value_that_is_there_is_kept(way: Way) -> None:
    """Cancelled after a value was handed over, and before the goroutine had its turn: it has the value, and the next wait raises."""

    async def main() -> None:
        ctx, ch, log = with_cancel(), Chan[int](), list[Any]()

        async def waits() -> None:
            with ctx:
                log.append(await way.do(ch, "recv"))
                try:
                    await way.do(ch, "recv")
                except Canceled:
                    log.append("cancelled")

        way.go(waits)
        await settled()
        assert ch.try_send(1)
        ctx.cancel()
        await settled()
        assert log == [1, "cancelled"]

    schedules(main)


@ways
def test_in_finally(way: Way) -> None:
    """To park in a finally raises again; what is shielded does its work."""

    async def main() -> None:
        ctx, log, begin = with_cancel(), list[Any](), now()

        async def waits() -> None:
            with ctx:
                try:
                    await way.do(nil, "recv")
                finally:
                    try:
                        await way.do(gosched, "sleep", 1)
                    except Canceled:
                        log.append(("again", now() - begin))
                    await way.do(gosched, "sleep", 1, ctx=background())
                    log.append(("ctx=background()", now() - begin))
                    with without_cancel(ctx):
                        await way.do(gosched, "sleep", 1)
                    log.append(("without_cancel", now() - begin))

        way.go(waits)
        await asleep(1)
        ctx.cancel()
        await asleep(9)
        assert log == [("again", 1), ("ctx=background()", 2), ("without_cancel", 3)]

    schedules(main)


@ways
def test_twice(way: Way) -> None:
    """The second cancel means nothing; the first one counts in every wait, until the block is left."""

    async def main() -> None:
        first, second, log = ValueError("first"), ValueError("second"), list[Any]()

        async def waits() -> None:
            with with_cancel() as ctx:
                for _ in range(3):
                    go(ctx.cancel, second if log else first)
                    try:
                        await way.do(nil, "recv")
                    except Canceled as error:
                        log.append(error.__cause__)
            await way.do(gosched, "sleep", 1)
            log.append("out")

        way.go(waits)
        await asleep(2)
        assert log == [first, first, first, "out"]

    schedules(main)


def test_it_ends_a_goroutine_quietly() -> None:
    """What leaves a goroutine by it has ended; it is nothing to report."""

    async def main() -> str:
        async def waits() -> None:
            with with_cancel() as ctx:
                go(ctx.cancel)
                await nil.arecv()

        go(waits)
        await asleep(1)
        assert gosched.num_goroutine() == 1
        return "fine"

    assert set(schedules(main)) == {"fine"}
    seen: list[object] = []

    async def real() -> None:
        wg = WaitGroup()

        async def cancelled() -> None:
            try:
                with with_cancel() as ctx:
                    ctx.cancel()
                    await nil.arecv()
            finally:
                wg.done()

        wg.add(1)
        go(cancelled)
        await wg

    run(real, on_uncaught=lambda g, error: seen.append(error))
    assert not seen


@both
def test_it_leaves_main(do: Do) -> None:
    """run raises it, with its cause."""

    async def main() -> None:
        with with_cancel() as ctx:
            ctx.cancel(ValueError("because"))
            await do(nil, "recv")

    for runs in (run, virtual_run):
        with pytest.raises(Canceled, match=r"^context canceled$") as caught:
            runs(main)
        assert repr(caught.value.__cause__) == "ValueError('because')"


def test_except_exception_does_not_swallow_it() -> None:
    async def main() -> None:
        with with_cancel() as ctx:
            ctx.cancel()
            try:
                await nil.arecv()
            except Exception:
                pytest.fail("it is no Exception")

    with pytest.raises(Canceled):
        virtual_run(main)


def test_many_under_one() -> None:
    """Each gets an error of its own: their tracebacks do not grow together."""

    async def main() -> None:
        ctx, errors = with_cancel(), list[BaseException]()

        async def waits() -> None:
            with with_cancel(ctx):
                try:
                    await nil.arecv()
                except Canceled as error:
                    errors.append(error)

        for _ in range(100):
            go(waits)
        await settled()
        ctx.cancel()
        await settled()
        assert len({id(error) for error in errors}) == 100
        assert len({len(list(gosched_frames(error))) for error in errors}) == 1
        assert {id(getattr(error, "origin", None)) for error in errors} == {id(ctx.err)}

    schedules(main)


def gosched_frames(error: BaseException) -> Iterator[object]:
    tb = error.__traceback__
    while tb is not None:
        yield tb
        tb = tb.tb_next


def test_another_error_on_the_way_keeps_its_context() -> None:
    """What a clean-up raises shows what it was cleaning up after."""

    async def main() -> None:
        with with_cancel() as ctx:
            ctx.cancel()
            try:
                raise ValueError("first")
            finally:
                await nil.arecv()

    with pytest.raises(Canceled) as caught:
        virtual_run(main)
    assert repr(caught.value.__context__) == "ValueError('first')"
    assert not caught.value.__suppress_context__


# ---- from where ----


@ways
def test_cancelled_by_a_thread(way: Way) -> None:
    """A thread that is no goroutine."""

    async def main() -> str:
        ctx, parked, out = with_cancel(), threading.Event(), Chan[str](1)

        async def waits() -> None:
            with ctx:
                parked.set()
                try:
                    await way.do(nil, "recv")
                except Canceled as error:
                    out.send(str(error.__cause__))

        def cancels() -> None:
            assert parked.wait(60)
            ctx.cancel(ValueError("from a thread"))

        thread = threading.Thread(target=cancels)
        thread.start()
        way.go(waits)
        result = await out.arecv(timeout=60)
        gosched.blocking(thread.join)
        return result

    assert run(main, gomaxprocs=2) == "from a thread"


def test_a_thread_has_no_current_context() -> None:
    """`with` does not hurt there, and says when it is over; an operation heeds it if it is given."""
    with with_cancel() as ctx:
        assert Context.current() is background()
        ctx.cancel()
        ch = Chan[int](1)
        ch.send(1)
        assert ch.recv(ctx=ctx) == 1
        with pytest.raises(Canceled):
            ch.recv(ctx=ctx)
        with pytest.raises(DeadlineExceeded, match=r"within 0 s$"):
            ch.recv(timeout=0)


# ---- blocks in an unusual order ----


@ways
def test_left_in_another_order(way: Way) -> None:
    """The outer block is left first: the inner one counts until it is left, too; then the one before both."""

    async def main() -> None:
        log: list[str] = []

        async def waits() -> None:
            with with_timeout(10) as around:
                outer, inner = with_cancel(background()), with_cancel(background())
                outer.__enter__()
                inner.__enter__()
                outer.__exit__(None, None, None)
                assert Context.current() is inner
                await way.do(gosched, "sleep", 1)
                go(inner.cancel)
                try:
                    await way.do(nil, "recv")
                except Canceled:
                    log.append("inner")
                inner.__exit__(None, None, None)
                assert Context.current() is around
                try:
                    await way.do(nil, "recv")
                except DeadlineExceeded:
                    log.append(f"around, {now() - 1:g} s")

        way.go(waits)
        await asleep(20)
        assert log == ["inner", "around, 10 s"]

    schedules(main)


def test_one_context_two_blocks() -> None:
    """It is refused, inside as well as afterwards, and does no harm."""

    async def main() -> None:
        ctx = with_cancel()
        with ctx:
            with pytest.raises(GoschedError, match="is used as a block already"), ctx:
                pass
            assert Context.current() is ctx
            assert ctx.err is None
        with pytest.raises(GoschedError, match="is used as a block already"), ctx:
            pass
        assert Context.current() is background()
        await asleep(1)

    schedules(main)


def test_left_twice() -> None:
    async def main() -> None:
        with with_timeout(5) as around:
            ctx = with_cancel()
            ctx.__enter__()
            ctx.__exit__(None, None, None)
            ctx.__exit__(None, None, None)
            with with_cancel() as inner:
                inner.cancel()
            assert Context.current() is around
            with pytest.raises(DeadlineExceeded):
                await nil.arecv()

    schedules(main)


@ways
def test_in_a_context_manager_of_ones_own(way: Way) -> None:
    """A block in a generator of contextlib covers what is in the user's block."""

    @contextmanager
    def limited() -> Iterator[None]:
        with with_timeout(1):
            yield

    async def main() -> None:
        times: list[float] = []

        async def waits() -> None:
            begin = now()
            with pytest.raises(DeadlineExceeded), limited():
                await way.do(nil, "recv")
            times.append(now() - begin)
            assert Context.current() is background()

        way.go(waits)
        await asleep(3)
        assert times == pytest.approx([1])

    schedules(main)


# ---- generators that are dropped ----


async def numbers(entered: list[Context]) -> AsyncIterator[int]:
    with with_timeout(3600) as ctx:
        entered.append(ctx)
        yield 1
        yield 2


@both
def test_async_generator_dropped(do: Do) -> None:
    """Its block is left by another goroutine, while this one waits: from then on the context around it counts, in this very wait."""

    async def main() -> None:
        entered: list[Context] = []
        with with_cancel() as around:
            async for _ in numbers(entered):
                break
            entered[0].after_func(around.cancel, ValueError("the block was left"))
            with pytest.raises(Canceled) as caught:
                await do(nil, "recv")
            assert repr(caught.value.__cause__) == "ValueError('the block was left')"
            assert Context.current() is around
            with with_cancel(background()):
                await do(gosched, "sleep", 0.001)

    for procs in (1, 2):
        run(main, gomaxprocs=procs)


@both
def test_async_generator_dropped_without_anything_around(do: Do) -> None:
    async def main() -> int:
        entered, ch = list[Context](), Chan[int]()
        async for _ in numbers(entered):
            break
        entered[0].after_func(ch.asend, 1)
        got: int = await do(ch, "recv")
        assert Context.current() is background()
        with with_cancel() as ctx:
            assert ctx.err is None
            await do(gosched, "sleep", 0.001)
        return got

    for procs in (1, 2):
        assert run(main, gomaxprocs=procs) == 1


@both
def test_async_generator_dropped_under_another_block(do: Do) -> None:
    """A shield, or a block further in, is not broken by it; the outermost counts when that is left."""

    async def main() -> None:
        entered: list[Context] = []
        with with_cancel() as around:
            async for _ in numbers(entered):
                break
            with with_cancel(background()) as inner:
                await do(gosched, "sleep", 0.001, ctx=background())
                await do(entered[0].done, "recv_ok")
                around.cancel()
                await do(gosched, "sleep", 0.001)
                assert (Context.current(), inner.err) == (inner, None)
            assert Context.current() is around
            with pytest.raises(Canceled):
                await do(nil, "recv")

    for procs in (1, 2):
        run(main, gomaxprocs=procs)


def test_generator_collected() -> None:
    """Of a plain generator in a cycle, by the collector, in whatever goroutine that runs."""

    def values() -> Iterator[int]:
        with with_timeout(3600):
            yield 1

    async def main() -> None:
        with with_timeout(5):

            def drops() -> None:
                it = values()
                next(it)
                cycle: list[Any] = [it]
                cycle.append(cycle)

            drops()
            go(gc.collect)
            with pytest.raises(DeadlineExceeded):
                await nil.arecv()
            assert now() == 6

    schedules(main)


@both
def test_generator_goes_on_elsewhere(do: Do) -> None:
    """A block belongs to the goroutine that entered it, until it is left; whoever leaves it."""

    async def main() -> None:
        entered, took, log = list[Context](), Chan[Any](), list[str]()

        async def begins() -> None:
            it = numbers(entered)
            await anext(it)
            await took.asend(it)
            try:
                await do(nil, "recv")
            finally:
                log.append("cut")

        with pytest.raises(Canceled), with_cancel() as mine:
            go(begins)
            it = await took.arecv()
            assert await anext(it) == 2
            assert Context.current() is mine
            await it.aclose()
            assert Context.current() is mine
            await settled()
            assert not log
            go(mine.cancel)
            await do(nil, "recv")

    schedules(main)


@both
def test_a_deadline_in_a_wait_of_several(do: Do) -> None:
    """A wait that was lost to another goroutine and begins anew is still bounded."""

    async def main() -> None:
        mutex, times = gosched.Mutex(), list[float]()
        mutex.lock()

        async def waits() -> None:
            with pytest.raises(DeadlineExceeded), with_timeout(3):
                while True:
                    await do(mutex, "lock")
                    mutex.unlock()
                    await do(gosched, "sleep", 1)
            times.append(now())

        go(waits)
        for i in (0.5, 1):
            after_func(i, mutex.unlock)
            await asleep(i)
            mutex.lock()
        await asleep(5)
        assert times == pytest.approx([4])

    schedules(main)
