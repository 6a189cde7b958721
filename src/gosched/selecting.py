"""select and aselect. The overloads tell a type checker which value comes with which index, so that `match` narrows."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from typing import Any, Literal, Protocol, TypeVar, overload

from gosched.core.g import Goroutine
from gosched.core.interrupt import Cancellation
from gosched.core.select import Selection, begin_select, default
from gosched.core.signals import Again, Parked, TimedOut
from gosched.spelling import Guard, block, twin, wait

__all__ = ["aselect", "default", "select"]

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
F = TypeVar("F")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Ending(Protocol[T_co]):
    """A Context, for a type checker: the value of its case is its error."""

    def seen_error(self) -> T_co: ...


Case = Callable[..., T] | tuple[Callable[..., T], Any] | Ending[T]
"""ch.recv, ch.recv_ok, (ch.send, value), a Context, default. Its value has the type of what the method returns."""


@overload
def select(c0: Case[A], /, *, timeout: None = None, ctx: Cancellation | None = None) -> tuple[Literal[0], A]: ...
@overload
def select(c0: Case[A], /, *, timeout: float, ctx: Cancellation | None = None) -> tuple[Literal[0], A] | tuple[None, None]: ...
@overload
def select(c0: Case[A], c1: Case[B], /, *, timeout: None = None, ctx: Cancellation | None = None) -> tuple[Literal[0], A] | tuple[Literal[1], B]: ...
@overload
def select(
    c0: Case[A], c1: Case[B], /, *, timeout: float, ctx: Cancellation | None = None
) -> tuple[Literal[0], A] | tuple[Literal[1], B] | tuple[None, None]: ...
@overload
def select(
    c0: Case[A], c1: Case[B], c2: Case[C], /, *, timeout: None = None
) -> tuple[Literal[0], A] | tuple[Literal[1], B] | tuple[Literal[2], C]: ...
@overload
def select(
    c0: Case[A], c1: Case[B], c2: Case[C], /, *, timeout: float
) -> tuple[Literal[0], A] | tuple[Literal[1], B] | tuple[Literal[2], C] | tuple[None, None]: ...
@overload
def select(
    c0: Case[A], c1: Case[B], c2: Case[C], c3: Case[D], /, *, timeout: None = None
) -> tuple[Literal[0], A] | tuple[Literal[1], B] | tuple[Literal[2], C] | tuple[Literal[3], D]: ...
@overload
def select(
    c0: Case[A], c1: Case[B], c2: Case[C], c3: Case[D], /, *, timeout: float
) -> tuple[Literal[0], A] | tuple[Literal[1], B] | tuple[Literal[2], C] | tuple[Literal[3], D] | tuple[None, None]: ...
@overload
def select(
    c0: Case[A], c1: Case[B], c2: Case[C], c3: Case[D], c4: Case[E], /, *, timeout: None = None
) -> tuple[Literal[0], A] | tuple[Literal[1], B] | tuple[Literal[2], C] | tuple[Literal[3], D] | tuple[Literal[4], E]: ...
@overload
def select(
    c0: Case[A], c1: Case[B], c2: Case[C], c3: Case[D], c4: Case[E], /, *, timeout: float
) -> tuple[Literal[0], A] | tuple[Literal[1], B] | tuple[Literal[2], C] | tuple[Literal[3], D] | tuple[Literal[4], E] | tuple[None, None]: ...
@overload
def select(
    c0: Case[A], c1: Case[B], c2: Case[C], c3: Case[D], c4: Case[E], c5: Case[F], /, *, timeout: None = None
) -> tuple[Literal[0], A] | tuple[Literal[1], B] | tuple[Literal[2], C] | tuple[Literal[3], D] | tuple[Literal[4], E] | tuple[Literal[5], F]: ...
@overload
def select(
    c0: Case[A], c1: Case[B], c2: Case[C], c3: Case[D], c4: Case[E], c5: Case[F], /, *, timeout: float
) -> (
    tuple[Literal[0], A]
    | tuple[Literal[1], B]
    | tuple[Literal[2], C]
    | tuple[Literal[3], D]
    | tuple[Literal[4], E]
    | tuple[Literal[5], F]
    | tuple[None, None]
): ...
@overload
def select(*cases: Case[Any], timeout: float | None = None, ctx: Cancellation | None = None) -> tuple[int | None, Any]: ...
def select(*cases: Any, timeout: float | None = None, ctx: Cancellation | None = None) -> Any:
    """Waits until one of several channel operations can go on, does it, and returns (index, value).

    Cases: `ch.recv`, `ch.recv_ok`, `(ch.send, value)`, a Context (its end), and `default`, which is taken when no other can go on at once. Of several
    that can, one is chosen at random. The value is what was received, `(value, ok)` for `recv_ok`, `ctx.err` for a Context, None for a send and for
    default. A timeout returns (None, None).

    >>> import gosched
    >>> a, b = gosched.Chan[int](1), gosched.Chan[str](1)
    >>> b.send("hello")
    >>> match gosched.select(a.recv, b.recv):
    ...     case 0, number:
    ...         print("a", number)
    ...     case 1, text:
    ...         print("b", text)
    b hello
    >>> gosched.select(a.recv, b.recv, gosched.default)
    (2, None)
    """
    selection = _parsed(cases, timeout)
    try:
        answer = block("select", selection.start_as, _left_later, Guard(timeout, ctx, quiet=True))
    finally:
        selection.leave()
    return _result(selection, answer)


@overload
def aselect(c0: Case[A], /, *, timeout: None = None, ctx: Cancellation | None = None) -> Coroutine[Any, Any, tuple[Literal[0], A]]: ...
@overload
def aselect(c0: Case[A], /, *, timeout: float, ctx: Cancellation | None = None) -> Coroutine[Any, Any, tuple[Literal[0], A] | tuple[None, None]]: ...
@overload
def aselect(
    c0: Case[A], c1: Case[B], /, *, timeout: None = None, ctx: Cancellation | None = None
) -> Coroutine[Any, Any, tuple[Literal[0], A] | tuple[Literal[1], B]]: ...
@overload
def aselect(
    c0: Case[A], c1: Case[B], /, *, timeout: float
) -> Coroutine[Any, Any, tuple[Literal[0], A] | tuple[Literal[1], B] | tuple[None, None]]: ...
@overload
def aselect(
    c0: Case[A], c1: Case[B], c2: Case[C], /, *, timeout: None = None
) -> Coroutine[Any, Any, tuple[Literal[0], A] | tuple[Literal[1], B] | tuple[Literal[2], C]]: ...
@overload
def aselect(
    c0: Case[A], c1: Case[B], c2: Case[C], /, *, timeout: float
) -> Coroutine[Any, Any, tuple[Literal[0], A] | tuple[Literal[1], B] | tuple[Literal[2], C] | tuple[None, None]]: ...
@overload
def aselect(
    c0: Case[A], c1: Case[B], c2: Case[C], c3: Case[D], /, *, timeout: None = None
) -> Coroutine[Any, Any, tuple[Literal[0], A] | tuple[Literal[1], B] | tuple[Literal[2], C] | tuple[Literal[3], D]]: ...
@overload
def aselect(
    c0: Case[A], c1: Case[B], c2: Case[C], c3: Case[D], /, *, timeout: float
) -> Coroutine[Any, Any, tuple[Literal[0], A] | tuple[Literal[1], B] | tuple[Literal[2], C] | tuple[Literal[3], D] | tuple[None, None]]: ...
@overload
def aselect(
    c0: Case[A], c1: Case[B], c2: Case[C], c3: Case[D], c4: Case[E], /, *, timeout: None = None
) -> Coroutine[Any, Any, tuple[Literal[0], A] | tuple[Literal[1], B] | tuple[Literal[2], C] | tuple[Literal[3], D] | tuple[Literal[4], E]]: ...
@overload
def aselect(
    c0: Case[A], c1: Case[B], c2: Case[C], c3: Case[D], c4: Case[E], /, *, timeout: float
) -> Coroutine[
    Any, Any, tuple[Literal[0], A] | tuple[Literal[1], B] | tuple[Literal[2], C] | tuple[Literal[3], D] | tuple[Literal[4], E] | tuple[None, None]
]: ...
@overload
def aselect(
    c0: Case[A], c1: Case[B], c2: Case[C], c3: Case[D], c4: Case[E], c5: Case[F], /, *, timeout: None = None
) -> Coroutine[
    Any, Any, tuple[Literal[0], A] | tuple[Literal[1], B] | tuple[Literal[2], C] | tuple[Literal[3], D] | tuple[Literal[4], E] | tuple[Literal[5], F]
]: ...
@overload
def aselect(
    c0: Case[A], c1: Case[B], c2: Case[C], c3: Case[D], c4: Case[E], c5: Case[F], /, *, timeout: float
) -> Coroutine[
    Any,
    Any,
    tuple[Literal[0], A]
    | tuple[Literal[1], B]
    | tuple[Literal[2], C]
    | tuple[Literal[3], D]
    | tuple[Literal[4], E]
    | tuple[Literal[5], F]
    | tuple[None, None],
]: ...
@overload
def aselect(*cases: Case[Any], timeout: float | None = None, ctx: Cancellation | None = None) -> Coroutine[Any, Any, tuple[int | None, Any]]: ...
@twin
def aselect(*cases: Any, timeout: float | None = None, ctx: Cancellation | None = None) -> Generator[Any, Any, Any]:
    """`select`, awaited.

    >>> import gosched
    >>> async def main():
    ...     ch = gosched.Chan[int]()
    ...     return await gosched.aselect(ch.recv, timeout=0.001)
    >>> gosched.run(main)
    (None, None)
    """
    limited = timeout is not None or ctx is not None
    if not limited:
        answer = begin_select(cases)
        if type(answer) is tuple:
            return answer
        selection: Selection = answer
    else:
        selection = _parsed(cases, timeout)
    try:
        if limited:
            answer = yield from wait("select", selection.start_as, _left_later, Guard(timeout, ctx, quiet=True))  # type: ignore[misc]
        else:
            answer = yield
            while answer is Again:
                answer = selection.start()
                if answer is Parked:
                    answer = yield
    finally:
        selection.leave()
    return _result(selection, answer)


def _result(selection: Selection, answer: Any) -> Any:
    if answer is TimedOut:
        return None, None
    return answer if type(answer) is tuple else selection.result(answer)


def _parsed(cases: tuple[Any, ...], timeout: float | None) -> Selection:
    selection = Selection(cases)
    if timeout is not None and selection.has_default():
        raise ValueError("select: default with a timeout: default never waits, so leave one of them out")
    return selection


def _left_later(g: Goroutine) -> None:
    """However a select ends, its `finally` takes its cases out of the queues."""
