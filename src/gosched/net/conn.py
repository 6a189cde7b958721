"""Connections. `Conn` is what all have in common, `SocketConn` a TCP or Unix socket; a TLS connection (tls.py) stands on one of those."""

from __future__ import annotations

import socket
import sys
import warnings
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Self

from gosched.core.g import Goroutine
from gosched.core.interrupt import Cancellation
from gosched.core.kernel import send_some
from gosched.core.netpoll import PollDesc
from gosched.core.park import words_of
from gosched.core.plain import goroutine_m
from gosched.core.sched import Scheduler
from gosched.core.states import NET_CLOSED, READ, WRITE
from gosched.core.stream import CHUNK, Stream, give_back, read_op, write_op
from gosched.core.timers import clock
from gosched.errors import ClosedError
from gosched.spelling import Guard, after_ns, nanoseconds

from .address import Address, from_kernel
from .faults import fault
from .sockets import close_fd, prompt, watched
from .steps import Step, Steps, awaited, plainly

LINE = 65_536


class Conn:
    """A connection: bytes in both directions. One goroutine may read while another writes; two that read take turns, and so do two that write.

    >>> import gosched
    >>> from gosched import net
    >>> async def main():
    ...     with net.listen("127.0.0.1:0") as listener:
    ...         async def echo():
    ...             async with await listener.aaccept() as conn:
    ...                 await conn.awrite(await conn.aread())
    ...         gosched.go(echo)
    ...         async with await net.adial(str(listener.address)) as conn:
    ...             await conn.awrite(b"hello")
    ...             return await conn.aread()
    >>> gosched.run(main)
    b'hello'
    """

    __slots__ = ()

    local: Address
    """Of this side."""
    remote: Address
    """Of the other side."""

    # ---- what a kind of connection is made of ----

    def read_steps(self, n: int, guard: Guard) -> Steps[bytes]:
        raise NotImplementedError

    def gather_steps(self, n: int, line: bool, guard: Guard) -> Steps[bytes | None]:
        """n bytes, or fewer at the end; or a line, and None for one that is longer than n."""
        raise NotImplementedError

    def write_steps(self, data: Any, guard: Guard) -> Steps[None]:
        raise NotImplementedError

    def close(self) -> None:
        """Whoever waits gets a ClosedError. Once more does nothing."""
        raise NotImplementedError

    @property
    def closed(self) -> bool:
        """By `close`, on this side."""
        raise NotImplementedError

    def close_write(self, timeout: float | None = None, ctx: Cancellation | None = None) -> None:
        """The other side reads to the end; this one may go on reading."""
        raise NotImplementedError

    def aclose_write(self, timeout: float | None = None, ctx: Cancellation | None = None) -> Coroutine[Any, Any, None]:
        """`close_write`, awaited."""
        raise NotImplementedError

    def deadline(self, modes: int, when: float | None, what: str) -> None:
        raise NotImplementedError

    # ---- reading ----

    def read(self, n: int = CHUNK, timeout: float | None = None, ctx: Cancellation | None = None) -> bytes:
        """What is there, up to n bytes; waits for the first. At the end: b""."""
        return plainly(self.read_steps(at_least_one(n), Guard(timeout, ctx)))

    def aread(self, n: int = CHUNK, timeout: float | None = None, ctx: Cancellation | None = None) -> Coroutine[Any, Any, bytes]:
        """`read`, awaited."""
        return awaited(self.read_steps(at_least_one(n), Guard(timeout, ctx)))

    def read_exactly(self, n: int, timeout: float | None = None, ctx: Cancellation | None = None) -> bytes:
        """n bytes. If the end comes before: EOFError; what did come can still be read."""
        return plainly(self.exact_steps(n, Guard(timeout, ctx)))

    def aread_exactly(self, n: int, timeout: float | None = None, ctx: Cancellation | None = None) -> Coroutine[Any, Any, bytes]:
        """`read_exactly`, awaited."""
        return awaited(self.exact_steps(n, Guard(timeout, ctx)))

    def read_line(self, limit: int = LINE, timeout: float | None = None, ctx: Cancellation | None = None) -> bytes:
        """Up to and with the next newline; the rest, if the end comes before, and then b"". Longer than limit: ValueError; it stays there."""
        return plainly(self.line_steps(limit, Guard(timeout, ctx)))

    def aread_line(self, limit: int = LINE, timeout: float | None = None, ctx: Cancellation | None = None) -> Coroutine[Any, Any, bytes]:
        """`read_line`, awaited."""
        return awaited(self.line_steps(limit, Guard(timeout, ctx)))

    def exact_steps(self, n: int, guard: Guard) -> Steps[bytes]:
        if not isinstance(n, int) or not 0 <= n < sys.maxsize:
            raise ValueError(f"n must be a number of bytes, 0 or more, not {n!r}")
        data = b"" if n == 0 else (yield from self.gather_steps(n, False, guard))
        if data is None or len(data) < n:
            raise EOFError(f"read {self.where()}: the end came before {n} bytes did")
        return data

    def line_steps(self, limit: int, guard: Guard) -> Steps[bytes]:
        line = yield from self.gather_steps(at_least_one(limit, "limit"), True, guard)
        if line is None:
            raise ValueError(f"read {self.where()}: a line of more than {limit} bytes; give read_line a higher limit")
        return line

    # ---- writing ----

    def write(self, data: Any, timeout: float | None = None, ctx: Cancellation | None = None) -> None:
        """All of it; waits while the other side is slow to take it."""
        plainly(self.giving_back(octets(data), Guard(timeout, ctx)))

    def awrite(self, data: Any, timeout: float | None = None, ctx: Cancellation | None = None) -> Coroutine[Any, Any, None]:
        """`write`, awaited."""
        return awaited(self.giving_back(octets(data), Guard(timeout, ctx)))

    def giving_back(self, data: bytes | memoryview, guard: Guard) -> Steps[None]:
        try:
            yield from self.write_steps(data, guard)
        finally:
            give_back(data)

    # ---- deadlines ----

    def set_deadline(self, when: float | None) -> None:
        """A read or write that is not through by then, a time of `now()`, or that begins later, gets DeadlineExceeded. None: no deadline any more."""
        self.deadline(READ | WRITE, when, "set_deadline")

    def set_read_deadline(self, when: float | None) -> None:
        """The same for reads alone."""
        self.deadline(READ, when, "set_read_deadline")

    def set_write_deadline(self, when: float | None) -> None:
        """The same for writes alone."""
        self.deadline(WRITE, when, "set_write_deadline")

    # ---- with ----

    def fileno(self) -> int:
        """The descriptor, which stays the connection's: for wait_readable, and for setsockopt by way of a duplicate."""
        raise NotImplementedError

    def where(self) -> str:
        return f"{self.local}->{self.remote}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()


class SocketConn(Stream, Conn):
    """A TCP or Unix connection. It has a descriptor of its own: the socket that it is made from is used up."""

    __slots__ = ("local", "remote")

    def __init__(self, sched: Scheduler, sock: socket.socket, remote: Address | None = None) -> None:
        prompt(sock)
        self.local = from_kernel(sock.getsockname())
        self.remote = from_kernel(sock.getpeername()) if remote is None else remote
        Stream.__init__(self, watched(sched, sock.fileno(), "open", self.where(), close_fd))
        sock.detach()  # it is ours now

    # ---- the short way ----

    def read(self, n: int = CHUNK, timeout: float | None = None, ctx: Cancellation | None = None) -> bytes:
        m = goroutine_m() if timeout is None and ctx is None else None
        return Conn.read(self, n, timeout, ctx) if m is None else self.read_here(m, at_least_one(n))

    def aread(self, n: int = CHUNK, timeout: float | None = None, ctx: Cancellation | None = None) -> Any:
        return read_op(self, at_least_one(n)) if timeout is None and ctx is None else Conn.aread(self, n, timeout, ctx)

    def write(self, data: Any, timeout: float | None = None, ctx: Cancellation | None = None) -> None:
        m = goroutine_m() if timeout is None and ctx is None else None
        if m is None:
            Conn.write(self, data, timeout, ctx)
        else:
            self.write_here(m, octets(data))

    def awrite(self, data: Any, timeout: float | None = None, ctx: Cancellation | None = None) -> Any:
        return write_op(self, octets(data)) if timeout is None and ctx is None else Conn.awrite(self, data, timeout, ctx)

    # ---- the long one ----

    def read_steps(self, n: int, guard: Guard) -> Steps[bytes]:
        return (yield self.step("read", lambda g: self.read_by(words_of(g), n), READ, guard))  # type: ignore[no-any-return]

    def gather_steps(self, n: int, line: bool, guard: Guard) -> Steps[bytes | None]:
        return (yield self.step("read", lambda g: self.gather_by(words_of(g), n, line), READ, guard))  # type: ignore[no-any-return]

    def write_steps(self, data: Any, guard: Guard) -> Steps[None]:
        yield self.step("write", lambda g: self.write_by(words_of(g), data), WRITE, guard)

    def step(self, what: str, attempt: Any, mode: int, guard: Guard) -> Step:
        def start(g: Goroutine) -> Any:
            answer = attempt(g)
            if type(answer) is int:
                raise self.fault(what, answer)
            return answer

        return Step(f"{what} {self.where()}", start, lambda g: self.desc.withdraw(g, mode), guard)

    def fault(self, what: str, code: int) -> BaseException:
        return fault(what, self.where(), code)

    # ---- the end ----

    def fileno(self) -> int:
        if self.closed:
            raise self.fault("fileno", NET_CLOSED)
        return self.desc.fd

    @property
    def closed(self) -> bool:
        return self.desc.closed

    def write_at_once(self, data: bytes) -> int:
        """As much as takes no waiting, by who knows that nobody else writes: how many bytes."""
        if not data or not self.desc.borrow():
            return 0
        try:
            return max(0, send_some(self.desc.fd, data, 0))
        finally:
            self.desc.restore()

    def close(self) -> None:
        self.desc.close_desc()

    def close_write(self, timeout: float | None = None, ctx: Cancellation | None = None) -> None:
        if not self.desc.borrow():
            raise self.fault("close_write", NET_CLOSED)
        try:
            shut_down(self.desc.fd)
        finally:
            self.desc.restore()

    async def aclose_write(self, timeout: float | None = None, ctx: Cancellation | None = None) -> None:
        self.close_write()

    def deadline(self, modes: int, when: float | None, what: str) -> None:
        set_deadline(self.desc, modes, when, f"{what} {self.where()}")

    def __repr__(self) -> str:
        return f"<net.Conn {self.where()}{' closed' if self.closed else ''}>"

    def __del__(self) -> None:
        if not sys.is_finalizing() and self.desc is not None and not self.closed:
            warnings.warn(f"unclosed connection {self.where()}", ResourceWarning, source=self, stacklevel=2)
            self.close()


def set_deadline(desc: PollDesc, modes: int, when: float | None, what: str) -> None:
    if desc.closed:
        raise ClosedError(f"{what}: use of a connection that was closed")
    if when is None:
        desc.move_deadline(modes, 0, False)
    else:
        at = nanoseconds(when, "when (a time of now())")
        past = at <= clock(desc.sched)
        desc.move_deadline(modes, 0 if past else after_ns(at, 0), past)


def shut_down(fd: int) -> None:
    """The descriptor stays open."""
    sock = socket.socket(fileno=fd)
    try:
        sock.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # the other side was quicker
    finally:
        sock.detach()


def at_least_one(n: int, name: str = "n") -> int:
    if type(n) is not int or n < 1:
        raise ValueError(f"{name} must be a number of bytes, 1 or more, not {n!r}")
    return min(n, sys.maxsize - 1)


def octets(data: Any) -> bytes | memoryview:
    """Bytes as they are; of anything else like bytes a view of our own, byte by byte."""
    if type(data) is bytes:
        return data
    try:
        view = memoryview(data)
    except TypeError:
        raise TypeError(f"data must be bytes, or like bytes, not {type(data).__name__}") from None
    if not view.c_contiguous:
        raise TypeError(f"data must be bytes in one piece, not a {type(data).__name__} with gaps: use bytes(data)")
    return view.cast("B")
