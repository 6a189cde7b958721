"""Goroutines that only look lost: something that lives can still wake them. And those on nil, which need no look."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched import (
    Chan,
    Event,
    Ticker,
    WaitGroup,
    after_func,
    aselect,
    asleep,
    go,
    nil,
)
from gosched.core.interrupt import Cancellation
from gosched.testing import virtual_run
from tests.deadlocks.finding import Found, found, receive, send, start

KEPT: list[Any] = []
Program = Callable[[], Any]


async def in_a_global() -> None:
    KEPT.append(Chan())
    start(receive, KEPT[0])


async def in_a_default() -> None:
    def later(ch: Chan[Any] = Chan()) -> Chan[Any]:  # noqa: B008
        return ch

    KEPT.append(later)
    start(receive, later())


async def in_a_closure_of_one_that_sleeps() -> None:
    ch: Chan[Any] = Chan()

    async def closes() -> None:
        await asleep(60)
        ch.close()

    go(closes)
    start(receive, ch)


async def in_one_that_can_be_woken() -> None:
    """The sender waits for what main can reach, and so main can wake the receiver through it."""
    ch: Chan[Any] = Chan()
    KEPT.append(Event())

    async def sends() -> None:
        await KEPT[0]
        await ch.asend(1)

    go(sends)
    start(receive, ch)


async def in_the_buffer_of_a_channel() -> None:
    ch: Chan[Any] = Chan()
    KEPT.append(Chan(1))
    KEPT[0].send(ch)
    start(receive, ch)


async def on_its_way_from_a_sender() -> None:
    ch: Chan[Any] = Chan()
    KEPT.append(Chan())
    go(send, KEPT[0], ch)
    start(receive, ch)


async def in_after_func() -> None:
    ch: Chan[Any] = Chan()
    after_func(60, ch.close)
    start(receive, ch)


async def with_a_timeout() -> None:
    async def wait() -> None:
        await Chan().arecv_ok(timeout=60)

    start(wait)


async def in_a_select_with_a_timeout() -> None:
    async def wait() -> None:
        await aselect(Chan().recv, timeout=60)

    start(wait)


async def on_nil_with_a_timeout() -> None:
    start(functools.partial(nil.arecv, timeout=60))


async def on_a_timer() -> None:
    async def wait() -> None:
        await gosched.after(60).arecv()

    start(wait)


async def on_a_ticker_in_a_select() -> None:
    async def wait() -> None:
        await aselect(Ticker(60).c.recv, Chan().recv)

    start(wait)


async def with_a_context() -> None:
    KEPT.append(Cancellation())

    async def wait() -> None:
        await Chan().arecv(ctx=KEPT[0])

    start(wait)


async def asleep_for_long() -> None:
    start(asleep, 60)


async def counted_by_one_that_sleeps() -> None:
    async def wait() -> None:
        wg = WaitGroup()
        wg.go(asleep, 60)
        await wg

    start(wait)


async def in_a_partial() -> None:
    ch: Chan[Any] = Chan()
    KEPT.append(functools.partial(ch.send, 1))
    start(receive, ch)


async def in_an_object() -> None:
    class Holder:
        __slots__ = ("ch",)

    holder = Holder()
    holder.ch = Chan()  # type: ignore[attr-defined]
    KEPT.append({"deep": [holder]})
    start(receive, holder.ch)  # type: ignore[attr-defined]


async def in_a_generator() -> None:
    def values(ch: Chan[Any]) -> Any:
        yield
        ch.close()

    ch: Chan[Any] = Chan()
    KEPT.append(values(ch))
    next(KEPT[0])
    start(receive, ch)


NOT_LOST = [
    *(in_a_global, in_a_default, in_a_closure_of_one_that_sleeps, in_one_that_can_be_woken, in_the_buffer_of_a_channel, on_its_way_from_a_sender),
    *(in_after_func, with_a_timeout, in_a_select_with_a_timeout, on_nil_with_a_timeout, on_a_timer, on_a_ticker_in_a_select, with_a_context),
    *(asleep_for_long, counted_by_one_that_sleeps, in_a_partial, in_an_object, in_a_generator),
]


@pytest.mark.parametrize("program", NOT_LOST, ids=lambda p: p.__name__)
def test_not_lost(program: Program) -> None:
    async def main() -> Found:
        KEPT.clear()
        await program()
        return await found()

    assert virtual_run(main) == []
    KEPT.clear()


def test_what_main_has_in_a_variable_is_not_lost() -> None:
    async def main() -> Found:
        ch: Chan[Any] = Chan()
        start(receive, ch)
        result = await found()
        ch.close()
        return result

    assert virtual_run(main) == []


def test_plain_goroutines_are_taken_for_wakeable() -> None:
    """Their stacks may refer to anything."""

    async def main() -> Found:
        go(lambda: Chan().recv())
        return await found()

    assert virtual_run(main) == []


# ---- nil ----


@pytest.mark.parametrize("wait", [nil.arecv, nil.recv, lambda: nil.send(1), aselect, lambda: gosched.select(nil.recv)])
def test_on_nil_is_for_ever(wait: Callable[[], Any]) -> None:
    async def main() -> Found:
        start(wait, name="nil")
        return await found()

    assert virtual_run(main) == [("nil", ["nil"])]
