"""Go's tests of its context package, under Go's names, where they make sense here.

Not here: the test of Go's second root (there is one, background()); TestCustomContextGoroutines, TestCustomContextCause,
TestCustomContextPropagation and the six TestCustomContextAfterFunc… (a context is made by gosched alone: there are no foreign ones); TestAllocs
(allocations are not an interface here); TestDeadlineExceededIsNetError (Python's class for it is TimeoutError: TestDeadlineExceededSupportsTimeout).
"""

from __future__ import annotations

import gc
import random
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched import (
    Canceled,
    Chan,
    Context,
    DeadlineExceeded,
    EndOfChannel,
    WaitGroup,
    after_func,
    aselect,
    asleep,
    ayield_now,
    background,
    default,
    go,
    nil,
    now,
    run,
    select,
    with_cancel,
    with_deadline,
    with_timeout,
    with_value,
    without_cancel,
)
from tests.sync.spelled import Do, both, schedules, settled


def is_done(ctx: Context) -> bool:
    """By its channel, and by its case in a select: they agree with `err`."""
    index, _ = select(ctx.done.recv_ok, default)
    case, error = select(ctx, default)
    assert (index == 0, case == 0, error) == (ctx.err is not None, ctx.err is not None, ctx.err)
    return index == 0


def is_known(ref: weakref.ref[Context]) -> bool:
    """Somebody still has it: who made it, or the context that would tell it of its end."""
    gc.collect()
    return ref() is not None


def in_virtual_time(test: Callable[..., Any]) -> Callable[..., None]:
    """The test is an async function, which runs with several numbers of Ps and seeds."""

    def runs() -> None:
        schedules(test, procs=(1, 2), seeds=range(2))

    runs.__name__, runs.__doc__ = test.__name__, test.__doc__
    return runs


# ---- what there is ----


def test_TestBackground() -> None:
    """Never done; its name."""
    ctx = background()
    assert ctx.done is nil
    assert not is_done(ctx)
    assert (ctx.err, ctx.cause, ctx.deadline, ctx.value("key")) == (None, None, None, None)
    assert repr(ctx) == "<Context background>"


@in_virtual_time
async def test_TestWithCancel() -> None:
    """The end is there when cancel returns, in children as well."""
    c1, cancel = with_cancel(with_value("key", "value"))
    o = with_cancel(c1)
    child = with_value("other", 1, o)
    assert not any(is_done(ctx) for ctx in (c1, o, child))
    assert repr(c1) == "<Context background.with_value('key').with_cancel>"
    cancel()
    assert all(is_done(ctx) for ctx in (c1, o, child))
    assert {repr(ctx.err) for ctx in (c1, o, child)} == {"Canceled('context canceled')"}
    with pytest.raises(EndOfChannel):
        await child.done.arecv()
    assert repr(c1) == "<Context background.with_value('key').with_cancel: context canceled>"
    assert child.value("key") == "value"


@in_virtual_time
async def test_TestDeadline() -> None:
    """The earliest wins, whoever has it; one that is past is done at once."""
    makers: list[Callable[[float], Context]] = [
        lambda begin: with_deadline(begin + 2),
        lambda begin: with_value("k", 1, with_deadline(begin + 2)),
        lambda begin: with_deadline(begin + 4, with_deadline(begin + 2)),
        lambda begin: with_deadline(begin + 2, with_deadline(begin + 4)),
        lambda begin: with_timeout(60, with_timeout(3, with_deadline(begin + 2))),
    ]
    for make in makers:
        begin = now()
        ctx = make(begin)
        assert ctx.deadline == pytest.approx(begin + 2)
        await asleep(1.999)
        assert not is_done(ctx)
        await asleep(0.002)
        assert is_done(ctx)
        assert repr(ctx.err) == repr(ctx.cause) == "DeadlineExceeded('context deadline exceeded')"
    for past in (now(), now() - 1, 0, -1):
        assert is_done(with_deadline(past))


@in_virtual_time
async def test_TestTimeout() -> None:
    """The same in seconds."""
    makers: list[Callable[[], Context]] = [
        lambda: with_timeout(1),
        lambda: with_value("k", 1, with_timeout(1)),
        lambda: with_timeout(3, with_timeout(1)),
        lambda: with_timeout(1, with_timeout(float("inf"))),
    ]
    for make in makers:
        begin, ctx = now(), make()
        assert await aselect(ctx) == (0, ctx.err)
        assert now() - begin == pytest.approx(1)
        assert isinstance(ctx.err, DeadlineExceeded)
    assert is_done(with_timeout(0))
    assert is_done(with_timeout(-1))
    assert not is_done(with_timeout(1e-9))


@in_virtual_time
async def test_TestCanceledTimeout() -> None:
    """Cancelled before its time: Canceled, also later."""
    ctx, cancel = with_timeout(2)
    o = with_value("k", 1, ctx)
    cancel()
    assert is_done(o)
    await asleep(3)
    assert (repr(o.err), repr(ctx.err)) == ("Canceled('context canceled')",) * 2


# ---- trees ----


@in_virtual_time
async def test_TestParentFinishesChild() -> None:
    """A parent ends all below it, and knows none of them afterwards."""
    parent, cancel = with_cancel()
    child, _ = with_cancel(parent)
    value = with_value("key", "value", parent)
    timed, _ = with_timeout(60, value)
    below = (child, value, timed)
    assert not any(is_done(ctx) for ctx in (parent, *below))
    cancel()
    assert all(is_done(ctx) and ctx.err is parent.err for ctx in below)
    late = with_cancel(parent)
    assert is_done(late)
    refs = [weakref.ref(ctx) for ctx in (*below, late)]
    del child, value, timed, late, below, _
    await asleep(61)  # no timer has them
    assert not any(is_known(ref) for ref in refs)


@in_virtual_time
async def test_TestChildFinishesFirst() -> None:
    """A child leaves its parent alive, and unknown to it."""
    for root in (background(), with_cancel()):
        parent, cancel = with_cancel(root)
        child, stop = with_cancel(parent)
        stop()
        assert (is_done(child), is_done(parent)) == (True, False)
        ref = weakref.ref(child)
        del child, stop
        assert not is_known(ref)
        cancel()
        assert is_done(parent)


@in_virtual_time
async def test_TestCancelRemoves() -> None:
    """Cancelled children, and functions that were taken back, are let go by a parent that lives on."""

    def nothing() -> None: ...

    parent, _ = with_cancel()
    for make in (with_cancel, lambda p: with_timeout(60, p), lambda p: with_value("k", 1, p)):
        ctx = make(parent)
        ref = weakref.ref(ctx)
        ctx.cancel()
        del ctx
        await asleep(61)
        assert not is_known(ref)
    stop = parent.after_func(nothing)
    known = weakref.ref(nothing)
    assert (stop(), stop()) == (True, False)
    del stop, nothing
    gc.collect()
    assert known() is None


def test_TestInvalidDerivedFail() -> None:
    for make in (with_cancel, lambda p: with_value("k", 1, p)):
        with pytest.raises(TypeError, match=r"ctx must be a Context, or left out for the current one, not str$"):
            make("no context")  # type: ignore[arg-type]


def of_random_order(n: int) -> tuple[list[Context], list[Context]]:
    """A tree in which every context has children, and all of them in a random order."""
    root = with_cancel()
    all_of_them, row = [root], [root]
    while len(all_of_them) < n:
        row = [with_cancel(parent) if random.random() < 0.7 else with_timeout(60, parent) for parent in row for _ in range(3)]
        all_of_them += row
    mixed = all_of_them[:]
    random.shuffle(mixed)
    return all_of_them, mixed


def test_TestSimultaneousCancels() -> None:
    """Many goroutines cancel the contexts of a tree, in any order: all are done, and nobody hangs."""

    async def main() -> None:
        tree, mixed = of_random_order(120)
        wg, stopped = WaitGroup(), WaitGroup()
        for ctx in tree:

            async def waits(ctx: Context = ctx) -> None:
                with pytest.raises(EndOfChannel):
                    await ctx.done.arecv()

            wg.go(waits)
        for ctx in mixed:
            stopped.go(ctx.cancel)
        await stopped
        await wg
        assert all(isinstance(ctx.err, Canceled) for ctx in tree)

    for _ in range(5):
        run(main, gomaxprocs=2)


def test_TestInterlockedCancels() -> None:
    """A child is cancelled when its parent is, and that one when the child is."""

    async def main() -> None:
        for _ in range(200):
            parent, cancel_parent = with_cancel()
            child, cancel_child = with_cancel(parent)
            wg = WaitGroup()

            async def when(ctx: Context, cancel: Callable[[], None]) -> None:
                await aselect(ctx.done.recv_ok)
                cancel()

            wg.go(when, parent, cancel_child)
            wg.go(when, child, cancel_parent)
            wg.go(cancel_parent)
            await wg
            assert is_done(parent)
            assert is_done(child)

    run(main, gomaxprocs=2)


def layers(rng: random.Random, timeout: bool) -> tuple[Context, list[tuple[str, int]], list[Callable[[], None]]]:
    """A stack of wrappers, its values, and what cancels one of them."""
    ctx, values, cancels = background(), list[tuple[str, int]](), list[Callable[[], None]]()
    for i in range(rng.randrange(1, 20)):
        kind = rng.randrange(3)
        if kind == 0:
            ctx = with_value(f"key {i}", i, ctx)
            values.append((f"key {i}", i))
        elif kind == 1:
            ctx, cancel = with_cancel(ctx)
            cancels.append(cancel)
        else:
            ctx, cancel = with_timeout(rng.choice((1, 2, 3)) if timeout else 3600, ctx)
            cancels.append(cancel)
    return ctx, values, cancels


def test_TestLayersCancel() -> None:
    """Random stacks of wrappers: the values are all there, before and after one of them is cancelled."""

    async def main() -> None:
        rng = random.Random(7)
        for _ in range(50):
            ctx, values, cancels = layers(rng, timeout=False)
            assert all(ctx.value(key) == value for key, value in values)
            assert not is_done(ctx)
            if cancels:
                wg = WaitGroup()
                for cancel in rng.sample(cancels, min(2, len(cancels))):
                    wg.go(cancel)
                assert isinstance((await aselect(ctx))[1], Canceled)
                await wg
                assert is_done(ctx)
            assert all(ctx.value(key) == value for key, value in values)

    run(main, gomaxprocs=2)


@in_virtual_time
async def test_TestLayersTimeout() -> None:
    rng = random.Random(8)
    for _ in range(30):
        ctx, values, _ = layers(rng, timeout=True)
        deadline = ctx.deadline
        if deadline is not None:
            _, error = await aselect(ctx)
            assert now() == pytest.approx(deadline)
            assert isinstance(error, DeadlineExceeded)
        else:
            assert not is_done(ctx)
        assert all(ctx.value(key) == value for key, value in values)


@in_virtual_time
async def test_TestWithCancelCanceledParent() -> None:
    parent, _ = with_cancel()
    cause = ValueError("because")
    parent.cancel(cause)
    for child in (with_cancel(parent), with_timeout(1, parent), with_value("k", 1, parent)):
        assert is_done(child)
        assert (child.err, child.cause) == (parent.err, cause)


def test_TestWithCancelSimultaneouslyCanceledParent() -> None:
    """The child is done when with_cancel returns, or will be at once; with the cause."""

    async def main() -> None:
        for _ in range(100):
            parent, cause, wg = with_cancel(), ValueError("because"), WaitGroup()
            wg.go(parent.cancel, cause)
            child = with_cancel(parent)
            await child.done.arecv_ok()
            assert child.cause is cause
            await wg

    run(main, gomaxprocs=2)


# ---- values ----


@in_virtual_time
async def test_TestValues() -> None:
    """By key and type; the innermost counts."""

    class Key(int): ...

    one, other = Key(1), Key(2)
    ctx = with_value(one, "c1", with_value(other, "c2"))
    assert (ctx.value(one), ctx.value(other), ctx.value(Key(1)), ctx.value(1), ctx.value(True)) == ("c1", "c2", "c1", None, None)
    inner = with_value(one, "shadow", with_cancel(ctx))
    assert (inner.value(one), inner.value(other), ctx.value(one)) == ("shadow", "c2", "c1")
    assert with_value(other, None, inner).value(other) is None
    assert ctx.value(None) is None


def test_TestWithValueChecksKey() -> None:
    with pytest.raises(ValueError, match=r"^with_value\(\): key must not be None$"):
        with_value(None, "value")
    with pytest.raises(TypeError, match=r"^with_value\(\): key must be hashable, not list$"):
        with_value([], "value")  # type: ignore[arg-type]


# ---- causes ----


def test_TestDeadlineExceededSupportsTimeout() -> None:
    assert issubclass(DeadlineExceeded, TimeoutError)
    assert not issubclass(Canceled, Exception)


@in_virtual_time
async def test_TestCause() -> None:
    """The first cause wins, and goes down the tree; an error of its own stays."""
    first, second = ValueError("first"), ValueError("second")
    parent = with_cancel()
    child = with_cancel(parent)
    assert (background().cause, parent.cause) == (None, None)
    parent.cancel(first)
    child.cancel(second)
    assert (parent.cause, child.cause, type(parent.err), type(child.err)) == (first, first, Canceled, Canceled)
    assert parent.err is not None
    assert parent.err.__cause__ is first

    parent = with_cancel()
    child = with_cancel(parent)
    child.cancel(second)
    parent.cancel(first)
    assert (parent.cause, child.cause) == (first, second)

    plain = with_cancel()
    plain.cancel()
    assert plain.cause is plain.err

    timed = with_timeout(1)
    below = with_cancel(timed)
    await asleep(2)
    timed.cancel(first)
    assert timed.cause is timed.err is below.cause
    assert isinstance(timed.cause, DeadlineExceeded)

    early = with_timeout(1)
    early.cancel(first)
    await asleep(2)
    assert (early.cause, type(early.err)) == (first, Canceled)

    shielded = without_cancel(parent)
    assert (shielded.cause, shielded.err) == (None, None)


@both
def test_cause_of_what_is_raised(do: Do) -> None:
    """`raise … from`: who was cancelled sees why."""

    async def main() -> None:
        cause = ValueError("because")
        with with_cancel() as ctx:
            after_func(1, ctx.cancel, cause)
            with pytest.raises(Canceled) as caught:
                await do(nil, "recv")
        assert caught.value.__cause__ is cause
        assert caught.value is not ctx.err

    schedules(main)


def test_TestCauseRace() -> None:
    """Who sees the error sees its cause."""

    async def main() -> None:
        for _ in range(200):
            ctx, cause, wg = with_cancel(), ValueError("TestCauseRace"), WaitGroup()
            wg.go(ctx.cancel, cause)
            while ctx.cause is None:
                await ayield_now()
            assert ctx.cause is cause
            await wg

    run(main, gomaxprocs=2)


def test_TestContextErrDoneRace() -> None:
    """Whoever sees an error finds the channel closed."""

    async def main() -> None:
        for _ in range(200):
            ctx, wg = with_cancel(), WaitGroup()
            done = ctx.done
            wg.go(ctx.cancel)
            while ctx.err is None:
                await ayield_now()
            assert await aselect(done.recv_ok, default) == (0, (None, False))
            await wg

    run(main, gomaxprocs=2)


@in_virtual_time
async def test_TestWithoutCancel() -> None:
    """Keeps the values, and nothing else."""
    parent = with_value("key", "value", with_timeout(1))
    parent.cancel()
    ctx = without_cancel(parent)
    assert (ctx.value("key"), ctx.deadline, ctx.err, ctx.cause) == ("value", None, None, None)
    await asleep(2)
    assert not is_done(ctx)
    child = with_cancel(ctx)
    child.cancel()
    assert (is_done(child), is_done(ctx)) == (True, False)


# ---- after_func ----


@in_virtual_time
async def test_TestAfterFuncCalledAfterCancel() -> None:
    """Once, in a goroutine of its own, under the background."""
    ctx, calls, me = with_cancel(), list[tuple[int, Context]](), gosched.current().id
    stop = ctx.after_func(lambda: calls.append((gosched.current().id, Context.current())))
    await settled()
    assert not calls
    ctx.cancel()
    ctx.cancel()
    assert not calls
    await settled()
    assert len(calls) == 1
    assert calls[0][0] != me
    assert calls[0][1] is background()
    assert not stop()


@in_virtual_time
async def test_TestAfterFuncCalledAfterTimeout() -> None:
    ctx, times, begin = with_timeout(1), list[float](), now()
    with_value("k", 1, ctx).after_func(lambda: times.append(now() - begin))
    await asleep(3)
    assert times == pytest.approx([1])


@in_virtual_time
async def test_TestAfterFuncCalledImmediately() -> None:
    """Of a context that is over."""
    ctx, called = with_cancel(), Chan[str]()
    ctx.cancel()
    stop = ctx.after_func(called.asend, "at once")
    assert not stop()
    assert await called.arecv() == "at once"


@in_virtual_time
async def test_TestAfterFuncNotCalledAfterStop() -> None:
    ctx, calls = with_cancel(), list[int]()
    stop = ctx.after_func(calls.append, 1)
    assert (stop(), stop()) == (True, False)
    ctx.cancel()
    await settled()
    assert not calls
    assert not stop()
    never = background().after_func(calls.append, 2)
    assert (never(), never()) == (True, False)


@in_virtual_time
async def test_TestAfterFuncCalledAsynchronously() -> None:
    """cancel does not wait for it."""
    ctx, ch = with_cancel(), Chan[int]()
    ctx.after_func(ch.send, 1)
    ctx.cancel()
    assert await ch.arecv() == 1


@in_virtual_time
async def test_after_func_of_many() -> None:
    """Each of them, and functions of contexts further down."""
    ctx, calls = with_cancel(), list[int]()
    below = with_cancel(ctx)
    for i in range(10):
        (ctx, below)[i % 2].after_func(calls.append, i)
    ctx.cancel()
    await settled()
    assert sorted(calls) == list(range(10))


# ---- select ----


@both
def test_a_context_in_select(do: Do) -> None:
    """Its end is a case, also when it is the current context; the value is its error."""

    async def main() -> None:
        for current in (False, True):
            ctx, ch, got = with_cancel(), Chan[int](), list[Any]()

            async def waits(ctx: Context = ctx, ch: Chan[int] = ch, got: list[Any] = got, current: bool = current) -> None:
                with ctx if current else with_cancel():
                    got.append(await do(gosched, "select", ch.recv, ctx))

            go(waits)
            await settled()
            ctx.cancel()
            await settled()
            assert got == [(1, ctx.err)]
            assert await do(gosched, "select", ctx, default) == (0, ctx.err)
            assert await do(gosched, "select", background(), default) == (1, None)
            assert await do(gosched, "select", background(), ch.recv, timeout=1) == (None, None)
            assert not ch.try_send(1)

    schedules(main)
