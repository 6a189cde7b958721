"""timeout= and ctx= of every blocking operation of sync: they end a wait at their time, and leave nothing behind."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import gosched
from gosched import Cond, DeadlineExceeded, Event, Mutex, RWMutex, Semaphore, WaitGroup, after_func, go, now
from gosched.core.interrupt import Cancellation
from gosched.testing import virtual_run

from .spelled import Do, both, in_threads, schedules, settled


@dataclass
class Blocked:
    """A thing on which `op` blocks. `let` makes it go through; `after` gives back what it got; `probe`: nothing of a waiter is left, once `let`."""

    thing: Any
    op: str
    let: Callable[[], object]
    after: Callable[[], object]
    probe: Callable[[], bool]
    args: tuple[Any, ...] = ()


def nothing() -> None:
    """There is nothing to give back."""


def locked_mutex() -> Blocked:
    m = Mutex()
    m.lock()
    return Blocked(m, "lock", m.unlock, m.unlock, m.try_lock)


def write_locked() -> Blocked:
    m = RWMutex()
    m.lock()
    return Blocked(m, "lock", m.unlock, m.unlock, m.try_lock)


def read_locked() -> Blocked:
    m = RWMutex()
    m.rlock()
    return Blocked(m, "lock", m.runlock, m.unlock, m.try_lock)


def write_locked_for_reader() -> Blocked:
    m = RWMutex()
    m.lock()
    return Blocked(m, "rlock", m.unlock, m.runlock, m.try_lock)


def reader_object() -> Blocked:
    m = RWMutex()
    m.lock()
    return Blocked(m.reader(), "lock", m.unlock, m.runlock, m.try_lock)


def cond() -> Blocked:
    m = Mutex()
    c = Cond(m)
    m.lock()

    def free() -> bool:
        m.unlock()
        return m.try_lock()

    return Blocked(c, "wait", c.notify, nothing, free)


def cond_for() -> Blocked:
    m, happened = Mutex(), list[int]()
    c = Cond(m)
    m.lock()

    def let() -> None:
        happened.append(1)
        c.notify_all()

    def free() -> bool:
        m.unlock()
        return m.try_lock()

    return Blocked(c, "wait_for", let, nothing, free, (lambda: happened,))


def wait_group() -> Blocked:
    wg = WaitGroup()
    wg.add(1)
    return Blocked(wg, "wait", wg.done, nothing, lambda: repr(wg) == "<WaitGroup counter=0 waiters=0>")


def semaphore() -> Blocked:
    s = Semaphore(3)
    s.acquire(2)
    return Blocked(s, "acquire", lambda: s.release(2), lambda: s.release(3), lambda: s.try_acquire(3), (3,))


def event() -> Blocked:
    e = Event()
    return Blocked(e, "wait", e.set, nothing, e.is_set)


MAKERS = [locked_mutex, write_locked, read_locked, write_locked_for_reader, reader_object, cond, cond_for, wait_group, semaphore, event]
every = pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
Make = Callable[[], Blocked]


class Cut(BaseException):
    """A context's error: need not be an Exception."""


# ---- timeout= ----


@both
@every
def test_timeout_to_the_nanosecond(make: Make, do: Do) -> None:
    """DeadlineExceeded, a TimeoutError, when the time is over: not before, not after."""

    async def main() -> float:
        b, begin = make(), now()
        with pytest.raises(TimeoutError, match=r"within 2\.5 s$") as caught:
            await do(b.thing, b.op, *b.args, timeout=2.5)
        assert type(caught.value) is DeadlineExceeded
        return round(now() - begin, 9)

    assert set(schedules(main, seeds=range(3))) == {2.5}


@both
@every
@pytest.mark.parametrize("timeout", [0, -1], ids=str)
def test_timeout_that_is_over_already(make: Make, do: Do, timeout: float) -> None:
    """It fails at once if it would block, and the clock does not move."""

    async def main() -> float:
        b, begin = make(), now()
        with pytest.raises(DeadlineExceeded):
            await do(b.thing, b.op, *b.args, timeout=timeout)
        return now() - begin

    assert set(schedules(main, seeds=range(2))) == {0.0}


@both
@every
def test_timeout_leaves_nothing_behind(make: Make, do: Do) -> None:
    async def main() -> bool:
        b = make()
        for timeout in (1, 0, 0.5):
            with pytest.raises(DeadlineExceeded):
                await do(b.thing, b.op, *b.args, timeout=timeout)
        b.let()
        return b.probe()

    assert all(schedules(main, seeds=range(3)))


@both
@every
def test_in_time(make: Make, do: Do) -> None:
    """What comes before the timeout is had, and the timeout means nothing any more, in whatever the goroutine waits for then."""

    async def main() -> list[float]:
        b, begin = make(), now()
        after_func(1, b.let)
        await do(b.thing, b.op, *b.args, timeout=2)
        times = [now() - begin]
        b.after()
        await do(gosched, "sleep", 5)
        return [*times, now() - begin]

    for times in schedules(main, seeds=range(3)):
        assert times == pytest.approx([1, 6])


@both
@every
def test_timeout_without_a_wait(make: Make, do: Do) -> None:
    """A timeout that is over does not keep an operation from what is there."""

    async def main() -> None:
        b = make()
        if b.op == "wait" and isinstance(b.thing, Cond):
            return
        b.let()
        await do(b.thing, b.op, *b.args, timeout=0)
        b.after()
        await do(b.thing, b.op, *b.args, timeout=-1)

    schedules(main, seeds=range(2))


@both
@every
def test_at_the_very_moment(make: Make, do: Do) -> None:
    """The time is over at the moment it comes: the waiter gets it or it does not, and both agree on which."""

    async def main(first: bool) -> bool:
        b = make()
        if first:
            after_func(1, b.let)
        outcome: list[str] = []

        async def waits() -> None:
            try:
                await do(b.thing, b.op, *b.args, timeout=1)
            except DeadlineExceeded:
                outcome.append("too late")
            else:
                outcome.append("in time")
                b.after()

        wg = WaitGroup()
        if isinstance(b.thing, Cond):
            await waits()  # with its mutex, which this goroutine has
        else:
            wg.go(waits)
        if not first:
            await gosched.asleep(1)
            b.let()
        await wg
        await settled()
        assert outcome in (["too late"], ["in time"])
        return b.probe()

    assert all(schedules(main, True))
    if make not in (cond, cond_for):
        assert all(schedules(main, False))


@every
@pytest.mark.parametrize("timeout", [0, 0.001])
def test_timeout_of_a_thread(make: Make, timeout: float) -> None:
    """A thread that is no goroutine, and no runtime anywhere."""

    def body() -> None:
        b = make()
        with pytest.raises(DeadlineExceeded):
            getattr(b.thing, b.op)(*b.args, timeout=timeout)
        b.let()
        assert b.probe()

    in_threads(body)


@every
def test_in_time_in_a_thread(make: Make) -> None:
    """Let by another thread, which takes a turn only when the first is about to wait."""
    b = make()
    if isinstance(b.thing, Cond):
        mutex = b.thing.mutex
        go_on = threading.Event()

        def lets() -> None:
            assert go_on.wait(60)
            with mutex:
                b.let()

        def waits() -> None:
            go_on.set()
            getattr(b.thing, b.op)(*b.args, timeout=60)

        in_threads(waits, lets)
    else:
        in_threads(lambda: getattr(b.thing, b.op)(*b.args, timeout=60), b.let)
    b.after()
    assert b.probe()


# ---- ctx= ----


@both
@every
def test_ctx(make: Make, do: Do) -> None:
    """The context's end ends the wait with the context's error, and nothing is left behind."""

    async def main() -> bool:
        b, ctx, begin, error = make(), Cancellation(), now(), Cut("enough")
        after_func(1, ctx.cancel_waits, error)
        with pytest.raises(Cut) as caught:
            await do(b.thing, b.op, *b.args, ctx=ctx)
        assert (type(caught.value), caught.value.args) == (Cut, error.args)
        assert now() - begin == pytest.approx(1)
        b.let()
        return b.probe()

    assert all(schedules(main, seeds=range(3)))


@both
@every
def test_ctx_that_has_ended(make: Make, do: Do) -> None:
    """An operation that would block fails at once; one that would not goes through."""

    async def main() -> bool:
        b, ctx, begin = make(), Cancellation(), now()
        assert ctx.cancel_waits(Cut("long ago"))
        assert not ctx.cancel_waits(Cut("twice"))
        for _ in range(2):
            with pytest.raises(Cut, match=r"^long ago$"):
                await do(b.thing, b.op, *b.args, ctx=ctx)
        assert now() == begin
        b.let()
        if not (isinstance(b.thing, Cond) and b.op == "wait"):
            await do(b.thing, b.op, *b.args, ctx=ctx)
            b.after()
        return b.probe()

    assert all(schedules(main, seeds=range(2)))


@both
@every
def test_ctx_ends_later(make: Make, do: Do) -> None:
    """A wait that is over does not hear of it."""

    async def main() -> float:
        b, ctx, begin = make(), Cancellation(), now()
        after_func(1, b.let)
        after_func(2, ctx.cancel_waits, Cut("too late"))
        await do(b.thing, b.op, *b.args, ctx=ctx)
        b.after()
        await do(gosched, "sleep", 3)
        return round(now() - begin, 9)

    assert set(schedules(main, seeds=range(2))) == {4.0}


@both
@every
@pytest.mark.parametrize("cancel", [1, 3])
def test_ctx_and_timeout(make: Make, do: Do, cancel: int) -> None:
    """Whichever is first."""

    async def main() -> bool:
        b, ctx = make(), Cancellation()
        after_func(cancel, ctx.cancel_waits, Cut("enough"))
        with pytest.raises(Cut if cancel == 1 else DeadlineExceeded):
            await do(b.thing, b.op, *b.args, timeout=2, ctx=ctx)
        await do(gosched, "sleep", 3)
        b.let()
        return b.probe()

    assert all(schedules(main, seeds=range(2)))


@every
def test_ctx_of_a_thread(make: Make) -> None:
    b, ctx = make(), Cancellation()

    def waits() -> None:
        with pytest.raises(Cut):
            getattr(b.thing, b.op)(*b.args, ctx=ctx)

    in_threads(waits, lambda: ctx.cancel_waits(Cut("from a thread")))
    b.let()
    assert b.probe()


def test_one_ctx_ends_many() -> None:
    """Threads of two spellings, all on things of their own, in one context."""

    async def main() -> int:
        ctx, wg, ended = Cancellation(), WaitGroup(), list[int]()

        async def waits(make: Make, do: Do) -> None:
            b = make()
            try:
                await do(b.thing, b.op, *b.args, ctx=ctx)
            except Cut:
                ended.append(1)

        for make in MAKERS:
            for do in both.args[1]:
                wg.go(waits, make, do)
        after_func(1, ctx.cancel_waits, Cut("all of you"))
        await wg
        return len(ended)

    assert set(schedules(main)) == {2 * len(MAKERS)}


# ---- the program's end ----


@both
@every
def test_an_ended_waiter_leaves_nothing_behind(make: Make, do: Do) -> None:
    """main returns: who waits is ended with Goexit, and the thing can be used on."""
    left: list[Blocked] = []

    async def waits() -> None:
        b = make()
        left.append(b)
        await do(b.thing, b.op, *b.args)

    async def main() -> None:
        go(waits)
        await settled()

    virtual_run(main)
    (b,) = left
    b.let()
    assert b.probe()


# ---- bad arguments ----


@both
@every
@pytest.mark.parametrize(("timeout", "error"), [("1", TypeError), (True, TypeError), ([], TypeError), (float("nan"), ValueError)], ids=repr)
def test_bad_timeout(make: Make, do: Do, timeout: Any, error: type[Exception]) -> None:
    """The error names the argument and says what would do; the wait has not begun."""

    async def main() -> bool:
        b = make()
        with pytest.raises(error, match=r"^timeout must be seconds, "):
            await do(b.thing, b.op, *b.args, timeout=timeout)
        b.let()
        return b.probe()

    assert virtual_run(main)


@both
@every
def test_bad_timeout_without_a_wait(make: Make, do: Do) -> None:
    """Also when it would not have been needed."""

    async def main() -> None:
        b = make()
        b.let()
        with pytest.raises(TypeError, match=r"^timeout must be seconds, an int or a float, not str$"):
            await do(b.thing, b.op, *b.args, timeout="1")

    if make is not cond:
        virtual_run(main)


@both
@every
def test_bad_ctx(make: Make, do: Do) -> None:
    async def main() -> bool:
        b = make()
        with pytest.raises(TypeError, match=r"^ctx must be a Context, not int$"):
            await do(b.thing, b.op, *b.args, ctx=5)
        b.let()
        return b.probe()

    assert virtual_run(main)
