"""Bad arguments, and contexts and groups where they cannot be: every message, word for word."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched import Chan, Context, GoschedError, Group, background, run, with_cancel, with_deadline, with_timeout, with_value, without_cancel
from gosched.testing import virtual_run


def refused(error: type[BaseException], message: str, call: Callable[[], Any]) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}$") as caught:
        call()
    assert type(caught.value) is error


async def nothing() -> None: ...


INSIDE: list[tuple[Callable[[], Any], type[BaseException], str]] = [
    (lambda: with_cancel("ctx"), TypeError, "with_cancel(): ctx must be a Context, or left out for the current one, not str"),  # type: ignore[arg-type]
    (lambda: with_timeout(1, 5), TypeError, "with_timeout(): ctx must be a Context, or left out for the current one, not int"),  # type: ignore[arg-type]
    (lambda: with_deadline(1, 5), TypeError, "with_deadline(): ctx must be a Context, or left out for the current one, not int"),  # type: ignore[arg-type]
    (lambda: with_value("k", 1, 5), TypeError, "with_value(): ctx must be a Context, or left out for the current one, not int"),  # type: ignore[arg-type]
    (lambda: without_cancel(None), TypeError, "without_cancel(): ctx must be a Context, not NoneType"),  # type: ignore[arg-type]
    (lambda: with_timeout("1"), TypeError, "with_timeout(): seconds must be seconds, an int or a float, not str"),  # type: ignore[arg-type]
    (lambda: with_timeout(True), TypeError, "with_timeout(): seconds must be seconds, an int or a float, not bool"),
    (lambda: with_timeout(float("nan")), ValueError, "with_timeout(): seconds must be seconds, not nan"),
    (lambda: with_deadline(None), TypeError, "with_deadline(): t (a time of now()) must be seconds, an int or a float, not NoneType"),  # type: ignore[arg-type]
    (lambda: with_deadline(float("nan")), ValueError, "with_deadline(): t (a time of now()) must be seconds, not nan"),
    (lambda: with_value(None, 1), ValueError, "with_value(): key must not be None"),
    (lambda: with_value({}, 1), TypeError, "with_value(): key must be hashable, not dict"),  # type: ignore[arg-type]
    (lambda: with_cancel().cancel("why"), TypeError, "cancel(): cause must be an exception, not str"),  # type: ignore[arg-type]
    (lambda: with_cancel().cancel(ValueError), TypeError, "cancel(): cause must be an exception, not type"),  # type: ignore[arg-type]
    (lambda: with_cancel().after_func(5), TypeError, "after_func(): needs a function, not int"),  # type: ignore[arg-type]
    (background().cancel, GoschedError, "background() cannot be cancelled: make one that can, with_cancel()"),
    (
        lambda: background().__enter__(),
        GoschedError,
        "with background(): use without_cancel(Context.current()) for a block that heeds nobody",
    ),
    (lambda: Chan[int]().recv(ctx="ctx"), TypeError, "ctx must be a Context, not str"),  # type: ignore[arg-type]
    (lambda: gosched.sleep(1, ctx=1), TypeError, "ctx must be a Context, not int"),  # type: ignore[arg-type]
    (lambda: Group(limit="2"), TypeError, "Group(): limit must be an int, or None for no limit, not str"),  # type: ignore[arg-type]
    (lambda: Group(limit=True), TypeError, "Group(): limit must be an int, or None for no limit, not bool"),
    (lambda: Group(limit=0), ValueError, "Group(): limit must be 1 or more, or None for no limit, not 0"),
    (lambda: Group(limit=-1), ValueError, "Group(): limit must be 1 or more, or None for no limit, not -1"),
    (lambda: Group(ctx="ctx"), TypeError, "Group(): ctx must be a Context, or left out for the current one, not str"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "error", "message"), INSIDE, ids=[message for _, _, message in INSIDE])
def test_refused(call: Callable[[], Any], error: type[BaseException], message: str) -> None:
    async def main() -> None:
        refused(error, message, call)
        assert Context.current() is background()

    virtual_run(main)


OUTSIDE: list[tuple[Callable[[], Any], str]] = [
    (lambda: with_timeout(1), "with_timeout() outside of a goroutine: use it inside run(main)"),
    (lambda: with_deadline(1), "with_deadline() outside of a goroutine: use it inside run(main)"),
    (lambda: with_cancel().after_func(print), "after_func() outside of a goroutine: use it inside run(main)"),
    (Group, "Group() outside of a goroutine: use it inside run(main)"),
]


@pytest.mark.parametrize(("call", "message"), OUTSIDE, ids=[message for _, message in OUTSIDE])
def test_outside_of_a_runtime(call: Callable[[], Any], message: str) -> None:
    refused(RuntimeError, message, call)


def test_a_coroutine_after_a_context() -> None:
    async def main() -> None:
        coroutine = nothing()
        refused(TypeError, "after_func(): needs a function, not coroutine", lambda: with_cancel().after_func(coroutine))  # type: ignore[arg-type]
        coroutine.close()

    virtual_run(main)


def test_one_context_two_blocks() -> None:
    async def main() -> None:
        ctx = with_timeout(2.5, with_value("k", 1))
        text = "<Context background.with_value('k').with_timeout(2.5 s){}>"
        message = f"with: {text} is used as a block already: with_cancel(ctx) makes one of its own for each"
        with ctx:
            refused(GoschedError, message.format(""), ctx.__enter__)
        refused(GoschedError, message.format(": context canceled"), ctx.__enter__)

    virtual_run(main)


def test_tasks() -> None:
    """They are the caller's mistakes, and not failures of the group."""

    async def main() -> None:
        with Group() as group:
            refused(TypeError, "Group.go(): name must be a str or None, not int", lambda: group.go(nothing, name=5))  # type: ignore[call-overload]
            refused(TypeError, "go() needs a function, an async function or a coroutine, not int: 5", lambda: group.go(5))  # type: ignore[call-overload]
            coroutine = nothing()
            message = "go(): a coroutine takes no arguments here, got 1; pass the async function itself"
            refused(TypeError, message, lambda: group.go(coroutine, 1))  # type: ignore[call-overload]
            coroutine.close()
            task = group.go(gosched.nil.recv, name="slow")
            refused(GoschedError, "task slow is not done: wait for it, or leave the group's block first", task.result)
            group.ctx.cancel()

    virtual_run(main)


def test_default_with_a_context() -> None:
    """A context in a select is a case as any other."""
    ctx = with_cancel()
    assert gosched.select(ctx, gosched.default) == (1, None)
    refused(
        TypeError,
        f"select: case 0 must be ch.recv, ch.recv_ok, (ch.send, value), a Context or default, not {ctx.cancel!r}",
        lambda: gosched.select(ctx.cancel, gosched.default),
    )


def test_message_of_a_dead_goroutine() -> None:
    """Canceled that leaves a goroutine which nobody watches is not reported; DeadlineExceeded is an exception as any other."""

    async def main() -> None:
        async def fails() -> None:
            with with_timeout(0.001):
                await gosched.nil.arecv()

        gosched.go(fails)
        await gosched.nil.arecv()

    with pytest.raises(gosched.DeadlineExceeded, match=r"^context deadline exceeded\b") as caught:
        run(main)
    assert "in goroutine 2 (test_message_of_a_dead_goroutine.<locals>.main.<locals>.fails)" in caught.value.__notes__[0]
