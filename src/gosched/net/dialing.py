"""Connecting. A name may have several addresses: they are tried one after the other, the next when one has failed or has kept us waiting for a
quarter of a second, IPv6 and IPv4 in turn (RFC 8305). The first connection wins; the others are given up.
"""

from __future__ import annotations

import errno
import socket
import ssl as tls
from typing import Any

from gosched.channels import Chan
from gosched.core.interrupt import Cancellation
from gosched.core.kernel import is_ready
from gosched.core.sched import Scheduler
from gosched.core.signals import Nothing, TimedOut
from gosched.core.spawn import go
from gosched.core.states import WRITE
from gosched.errors import DeadlineExceeded
from gosched.spelling import Guard
from gosched.timing import now

from .address import Address, from_kernel
from .conn import Conn, SocketConn
from .faults import fault, from_errno
from .resolver import resolve_steps
from .sockets import let_go, new_socket, watched
from .steps import Step, Steps, awaited, sleep_step, try_step
from .tls import TLSConn

STAGGER = 0.25
WAITS = {errno.EINPROGRESS, errno.EINTR}
FULL = errno.EAGAIN


def connect_steps(sched: Scheduler, family: int, name: Any, guard: Guard) -> Steps[SocketConn]:
    """One attempt at one address."""
    remote = from_kernel(name)
    where = str(remote)
    pause = 0.001
    while True:
        sock = new_socket(family, "dial", where)
        try:
            error = sock.connect_ex(name)
            if error in WAITS:
                error = yield from await_connection(sched, sock, where, guard)
            if error == 0:
                return SocketConn(sched, sock, remote)
        finally:
            sock.close()  # of no effect if the connection has taken it over
        if error != FULL:
            raise from_errno("dial", where, error)
        yield sleep_step(f"dial {where}", pause, guard)  # a Unix socket whose listener is behind
        pause = min(2 * pause, 0.1)


def await_connection(sched: Scheduler, sock: socket.socket, where: str, guard: Guard) -> Steps[int]:
    """0, or an errno."""

    def outcome() -> Any:
        ready = is_ready(sock.fileno(), True)
        return sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) if ready > 0 else Nothing if ready == 0 else -ready

    desc = watched(sched, sock.fileno(), "dial", where, let_go)
    try:
        return (yield try_step(f"dial {where}", desc, WRITE, outcome, lambda what, code: fault(what, where, code), guard))  # type: ignore[no-any-return]
    finally:
        desc.close_desc()


class Race:
    """Attempts at several addresses of one name."""

    def __init__(self, sched: Scheduler, n: int) -> None:
        self.sched = sched
        self.results: Chan[tuple[SocketConn | None, OSError | None]] = Chan(n)
        self.stop = Cancellation()
        self.over = False

    async def attempt(self, family: int, name: Any) -> None:
        try:
            conn = await awaited(connect_steps(self.sched, family, name, Guard(None, self.stop)))
        except OSError as error:
            self.results.try_send((None, error))
        else:
            self.results.try_send((conn, None))
            if self.over:
                self.drop_results()

    def end(self) -> None:
        """Nobody is interested any more: who is under way stops, who is through is closed."""
        self.over = True
        self.stop.cancel_waits(OSError(errno.ECANCELED, "another address was quicker"))
        self.drop_results()

    def drop_results(self) -> None:
        found = True
        while found:
            result, found = self.results.try_recv()
            if result is not None and result[0] is not None:
                result[0].close()


def race_steps(sched: Scheduler, names: list[tuple[int, Any]], where: str, timeout: float | None, ctx: Cancellation | None) -> Steps[SocketConn]:
    race = Race(sched, len(names))
    begin = now()
    first: OSError | None = None
    started = failed = 0
    try:
        while True:
            if started < len(names):
                go(race.attempt, *names[started])
                started += 1
            left = None if timeout is None else timeout - (now() - begin)
            patience = left if started == len(names) else STAGGER if left is None else min(STAGGER, left)
            got = yield Step(f"dial {where}", race.results.recv_as, race.results.withdraw, Guard(patience, ctx, quiet=True))
            if got is TimedOut:
                if left is not None and left <= STAGGER:
                    raise DeadlineExceeded(f"dial {where}: no connection within {timeout} s")
                continue
            conn, error = got
            if conn is not None:
                return conn  # type: ignore[no-any-return]
            first = first or error
            failed += 1
            if failed == len(names):
                assert first is not None
                raise first
    finally:
        race.end()


def dial_steps(
    sched: Scheduler, address: Address, context: tls.SSLContext | None, hostname: str | None, timeout: float | None, ctx: Cancellation | None
) -> Steps[Conn]:
    guard = Guard(timeout, ctx)
    if context is not None:
        hostname = name_to_check(address, hostname)
    if address.port < 0:
        name = "\0" + address.path[1:] if address.path.startswith("@") else address.path
        conn = yield from connect_steps(sched, socket.AF_UNIX, name, guard)
    else:
        names = yield from resolve_steps(address, guard)
        if len(names) == 1:
            conn = yield from connect_steps(sched, *names[0], guard)
        else:
            conn = yield from race_steps(sched, names, str(address), guard.left(), ctx)
    if context is None:
        return conn
    try:
        secure = TLSConn(conn, context, hostname)
        yield from secure.shake(guard)
    except BaseException:
        conn.close()
        raise
    return secure


def name_to_check(address: Address, hostname: str | None) -> str:
    """For whom the certificate must be."""
    if hostname is not None:
        return hostname
    if address.port < 0:
        raise ValueError(f"dial {address}: with ssl, server_hostname must be given: a Unix socket has no name that a certificate could be for")
    return address.host or "localhost"
