"""Channels and nil; `select` is in selecting.py.

Thin: core/chan.py does the work. A twin is a generator that runs one compiled operation and, if that had to wait, gets the answer from its `yield`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine, Generator, Iterator
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from gosched.core import plainchan
from gosched.core.chan import Channel
from gosched.core.g import Goroutine
from gosched.core.interrupt import Cancellation
from gosched.core.native import share_anext
from gosched.core.park import begin_wait
from gosched.core.select import cases_are
from gosched.core.signals import Closed, Nothing, Parked
from gosched.core.states import RECV, RECV_OK, SEND, W_RECV_NIL, W_SEND_NIL
from gosched.debug import DEBUG
from gosched.errors import ClosedChannelError, EndOfChannel
from gosched.spelling import Guard, block, twin, wait, watched

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
T_contra = TypeVar("T_contra", contravariant=True)


class SendChan(Protocol[T_contra]):
    """A channel that one only sends to, for a type checker: it has `send`, `asend`, `try_send`, `close`, `capacity`, `closed` and `len()`.

    >>> import gosched
    >>> def squares(out: gosched.SendChan[int]) -> None:
    ...     for n in range(3):
    ...         out.send(n * n)
    ...     out.close()
    >>> ch = gosched.Chan[int](3)
    >>> squares(ch)
    >>> list(ch)
    [0, 1, 4]
    """

    @property
    def capacity(self) -> int: ...
    @property
    def closed(self) -> bool: ...
    def __len__(self) -> int: ...
    def send(self, value: T_contra, timeout: float | None = None, ctx: Cancellation | None = None) -> None: ...
    def asend(self, value: T_contra, timeout: float | None = None, ctx: Cancellation | None = None) -> Coroutine[Any, Any, None]: ...
    def try_send(self, value: T_contra) -> bool: ...
    def close(self) -> None: ...


class RecvChan(Protocol[T_co]):
    """A channel that one only receives from, for a type checker: it has `recv`, `arecv`, `recv_ok`, `arecv_ok`, `try_recv`, `capacity`, `closed`,
    `len()`, and can be iterated over.

    >>> import gosched
    >>> def total(numbers: gosched.RecvChan[int]) -> int:
    ...     return sum(numbers)
    >>> ch = gosched.Chan[int](2)
    >>> ch.send(1), ch.send(2), ch.close()
    (None, None, None)
    >>> total(ch)
    3
    """

    @property
    def capacity(self) -> int: ...
    @property
    def closed(self) -> bool: ...
    def __len__(self) -> int: ...
    def recv(self, timeout: float | None = None, ctx: Cancellation | None = None) -> T_co: ...
    def arecv(self, timeout: float | None = None, ctx: Cancellation | None = None) -> Coroutine[Any, Any, T_co]: ...
    def recv_ok(self, timeout: float | None = None, ctx: Cancellation | None = None) -> tuple[T_co | None, bool]: ...
    def arecv_ok(self, timeout: float | None = None, ctx: Cancellation | None = None) -> Coroutine[Any, Any, tuple[T_co | None, bool]]: ...
    def try_recv(self) -> tuple[T_co | None, bool]: ...
    def __iter__(self) -> Iterator[T_co]: ...
    def __aiter__(self) -> AsyncIterator[T_co]: ...


class Chan(Channel, Generic[T]):
    """A channel, as Go's `make(chan T, capacity)`. It belongs to no runtime: goroutines of several, and plain threads, may meet on it.

    >>> import gosched
    >>> async def produce(ch):
    ...     for i in range(3):
    ...         await ch.asend(i)
    ...     ch.close()
    >>> async def main():
    ...     ch = gosched.Chan[int]()
    ...     gosched.go(produce, ch)
    ...     return [v async for v in ch]
    >>> gosched.run(main)
    [0, 1, 2]
    """

    __slots__ = ()

    @property
    def capacity(self) -> int:
        """How many values it buffers."""
        return int(self.limit)

    @property
    def closed(self) -> bool:
        """Values may be left to receive."""
        return bool(self.is_shut())

    def __len__(self) -> int:
        """How many values are in the buffer."""
        return int(self.held_values())

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<Chan {len(self)}/{self.capacity}{' closed' if self.closed else ''} at {id(self):#x}>"

    # ---- send ----

    if TYPE_CHECKING:

        def send(self, value: T, timeout: float | None = None, ctx: Cancellation | None = None) -> None: ...

        def asend(self, value: T, timeout: float | None = None, ctx: Cancellation | None = None) -> Coroutine[Any, Any, None]:
            """`send`, awaited."""
            raise NotImplementedError
    else:
        send = plainchan.send
        if DEBUG:
            asend = watched(Channel.asend, "Chan.asend")

    def send_until(self, value: T, timeout: float | None, ctx: Cancellation | None) -> None:
        """`send` with something that may end it, or by a thread."""
        if block("send", lambda g: self.send_as(g, value), self.withdraw, Guard(timeout, ctx)) is Closed:
            raise self.send_error()

    @twin
    def asend_until(self, value: T, timeout: float | None, ctx: Cancellation | None) -> Generator[Any, Any, None]:
        """`asend` with something that may end it."""
        answer = yield from wait("send", lambda g: self.send_as(g, value), self.withdraw, Guard(timeout, ctx))  # type: ignore[misc]
        if answer is Closed:
            raise self.send_error()

    def try_send(self, value: T) -> bool:
        """Sends if that is possible at once."""
        answer = self.send_now(value)
        if answer is Closed:
            raise self.send_error()
        return answer is None

    # ---- receive ----

    if TYPE_CHECKING:

        def recv(self, timeout: float | None = None, ctx: Cancellation | None = None) -> T: ...

        def arecv(self, timeout: float | None = None, ctx: Cancellation | None = None) -> Coroutine[Any, Any, T]:
            """`recv`, awaited."""
            raise NotImplementedError

        def __aiter__(self) -> AsyncIterator[T]: ...
        def __anext__(self) -> Coroutine[Any, Any, T]: ...
    else:
        recv = plainchan.recv
        if DEBUG:
            arecv = watched(Channel.arecv, "Chan.arecv")

    def recv_until(self, timeout: float | None, ctx: Cancellation | None) -> T:
        """`recv` with something that may end it, or by a thread."""
        answer = block("receive", self.recv_as, self.withdraw, Guard(timeout, ctx))
        if answer is Closed:
            raise self.recv_error()
        return answer  # type: ignore[no-any-return]

    @twin
    def arecv_until(self, timeout: float | None, ctx: Cancellation | None) -> Generator[Any, Any, T]:
        """`arecv` with something that may end it."""
        answer = yield from wait("receive", self.recv_as, self.withdraw, Guard(timeout, ctx))  # type: ignore[misc]
        if answer is Closed:
            raise self.recv_error()
        return answer  # type: ignore[no-any-return]

    if TYPE_CHECKING:

        def recv_ok(self, timeout: float | None = None, ctx: Cancellation | None = None) -> tuple[T | None, bool]: ...
    else:
        recv_ok = plainchan.recv_ok

    def recv_ok_until(self, timeout: float | None, ctx: Cancellation | None) -> tuple[T | None, bool]:
        """`recv_ok` with something that may end it, by a thread, or of a channel with a `recv` of its own."""
        try:
            return self.recv(timeout, ctx), True
        except EndOfChannel:
            return None, False

    @twin
    def arecv_ok(self, timeout: float | None = None, ctx: Cancellation | None = None) -> Generator[Any, Any, tuple[T | None, bool]]:
        """`recv_ok`, awaited."""
        try:
            value = yield from self.arecv(timeout=timeout, ctx=ctx)  # type: ignore[misc]
            return value, True
        except EndOfChannel:
            return None, False

    def try_recv(self) -> tuple[T | None, bool]:
        """(value, True) if there is one at once, else (None, False). On a channel that is closed and drained: EndOfChannel."""
        answer = self.recv_now()
        if answer is Nothing:
            return None, False
        if answer is Closed:
            raise self.recv_error()
        return answer, True

    def __iter__(self) -> Iterator[T]:
        """Values until the channel is closed and drained."""
        while True:
            try:
                value = self.recv()
            except EndOfChannel:
                return
            yield value

    # ---- close ----

    def close(self) -> None:
        """No more values. Receivers get what is buffered, then EndOfChannel; senders that wait get ClosedChannelError. Twice: ClosedChannelError."""
        if not self.shut():
            raise ClosedChannelError("close of closed channel", self)

    def send_error(self) -> ClosedChannelError:
        return ClosedChannelError("send on closed channel", self)

    def recv_error(self) -> EndOfChannel:
        return EndOfChannel("receive on closed channel", self)


share_anext(Chan, Channel)


class Nil(Chan[Any]):
    """The channel on which every operation blocks for ever, and which takes its case out of a select. `bool(nil)` is False.

    >>> import gosched
    >>> ch = gosched.Chan[int](1)
    >>> ch.send(1)
    >>> gosched.select(gosched.nil.recv, ch.recv)
    (1, 1)
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()
        self.nil = True

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "nil"

    def send(self, value: Any, timeout: float | None = None, ctx: Cancellation | None = None) -> None:
        block("send on nil", _never_sent, _nothing_left, Guard(timeout, ctx))

    @twin
    def asend(self, value: Any, timeout: float | None = None, ctx: Cancellation | None = None) -> Generator[Any, Any, None]:
        yield from wait("send on nil", _never_sent, _nothing_left, Guard(timeout, ctx))  # type: ignore[misc]

    def try_send(self, value: Any) -> bool:
        return False

    def recv(self, timeout: float | None = None, ctx: Cancellation | None = None) -> Any:
        block("receive on nil", _never_received, _nothing_left, Guard(timeout, ctx))

    @twin
    def arecv(self, timeout: float | None = None, ctx: Cancellation | None = None) -> Generator[Any, Any, Any]:
        yield from wait("receive on nil", _never_received, _nothing_left, Guard(timeout, ctx))  # type: ignore[misc]

    @twin
    def __anext__(self) -> Generator[Any, Any, Any]:
        yield from self.arecv()  # type: ignore[misc]

    def close(self) -> None:
        raise ClosedChannelError("close of nil channel", self)


def _never_sent(g: Goroutine) -> object:
    begin_wait(g, W_SEND_NIL, None)
    return Parked


def _never_received(g: Goroutine) -> object:
    begin_wait(g, W_RECV_NIL, None)
    return Parked


def _nothing_left(g: Goroutine) -> None:
    """A goroutine that waits for nil stands in no queue."""


nil = Nil()

cases_are({Chan.recv: RECV, Chan.recv_ok: RECV_OK, Chan.send: SEND, Nil.recv: RECV, Nil.send: SEND})
