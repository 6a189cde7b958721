"""The current context of a goroutine, and operations of the network: it ends each of them at once, and what comes later is not lost."""

from __future__ import annotations

import os
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

from gosched import Canceled, Chan, DeadlineExceeded, background, net, with_cancel, with_timeout

from .nets import PATIENCE, TOO_MUCH, NetWorld, nobody_waits


@dataclass
class Blocked:
    """An operation that waits. `later`: what it waited for comes, and the next one gets it."""

    op: tuple[Any, ...]
    later: Callable[[], Any] | None = None
    options: dict[str, Any] = field(default_factory=dict)


@asynccontextmanager
async def read(w: NetWorld, *op: Any) -> AsyncIterator[Blocked]:
    async with w.pair() as (here, there):
        mine = (here, *(op or ("read",)))

        async def later() -> None:
            await w.do(there, "write", b"hello\n")
            assert await w.do(*mine) == b"hello\n"

        yield Blocked(mine, later)


def read_exactly(w: NetWorld) -> AbstractAsyncContextManager[Blocked]:
    return read(w, "read_exactly", 6)


def read_line(w: NetWorld) -> AbstractAsyncContextManager[Blocked]:
    return read(w, "read_line")


@asynccontextmanager
async def write(w: NetWorld) -> AsyncIterator[Blocked]:
    async with w.pair() as (here, _):
        yield Blocked((here, "write", TOO_MUCH))


@asynccontextmanager
async def accept(w: NetWorld) -> AsyncIterator[Blocked]:
    with net.listen("127.0.0.1:0") as listener:

        async def later() -> None:
            with await w.dial(listener.address), await w.do(listener, "accept"):
                pass

        yield Blocked((listener, "accept"), later)


@asynccontextmanager
async def dial(w: NetWorld) -> AsyncIterator[Blocked]:
    """Nobody accepts, and there is no more room to wait at the door."""
    with closing(socket.socket()) as door:
        door.bind(("127.0.0.1", 0))
        door.listen(0)
        crowd = [socket.socket() for _ in range(8)]
        try:
            for sock in crowd:
                sock.setblocking(False)
                with suppress(BlockingIOError):
                    sock.connect(door.getsockname())
            yield Blocked((net, "dial", f"127.0.0.1:{door.getsockname()[1]}"))
        finally:
            for sock in crowd:
                sock.close()


@asynccontextmanager
async def dial_tls(w: NetWorld) -> AsyncIterator[Blocked]:
    """The other side says nothing."""
    with net.listen("127.0.0.1:0") as listener:
        yield Blocked((net, "dial", str(listener.address)), options={"ssl": ssl.create_default_context()})


@asynccontextmanager
async def wait_readable(w: NetWorld) -> AsyncIterator[Blocked]:
    there, here = os.pipe()
    try:

        async def later() -> None:
            os.write(here, b"x")
            await w.do(net, "wait_readable", there)

        yield Blocked((net, "wait_readable", there), later)
    finally:
        os.close(there)
        os.close(here)


@asynccontextmanager
async def wait_writable(w: NetWorld) -> AsyncIterator[Blocked]:
    there, here = os.pipe()
    os.set_blocking(here, False)
    try:
        with suppress(BlockingIOError):
            while True:
                os.write(here, bytes(4096))

        async def later() -> None:
            os.set_blocking(there, False)
            with suppress(BlockingIOError):
                while os.read(there, 65536):
                    pass
            await w.do(net, "wait_writable", here)

        yield Blocked((net, "wait_writable", here), later)
    finally:
        os.close(there)
        os.close(here)


ALL = [read, read_exactly, read_line, write, accept, dial, dial_tls, wait_readable, wait_writable]
every = pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
Make = Callable[[NetWorld], AbstractAsyncContextManager[Blocked]]


@every
def test_cancelled_while_it_waits(w: NetWorld, make: Make) -> None:
    async def main(w: NetWorld) -> None:
        ctx, out = with_cancel(), Chan[str](1)

        async def waits(b: Blocked) -> None:
            with ctx:
                try:
                    await w.do(*b.op, **b.options)
                except Canceled as error:
                    out.send(str(error.__cause__))
                else:
                    out.send("it went through")

        async with make(w) as b:
            w.go(waits, b)
            await w.until_waiting()
            ctx.cancel(ValueError("enough"))
            assert await w.recv(out, timeout=PATIENCE) == "enough"
            await w.until(nobody_waits, "the waiter to be gone")
            if b.later is not None:
                await b.later()

    w.run(main)


@every
def test_cancelled_before_it_waits(either: NetWorld, make: Make) -> None:
    async def main(w: NetWorld) -> None:
        async with make(w) as b:
            with with_cancel() as ctx:
                ctx.cancel()
                for _ in range(2):
                    with pytest.raises(Canceled):
                        await w.do(*b.op, **b.options)
            assert nobody_waits()
            if b.later is not None:
                await b.later()

    either.run(main)


@every
def test_a_block_is_bounded(either: NetWorld, make: Make) -> None:
    async def main(w: NetWorld) -> None:
        async with make(w) as b:
            with pytest.raises(DeadlineExceeded, match=r"^context deadline exceeded$"), with_timeout(0.02):
                await w.do(*b.op, **b.options)
            await w.until(nobody_waits, "the waiter to be gone")
            if b.later is not None:
                await b.later()

    either.run(main)


@every
def test_shielded_and_another(either: NetWorld, make: Make) -> None:
    """`ctx=background()` with a timeout: the timeout; `ctx=other`: that one's end."""

    async def main(w: NetWorld) -> None:
        async with make(w) as b:
            with with_cancel() as ctx:
                ctx.cancel()
                with pytest.raises(DeadlineExceeded, match=r"within 0\.02 s$"):
                    await w.do(*b.op, **b.options, timeout=0.02, ctx=background())
                other = with_cancel(background())
                other.cancel(ValueError("other"))
                with pytest.raises(Canceled) as caught:
                    await w.do(*b.op, **b.options, ctx=other)
                assert repr(caught.value.__cause__) == "ValueError('other')"
            await w.until(nobody_waits, "the waiter to be gone")
            if b.later is not None:
                await b.later()

    either.run(main)


def test_what_can_go_on_does(either: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            await w.do(there, "write", b"1\n2\n")
            await w.do(net, "wait_readable", here)
            with net.listen("127.0.0.1:0") as listener, with_cancel() as ctx:
                sock = socket.create_connection(("127.0.0.1", int(str(listener.address).rpartition(":")[2])))
                ctx.cancel()
                assert await w.do(here, "read_line") == b"1\n"
                assert await w.do(here, "read") == b"2\n"
                await w.do(here, "write", b"x")
                with sock, await w.do(listener, "accept"):
                    pass

    either.run(main)
