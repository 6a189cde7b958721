"""Many connections at once, the end of the program, and what is left when it is over: nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any

import pytest

import gosched
from gosched import Chan, WaitGroup, net, now

from ..channels.worlds import started_and_done
from .nets import PATIENCE, TOO_MUCH, NetWorld, descriptors, nobody_waits, waiting


async def echo(w: NetWorld, conn: Any) -> None:
    with conn:
        while line := await w.do(conn, "read_line"):
            await w.do(conn, "write", line)


async def serve(w: NetWorld, listener: Any) -> None:
    """Until the listener is closed, by as many as like to."""
    try:
        while True:
            w.go(echo, w, await w.do(listener, "accept"))
    except net.ClosedError:
        pass


async def talk(w: NetWorld, addr: object, who: int, times: int) -> None:
    with await w.dial(addr) as conn:
        for i in range(times):
            line = b"%d says %d\n" % (who, i)
            await w.do(conn, "write", line)
            assert await w.do(conn, "read_line") == line


@pytest.mark.parametrize("acceptors", [1, 10])
def test_two_hundred_connections(w: NetWorld, acceptors: int) -> None:
    async def main(w: NetWorld) -> None:
        with net.listen("127.0.0.1:0") as listener:
            for _ in range(acceptors):
                w.go(serve, w, listener)
            wg = WaitGroup()
            for i in range(200):
                started_and_done(w, wg, talk, w, listener.address, i, 5)
            await w.wait(wg)
        await w.until(lambda: gosched.num_goroutine() == 1, "the servers to end")
        assert nobody_waits()

    before = descriptors()
    w.run(main)
    assert descriptors() == before


def test_many_accept_on_one_listener(w: NetWorld) -> None:
    """Everybody who comes is let in by one of them, once."""

    async def main(w: NetWorld) -> list[int]:
        with net.listen("127.0.0.1:0") as listener:
            served, wg = Chan[int](100), WaitGroup()

            async def accepts() -> None:
                with await w.do(listener, "accept") as conn:
                    await w.send(served, conn.remote.port)

            for _ in range(30):
                started_and_done(w, wg, accepts)
            await w.until_waiting(30)
            conns = [await w.dial(listener.address) for _ in range(30)]
            await w.wait(wg)
            ports = sorted(conn.local.port for conn in conns)
            for conn in conns:
                conn.close()
            return [a - b for a, b in zip(ports, sorted([await w.recv(served) for _ in range(30)]), strict=True)]

    assert w.run(main) == [0] * 30


def test_netpoll_waiters(w: NetWorld) -> None:
    """Go's TestNetpollWaiters: after the traffic nobody is counted who waits."""

    async def main(w: NetWorld) -> None:
        with net.listen("127.0.0.1:0") as listener:
            w.go(serve, w, listener)
            await w.until_waiting()
            assert not nobody_waits()
            wg = WaitGroup()
            for i in range(10):
                started_and_done(w, wg, talk, w, listener.address, i, 10)
            await w.wait(wg)
        await w.until(nobody_waits, "nobody to wait")
        await w.until(lambda: gosched.num_goroutine() == 1, "the goroutines to end")

    w.run(main)


# ---- deadlock ----


def test_to_wait_for_the_network_is_no_deadlock(w: NetWorld) -> None:
    """Everybody waits, and the only one who can end that is another process."""

    async def main(w: NetWorld) -> bytes:
        read, write = os.pipe()
        program = f"import time, os; time.sleep(0.3); os.write({write}, b'x')"
        with subprocess.Popen([sys.executable, "-S", "-c", program], pass_fds=[write]) as child:
            os.close(write)
            others = [w.start(w.do, net, "wait_readable", read) for _ in range(2)]
            await w.do(net, "wait_readable", read)
            for each in others:
                await w.result(each)
            data = os.read(read, 1)
            os.close(read)
            child.wait()
        return data

    assert w.run(main) == b"x"


def test_an_open_connection_alone_is_a_deadlock(either: NetWorld) -> None:
    """Nobody waits for it, so it wakes nobody."""

    async def main(w: NetWorld) -> None:
        async with w.pair():
            await w.recv(gosched.nil)

    with pytest.raises(gosched.DeadlockError, match="all goroutines are asleep"):
        either.run(main)


def test_who_gave_up_waiting_is_no_hope(w: NetWorld) -> None:
    """Somebody polled for a reader, and for deadlines and timers that are far away; now nobody reads, and they were taken back."""

    async def main(w: NetWorld) -> None:
        timers = [gosched.Timer(3600 + i) for i in range(3)]
        async with w.pair() as (here, there):
            reads = w.start(w.do, there, "read")
            here.set_deadline(now() + 3600)
            there.set_read_deadline(now() + 7200)
            await w.until_waiting()
            here.close()
            assert await w.result(reads) == b""
        for timer in timers:
            timer.stop()
        await w.recv(gosched.nil)

    with pytest.raises(gosched.DeadlockError, match="all goroutines are asleep"):
        w.run(main)


def test_timers_run_while_others_wait_for_the_network(w: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, _):
            reads = w.start(w.do, here, "read")
            await w.until_waiting()
            for seconds in (0.001, 0.02, 0.005):
                begin = time.monotonic()
                await w.sleep(seconds)
                assert seconds * 0.99 <= time.monotonic() - begin < PATIENCE
            assert reads.is_open()

    w.run(main)


def test_who_runs_and_runs_does_not_keep_the_network_waiting(either: NetWorld) -> None:
    """Others that never wait, on one P: what comes is seen nevertheless."""
    w = NetWorld(either.name, either.plain, either.driven, procs=1)

    async def main(w: NetWorld) -> bytes:
        async with w.pair() as (here, there):
            over = list[int]()

            async def runs() -> None:
                while not over:
                    await w.yield_now()

            for _ in range(3):
                w.go(runs)
            reads = w.start(w.do, here, "read")
            await w.until_waiting()
            await w.do(there, "write", b"x")
            got: bytes = await w.result(reads)
            over.append(1)
            return got

    assert w.run(main) == b"x"


# ---- the end ----


async def ends(w: NetWorld, ended: list[str], own: bool) -> str:
    """Leaves four behind that wait. The first of them that ends closes everything, or, if `own`, the last."""
    listener = net.listen("127.0.0.1:0")
    conns = []
    for _ in range(3):
        conns += [await w.dial(listener.address), await w.do(listener, "accept")]

    async def waits(name: str, thing: Any, op: str, *args: Any) -> None:
        try:
            await w.do(thing, op, *args)
        finally:
            ended.append(name)
            if not own or len(ended) == 4:
                for conn in (listener, *conns):
                    conn.close()

    w.go(waits, "read", conns[0], "read")
    w.go(waits, "line", conns[2], "read_line", 100, PATIENCE)
    w.go(waits, "write", conns[4], "write", TOO_MUCH)
    await w.until_waiting(3)
    w.go(waits, "accept", listener, "accept")
    await w.until_waiting(4)
    return "over"


def test_the_end_of_main_ends_who_waits(w: NetWorld) -> None:
    """Soon, and their finally blocks run."""
    ended: list[str] = []
    before = descriptors()
    begin = time.monotonic()
    assert w.run(ends, ended, True) == "over"
    assert time.monotonic() - begin < PATIENCE
    assert sorted(ended) == ["accept", "line", "read", "write"]
    assert descriptors() == before


def test_the_end_of_one_does_not_fail_another(w: NetWorld) -> None:
    """Main has returned: that one side closes what the other side waits for is no error any more."""
    ended: list[str] = []
    assert w.run(ends, ended, False) == "over"
    assert sorted(ended) == ["accept", "line", "read", "write"]


def test_nothing_is_left_behind(either: NetWorld, tmp_path: Any) -> None:
    """By what goes well, and by what does not."""

    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, _):
            with pytest.raises(TimeoutError):
                await w.do(here, "read", timeout=0.001)
        async with w.pair(f"unix:{tmp_path}/s") as (here, there):
            here.close_write()
            assert await w.do(there, "read") == b""
        with net.listen("127.0.0.1:0") as listener:
            with pytest.raises(OSError, match="in use"):
                net.listen(str(listener.address))
            with pytest.raises(TimeoutError):
                await w.do(listener, "accept", timeout=0.001)
        with pytest.raises(ConnectionRefusedError):
            await w.dial(listener.address)
        with pytest.raises(FileNotFoundError):
            await w.dial(f"unix:{tmp_path}/none")
        read, write = os.pipe()
        with pytest.raises(TimeoutError):
            await w.do(net, "wait_readable", read, timeout=0.001)
        await w.do(net, "wait_writable", write)
        os.close(read)
        os.close(write)
        assert nobody_waits()
        assert gosched.num_goroutine() == 1

    before = descriptors()
    for _ in range(3):
        either.run(main)
    assert descriptors() == before


def test_figures_while_somebody_waits(either: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            reads = [w.start(w.do, here, "read"), w.start(w.do, there, "read_line")]
            await w.until_waiting(2)
            figures = gosched.stats()
            assert figures.goroutines == gosched.num_goroutine() == 3
            assert figures.by_wait_reason["IO wait"] == waiting() == 2
            here.close()
            there.close()
            assert isinstance(await w.failure(reads[0]), net.ClosedError)
            value, error = await w.recv(reads[1].done, timeout=PATIENCE)
            assert value == b"" or isinstance(error, net.ClosedError)  # the end that the other one's close has sent, or its own

    either.run(main)
