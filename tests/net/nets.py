"""What the tests of the network share: programs that are written once for both spellings, connected pairs, waiting for events."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import gosched
from gosched import Chan, net
from gosched.core.native import current_m
from gosched.core.netpoll import anybody_waits

from ..channels.worlds import Program, World

# Far more than anything here takes on a busy machine: who waits longer waits for ever.
PATIENCE = 20.0
# How long one waits to see that nothing happens.
A_WHILE = 0.05
# More than the kernel keeps for a reader that does not read.
TOO_MUCH = bytes(1 << 24)
TWINS = {"wait_readable": "await_readable", "wait_writable": "await_writable"}


class NetWorld(World):
    """A world in which any blocking operation can be spelled: `await w.do(conn, "read", 10)`."""

    async def do(self, thing: Any, op: str, *args: Any, **options: Any) -> Any:
        if self.plain:
            return getattr(thing, op)(*args, **options)
        return await getattr(thing, TWINS.get(op, f"a{op}"))(*args, **options)

    async def dial(self, addr: object, **options: Any) -> Any:
        return await self.do(net, "dial", str(addr), **options)

    async def until(self, reached: Callable[[], object], what: str) -> None:
        """Sleeps a little, again and again, until then."""
        end = time.monotonic() + PATIENCE
        while not reached():
            assert time.monotonic() < end, f"waited {PATIENCE:g} s for {what}"
            await self.sleep(0.001)

    async def until_waiting(self, n: int = 1) -> None:
        """Until so many goroutines wait for the network."""
        await self.until(lambda: waiting() >= n, f"{n} goroutines to wait for the network")

    def start(self, fn: Program, *args: Any) -> Outcome:
        """Starts fn; what becomes of it can be asked for."""
        outcome = Outcome()

        async def watched() -> None:
            try:
                value = await fn(*args)
            except Exception as error:
                outcome.done.try_send((None, error))
            else:
                outcome.done.try_send((value, None))

        self.go(watched)
        return outcome

    async def result(self, outcome: Outcome) -> Any:
        value, error = await self.recv(outcome.done, timeout=PATIENCE)
        if error is not None:
            raise error
        return value

    async def failure(self, outcome: Outcome) -> BaseException:
        value, error = await self.recv(outcome.done, timeout=PATIENCE)
        assert error is not None, f"it should have failed, and returned {value!r}"
        failed: BaseException = error
        return failed

    @contextlib.asynccontextmanager
    async def pair(self, addr: str = "127.0.0.1:0") -> AsyncIterator[tuple[Any, Any]]:
        """Both ends of a connection: who dialled, who accepted."""
        with net.listen(addr) as listener:
            here = await self.dial(listener.address)
            there = await self.do(listener, "accept")
        with here, there:
            yield here, there


class Outcome:
    """What a goroutine that was started by `start` came to."""

    def __init__(self) -> None:
        self.done: Chan[Any] = Chan(1)

    def is_open(self) -> bool:
        return len(self.done) == 0


AWAITED = NetWorld("awaited", plain=False)
PLAIN = NetWorld("plain", plain=True, driven=True)
SPELLINGS = [AWAITED, PLAIN]
WORLDS = [AWAITED, NetWorld("awaited, 1 P", plain=False, procs=1), PLAIN, NetWorld("plain in async, 1 P", plain=True, procs=1)]


def where(conn: Any) -> str:
    """How messages name a connection, as a pattern."""
    return re.escape(f"{conn.local}->{conn.remote}")


def waiting() -> int:
    """How many goroutines wait for the network."""
    return gosched.stats().by_wait_reason.get("IO wait", 0)


def nobody_waits() -> bool:
    """The scheduler's own count, of goroutines and threads."""
    return not anybody_waits(current_m().sched)


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as sock:
            sock.bind(("::1", 0))
    except OSError:
        return False
    return True


def descriptors() -> set[str]:
    """What is open in this process; without the one that reads the list."""
    return {f"{fd} {name}" for fd in os.listdir("/proc/self/fd") if (name := target(fd))}


def target(fd: str) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{fd}")
    except OSError:
        return ""


class Threads:
    """Threads that run no goroutine; the first failure is the test's."""

    def __init__(self) -> None:
        self.threads: list[threading.Thread] = []
        self.failures: list[BaseException] = []
        self.results: list[Any] = []

    def start(self, fn: Callable[..., Any], *args: Any) -> None:
        def guarded() -> None:
            try:
                self.results.append(fn(*args))
            except BaseException as error:
                self.failures.append(error)

        self.threads.append(threading.Thread(target=guarded, daemon=True))
        self.threads[-1].start()

    def alive(self) -> bool:
        return any(thread.is_alive() for thread in self.threads)

    def join(self) -> list[Any]:
        for thread in self.threads:
            thread.join(PATIENCE)
            assert not thread.is_alive(), "a thread hangs"
        if self.failures:
            raise self.failures[0]
        return self.results
