"""TLS over a connection, by ssl.MemoryBIO: OpenSSL sees bytes, the netpoller descriptors.

An SSLObject is touched by one thread at a time, under `_touch`, a plain lock that is held for calls that do not wait. What a call leaves to be sent
is written in the order in which it was made: who has `_flushes` takes all there is into `_unsent` and writes it. Who needs more to go on reads it,
if it has `_feeds`; who waited for that while another read only tries again. Locks: _feeds or _flushes, then _touch; never both of the first.

The handshake is done by the first read or write, in the goroutine that does it, so that a slow client keeps nobody from accepting.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from gosched.core.interrupt import Cancellation
from gosched.core.states import NET_CLOSED
from gosched.spelling import Guard
from gosched.sync import Mutex

from .conn import Conn, SocketConn
from .faults import fault
from .sockets import inherited
from .steps import Steps, awaited, op_step, plainly

CIPHERTEXT = 262_144
RECORD = 16_384


class TLSConn(Conn):
    """A connection with TLS: the server's side if there is no hostname. `tls` is the SSLObject: getpeercert(), version(), …"""

    __slots__ = (
        "_buffer",
        "_fed",
        "_feeds",
        "_flushes",
        "_in",
        "_out",
        "_reads",
        "_shaken",
        "_shakes",
        "_touch",
        "_unsent",
        "_writes",
        "local",
        "raw",
        "remote",
        "tls",
    )

    def __init__(self, raw: SocketConn, context: ssl.SSLContext, hostname: str | None) -> None:
        self.raw = raw
        self.local = raw.local
        self.remote = raw.remote
        self._in = ssl.MemoryBIO()
        self._out = ssl.MemoryBIO()
        self.tls = context.wrap_bio(self._in, self._out, server_side=hostname is None, server_hostname=hostname)
        self._touch = threading.Lock()
        self._flushes = Mutex()
        self._feeds = Mutex()
        self._reads = Mutex()
        self._writes = Mutex()
        self._shakes = Mutex()
        self._shaken = False
        self._fed = 0
        self._buffer = bytearray()
        self._unsent = bytearray()

    # ---- one call of OpenSSL, with all the waits it takes ----

    def call(self, what: str, fn: Callable[..., Any], args: tuple[Any, ...], guard: Guard) -> Steps[Any]:
        while True:
            fed = self._fed
            try:
                wants, answer = self.touch(what, fn, args)
            except ssl.SSLError:
                self.flush_some()  # the alert that tells the other side why
                raise
            if what == "read":
                self.flush_some()
            else:
                yield from self.flush(guard)
            if not wants:
                return answer
            yield from self.feed(fed, guard)

    def touch(self, what: str, fn: Callable[..., Any], args: tuple[Any, ...]) -> tuple[bool, Any]:
        """True: it needs more to read."""
        if self.raw.closed:
            raise fault(what, self.where(), NET_CLOSED)
        with self._touch:
            try:
                return False, fn(*args)
            except ssl.SSLWantReadError:
                return True, None
            except ssl.SSLError as error:
                error.strerror = f"{what} {self.where()}: {error.strerror}"
                raise

    def flush(self, guard: Guard) -> Steps[None]:
        """Sends what there is. If it is given up, the rest goes with the next one: nothing is lost, or the other side could not go on."""
        while self.anything_unsent():
            yield from locked(self._flushes, guard)
            try:
                data = self.take_unsent()
                self.raw.desc.sent = 0
                try:
                    yield from self.raw.write_steps(data, guard)
                finally:
                    del self._unsent[: self.raw.desc.sent]
            finally:
                self._flushes.unlock()

    def flush_some(self) -> None:
        """What goes without waiting, and if nobody else sends: who reads does not wait for the other side to read, which may do the same."""
        while self.anything_unsent() and self._flushes.try_lock():
            try:
                sent = self.raw.write_at_once(self.take_unsent())
                del self._unsent[:sent]
            finally:
                self._flushes.unlock()
            if sent == 0:
                return

    def anything_unsent(self) -> bool:
        return bool(self._out.pending or self._unsent)

    def take_unsent(self) -> bytes:
        """By who has `_flushes`."""
        with self._touch:
            self._unsent += self._out.read()
        return bytes(self._unsent)

    def feed(self, fed: int, guard: Guard) -> Steps[None]:
        yield from locked(self._feeds, guard)
        try:
            if self._fed == fed:  # else another one has read what may be enough for us, too
                data = yield from self.raw.read_steps(CIPHERTEXT, guard)
                with self._touch:
                    if data:
                        self._in.write(data)
                    else:
                        self._in.write_eof()
                    self._fed += 1
        finally:
            self._feeds.unlock()

    def shake(self, guard: Guard) -> Steps[None]:
        if not self._shaken:
            yield from locked(self._shakes, guard)
            try:
                if not self._shaken:
                    yield from self.call("handshake", self.tls.do_handshake, (), guard)
                    self._shaken = True
            finally:
                self._shakes.unlock()

    # ---- Conn ----

    def handshake(self, timeout: float | None = None, ctx: Cancellation | None = None) -> None:
        """Now, and not with the first read or write."""
        plainly(self.shake(Guard(timeout, ctx)))

    async def ahandshake(self, timeout: float | None = None, ctx: Cancellation | None = None) -> None:
        """`handshake`, awaited."""
        await awaited(self.shake(Guard(timeout, ctx)))

    def read_steps(self, n: int, guard: Guard) -> Steps[bytes]:
        yield from self.shake(guard)
        yield from locked(self._reads, guard)
        try:
            return (yield from self.call("read", self.decrypted, (n,), guard))  # type: ignore[no-any-return]
        finally:
            self._reads.unlock()

    def decrypted(self, n: int) -> bytes:
        """Up to n bytes that are there, b"" at the end; or SSLWantReadError. What was put into the buffer came first."""
        if self._buffer:
            data = bytes(self._buffer[:n])
            del self._buffer[:n]
            return data
        try:
            return self.tls.read(n)
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            return b""

    def gather_steps(self, n: int, line: bool, guard: Guard) -> Steps[bytes | None]:
        yield from self.shake(guard)
        yield from locked(self._reads, guard)
        try:
            return (yield from self.call("read", self.gathered, (n, line), guard))  # type: ignore[no-any-return]
        finally:
            self._reads.unlock()

    def gathered(self, n: int, line: bool) -> bytes | None:
        """The same for n bytes, or a line: what is there goes into the buffer until it is enough."""
        while True:
            at = self._buffer.find(b"\n", 0, n) + 1 if line else 0
            if at or len(self._buffer) >= n + line:
                return self.decrypted(at or n) if at or not line else None
            try:
                data = self.tls.read(RECORD)
            except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
                data = b""
            if not data:
                return self.decrypted(n) if line and self._buffer else b""
            self._buffer += data

    def write_steps(self, data: Any, guard: Guard) -> Steps[None]:
        yield from self.shake(guard)
        yield from locked(self._writes, guard)
        try:
            at = 0
            while at < len(data):
                at += yield from self.call("write", self.tls.write, (bytes(data[at : at + CIPHERTEXT]),), guard)
        finally:
            self._writes.unlock()

    def close_write(self, timeout: float | None = None, ctx: Cancellation | None = None) -> None:
        plainly(self.end_steps(Guard(timeout, ctx)))

    def aclose_write(self, timeout: float | None = None, ctx: Cancellation | None = None) -> Coroutine[Any, Any, None]:
        return awaited(self.end_steps(Guard(timeout, ctx)))

    def end_steps(self, guard: Guard) -> Steps[None]:
        """Says that nothing follows, and half-closes the connection below."""
        yield from self.shake(guard)
        self.say_goodbye()
        yield from self.flush(guard)
        self.raw.close_write()

    def say_goodbye(self) -> None:
        """OpenSSL then looks for the other side's goodbye, and takes it amiss if it finds something else: what has come is read before."""
        with self._touch:
            try:
                while data := self.tls.read(RECORD):
                    self._buffer += data
            except ssl.SSLError:  # there is no more
                pass
            try:
                self.tls.unwrap()
            except ssl.SSLError:  # the other side has not said it yet; ours is on its way
                pass

    def close(self) -> None:
        """Says goodbye if that takes no waiting."""
        if not self.raw.closed and self._shaken and not inherited(self.raw.desc):
            self.say_goodbye()
            self.flush_some()
        self.raw.close()

    def fileno(self) -> int:
        return self.raw.fileno()

    @property
    def closed(self) -> bool:
        return self.raw.closed

    def deadline(self, modes: int, when: float | None, what: str) -> None:
        self.raw.deadline(modes, when, what)

    def __repr__(self) -> str:
        return f"<net.Conn TLS {self.where()}{' closed' if self.closed else ''}>"


def locked(mutex: Mutex, guard: Guard) -> Steps[None]:
    if not mutex.try_lock():
        op = mutex.new_lock()
        op.finish((yield op_step(op, guard)))


def check_context(context: object) -> None:
    if context is not None and not isinstance(context, ssl.SSLContext):
        raise TypeError(f"ssl must be an ssl.SSLContext, or left out, not {type(context).__name__}")
