"""Listening and dialling: who comes is let in, who cannot come is told why; and nothing is left behind."""

from __future__ import annotations

import errno
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import gosched
from gosched import DeadlineExceeded, net

from .nets import A_WHILE, AWAITED, PATIENCE, PLAIN, NetWorld, descriptors, nobody_waits

Names = Callable[..., None]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    """Gives the host "example" addresses; no other one has any."""

    def gives(*ports: int, host: str = "127.0.0.1") -> None:
        def getaddrinfo(name: Any, *args: Any, **options: Any) -> list[Any]:
            if name != "example" or not ports:
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port)) for port in ports]

        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    return gives


@pytest.fixture
def dead() -> Iterator[int]:
    """A port of this machine that refuses, because it is bound and nobody listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        yield sock.getsockname()[1]


@pytest.fixture
def full() -> Iterator[int]:
    """A port of this machine that lets nobody in any more, and refuses nobody."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen(0)
        port = sock.getsockname()[1]
        others = [socket.socket() for _ in range(4)]
        for other in others:
            other.setblocking(False)
            other.connect_ex(("127.0.0.1", port))
        time.sleep(A_WHILE)
        yield port
        for other in others:
            other.close()


# ---- listening ----


def test_accept(w: NetWorld) -> None:
    """Who comes first, and who is waited for."""

    async def main(w: NetWorld) -> None:
        with net.listen("127.0.0.1:0") as listener:
            assert listener.address.host == "127.0.0.1"
            assert listener.address.port > 0
            assert repr(listener) == f"<net.Listener {listener.address}>"
            with await w.dial(listener.address) as here, await w.do(listener, "accept") as there:
                assert there.remote == here.local
            accepts = w.start(w.do, listener, "accept")
            await w.until_waiting()
            with await w.dial(listener.address) as here, await w.result(accepts) as there:
                assert there.remote == here.local
        assert repr(listener) == f"<net.Listener {listener.address} closed>"

    w.run(main)


def test_iteration_ends_at_close(w: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        with net.listen("127.0.0.1:0") as listener:

            async def serves() -> int:
                n = 0
                if w.plain:
                    for conn in listener:
                        conn.close()
                        n += 1
                else:
                    async for conn in listener:
                        conn.close()
                        n += 1
                return n

            served = w.start(serves)
            for _ in range(3):
                with await w.dial(listener.address) as conn:
                    assert await w.do(conn, "read") == b""
            await w.until_waiting()
            listener.close()
            assert await w.result(served) == 3
            assert await serves() == 0

    w.run(main)


def test_close_wakes_who_accepts(w: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        listener = net.listen("127.0.0.1:0")
        accepts = [w.start(w.do, listener, "accept", timeout) for timeout in (None, PATIENCE, None)]
        await w.until_waiting(3)
        listener.close()
        listener.close()
        message = rf"^accept {listener.address}: use of a .*closed$"
        for each in accepts:
            with pytest.raises(net.ClosedError, match=message):
                await w.result(each)
        with pytest.raises(net.ClosedError, match=message):
            await w.do(listener, "accept")
        with pytest.raises(net.ClosedError):
            listener.set_deadline(1)
        with pytest.raises(ConnectionRefusedError):
            await w.dial(listener.address)
        assert nobody_waits()

    w.run(main)


def test_accept_with_a_timeout(w: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with net.listen("127.0.0.1:0") as listener:
            for seconds in (0.02, 0, -1):
                with pytest.raises(DeadlineExceeded, match="accept"):
                    await w.do(listener, "accept", timeout=seconds)
            assert nobody_waits()
            with await w.dial(listener.address), await w.do(listener, "accept", timeout=PATIENCE):
                pass

    w.run(main)


def test_an_address_in_use(either: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        with net.listen("127.0.0.1:0") as listener:
            with pytest.raises(OSError, match=f"listen {listener.address}: address already in use") as info:
                net.listen(str(listener.address))
            assert info.value.errno == errno.EADDRINUSE
        with net.listen(str(listener.address)) as again:
            assert again.address == listener.address

    either.run(main)


def test_all_interfaces(either: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        with net.listen(":0") as listener:
            for host in ("127.0.0.1", "", "localhost"):
                with await w.dial(f"{host}:{listener.address.port}") as here, await w.do(listener, "accept"):
                    assert here.remote.port == listener.address.port

    either.run(main)


@pytest.mark.parametrize(
    ("addr", "kind", "message"),
    [
        (None, TypeError, "addr must be a str, .*, not NoneType"),
        (80, TypeError, "addr must be a str, .*, not int"),
        (b"localhost:80", TypeError, "addr must be a str, .*, not bytes"),
        (("localhost", 80), TypeError, "addr must be a str, .*, not tuple"),
        ("", ValueError, "addr '' must be \"host:port\""),
        ("localhost", ValueError, "addr 'localhost' must be \"host:port\""),
        ("localhost:", ValueError, "addr 'localhost:': the port must be a number from 0 to 65535"),
        ("localhost:http", ValueError, "the port must be a number from 0 to 65535"),
        ("localhost:65536", ValueError, "the port must be a number from 0 to 65535"),
        ("localhost:-1", ValueError, "the port must be a number from 0 to 65535"),
        ("localhost:\N{SUPERSCRIPT TWO}", ValueError, "the port must be a number from 0 to 65535"),
        ("::1:80", ValueError, "addr '::1:80': an IPv6 host must be in brackets"),
        ("local\0host:80", ValueError, "a host has no null characters"),
        ("unix:", ValueError, "addr 'unix:': a path must follow unix:"),
        ("unix:/a\0b", ValueError, "a path must follow unix:"),
    ],
)
def test_bad_addresses(addr: Any, kind: type[Exception], message: str) -> None:
    async def main(w: NetWorld) -> None:
        with pytest.raises(kind, match=message):
            net.listen(addr)
        with pytest.raises(kind, match=message):
            await w.do(net, "dial", addr)
        with pytest.raises(TypeError, match=r"ssl must be an ssl.SSLContext, or left out, not str"):
            await w.do(net, "dial", "127.0.0.1:1", ssl="yes")
        with pytest.raises(TypeError, match=r"ssl must be an ssl.SSLContext, or left out, not str"):
            net.listen("127.0.0.1:0", ssl="yes")  # type: ignore[arg-type]

    AWAITED.run(main)
    PLAIN.run(main)


# ---- dialling ----


def test_a_refused_dial(w: NetWorld, dead: int) -> None:
    async def main(w: NetWorld) -> None:
        with pytest.raises(ConnectionRefusedError, match=f"dial 127.0.0.1:{dead}: connection refused") as info:
            await w.dial(f"127.0.0.1:{dead}", timeout=PATIENCE)
        assert info.value.errno == errno.ECONNREFUSED
        assert nobody_waits()

    w.run(main)


def test_netpoll_deadlock(either: NetWorld, dead: int) -> None:
    """Go's TestNetpollDeadlock: a dial that fails, and nobody else there."""

    async def main(w: NetWorld) -> None:
        for _ in range(20):
            with pytest.raises(ConnectionRefusedError):
                await w.dial(f"127.0.0.1:{dead}")

    either.run(main)


def test_an_unknown_host(either: NetWorld, names: Names) -> None:
    names()

    async def main(w: NetWorld) -> None:
        with pytest.raises(OSError, match=r"no-such-host.*Name or service not known"):
            await w.dial("no-such-host:80")
        with pytest.raises(OSError, match=r"no-such-host.*Name or service not known"):
            net.listen("no-such-host:0")

    either.run(main)


@pytest.mark.parametrize("first", [1, 3])
def test_the_next_address_if_one_is_dead(w: NetWorld, names: Names, dead: int, first: int) -> None:
    async def main(w: NetWorld) -> None:
        with net.listen("127.0.0.1:0") as listener:
            names(*[dead] * first, listener.address.port, dead)
            with await w.dial("example:80") as here, await w.do(listener, "accept") as there:
                await w.do(here, "write", b"x\n")
                assert await w.do(there, "read_line") == b"x\n"
                assert here.remote == listener.address
        assert nobody_waits()

    w.run(main)


def test_the_next_address_if_one_does_not_answer(w: NetWorld, names: Names, full: int) -> None:
    """It is tried before long, and who did not answer is given up."""

    async def main(w: NetWorld) -> None:
        before = gosched.num_goroutine()
        with net.listen("127.0.0.1:0") as listener:
            names(full, listener.address.port)
            with await w.dial("example:80", timeout=PATIENCE) as here, await w.do(listener, "accept"):
                assert here.remote == listener.address
        await w.until(lambda: gosched.num_goroutine() == before, "the attempts to end")
        assert nobody_waits()

    begin = descriptors()
    w.run(main)
    assert descriptors() == begin


def test_all_addresses_dead(w: NetWorld, names: Names, dead: int) -> None:
    """The first error counts."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        names(dead, other.getsockname()[1])

        async def main(w: NetWorld) -> None:
            with pytest.raises(ConnectionRefusedError, match=f"dial 127.0.0.1:{dead}: connection refused"):
                await w.dial("example:80")

        w.run(main)


async def late(w: NetWorld, addr: str, seconds: float) -> None:
    begin = time.monotonic()
    with pytest.raises(DeadlineExceeded, match=f"dial {addr}"):
        await w.dial(addr, timeout=seconds)
    assert max(0, seconds) * 0.99 <= time.monotonic() - begin < PATIENCE
    await w.until(lambda: gosched.num_goroutine() == 1, "the attempts to end")
    assert nobody_waits()


@pytest.mark.parametrize("seconds", [0.02, 0, -1])
def test_dial_timeout(w: NetWorld, full: int, seconds: float) -> None:
    w.run(late, f"127.0.0.1:{full}", seconds)


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.02, 0.6, 0, -1])
def test_dial_timeout_of_a_name(w: NetWorld, names: Names, full: int, dead: int, seconds: float) -> None:
    names(full, dead)
    w.run(late, "example:80", seconds)


def test_dial_timeout_on_a_unix_socket(either: NetWorld) -> None:
    """One whose listener is behind with its work."""
    name = f"gosched-full-{time.monotonic_ns()}"
    with socket.socket(socket.AF_UNIX) as sock, socket.socket(socket.AF_UNIX) as other, socket.socket(socket.AF_UNIX) as another:
        sock.bind(f"\0{name}")
        sock.listen(0)
        for each in (other, another):
            each.setblocking(False)
            each.connect_ex(f"\0{name}")

        async def main(w: NetWorld) -> None:
            async def dials() -> None:
                with pytest.raises(DeadlineExceeded):
                    await w.dial(f"unix:@{name}", timeout=0.02)

            index, _ = await w.select(w.start(dials).done.recv, gosched.after(PATIENCE).recv)
            assert index == 0, "no timeout"

        either.run(main)


def test_dial_timeout_counts_the_lookup(either: NetWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = threading.Event()

    def getaddrinfo(*args: Any, **options: Any) -> list[Any]:
        answer.wait(PATIENCE)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 1))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    async def main(w: NetWorld) -> None:
        try:
            with pytest.raises(DeadlineExceeded):
                await w.dial("example:80", timeout=0.02)
        finally:
            answer.set()

    either.run(main)


def test_a_lookup_stalls_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """On one P: while the resolver thinks, the others go on."""
    answer = threading.Event()

    def getaddrinfo(*args: Any, **options: Any) -> list[Any]:
        assert answer.wait(PATIENCE)
        raise socket.gaierror(socket.EAI_NONAME, "nobody")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    async def main(w: NetWorld) -> None:
        for _ in range(3):
            w.start(w.dial, "example:80")
        for _ in range(20):
            await w.sleep(0.001)
        answer.set()

    for spelling in (AWAITED, PLAIN):
        answer.clear()
        NetWorld(spelling.name, spelling.plain, spelling.driven, procs=1).run(main)
