"""Other kinds of addresses and descriptors, and other callers: Unix sockets, IPv6, pipes, threads, no runtime."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import time
from pathlib import Path
from typing import Any

import pytest

import gosched
from gosched import DeadlineExceeded, net, now
from gosched.testing import virtual_run

from .nets import A_WHILE, AWAITED, PATIENCE, NetWorld, Threads, has_ipv6, nobody_waits, where


async def exchange(w: NetWorld, here: Any, there: Any) -> None:
    await w.do(here, "write", b"ping\n")
    assert await w.do(there, "read_line") == b"ping\n"
    await w.do(there, "write", b"pong")
    there.close()
    assert await w.do(here, "read_exactly", 4) == b"pong"
    assert await w.do(here, "read") == b""


# ---- Unix sockets ----


def test_unix_sockets(w: NetWorld, tmp_path: Path) -> None:
    path = tmp_path / "s"

    async def main(w: NetWorld) -> None:
        with net.listen(f"unix:{path}") as listener:
            assert str(listener.address) == f"unix:{path}"
            assert listener.address.path == str(path)
            assert stat.S_ISSOCK(path.stat().st_mode)
            with await w.dial(listener.address) as here, await w.do(listener, "accept") as there:
                assert str(here.remote) == str(there.local) == f"unix:{path}"
                await exchange(w, here, there)
        assert not path.exists()

    w.run(main)


def test_abstract_unix_sockets(either: NetWorld) -> None:
    name = f"unix:@gosched-{os.getpid()}-{time.monotonic_ns()}"

    async def main(w: NetWorld) -> None:
        with net.listen(name) as listener:
            assert str(listener.address) == name
            with await w.dial(name) as here, await w.do(listener, "accept") as there:
                assert str(here.remote) == name
                await exchange(w, here, there)
        with pytest.raises(ConnectionRefusedError, match=name):
            await w.dial(name)

    either.run(main)


def test_a_stale_socket_file_is_replaced(either: NetWorld, tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(path))

    async def main(w: NetWorld) -> None:
        with pytest.raises(ConnectionRefusedError, match=f"^.*dial unix:{path}: "):
            await w.dial(f"unix:{path}")
        with net.listen(f"unix:{path}") as listener, await w.dial(listener.address) as here, await w.do(listener, "accept") as there:
            await exchange(w, here, there)

    either.run(main)
    assert not path.exists()


def test_a_unix_path_that_is_taken(either: NetWorld, tmp_path: Path) -> None:
    """By one that lives, or by another kind of file: neither is touched."""
    path, file = tmp_path / "s", tmp_path / "file"
    file.write_text("precious")

    async def main(w: NetWorld) -> None:
        with net.listen(f"unix:{path}") as listener:
            for taken in (path, file):
                with pytest.raises(OSError, match=f"listen unix:{taken}: address already in use"):
                    net.listen(f"unix:{taken}")
            assert path.exists()
            with await w.dial(listener.address) as here:
                await w.do(here, "write", b"still there")

    either.run(main)
    assert file.read_text() == "precious"


def test_unix_addresses_that_cannot_be(either: NetWorld, tmp_path: Path) -> None:
    async def main(w: NetWorld) -> None:
        missing = f"unix:{tmp_path}/no/such"
        with pytest.raises(FileNotFoundError, match=f"dial {missing}: no such file"):
            await w.dial(missing)
        with pytest.raises(FileNotFoundError, match=f"listen {missing}: no such file"):
            net.listen(missing)

    either.run(main)


def test_a_unix_path_that_is_too_long(either: NetWorld, tmp_path: Path) -> None:
    async def main(w: NetWorld) -> None:
        long = f"unix:{tmp_path}/{'x' * 200}"
        with pytest.raises((OSError, ValueError), match=f"{long}.*too long"):
            await w.dial(long)
        with pytest.raises((OSError, ValueError), match=f"{long}.*too long"):
            net.listen(long)

    either.run(main)


# ---- IPv6 ----


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no ::1")
def test_ipv6(w: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        with net.listen("[::1]:0") as listener:
            assert str(listener.address) == f"[::1]:{listener.address.port}"
            with await w.dial(listener.address) as here, await w.do(listener, "accept") as there:
                assert str(here.remote) == str(listener.address)
                await exchange(w, here, there)
            with await w.dial(listener.address) as here, await w.do(listener, "accept") as there:
                here.close()
                with pytest.raises(net.ClosedError, match=where(here)):
                    await w.do(here, "read")

    w.run(main)


# ---- any descriptor ----


def test_wait_for_pipes(w: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        read, write = os.pipe()
        try:
            with pytest.raises(DeadlineExceeded, match="wait_readable"):
                await w.do(net, "wait_readable", read, timeout=0.01)
            waits = w.start(w.do, net, "wait_readable", read)
            await w.until_waiting()
            os.write(write, b"x")
            await w.result(waits)
            await w.do(net, "wait_readable", read)
            assert os.read(read, 10) == b"x"
            await w.do(net, "wait_writable", write)
            os.set_blocking(write, False)
            with pytest.raises(BlockingIOError):
                while True:
                    os.write(write, bytes(65536))
            waits = w.start(w.do, net, "wait_writable", write)
            await w.until_waiting()
            os.set_blocking(read, False)
            while waits.is_open():
                with contextlib.suppress(BlockingIOError):
                    os.read(read, 65536)
                await w.yield_now()
            await w.result(waits)
        finally:
            os.close(read)
            os.close(write)
        assert nobody_waits()

    w.run(main)


def test_the_end_of_a_pipe_is_readable(either: NetWorld) -> None:
    async def main(w: NetWorld) -> bytes:
        read, write = os.pipe()
        waits = [w.start(w.do, net, "wait_readable", read) for _ in range(3)]
        await w.until_waiting(3)
        os.close(write)
        for each in waits:
            await w.result(each)
        data = os.read(read, 1)
        os.close(read)
        return data

    assert either.run(main) == b""


def test_wait_for_sockets_of_others(w: NetWorld) -> None:
    class Wrapped:
        def __init__(self, sock: socket.socket) -> None:
            self.sock = sock

        def fileno(self) -> int:
            return self.sock.fileno()

    async def main(w: NetWorld) -> None:
        here, there = socket.socketpair()
        with here, there:
            waits = [w.start(w.do, net, "wait_readable", fd) for fd in (here, Wrapped(here), here.fileno())]
            await w.do(net, "wait_writable", here)
            await w.until_waiting(3)
            there.send(b"x")
            for each in waits:
                await w.result(each)
            assert here.recv(1) == b"x"
            with pytest.raises(DeadlineExceeded):
                await w.do(net, "wait_readable", Wrapped(here), timeout=0.01)
        assert nobody_waits()

    w.run(main)


@pytest.mark.parametrize("op", ["wait_readable", "wait_writable"])
def test_closed_descriptors(either: NetWorld, op: str) -> None:
    async def main(w: NetWorld) -> None:
        read, write = os.pipe()
        os.close(read)
        os.close(write)
        for fd in (read, write):
            with pytest.raises(OSError, match=rf"descriptor {fd}: bad file descriptor"):
                await w.do(net, op, fd)
        sock = socket.socket()
        sock.close()
        for bad in (sock, -1, "0", None, 1.5, True, object()):
            with pytest.raises((ValueError, TypeError), match=r"fd must be an open descriptor, or something with fileno\(\), not "):
                await w.do(net, op, bad)

    either.run(main)


def test_a_descriptor_is_closed_while_somebody_waits(either: NetWorld) -> None:
    """What is waited for is the file: its number may go, and come back for another one."""

    async def main(w: NetWorld) -> None:
        read, write = os.pipe()
        waits = w.start(w.do, net, "wait_readable", read)
        await w.until_waiting()
        os.close(read)
        again = os.open(os.devnull, os.O_RDONLY)
        await w.sleep(A_WHILE)
        os.close(write)
        with contextlib.suppress(OSError):
            await w.result(waits)
        os.close(again)
        assert nobody_waits()

    either.run(main)


# ---- threads ----


def test_threads_use_a_connection(w: NetWorld) -> None:
    """Made in a goroutine, used by plain threads, all at once."""

    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            threads = Threads()

            def asks(name: bytes) -> None:
                for _ in range(20):
                    here.write(name + b"\n")

            def hears() -> list[bytes]:
                return [here.read_line(timeout=PATIENCE) for _ in range(40)]

            async def echoes() -> None:
                for _ in range(80):
                    await w.do(there, "write", await w.do(there, "read_line"))

            echo = w.start(echoes)
            for name in (b"a", b"b", b"c", b"d"):
                threads.start(asks, name)
            for _ in range(2):
                threads.start(hears)
            await w.until(lambda: not threads.alive(), "the threads")
            heard = [line for lines in threads.join() if lines for line in lines]
            assert sorted(heard) == sorted([b"a\n", b"b\n", b"c\n", b"d\n"] * 20)
            await w.result(echo)

    w.run(main)


def test_threads_wait_close_and_are_late(either: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, _):
            late, closed, past = Threads(), Threads(), Threads()
            late.start(lambda: here.read(timeout=0.02))
            await w.until(lambda: not late.alive(), "the timeout of a thread")
            assert isinstance(late.failures[0], DeadlineExceeded)
            past.start(here.read)
            await w.until(lambda: not nobody_waits(), "a thread that reads")
            here.set_deadline(now() + 0.01)
            await w.until(lambda: not past.alive(), "the deadline")
            assert isinstance(past.failures[0], DeadlineExceeded)
            here.set_deadline(None)
            closed.start(here.read)
            await w.until(lambda: not nobody_waits(), "a thread that reads")
            closed.start(here.close)
            await w.until(lambda: not closed.alive(), "the end of both")
            assert [str(error) for error in closed.failures] == [f"read {here.local}->{here.remote}: use of a connection that was closed"]
            assert nobody_waits()

    either.run(main)


def test_a_thread_accepts(either: NetWorld) -> None:
    async def main(w: NetWorld) -> bytes:
        with net.listen("127.0.0.1:0") as listener:
            threads = Threads()

            def serves() -> None:
                with listener.accept() as conn:
                    conn.write(b"from a thread")

            threads.start(serves)
            with await w.dial(listener.address) as conn:
                got: bytes = await w.do(conn, "read_line")
            await w.until(lambda: not threads.alive(), "the thread")
            threads.join()
            return got

    assert either.run(main) == b"from a thread"


def test_a_thread_waits_while_all_goroutines_sleep(either: NetWorld) -> None:
    """Nobody else brings the poller to its descriptor."""

    async def main(w: NetWorld) -> bytes:
        async with w.pair() as (here, there):
            done = gosched.Chan[bytes](1)
            threads = Threads()
            threads.start(lambda: done.send(there.read()))
            writer = Threads()

            def writes_later(conn: Any) -> None:
                time.sleep(A_WHILE)
                conn.write(b"x")

            writer.start(writes_later, here)
            got: bytes = await w.recv(done)
            return got

    assert either.run(main) == b"x"


# ---- no runtime ----


def test_outside_of_run() -> None:
    for fn in (net.listen, net.dial):
        with pytest.raises(RuntimeError, match=rf"{fn.__name__}\(\).*run\(main\)"):
            fn("127.0.0.1:1")
    read, write = os.pipe()
    with pytest.raises(RuntimeError, match=r"wait_readable.*run\(main\)"):
        net.wait_readable(read)
    os.close(read)
    os.close(write)


def test_wait_outside_of_run_does_not_depend_on_the_descriptor() -> None:
    read, write = os.pipe()
    try:
        with pytest.raises(RuntimeError, match="wait_writable"):
            net.wait_writable(write)

        async def main() -> None:
            with pytest.raises(RuntimeError, match="no network in virtual time"):
                await net.await_writable(write)

        virtual_run(main)
    finally:
        os.close(read)
        os.close(write)


def test_a_connection_outlives_its_run() -> None:
    """It can be closed; nobody watches it any more."""

    async def main(w: NetWorld) -> list[Any]:
        with net.listen("127.0.0.1:0") as listener:
            return [await w.dial(listener.address), await w.do(listener, "accept")]

    here, there = AWAITED.run(main)
    try:
        assert here.local == there.remote
    finally:
        try:
            here.close()
        finally:
            there.close()
    with pytest.raises(net.ClosedError):
        here.read()


def test_to_wait_on_a_connection_after_its_run_is_an_error() -> None:
    async def main(w: NetWorld) -> list[Any]:
        with net.listen("127.0.0.1:0") as listener:
            return [await w.dial(listener.address), await w.do(listener, "accept")]

    here, there = AWAITED.run(main)
    try:
        with pytest.raises(RuntimeError, match="run"):
            here.read(timeout=0.2)
    finally:
        try:
            here.close()
        finally:
            there.close()


@pytest.mark.parametrize("procs", [1, 2])
def test_no_network_in_virtual_time(procs: int) -> None:
    async def main() -> None:
        for fn in (net.listen, net.dial):
            with pytest.raises(RuntimeError, match=rf"{fn.__name__}\(\): there is no network in virtual time"):
                fn("127.0.0.1:1")
        with pytest.raises(RuntimeError, match="no network in virtual time"):
            await net.adial("127.0.0.1:1")
        read, write = os.pipe()
        with pytest.raises(RuntimeError, match="no network in virtual time"):
            await net.await_readable(read)
        os.close(read)
        os.close(write)

    virtual_run(main, gomaxprocs=procs)
