"""Want of descriptors, descriptors that others close, and numbers that come again."""

from __future__ import annotations

import errno
import os
import random
from contextlib import suppress
from typing import Any

import pytest

from gosched import Chan, DeadlineExceeded, WaitGroup, go, net, now
from gosched.system.portable import SelectorPoller

from ..conftest import Script
from .peers import PATIENCE, Do, Told, answers, both, pair, play, serve, until, until_waits

pytestmark = pytest.mark.usefixtures("poller")
# Without the collector: on a free-threaded Python 3.14 it opens /proc/self/status, for a moment, on whichever thread it runs.
SCARCE = """
import errno, gc, os, resource, socket, sys
import gosched
from gosched import net, go

def fill():
    taken = []
    try:
        while True:
            taken.append(os.dup(0))
    except OSError as error:
        assert error.errno == errno.EMFILE
    return taken

def free(taken):
    for fd in taken:
        os.close(fd)

async def do(thing, op, *args):
    return await getattr(thing, "a" + op)(*args) if sys.argv[1] == "awaited" else getattr(thing, op)(*args)

async def until(reached):
    end = gosched.now() + 20
    while not reached():
        assert gosched.now() < end
        await gosched.asleep(0.001)

async def serve(listener):
    try:
        async with listener:
            while True:
                go(echo, await do(listener, "accept"))
    except net.ClosedError:
        pass  # by main, which is over, but perhaps not quite

async def echo(conn):
    with conn:
        while data := await do(conn, "read"):
            await do(conn, "write", data)

gc.disable()
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
"""

ACCEPTS = (
    SCARCE
    + """
async def main():
    listener = net.listen("127.0.0.1:0")
    server = go(serve, listener)
    clients = [socket.socket() for _ in range(3)]
    taken = fill()
    for client in clients:
        client.settimeout(20)
        client.connect(listener.address[:2])
    await until(lambda: server.wait_reason == "sleep")  # it does not try again and again
    await gosched.asleep(0.05)
    assert not server.is_dead()
    free(taken)
    for client in clients:
        with client:
            client.sendall(b"hello")
            assert await do(gosched, "blocking_recv", client) == b"hello"
    print("served")

gosched.blocking_recv = lambda client: gosched.blocking(client.recv, 5)
async def ablocking_recv(client):
    return gosched.blocking(client.recv, 5)
gosched.ablocking_recv = ablocking_recv
gosched.run(main, gomaxprocs=2)
"""
)

DIALS = (
    SCARCE
    + """
async def main():
    with net.listen("127.0.0.1:0") as listener:
        go(serve, listener)
        taken = fill()
        for _ in range(3):
            try:
                await do(net, "dial", str(listener.address))
            except OSError as error:
                assert error.errno == errno.EMFILE, error
                print(error)
            else:
                raise AssertionError("a connection without a descriptor")
        free(taken)
        with await do(net, "dial", str(listener.address)) as conn:
            await do(conn, "write", b"hello")
            assert await do(conn, "read") == b"hello"
        print("at", listener.address)

gosched.run(main, gomaxprocs=2)
"""
)

FIRST = (
    SCARCE
    + """
async def main():
    for spare in range(8):
        taken = fill()
        for _ in range(spare):
            os.close(taken.pop())
        try:
            listener = net.listen("127.0.0.1:0")
        except OSError as error:
            assert error.errno == errno.EMFILE, error
        else:
            listener.close()
        free(taken)
    before = len(os.listdir("/proc/self/fd"))
    listener = net.listen("127.0.0.1:0")
    server = go(serve, listener)
    with await do(net, "dial", str(listener.address)) as conn:
        await do(conn, "write", b"hello")
        assert await do(conn, "read") == b"hello"
    print("served")

gosched.run(main, gomaxprocs=2)
"""
)


@pytest.mark.parametrize("spelling", ["awaited", "plain"])
def test_accept_without_descriptors(script: Script, poller: str, spelling: str) -> None:
    """It backs off, and serves on when there are some again."""
    done = script(ACCEPTS, spelling, GOSCHED_POLLER=poller)
    assert done.stdout == "served\n", done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize("spelling", ["awaited", "plain"])
def test_dial_without_descriptors(script: Script, poller: str, spelling: str) -> None:
    """An error that says for which address; and the next one succeeds when there are some again."""
    done = script(DIALS, spelling, GOSCHED_POLLER=poller)
    assert done.returncode == 0, done.stderr
    *errors, last = done.stdout.splitlines()
    assert len(errors) == 3
    address = last.removeprefix("at ")
    assert all(address in error for error in errors), errors


@pytest.mark.parametrize("spelling", ["awaited", "plain"])
def test_no_descriptors_for_the_poller(script: Script, poller: str, spelling: str) -> None:
    """The poller itself needs some: if it does not get them it is made later."""
    done = script(FIRST, spelling, GOSCHED_POLLER=poller)
    assert done.stdout == "served\n", done.stderr
    assert done.returncode == 0


def test_listen_without_a_poller_leaves_nothing(script: Script, poller: str) -> None:
    """The socket that was made already is closed."""
    done = script(FIRST, "plain", GOSCHED_POLLER=poller, PYTHONWARNINGS="always")
    assert done.stdout == "served\n"
    assert done.stderr == ""


# ---- descriptors that others close, numbers that come again ----


@both
def test_foreign_descriptor_closed_under_a_waiter(do: Do) -> None:
    """It hears of what happens to the file all the same, and gets an error if there is no such descriptor any more."""

    async def main() -> None:
        reads, writes = os.pipe()
        waiter = Told(do, net, "wait_readable", reads)
        await until_waits(waiter.goroutine)
        os.close(reads)
        os.write(writes, b"x")
        await waiter.over.await_(timeout=PATIENCE)
        assert waiter.error is None or isinstance(waiter.error, OSError)
        if waiter.error is not None:
            assert str(reads) in str(waiter.error)
        os.close(writes)
        with pytest.raises(OSError, match=str(reads)) as error:
            await do(net, "wait_readable", reads)
        assert error.value.errno == errno.EBADF

    play(main)


@both
def test_foreign_descriptor_replaced_under_a_waiter(do: Do) -> None:
    """The number is another file's by now. The waiter waits for the one it was given."""

    async def main() -> None:
        reads, writes = os.pipe()
        others = os.pipe()
        waiter = Told(do, net, "wait_readable", reads, timeout=PATIENCE)
        await until_waits(waiter.goroutine)
        os.dup2(others[0], reads)
        os.write(writes, b"x")
        await waiter.over.await_(timeout=PATIENCE)
        for fd in (reads, writes, *others):
            os.close(fd)
        assert not isinstance(waiter.error, DeadlineExceeded)

    play(main)


def poller_knows(conn: Any) -> bool:
    """The portable one hears of a descriptor only when somebody waits, and watches it with its next look."""
    net_poller = conn.desc.sched.host.net()
    return not isinstance(net_poller, SelectorPoller) or conn.desc.fd in net_poller._watched


@both
@pytest.mark.parametrize("ending", ["deadline", "close"])
def test_own_descriptor_closed_under_a_waiter(do: Do, ending: str) -> None:
    """Nobody tells us: the kernel has forgotten it. A deadline or a close ends the wait, and nobody else's file is harmed."""

    async def main() -> None:
        with net.listen("127.0.0.1:0") as listener:
            conn, peer = await pair(do, listener)
            reader = Told(do, conn, "read")
            await until_waits(reader.goroutine)
            await until(lambda: poller_knows(conn), "the poller to watch it")
            os.close(conn.fileno())
            if ending == "deadline":
                conn.set_deadline(now() + 0.01)
                assert isinstance(await reader.failure(), DeadlineExceeded)
                conn.set_deadline(None)
                with pytest.raises(OSError, match=r"read .*->") as error:
                    await do(conn, "read")
                assert error.value.errno == errno.EBADF
            with suppress(OSError):
                conn.close()
            if ending == "close":
                assert isinstance(await reader.failure(), OSError)
            assert conn.closed
            peer.close()
            await answers(do, listener)

    play(main)


@both
@pytest.mark.parametrize("procs", [1, 2, 4])
def test_numbers_come_again(do: Do, procs: int, poller: str) -> None:
    """Connections open and close all the time, some while others read from them: no byte goes to the wrong one."""
    workers, rounds = 8, 60

    async def main() -> None:
        with net.listen("127.0.0.1:0") as listener:
            go(serve, do, listener)
            wg = WaitGroup()
            wrong: list[Any] = []

            async def listens(conn: net.Conn, mine: bytes, over: Chan[None]) -> None:
                """Until the connection is closed under it."""
                with suppress(OSError):
                    while data := await do(conn, "read"):
                        if data.strip(mine):
                            wrong.append((mine, data))
                over.close()

            async def works(i: int) -> None:
                dice = random.Random(i)
                mine = bytes([65 + i])
                for _ in range(rounds):
                    conn = await do(net, "dial", str(listener.address))
                    n = dice.randrange(1, 3000)
                    await do(conn, "write", mine * n)
                    if dice.random() < 0.5:
                        got = await do(conn, "read_exactly", n)
                        if got != mine * n:
                            wrong.append((mine, got))
                        conn.close()
                    else:
                        over: Chan[None] = Chan()
                        go(listens, conn, mine, over)
                        await do(conn, "write", mine * n)
                        conn.close()
                        with suppress(net.ClosedError):
                            await do(conn, "write", b"?")
                            wrong.append((mine, "written after close"))
                        await over.arecv_ok()

            for i in range(workers):
                wg.go(works, i)
            await wg
            assert wrong == []

    play(main, procs=procs)
