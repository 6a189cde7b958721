"""Once and once_value: Go's sync/once_test.go and oncefunc_test.go by name, in both spellings and from threads."""

from __future__ import annotations

import gc
import threading
import traceback
import weakref
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import gosched
from gosched import Chan, Goexit, Once, WaitGroup, asleep, ayield_now, go, now, once_value, run
from gosched.testing import virtual_run

from .spelled import Do, awaited, both, in_threads, schedules


@both
def test_once(do: Do) -> None:
    """TestOnce: once, and nobody is through before it is done."""

    async def main() -> int:
        once, one, done = Once(), [0], Chan[int]()

        async def runs() -> None:
            await do(once, "do", lambda: one.__setitem__(0, one[0] + 1))
            await done.asend(one[0])

        for _ in range(10):
            go(runs)
        assert [await done.arecv() for _ in range(10)] == [1] * 10
        return one[0]

    assert set(schedules(main)) == {1}
    assert run(main, gomaxprocs=4) == 1


def test_once_in_plain_threads() -> None:
    once, one, seen = Once(), [0], list[int]()

    def body() -> None:
        once.do(lambda: one.__setitem__(0, one[0] + 1))
        seen.append(one[0])

    in_threads(*[body] * 8)
    assert seen == [1] * 8


def test_once_of_an_async_function() -> None:
    """Who comes while it is being done waits until it is."""

    async def main() -> list[float]:
        once, begin, times, wg = Once(), now(), list[float](), WaitGroup()

        async def slow() -> None:
            await asleep(2)

        async def comes(after: float) -> None:
            await asleep(after)
            await once.ado(slow)
            times.append(round(now() - begin, 9))

        for after in (0, 1, 5):
            wg.go(comes, after)
        await wg
        return times

    for times in schedules(main):
        assert times == [2, 2, 5]


@both
def test_once_with_arguments(do: Do) -> None:
    async def main() -> list[object]:
        log: list[object] = []
        await do(Once(), "do", lambda *args, **kwargs: log.append((args, kwargs)), 1, 2, key=3)
        return log

    assert virtual_run(main) == [((1, 2), {"key": 3})]


@both
def test_once_panic(do: Do) -> None:
    """TestOncePanic: an exception counts as done."""

    async def main() -> None:
        once = Once()

        def failed() -> None:
            raise KeyError("failed")

        with pytest.raises(KeyError, match="failed"):
            await do(once, "do", failed)
        await do(once, "do", lambda: pytest.fail("Once.Do called twice"))

    virtual_run(main)


def test_once_of_an_async_function_that_fails() -> None:
    """Who waits meanwhile is through afterwards, without the exception."""

    async def main() -> list[str]:
        once, log, wg = Once(), list[str](), WaitGroup()

        async def fails() -> None:
            await ayield_now()
            raise KeyError

        async def comes() -> None:
            try:
                await once.ado(fails)
            except KeyError:
                log.append("raised")
            else:
                log.append("through")

        for _ in range(3):
            wg.go(comes)
        await wg
        return sorted(log)

    for log in schedules(main):
        assert log == ["raised", "through", "through"]


@both
def test_once_goexit(do: Do) -> None:
    """The one that does it leaves by Goexit: done."""

    async def main() -> list[str]:
        once, wg, log = Once(), WaitGroup(), list[str]()

        def leaves() -> None:
            raise Goexit

        async def first() -> None:
            await do(once, "do", leaves)
            log.append("not reached")

        wg.go(first)
        await wg
        await do(once, "do", log.append, "twice")
        return log

    for log in schedules(main):
        assert log == []


def test_once_in_itself_deadlocks() -> None:
    async def main() -> None:
        once = Once()

        async def again() -> None:
            await once.ado(again)

        await once.ado(again)

    with pytest.raises(gosched.DeadlockError):
        virtual_run(main)


# ---- once_value ----

Value = Callable[[], Any]


def as_plain(fn: Callable[[], Any]) -> Callable[[], Awaitable[Any]]:
    value = once_value(fn)

    async def call() -> Any:
        return value()

    return call


def as_async(fn: Callable[[], Any]) -> Callable[[], Awaitable[Any]]:
    async def async_fn() -> Any:
        await ayield_now()
        return fn()

    return once_value(async_fn)


kinds = pytest.mark.parametrize("kind", [as_plain, as_async], ids=["plain", "async"])
Kind = Callable[[Callable[[], Any]], Callable[[], Awaitable[Any]]]


@kinds
def test_once_value(kind: Kind) -> None:
    """TestOnceFunc, TestOnceValue: one call, cached."""

    async def main() -> tuple[list[object], int]:
        calls = [0]

        def fn() -> object:
            calls[0] += 1
            return calls[0], "value"

        value, wg, got = kind(fn), WaitGroup(), list[object]()

        async def asks() -> None:
            got.append(await value())

        for _ in range(10):
            wg.go(asks)
        await wg
        return got, calls[0]

    for got, calls in schedules(main):
        assert got == [(1, "value")] * 10
        assert calls == 1


def test_once_value_in_plain_threads() -> None:
    calls: list[int] = []
    value = once_value(lambda: calls.append(1) or 42)
    got: list[int] = []
    in_threads(*[lambda: got.append(value())] * 8)
    assert (got, calls) == ([42] * 8, [1])


@kinds
@pytest.mark.parametrize("error", [KeyError("x"), BaseException("panic"), SystemExit(3)], ids=repr)
def test_once_value_panic(kind: Kind, error: BaseException) -> None:
    """TestOnceFuncPanic, TestOnceValuePanic: the same exception each time, and one call."""

    async def main() -> int:
        calls = [0]

        def fn() -> None:
            calls[0] += 1
            raise error

        value = kind(fn)
        for _ in range(3):
            with pytest.raises(type(error)) as caught:
                await value()
            assert caught.value is error
        return calls[0]

    assert virtual_run(main) == 1


@kinds
def test_once_value_goexit(kind: Kind) -> None:
    """TestOnceFuncGoexit: it is not called twice; every caller's goroutine ends."""

    async def main() -> tuple[int, list[str]]:
        calls, wg, log = [0], WaitGroup(), list[str]()

        def fn() -> None:
            calls[0] += 1
            raise Goexit

        value = kind(fn)

        async def asks() -> None:
            try:
                await value()
                log.append("went on")
            finally:
                log.append("left")

        for _ in range(2):
            wg.go(asks)
        await wg
        return calls[0], log

    assert set(map(repr, schedules(main))) == {repr((1, ["left", "left"]))}


@kinds
def test_once_value_panic_traceback(kind: Kind) -> None:
    """TestOnceFuncPanicTraceback: it tells where it was raised first, each time, and does not grow from call to call."""

    async def main() -> list[int]:
        def the_origin() -> None:
            raise KeyError

        value, lengths = kind(the_origin), []
        for _ in range(5):
            try:
                await value()
            except KeyError as error:
                names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
                assert "the_origin" in names
                lengths.append(len(names))
        return lengths

    lengths = virtual_run(main)
    assert lengths[4] == lengths[1]


@kinds
def test_once_value_gc(kind: Kind) -> None:
    """TestOnceXGC: the function is let go as soon as it has been called; its value stays."""

    class Big:
        pass

    async def main() -> tuple[object, bool]:
        big = Big()
        ref = weakref.ref(big)

        def fn(held: Big = big) -> int:
            assert held is not None
            return 7

        value = kind(fn)
        del fn, big
        gc.collect()
        assert ref() is not None
        await value()
        gc.collect()
        return await value(), ref() is None

    assert virtual_run(main) == (7, True)


def test_once_value_keeps_name_and_docstring() -> None:
    @once_value
    def config() -> int:
        """The configuration."""
        return 3

    assert config() == 3
    assert (config.__name__, config.__doc__) == ("config", "The configuration.")


@pytest.mark.parametrize("fn", [None, 5, "f"])
def test_once_value_needs_a_function(fn: object) -> None:
    with pytest.raises(TypeError, match=r"^once_value\(\) needs a function without arguments, not "):
        once_value(fn)  # type: ignore[call-overload]


def test_once_value_between_all_worlds() -> None:
    """A thread and goroutines of a runtime ask for the same value at the same time."""
    calls: list[int] = []
    value = once_value(lambda: calls.append(1) or "same")
    got: list[str] = []
    start = threading.Barrier(2, timeout=60)

    def thread() -> None:
        start.wait()
        got.append(value())

    async def main() -> None:
        wg = WaitGroup()
        start.wait()
        for _ in range(4):
            wg.go(lambda: got.append(value()))
        await wg

    in_threads(thread, lambda: run(main, gomaxprocs=2))
    assert (got, calls) == (["same"] * 5, [1])


@both
def test_done_already_needs_no_wait(do: Do) -> None:
    """Afterwards it costs a look, also in a goroutine that is being ended."""

    async def main() -> str:
        once = Once()
        await do(once, "do", lambda: None)
        begin = now()
        for _ in range(100):
            await do(once, "do", lambda: pytest.fail("twice"))
        assert now() == begin
        return "async" if do is awaited else "plain"

    assert virtual_run(main) in ("async", "plain")
