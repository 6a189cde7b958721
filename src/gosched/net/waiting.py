"""Waiting for any descriptor: a pipe, a socket of another library, a device."""

from __future__ import annotations

import os
from collections.abc import Coroutine
from typing import Any

from gosched.core.interrupt import Cancellation
from gosched.core.kernel import is_ready
from gosched.core.sched import Scheduler
from gosched.core.signals import Nothing
from gosched.core.states import READ, WRITE
from gosched.spelling import Guard

from .faults import fault, from_errno
from .sockets import close_fd, scheduler_for, watched
from .steps import Steps, awaited, plainly, try_step


def wait_readable(fd: Any, timeout: float | None = None, ctx: Cancellation | None = None) -> None:
    """Returns when fd, a descriptor or something with fileno(), can be read without blocking, or is at its end. It stays the caller's.

    >>> import gosched, os
    >>> from gosched import net
    >>> def main():
    ...     here, there = os.pipe()
    ...     with os.fdopen(here, "rb"), os.fdopen(there, "wb", buffering=0) as pipe:
    ...         gosched.go(pipe.write, b"hello")
    ...         net.wait_readable(here)
    ...         return os.read(here, 100)
    >>> gosched.run(main)
    b'hello'
    """
    plainly(ready_steps("wait_readable", fd, READ, Guard(timeout, ctx)))


def await_readable(fd: Any, timeout: float | None = None, ctx: Cancellation | None = None) -> Coroutine[Any, Any, None]:
    """`wait_readable`, awaited.

    >>> import gosched, os
    >>> from gosched import net
    >>> async def main():
    ...     here, there = os.pipe()
    ...     with os.fdopen(here, "rb"), os.fdopen(there, "wb", buffering=0) as pipe:
    ...         gosched.go(pipe.write, b"hello")
    ...         await net.await_readable(here)
    ...         return os.read(here, 100)
    >>> gosched.run(main)
    b'hello'
    """
    return awaited(ready_steps("await_readable", fd, READ, Guard(timeout, ctx)))


def wait_writable(fd: Any, timeout: float | None = None, ctx: Cancellation | None = None) -> None:
    """Returns when fd can be written without blocking.

    >>> import gosched, socket
    >>> from gosched import net
    >>> def main():
    ...     here, there = socket.socketpair()
    ...     with here, there:
    ...         net.wait_writable(here)
    ...         return here.send(b"hello")
    >>> gosched.run(main)
    5
    """
    plainly(ready_steps("wait_writable", fd, WRITE, Guard(timeout, ctx)))


def await_writable(fd: Any, timeout: float | None = None, ctx: Cancellation | None = None) -> Coroutine[Any, Any, None]:
    """`wait_writable`, awaited.

    >>> import gosched, socket
    >>> from gosched import net
    >>> async def main():
    ...     here, there = socket.socketpair()
    ...     with here, there:
    ...         await net.await_writable(here)
    ...         return here.send(b"hello")
    >>> gosched.run(main)
    5
    """
    return awaited(ready_steps("await_writable", fd, WRITE, Guard(timeout, ctx)))


def ready_steps(what: str, fd: Any, mode: int, guard: Guard) -> Steps[None]:
    sched = scheduler_for(what)
    number = descriptor(what, fd)

    ready = is_ready(number, mode == WRITE)
    if ready == 0:
        ready = yield from wait_for(sched, what, number, mode, guard)
    if ready < 0:
        raise from_errno(what, f"descriptor {number}", -ready)


def wait_for(sched: Scheduler, what: str, number: int, mode: int, guard: Guard) -> Steps[int]:
    """By a duplicate: the kernel has one registration for each, and the descriptor may have one already, or be closed meanwhile."""
    where = f"descriptor {number}"
    fd = os.dup(number)
    try:
        desc = watched(sched, fd, what, where, close_fd)
    except PermissionError:  # a file: always ready
        os.close(fd)
        return 1
    except BaseException:
        os.close(fd)
        raise

    def outcome() -> Any:
        ready = is_ready(fd, mode == WRITE)
        return Nothing if ready == 0 else ready

    try:
        ready: int = yield try_step(what, desc, mode, outcome, lambda _, code: fault(what, where, code), guard)
        return ready
    finally:
        desc.close_desc()


def descriptor(what: str, fd: Any) -> int:
    number = fd if isinstance(fd, int) and not isinstance(fd, bool) else getattr(fd, "fileno", lambda: None)()
    if not isinstance(number, int) or number < 0:
        raise ValueError(f"{what}: fd must be an open descriptor, or something with fileno(), not {fd!r}")
    return number
