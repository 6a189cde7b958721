"""Opening and closing what a Conn and a Listener stand on."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable

from gosched.core.native import current_m
from gosched.core.netpoll import PollDesc
from gosched.core.sched import Scheduler
from gosched.errors import no_runtime

from .faults import from_errno


def scheduler_for(what: str) -> Scheduler:
    """Of the runtime whose poller will watch the descriptor."""
    m = current_m()
    if m is None:
        raise no_runtime(what, "a goroutine: run(main), go(fn)")
    sched: Scheduler = m.sched
    if not hasattr(sched.host, "net"):
        raise RuntimeError(f"{what}: there is no network in virtual time; use a real run(), or channels in its place")
    return sched


def watched(sched: Scheduler, fd: int, what: str, where: str, shuts: Callable[[PollDesc], object]) -> PollDesc:
    """fd, watched by the runtime's poller from now on. `shuts`: see PollDesc; it ends with `close_fd`, or `let_go` if the number stays somebody's."""
    desc = PollDesc(sched, fd, shuts)
    error = sched.host.net().attach(desc)
    if error:
        raise from_errno(what, where, error)
    return desc


def inherited(desc: PollDesc) -> bool:
    """By a forked child, which closes its own copy of the descriptor and nothing else: what the poller knows of it, the file of a Unix socket and
    the state of TLS are its parent's."""
    return bool(os.getpid() != desc.sched.host.pid)


def let_go(desc: PollDesc) -> None:
    if not inherited(desc):
        desc.sched.host.net().detach(desc)


def close_fd(desc: PollDesc) -> None:
    let_go(desc)
    os.close(desc.fd)


def new_socket(family: int, what: str, where: str) -> socket.socket:
    try:
        sock = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise from_errno(what, where, error.errno or errno.EIO) from None
    sock.setblocking(False)
    return sock


def prompt(sock: socket.socket) -> None:
    """As in Go: a TCP connection sends at once."""
    if sock.family in (socket.AF_INET, socket.AF_INET6):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
