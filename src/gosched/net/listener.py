"""Listening sockets."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import ssl as tls
import stat
import sys
import warnings
from collections.abc import AsyncIterator, Coroutine, Iterator
from types import TracebackType
from typing import Any, Self

from gosched.core.interrupt import Cancellation
from gosched.core.netpoll import PollDesc
from gosched.core.sched import Scheduler
from gosched.core.signals import Nothing
from gosched.core.states import READ
from gosched.errors import ClosedError
from gosched.spelling import Guard

from .address import Address, from_kernel
from .conn import Conn, SocketConn, set_deadline
from .faults import fault, from_errno
from .sockets import close_fd, inherited, watched
from .steps import Step, Steps, awaited, plainly, sleep_step, try_step
from .tls import TLSConn, check_context

BACKLOG = 4096
# What accept gets for a connection that is gone again, and what it gets for want of descriptors or memory, which comes back.
GONE = {errno.ECONNABORTED, errno.EPROTO, errno.EINTR}
SCARCE = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
FIRST_PAUSE, LONGEST_PAUSE = 0.005, 1.0


class Listener:
    """Waits for connections. Iterating over it accepts until it is closed. Out of descriptors it waits for some to come back, as Go's servers do.

    >>> import gosched
    >>> from gosched import net
    >>> def main():
    ...     with net.listen("127.0.0.1:0") as listener, net.dial(str(listener.address)) as client:
    ...         with listener.accept() as conn:
    ...             return conn.remote == client.local
    >>> gosched.run(main)
    True
    """

    __slots__ = ("__weakref__", "_context", "_path", "_socket", "address", "desc")

    def __init__(self, sched: Scheduler, sock: socket.socket, context: tls.SSLContext | None = None, path: str = "") -> None:
        self._socket = sock
        self._context = context
        self._path = path
        self.address: Address = from_kernel(sock.getsockname())
        """Where it listens."""
        self.desc = watched(sched, sock.fileno(), "listen", str(self.address), lambda desc: shut(desc, sock, path))

    def accept(self, timeout: float | None = None, ctx: Cancellation | None = None) -> Conn:
        """The next connection. Closed, now or while it waits: ClosedError."""
        return plainly(self.accept_steps(Guard(timeout, ctx)))

    def aaccept(self, timeout: float | None = None, ctx: Cancellation | None = None) -> Coroutine[Any, Any, Conn]:
        """`accept`, awaited."""
        return awaited(self.accept_steps(Guard(timeout, ctx)))

    def accept_steps(self, guard: Guard) -> Steps[Conn]:
        pause = FIRST_PAUSE
        while True:
            got = yield self.accept_step(guard)
            if not isinstance(got, int):
                break
            if got in SCARCE:
                yield sleep_step(f"accept {self.address}", pause, guard)
                pause = min(2 * pause, LONGEST_PAUSE)
            elif got not in GONE:
                raise from_errno("accept", str(self.address), got)
        conn = SocketConn(self.desc.sched, got[0], from_kernel(got[1]))
        return conn if self._context is None else TLSConn(conn, self._context, None)

    def accept_step(self, guard: Guard) -> Step:
        return try_step("accept", self.desc, READ, self.try_accept, lambda what, code: fault(what, str(self.address), code), guard)

    def try_accept(self) -> Any:
        """The socket and its peer's name, or an errno."""
        try:
            sock, name = self._socket.accept()
        except BlockingIOError:
            return Nothing
        except OSError as error:
            return error.errno or errno.EIO
        sock.setblocking(False)
        return sock, name

    # ---- the end ----

    def close(self) -> None:
        """Whoever accepts gets a ClosedError. Once more does nothing. The file of a Unix socket goes as well."""
        self.desc.close_desc()

    @property
    def closed(self) -> bool:
        """By `close`."""
        return self.desc.closed

    def set_deadline(self, when: float | None) -> None:
        """An accept that is not through by then, a time of `now()`, or that begins later, gets DeadlineExceeded. None: no deadline any more."""
        set_deadline(self.desc, READ, when, f"set_deadline {self.address}")

    # ---- with, for ----

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def __iter__(self) -> Iterator[Conn]:
        with contextlib.suppress(ClosedError):
            while True:
                yield self.accept()

    async def __aiter__(self) -> AsyncIterator[Conn]:
        with contextlib.suppress(ClosedError):
            while True:
                yield await self.aaccept()

    def __repr__(self) -> str:
        return f"<net.Listener {self.address}{' closed' if self.closed else ''}>"

    def __del__(self) -> None:
        if not sys.is_finalizing() and hasattr(self, "desc") and not self.closed:
            warnings.warn(f"unclosed listener {self.address}", ResourceWarning, source=self, stacklevel=2)
            self.close()


def shut(desc: PollDesc, sock: socket.socket, path: str) -> None:
    sock.detach()
    close_fd(desc)
    if path and not path.startswith("@") and not inherited(desc):
        with contextlib.suppress(OSError):
            os.unlink(path)


def stale(path: str) -> bool:
    """A socket's file that nobody listens on: left behind by a program that was killed."""
    try:
        if not stat.S_ISSOCK(os.stat(path).st_mode):
            return False
    except OSError:
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        return probe.connect_ex(path) == errno.ECONNREFUSED


def open_unix(address: Address) -> socket.socket:
    name = "\0" + address.path[1:] if address.path.startswith("@") else address.path
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if not address.path.startswith("@") and stale(name):
            os.unlink(name)
        sock.bind(name)
        sock.listen(BACKLOG)
    except BaseException:
        sock.close()
        raise
    sock.setblocking(False)
    return sock


def open_tcp(family: int, name: Any) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6 and name[0] == "::":
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        sock.bind(name)
        sock.listen(BACKLOG)
    except BaseException:
        sock.close()
        raise
    sock.setblocking(False)
    return sock


def new_listener(sched: Scheduler, address: Address, names: list[tuple[int, Any]], context: tls.SSLContext | None) -> Listener:
    """Of the names that a host has, the first that can be listened on."""
    check_context(context)
    try:
        sock = open_unix(address) if address.port < 0 else first_of(names)
        try:
            return Listener(sched, sock, context, address.path)
        except BaseException:
            sock.close()
            raise
    except OSError as error:
        raise from_errno("listen", str(address), error.errno or errno.EIO) from None


def first_of(names: list[tuple[int, Any]]) -> socket.socket:
    for i, (family, name) in enumerate(names):
        try:
            return open_tcp(family, name)
        except OSError:
            if i == len(names) - 1:
                raise
    raise OSError(errno.EADDRNOTAVAIL, "no address")
