"""Peers that refuse, reset, stall and vanish. Nothing hangs, and every error says where."""

from __future__ import annotations

import errno
import random
import signal
import socket
import sys
import threading
from contextlib import suppress
from typing import Any

import pytest

from gosched import Chan, DeadlineExceeded, blocking, net, now

from .peers import LOTS, PATIENCE, Do, Told, answers, awaited, both, names_both, pair, play, raw, reset, take_all, until_waits

pytestmark = pytest.mark.usefixtures("poller")
RESET = (ConnectionResetError, BrokenPipeError)


@both
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_refused(do: Do, host: str) -> None:
    async def main() -> None:
        with socket.socket() as taken:  # it does not listen, and nobody else can there
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
            with pytest.raises(ConnectionRefusedError, match=rf"dial .*:{port}: connection refused"):
                await do(net, "dial", f"{host}:{port}")

    play(main)


@both
def test_refused_unix(do: Do, tmp_path: Any) -> None:
    async def main() -> None:
        with pytest.raises(FileNotFoundError, match=r"dial unix:.*nobody"):
            await do(net, "dial", f"unix:{tmp_path}/nobody")
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(f"{tmp_path}/dead")
        with pytest.raises(ConnectionRefusedError, match=r"dial unix:.*dead"):
            await do(net, "dial", f"unix:{tmp_path}/dead")

    play(main)


# ---- resets ----


@both
@pytest.mark.parametrize("op", [("read",), ("read_line",), ("read_exactly", 5), ("read", 9, PATIENCE)], ids=lambda op: "-".join(map(str, op)))
def test_reset_while_reading(do: Do, op: tuple[Any, ...]) -> None:
    async def main() -> None:
        with net.listen("127.0.0.1:0") as listener:
            conn, peer = await pair(do, listener)
            with conn:
                reader = Told(do, conn, *op)
                await until_waits(reader.goroutine)
                reset(peer)
                error = await reader.failure()
                assert isinstance(error, ConnectionResetError)
                assert names_both(error, conn)
                assert str(error).startswith(f"[Errno {errno.ECONNRESET}] read {conn.local}->{conn.remote}: ")
                with pytest.raises(RESET):  # what follows is told as well
                    while True:
                        await do(conn, "write", b"x")
            await answers(do, listener)

    play(main)


@both
def test_reset_while_writing(do: Do) -> None:
    async def main() -> None:
        with net.listen("127.0.0.1:0") as listener:
            conn, peer = await pair(do, listener, small=True)
            with conn:
                writer = Told(do, conn, "write", b"x" * LOTS)
                await until_waits(writer.goroutine)
                reset(peer)
                error = await writer.failure()
                assert isinstance(error, RESET)
                assert names_both(error, conn)
                with pytest.raises(RESET) as again:
                    await do(conn, "write", b"x")
                assert names_both(again.value, conn)

    play(main)


@both
def test_reset_before_accept(do: Do) -> None:
    """A connection that is gone again before somebody accepts it."""

    async def main() -> None:
        with net.listen("127.0.0.1:0") as listener:
            reset(raw(listener.address))
            with suppress(OSError), await do(listener, "accept", timeout=0.2) as conn, pytest.raises(ConnectionResetError):
                await do(conn, "read")
            await answers(do, listener)

    play(main)


@pytest.mark.slow
@both
def test_reset_as_soon_as_connected(do: Do) -> None:
    """The dial fails, or the first read; either says of what address."""
    rounds = 2000

    def resets(sock: socket.socket) -> None:
        with suppress(OSError):  # the test is over
            while True:
                reset(sock.accept()[0])

    async def main(address: str) -> None:
        for _ in range(rounds):
            with pytest.raises(OSError, match=address) as error, await do(net, "dial", address) as conn:
                await do(conn, "read")
            assert isinstance(error.value, ConnectionError)

    with socket.create_server(("127.0.0.1", 0), backlog=100) as sock:
        sock.settimeout(PATIENCE)
        server = threading.Thread(target=resets, args=[sock])
        server.start()
        try:
            play(main, f"127.0.0.1:{sock.getsockname()[1]}")
        finally:
            sock.shutdown(socket.SHUT_RDWR)
            server.join()


# ---- half of a connection, slow ones ----


@both
def test_half_closed_peer(do: Do) -> None:
    """It sends nothing more, but it listens."""

    async def main() -> None:
        with net.listen("127.0.0.1:0") as listener:
            conn, peer = await pair(do, listener)
            with conn, peer:
                peer.sendall(b"last")
                peer.shutdown(socket.SHUT_WR)
                assert await do(conn, "read_exactly", 4) == b"last"
                for _ in range(3):
                    assert await do(conn, "read") == b""
                with pytest.raises(EOFError):
                    await do(conn, "read_exactly", 1)
                all_of_it = Told(blocks, take_all, peer)
                await do(conn, "write", b"x" * LOTS)
                conn.close()
                assert await all_of_it.wait() == b"x" * LOTS

    play(main)


async def blocks(fn: Any, *args: Any) -> Any:
    return blocking(fn, *args)


@both
def test_silent_peer(do: Do) -> None:
    """A peer of which nothing is heard any more: a deadline ends the wait, and the connection is as good as before."""

    async def main() -> None:
        with net.listen("127.0.0.1:0") as listener:
            conn, peer = await pair(do, listener)
            with conn, peer:
                conn.set_read_deadline(now() + 0.02)
                with pytest.raises(DeadlineExceeded) as error:
                    await do(conn, "read")
                assert names_both(error.value, conn)
                with pytest.raises(DeadlineExceeded):
                    await do(conn, "read_line")
                conn.set_read_deadline(None)
                with pytest.raises(DeadlineExceeded):
                    await do(conn, "read_exactly", 3, timeout=0.02)
                peer.sendall(b"here\n")
                assert await do(conn, "read_line") == b"here\n"

    play(main)


@both
@pytest.mark.parametrize("procs", [1, 2])
def test_slow_reader(do: Do, procs: int) -> None:
    """The write waits, and nothing else does."""
    data = random.Random(5).randbytes(LOTS)

    async def main() -> None:
        with net.listen("127.0.0.1:0") as listener:
            conn, peer = await pair(do, listener, small=True)
            with conn, peer:
                writer = Told(do, conn, "write", data)
                await until_waits(writer.goroutine)
                await answers(do, listener)
                peer.sendall(b"meanwhile\n")
                assert await do(conn, "read_line") == b"meanwhile\n"
                assert not writer.over.is_set()
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)  # with little room the kernel may take many pauses, of 0.2 s each
                reader = Told(blocks, take_all, peer)
                await writer.wait()
                conn.close()
                assert await reader.wait() == data

    play(main, procs=procs)


@both
def test_slow_reader_and_a_deadline(do: Do) -> None:
    async def main() -> None:
        with net.listen("127.0.0.1:0") as listener:
            for way in ("timeout", "deadline", "moved"):
                conn, peer = await pair(do, listener, small=True)
                with conn, peer:
                    if way == "deadline":
                        conn.set_write_deadline(now() + 0.05)
                    writer = Told(do, conn, "write", b"x" * LOTS, **({"timeout": 0.05} if way == "timeout" else {}))
                    if way == "moved":
                        await until_waits(writer.goroutine)
                        conn.set_deadline(0)
                    assert isinstance(await writer.failure(), DeadlineExceeded)

    play(main)


@both
def test_slow_sender(do: Do) -> None:
    """Byte by byte, each one sent when the last was seen to be waited for."""
    text = b"slow\nand steady"

    async def main() -> None:
        with net.listen("127.0.0.1:0") as listener:
            conn, peer = await pair(do, listener)
            with conn, peer:

                async def reads() -> tuple[bytes, bytes]:
                    return await do(conn, "read_line"), await do(conn, "read_exactly", 10)

                reader = Told(reads)
                for i in range(len(text)):
                    await until_waits(reader.goroutine)
                    peer.sendall(text[i : i + 1])
                assert await reader.wait() == (b"slow\n", b"and steady")
            await answers(do, listener)

    play(main)


# ---- signals ----


@pytest.mark.parametrize("procs", [1, 2])
def test_signals_during_a_poll(procs: int) -> None:
    """Every thread is interrupted, the one that polls among them, and goes on."""
    hits: list[int] = []
    peers: Chan[socket.socket] = Chan(1)

    def rings() -> None:
        peer = peers.recv()
        while len(hits) < 50:
            for ident in sys._current_frames():
                if ident != threading.get_ident():
                    with suppress(ProcessLookupError):  # one of an earlier test, that has ended since
                        signal.pthread_kill(ident, signal.SIGUSR1)
            threading.Event().wait(0.002)
        peer.sendall(b"enough")

    async def main() -> None:
        with net.listen("127.0.0.1:0") as listener:
            conn, peer = await pair(awaited, listener)
            with conn, peer:
                reader = Told(awaited, conn, "read_exactly", 6)
                await until_waits(reader.goroutine)
                peers.send(peer)
                assert await reader.wait() == b"enough"

    before = signal.signal(signal.SIGUSR1, lambda number, frame: hits.append(number))
    ringer = threading.Thread(target=rings)
    try:
        ringer.start()
        play(main, procs=procs)
        ringer.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert len(hits) >= 50
