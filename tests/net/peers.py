"""What the tests of connections share: both spellings, programs that cannot hang, and peers that are plain sockets."""

from __future__ import annotations

import os
import socket
import ssl
import struct
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import gosched
from gosched import Goroutine, after_func, asleep, ayield_now, now
from gosched.net import Conn, Listener

# Far more than anything here takes on a busy machine.
PATIENCE = 20.0
# More than all buffers between two sockets hold.
LOTS = 16_000_000
TWINS = {"wait_readable": "await_readable", "wait_writable": "await_writable"}
Do = Callable[..., Awaitable[Any]]


async def awaited(thing: Any, op: str, *args: Any, **options: Any) -> Any:
    """thing's operation by its twin."""
    return await getattr(thing, TWINS.get(op, f"a{op}"))(*args, **options)


async def plain(thing: Any, op: str, *args: Any, **options: Any) -> Any:
    """The same by the plain spelling."""
    return getattr(thing, op)(*args, **options)


both = pytest.mark.parametrize("do", [awaited, plain], ids=["awaited", "plain"])


def descriptors() -> list[str]:
    """What this process has open. The look itself has one as well."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            found.append(f"{name} {os.readlink(f'/proc/self/fd/{name}')}")
    return sorted(found)


def who_waits() -> str:
    """For the text of an error."""
    return str(getattr(gosched, "stack", gosched.stats)())


def play(main: Callable[..., Any], *args: Any, procs: int = 2) -> Any:
    """Runs an async main. If it does not end: an error with who waits where. No goroutine stays, and no descriptor."""
    before = descriptors()

    def hangs() -> None:
        raise AssertionError(f"not over after {PATIENCE:g} s\n{who_waits()}")

    async def body() -> Any:
        alarm = after_func(PATIENCE, hangs)
        try:
            result = await main(*args)
            await until(lambda: gosched.num_goroutine() == 1, "the other goroutines to end")
            return result
        finally:
            alarm.stop()

    result = gosched.run(body, gomaxprocs=procs)
    assert len(descriptors()) <= len(before), (before, descriptors())
    return result


async def until(reached: Callable[[], object], what: str) -> None:
    """Others get every turn in between, threads outside as well."""
    end = now() + PATIENCE
    while not reached():
        assert now() < end, f"waited {PATIENCE:g} s for {what}\n{who_waits()}"
        await ayield_now()
        await asleep(0.001)


async def until_waits(*goroutines: Goroutine) -> None:
    """Until each of them waits for a descriptor."""
    await until(lambda: all(g.wait_reason == "IO wait" for g in goroutines), "goroutines to wait for descriptors")


class Told:
    """What a goroutine came to: its result, or its error."""

    def __init__(self, fn: Callable[..., Awaitable[Any]], *args: Any, **options: Any) -> None:
        self.over = gosched.Event()
        self.result: Any = None
        self.error: BaseException | None = None
        self.goroutine = gosched.go(self._body, fn, args, options)

    async def _body(self, fn: Callable[..., Awaitable[Any]], args: tuple[Any, ...], options: dict[str, Any]) -> None:
        try:
            self.result = await fn(*args, **options)
        except Exception as error:
            self.error = error
        finally:
            self.over.set()

    async def wait(self) -> Any:
        """The result; the error is raised."""
        await self.over.await_(timeout=PATIENCE)
        if self.error is not None:
            raise self.error
        return self.result

    async def failure(self) -> BaseException:
        await self.over.await_(timeout=PATIENCE)
        assert self.error is not None, f"no error but {self.result!r:.200}"
        return self.error


def raw(address: Any, small: bool = False) -> socket.socket:
    """A peer that is no connection of ours: a blocking socket. `small`: with little room for what it has not read."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.settimeout(PATIENCE)
    if small:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.connect((address.host, address.port))
    return sock


def reset(sock: socket.socket) -> None:
    """Closes it with a reset."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


async def pair(do: Do, listener: Listener, small: bool = False) -> tuple[Conn, socket.socket]:
    """A connection of ours, and its peer."""
    peer = raw(listener.address, small)
    return await do(listener, "accept"), peer


def take_all(sock: socket.socket) -> bytes:
    """Until the end."""
    parts = []
    while part := sock.recv(1 << 20):
        parts.append(part)
    return b"".join(parts)


async def echo(do: Do, conn: Conn) -> None:
    """Until the end, or until something goes wrong that is the peer's affair."""
    with conn, suppress(OSError):
        while data := await do(conn, "read"):
            await do(conn, "write", data)


async def serve(do: Do, listener: Listener, handle: Callable[..., Any] = echo) -> None:
    """A goroutine for each connection, until the listener is closed."""
    with suppress(gosched.net.ClosedError):
        while True:
            gosched.go(handle, do, await do(listener, "accept"))


async def answers(do: Do, listener: Listener) -> None:
    """Everybody else is served meanwhile."""
    server = Told(serve, do, listener)
    with await do(gosched.net, "dial", str(listener.address)) as conn:
        await do(conn, "write", b"still there?\n")
        assert await do(conn, "read_line") == b"still there?\n"
    assert not server.over.is_set()


def names_both(error: BaseException, conn: Conn) -> bool:
    return str(conn.local) in str(error) and str(conn.remote) in str(error)


class Certificate:
    """Of localhost and 127.0.0.1, signed by itself; and contexts for both sides."""

    def __init__(self, folder: Path) -> None:
        self.cert = folder / "cert.pem"
        self.key = folder / "key.pem"
        openssl = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        usage = ["-addext", "keyUsage=critical,digitalSignature,keyCertSign"]
        files = ["-keyout", str(self.key), "-out", str(self.cert)]
        subprocess.run([*openssl, *names, *usage, *files], check=True, capture_output=True, timeout=60)

    def server(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.cert, self.key)
        return context

    def client(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.cert))


async def two(do: Do, certificate: Certificate, listener: Listener) -> tuple[Any, Any]:
    """Both ends of a TLS connection, after the handshake: ours that dialed, ours that accepted."""

    async def accepts() -> Any:
        conn = await do(listener, "accept")
        await do(conn, "handshake")
        return conn

    accepted = Told(accepts)
    dialed = await do(gosched.net, "dial", str(listener.address), ssl=certificate.client())
    return dialed, await accepted.wait()
