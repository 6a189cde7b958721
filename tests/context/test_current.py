"""The current context of a goroutine: every operation that can park heeds it, in every spelling, and leaves nothing behind."""

from __future__ import annotations

import threading

import pytest

import gosched
from gosched import (
    Canceled,
    Chan,
    Context,
    DeadlineExceeded,
    WaitGroup,
    after_func,
    asleep,
    background,
    go,
    now,
    with_cancel,
    with_deadline,
    with_timeout,
    with_value,
    without_cancel,
)
from tests.sync.spelled import schedules, settled

from .operations import FOR_EVER, FOR_WAITERS, NO_CTX, NO_TIMEOUT, Make, Op, Way, all_but, ticker, ways


@ways
@all_but()
def test_cancelled_while_it_waits(make: Make, way: Way) -> None:
    """Canceled at once: at the same virtual time. What comes later finds nobody."""

    async def main() -> None:
        b, ctx, times = make(), with_cancel(), list[float]()

        async def waits() -> None:
            with ctx:
                with pytest.raises(Canceled, match=r"^context canceled$"):
                    await way.do(b.thing, b.op, *b.args)
                times.append(now())

        way.go(waits)
        await asleep(1)
        assert not times
        cancelled_at = now()
        ctx.cancel()
        await settled()
        assert times == [cancelled_at]
        b.let()
        await settled()
        assert b.probe()

    schedules(main, procs=(1, 2), seeds=range(2))


@ways
@all_but()
def test_cancelled_before_it_waits(make: Make, way: Way) -> None:
    """It raises instead of parking, as often as it is tried."""

    async def main() -> None:
        b, done = make(), list[int]()

        async def waits() -> None:
            with with_cancel() as ctx:
                ctx.cancel()
                begin = now()
                for _ in range(2):
                    with pytest.raises(Canceled):
                        await way.do(b.thing, b.op, *b.args)
                assert now() == begin
            done.append(1)

        way.go(waits)
        await settled()
        assert done
        b.let()
        await settled()
        assert b.probe()

    schedules(main, procs=(1, 2), seeds=range(2))


@ways
@all_but(FOR_EVER, FOR_WAITERS)
def test_what_can_go_on_does(make: Make, way: Way) -> None:
    """A context that is over does not keep an operation from what is there."""

    async def main() -> None:
        b, done = make(), list[int]()
        b.let()
        await settled()

        async def goes_on() -> None:
            with with_cancel() as ctx:
                ctx.cancel()
                await way.do(b.thing, b.op, *b.args)
            done.append(1)

        way.go(goes_on)
        await settled()
        assert done

    schedules(main, procs=(1, 2), seeds=range(2))


@ways
@all_but()
def test_a_block_is_bounded(make: Make, way: Way) -> None:
    """with_timeout and with_deadline: DeadlineExceeded, at exactly that time."""

    async def main() -> None:
        times: list[float] = []

        async def waits(b: Op, deadline: bool) -> None:
            begin = now()
            ctx = with_deadline(begin + 2.5) if deadline else with_timeout(2.5)
            with pytest.raises(DeadlineExceeded, match=r"^context deadline exceeded$"), ctx:
                await way.do(b.thing, b.op, *b.args)
            times.append(round(now() - begin, 8))

        for deadline in (False, True):
            b = make()
            way.go(waits, b, deadline)
            await asleep(3)
            b.let()
            await settled()
            assert b.probe()
        assert times == [2.5, 2.5]

    schedules(main, procs=(1, 2), seeds=range(2))


@ways
@all_but(NO_CTX, FOR_EVER, [ticker])
@pytest.mark.parametrize("cancelled", [0.0, 0.5], ids=["before", "while it waits"])
def test_background_shields(make: Make, way: Way, cancelled: float) -> None:
    """And afterwards the context counts again."""

    async def main() -> None:
        b, begin, times = make(), now(), list[float]()

        async def waits() -> None:
            with with_cancel() as ctx:
                after_func(cancelled, ctx.cancel)
                await way.do(b.thing, b.op, *b.args, ctx=background())
                times.append(now() - begin)
                assert Context.current() is ctx
                with pytest.raises(Canceled):
                    await way.do(gosched, "sleep", 9)
                times.append(now() - begin)

        way.go(waits)
        await asleep(1)
        assert not times
        b.let()
        await settled()
        assert times == pytest.approx([1, 1])

    schedules(main, procs=(1, 2), seeds=range(2))


@ways
@all_but(NO_CTX)
def test_another_context_is_the_only_one(make: Make, way: Way) -> None:
    """`ctx=other`: the end of the current context means nothing to that operation, the end of the other does."""

    async def main() -> None:
        b, begin, times = make(), now(), list[float]()

        async def waits() -> None:
            other, _ = with_cancel(background())
            with with_timeout(1):
                after_func(2, other.cancel)
                with pytest.raises(Canceled) as caught:
                    await way.do(b.thing, b.op, *b.args, ctx=other)
                assert getattr(caught.value, "origin", None) is other.err
                times.append(now() - begin)

        way.go(waits)
        await asleep(3)
        assert times == pytest.approx([2])
        b.let()
        await settled()
        assert b.probe()

    schedules(main, procs=(1, 2), seeds=range(2))


@ways
@all_but(NO_TIMEOUT)
@pytest.mark.parametrize(
    ("cancelled", "error", "message"), [(1, Canceled, "^context canceled$"), (3, DeadlineExceeded, r"within 2 s$")], ids=["context", "timeout"]
)
def test_timeout_and_context(make: Make, way: Way, cancelled: float, error: type[BaseException], message: str) -> None:
    """Whichever comes first."""

    async def main() -> None:
        b, begin, times = make(), now(), list[float]()

        async def waits() -> None:
            with with_cancel() as ctx:
                after_func(cancelled, ctx.cancel)
                if b.op == "select" and cancelled == 3:
                    assert await way.do(b.thing, b.op, *b.args, timeout=2) == (None, None)
                else:
                    with pytest.raises(error, match=message):
                        await way.do(b.thing, b.op, *b.args, timeout=2)
                times.append(now() - begin)

        way.go(waits)
        await asleep(3.5)
        assert times == pytest.approx([min(cancelled, 2)])
        b.let()
        await settled()
        assert b.probe()

    schedules(main, procs=(1, 2), seeds=range(2))


@ways
@all_but(FOR_EVER)
def test_at_the_very_moment(make: Make, way: Way) -> None:
    """It is cancelled when what it waits for comes: it gets that or it does not, and all agree on which."""
    outcomes = set()

    async def main(first: int) -> None:
        b, ctx, outcome = make(), with_cancel(), list[str]()

        async def waits() -> None:
            with ctx:
                try:
                    await way.do(b.thing, b.op, *b.args)
                    outcome.append("got it")
                except Canceled:
                    outcome.append("cancelled")

        way.go(waits)
        await settled()
        for fn in (b.let, ctx.cancel)[:: 1 - 2 * first]:
            go(fn)
        await settled()
        outcomes.add(*outcome)
        if outcome == ["cancelled"]:
            assert b.probe()
        else:
            b.after()

    for first in (0, 1):
        schedules(main, first, procs=(1, 2), seeds=range(4))
    assert "cancelled" in outcomes


@ways
def test_goroutines_of_their_own(way: Way) -> None:
    """What `go` starts inside of the block is not affected: its context is the background."""

    async def main() -> None:
        log: list[str] = []

        async def child() -> None:
            assert Context.current() is background()
            await asleep(5)
            log.append("child is through")

        async def parent() -> None:
            with pytest.raises(DeadlineExceeded), with_timeout(1):
                go(child)
                await way.do(gosched, "sleep", 9)

        way.go(parent)
        await asleep(6)
        assert log == ["child is through"]

    schedules(main)


def test_current() -> None:
    """The innermost block's, and the one before when it is left."""

    async def main() -> None:
        assert Context.current() is background()
        with with_cancel() as a:
            assert Context.current() is a
            with with_timeout(5) as b, with_value("k", 1) as c:
                assert Context.current() is c
                assert (c.parent, b.parent, a.parent) == (b, a, background())
            assert Context.current() is a
            assert (a.err, type(b.err), type(c.err)) == (None, Canceled, Canceled)
        assert Context.current() is background()

    schedules(main)
    assert Context.current() is background()


@ways
def test_a_shielded_part(way: Way) -> None:
    """without_cancel as a block: what is in it heeds nobody, but has the values."""

    async def main() -> None:
        times: list[float] = []

        async def waits() -> None:
            begin = now()
            with pytest.raises(DeadlineExceeded), with_value("user", "gopher"), with_timeout(1):
                with without_cancel(Context.current()):
                    await way.do(gosched, "sleep", 3)
                    times.append(now() - begin)
                    assert Context.current().value("user") == "gopher"
                    assert Context.current().deadline is None
                    with pytest.raises(DeadlineExceeded), with_timeout(1):
                        await way.do(gosched, "sleep", 3)
                await way.do(gosched, "sleep", 3)
            times.append(now() - begin)

        way.go(waits)
        await asleep(9)
        assert times == pytest.approx([3, 4])

    schedules(main)


@ways
def test_blocking_keeps_its_result(way: Way) -> None:
    """On a thread that is home to other goroutines a helper makes the call, and only the caller waits: shielded, what it returns is not lost."""

    async def main() -> list[str]:
        gate, results, ends, parked = threading.Event(), Chan[str](2), WaitGroup(), Chan[int]()

        def stays() -> None:
            parked.recv()

        async def calls() -> None:
            with with_cancel() as ctx:
                go(ctx.cancel)
                go(gate.set)
                results.send(gosched.blocking(lambda: str(gate.wait(60))))
                with pytest.raises(Canceled):
                    await way.do(gosched, "sleep", 60)
                results.send("cancelled")
            ends.done()

        ends.add(1)
        ends.go(stays)
        await asleep(0.001)  # it is parked, with its stack, on this thread
        way.go(calls)
        got = [await results.arecv(), await results.arecv()]
        await parked.asend(1)
        await ends
        return got

    assert gosched.run(main, gomaxprocs=1) == ["True", "cancelled"]
