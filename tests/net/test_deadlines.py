"""Deadlines of connections and listeners: Go's tests, by Go's names. Nothing here is measured but that no deadline is early."""

from __future__ import annotations

import tempfile
import time
from typing import Any

import pytest

from gosched import DeadlineExceeded, WaitGroup, net, now

from ..channels.worlds import started_and_done
from .nets import A_WHILE, AWAITED, PATIENCE, PLAIN, TOO_MUCH, NetWorld, Threads, nobody_waits, waiting

SHORT = 0.02


async def late(w: NetWorld, thing: Any, op: str, *args: Any) -> None:
    """The operation gets DeadlineExceeded."""
    begin = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        await w.do(thing, op, *args)
    assert time.monotonic() - begin < PATIENCE


# ---- timeouts ----


@pytest.mark.parametrize("seconds", [-5.0, 0, SHORT])
def test_accept_timeout(w: NetWorld, seconds: float) -> None:
    """A deadline that has passed counts, even if somebody is at the door; one to come lets him in."""

    async def main(w: NetWorld) -> None:
        with net.listen("127.0.0.1:0") as listener, await w.dial(listener.address):
            if seconds > 0:
                listener.set_deadline(now() + PATIENCE)
                (await w.do(listener, "accept")).close()
            due = now() + seconds
            listener.set_deadline(due)
            await late(w, listener, "accept")
            assert now() >= due
            await late(w, listener, "accept")
            if seconds <= 0:
                listener.set_deadline(None)
                (await w.do(listener, "accept")).close()

    w.run(main)


@pytest.mark.parametrize("op", [("read",), ("read_exactly", 1), ("read_line",)], ids=lambda op: str(op[0]))
@pytest.mark.parametrize("seconds", [-5.0, 0, SHORT])
def test_read_timeout(w: NetWorld, seconds: float, op: tuple[Any, ...]) -> None:
    async def main(w: NetWorld) -> bytes:
        async with w.pair() as (here, there):
            if seconds > 0:
                due = now() + seconds
                here.set_read_deadline(due)
                await late(w, here, *op)
                assert now() >= due
            await w.do(there, "write", b"\n")
            await w.do(net, "wait_readable", here)
            if seconds <= 0:
                here.set_read_deadline(now() + seconds)
            for _ in range(2):
                await late(w, here, *op)
            here.set_read_deadline(None)
            got: bytes = await w.do(here, *op)
            return got

    assert w.run(main) == b"\n"


@pytest.mark.parametrize("seconds", [-5.0, 0, SHORT])
def test_write_timeout(w: NetWorld, seconds: float) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, _):
            due = now() + seconds
            here.set_write_deadline(due)
            await late(w, here, "write", TOO_MUCH if seconds > 0 else b"x")
            assert now() >= due
            await late(w, here, "write", b"x")

    w.run(main)


def test_set_deadline_is_for_both_directions(either: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            here.set_deadline(-1)
            await late(w, here, "read")
            await late(w, here, "write", b"x")
            here.set_read_deadline(None)
            await w.do(there, "write", b"x")
            assert await w.do(here, "read") == b"x"
            await late(w, here, "write", b"x")
            here.set_write_deadline(now() + PATIENCE)
            await w.do(here, "write", b"y")
            assert await w.do(there, "read") == b"y"

    either.run(main)


def test_a_deadline_says_what_has_passed_and_where(either: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, _):
            here.set_deadline(now() + SHORT)
            with pytest.raises(DeadlineExceeded, match=rf"^read {here.local}->{here.remote}: the deadline has passed$"):
                await w.do(here, "read")
            with pytest.raises(TimeoutError, match=rf"^write {here.local}->{here.remote}: the deadline has passed$"):
                await w.do(here, "write", b"x")
        with net.listen("127.0.0.1:0") as listener:
            listener.set_deadline(-1)
            with pytest.raises(DeadlineExceeded, match=rf"^accept {listener.address}: the deadline has passed$"):
                await w.do(listener, "accept")

    either.run(main)


@pytest.mark.parametrize("bad", ["1", b"1", True, [1]], ids=repr)
def test_a_deadline_is_seconds(bad: Any) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, _):
            with pytest.raises(TypeError, match=r"^when \(a time of now\(\)\) must be seconds, an int or a float, not "):
                here.set_deadline(bad)
            with pytest.raises(ValueError, match=r"^when \(a time of now\(\)\) must be seconds, not nan"):
                here.set_read_deadline(float("nan"))

    AWAITED.run(main)


# ---- a deadline set anew ----


def test_accept_timeout_must_return(w: NetWorld) -> None:
    """Set while one waits, and sooner than the one before."""

    async def main(w: NetWorld) -> None:
        with net.listen("127.0.0.1:0") as listener:
            listener.set_deadline(None)
            listener.set_deadline(now() + 3600)
            accepts = w.start(w.do, listener, "accept")
            await w.until_waiting()
            listener.set_deadline(now() + SHORT)
            assert isinstance(await w.failure(accepts), DeadlineExceeded)

    w.run(main)


@pytest.mark.parametrize("op", [("read", 1), ("write", TOO_MUCH)], ids=["read", "write"])
@pytest.mark.parametrize("seconds", [-1, SHORT])
def test_timeout_must_return(w: NetWorld, op: tuple[Any, ...], seconds: float) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, _):
            here.set_deadline(now() + 3600)
            waits = [w.start(w.do, here, *op) for _ in range(3)]
            await w.until_waiting(3)
            here.set_deadline(now() + seconds)
            for each in waits:
                assert isinstance(await w.failure(each), DeadlineExceeded)

    w.run(main)


async def must_not_return(w: NetWorld, thing: Any, op: str, *args: Any) -> None:
    """A deadline has passed and was taken back: the operation waits, until thing is closed."""
    thing.set_deadline(now() + SHORT)
    await late(w, thing, op, *args)
    thing.set_deadline(-5)
    thing.set_deadline(None)
    waits = w.start(w.do, thing, op, *args)
    await w.until_waiting()
    await w.sleep(A_WHILE)
    assert waits.is_open()
    thing.close()
    assert isinstance(await w.failure(waits), net.ClosedError)


def test_accept_timeout_must_not_return(w: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        with net.listen("127.0.0.1:0") as listener:
            await must_not_return(w, listener, "accept")

    w.run(main)


def test_read_timeout_must_not_return(w: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, _):
            await must_not_return(w, here, "read")

    w.run(main)


def test_write_timeout_must_not_return(w: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, _):
            await must_not_return(w, here, "write", TOO_MUCH)

    w.run(main)


@pytest.mark.slow
def test_a_deadline_put_off_is_not_early(w: NetWorld) -> None:
    """The timer of the first one fires, or not; nobody minds."""

    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            due = now() + 0.5
            here.set_read_deadline(due)
            reads = w.start(w.do, here, "read")
            await w.until(lambda: waiting() or not reads.is_open(), "the read to begin")
            here.set_read_deadline(now() + 3600)
            if now() < due:  # else the first one may have passed before it was put off
                await w.sleep(0.5 + A_WHILE)
                assert reads.is_open()
                await w.do(there, "write", b"x")
                assert await w.result(reads) == b"x"

    w.run(main)


# ---- how late ----


def test_read_timeout_fluctuation(either: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, _):
            for seconds in (0.001, 0.003, 0.01, 0.03):
                begin = time.monotonic()
                here.set_read_deadline(now() + seconds)
                await late(w, here, "read")
                assert time.monotonic() - begin >= seconds * 0.99

    either.run(main)


def test_write_timeout_fluctuation(either: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, _):
            for seconds in (0.005, 0.01, 0.03):
                begin = time.monotonic()
                here.set_write_deadline(now() + seconds)
                await late(w, here, "write", TOO_MUCH)
                assert time.monotonic() - begin >= seconds * 0.99

    either.run(main)


@pytest.mark.parametrize("spelling", [AWAITED, PLAIN], ids=repr)
@pytest.mark.parametrize("procs", [1, 4])
def test_various_deadlines(spelling: NetWorld, procs: int) -> None:
    """From a nanosecond on, while the other side sends and sends."""
    w = NetWorld(spelling.name, spelling.plain, spelling.driven, procs)

    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):

            async def pours() -> None:
                with pytest.raises((net.ClosedError, ConnectionError)):
                    while True:
                        await w.do(there, "write", bytes(1000))

            async def drains() -> None:
                while True:
                    await w.do(here, "read")

            pouring = w.start(pours)
            for seconds in (1e-9, 2e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.005, 0.02, 0.05):
                for _ in range(3):
                    begin = time.monotonic()
                    here.set_read_deadline(now() + seconds)
                    assert isinstance(await w.failure(w.start(drains)), DeadlineExceeded)
                    assert time.monotonic() - begin >= seconds * 0.99
            there.close()
            await w.result(pouring)

    w.run(main)


# ---- many at once ----


def test_read_write_prolonged_timeout(w: NetWorld) -> None:
    """Each operation puts its own deadline off: neither ends while the other side is slow."""

    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):

            async def reads() -> int:
                n = 0
                while n < 20:
                    here.set_read_deadline(now() + PATIENCE)
                    n += len(await w.do(here, "read"))
                return n

            async def writes() -> None:
                for _ in range(20):
                    here.set_write_deadline(now() + PATIENCE)
                    await w.do(here, "write", b"x")

            async def answers() -> None:
                for _ in range(20):
                    await w.do(there, "write", await w.do(there, "read_exactly", 1))
                    await w.sleep(0.001)

            both = [w.start(reads), w.start(writes), w.start(answers)]
            assert [await w.result(each) for each in both] == [20, None, None]

    w.run(main)


@pytest.mark.slow
def test_read_write_deadline_race(w: NetWorld) -> None:
    """Deadlines move while others read and write: each operation goes through or gets DeadlineExceeded, and at the end nobody waits."""

    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            wg, over = WaitGroup(), list[bool]()

            async def moves() -> None:
                for i in range(200):
                    here.set_deadline(now() + (i % 4 - 1) * 0.0005)
                    await w.yield_now()
                over.append(True)
                here.set_deadline(-1)
                there.set_deadline(-1)

            async def insists(thing: Any, op: str, *args: Any) -> None:
                while not over:
                    try:
                        await w.do(thing, op, *args)
                    except DeadlineExceeded:
                        await w.yield_now()

            started_and_done(w, wg, moves)
            for thing in (here, there):
                started_and_done(w, wg, insists, thing, "read")
                started_and_done(w, wg, insists, thing, "write", b"x" * 100)
            await w.wait(wg)
            assert nobody_waits()

    w.run(main)


def test_concurrent_set_deadline(w: NetWorld) -> None:
    """Many set different deadlines of many connections, while each is read from; the last word is that all are over."""

    async def main(w: NetWorld) -> None:
        with net.listen("127.0.0.1:0") as listener:
            conns = []
            for _ in range(8):
                conns.append(await w.dial(listener.address))
                conns.append(await w.do(listener, "accept"))
        reads = [w.start(w.do, conn, "read") for conn in conns]
        await w.until_waiting(len(conns))
        wg = WaitGroup()

        async def sets(i: int) -> None:
            for j in range(50):
                for conn in conns:
                    conn.set_deadline(now() + 3600 + i + j)
                await w.yield_now()

        for i in range(8):
            started_and_done(w, wg, sets, i)
        await w.wait(wg)
        assert all(each.is_open() for each in reads)
        for i, conn in enumerate(conns):
            conn.set_deadline(now() + i * 0.001)
        for each in reads:
            assert isinstance(await w.failure(each), DeadlineExceeded)
        for conn in conns:
            conn.close()

    w.run(main)


def test_concurrent_set_deadline_by_threads() -> None:
    """The one that is set last, wherever it comes from, is the one that counts."""

    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, _):
            reads = w.start(w.do, here, "read")
            await w.until_waiting()
            threads = Threads()
            for _ in range(4):
                threads.start(lambda: [here.set_deadline(now() + 3600 + i) for i in range(200)])
            await w.until(lambda: not threads.alive(), "the threads")
            assert reads.is_open()
            threads.start(here.set_deadline, SHORT)
            assert isinstance(await w.failure(reads), DeadlineExceeded)
            threads.join()

    AWAITED.run(main)


# ---- what cannot be waited for ----


def test_nonpollable_deadline(w: NetWorld) -> None:
    """A regular file is always ready, whatever the timeout."""

    async def main(w: NetWorld) -> None:
        with tempfile.TemporaryFile() as file:
            for timeout in (None, 0, -1, PATIENCE):
                await w.do(net, "wait_readable", file, timeout=timeout)
                await w.do(net, "wait_writable", file.fileno(), timeout=timeout)
            assert nobody_waits()

    w.run(main)


# ---- buffers ----


def test_racy_read(either: NetWorld) -> None:
    """Several read with deadlines that keep passing: what each one got stays as it was, and all together is what was sent."""

    async def main(w: NetWorld) -> int:
        async with w.pair() as (here, there):
            got, sent = list[bytes](), 100_000

            async def writes() -> None:
                for _ in range(100):
                    await w.do(there, "write", b"x" * (sent // 100))
                there.close_write()

            async def reads() -> None:
                while True:
                    here.set_read_deadline(now() + 0.001)
                    try:
                        data = await w.do(here, "read", 777)
                    except DeadlineExceeded:
                        continue
                    if not data:
                        return
                    got.append(data)

            outcomes = [w.start(writes), *(w.start(reads) for _ in range(4))]
            for each in outcomes:
                await w.result(each)
            assert all(data == b"x" * len(data) for data in got)
            return sum(map(len, got)) - sent

    assert either.run(main) == 0


def test_racy_write(either: NetWorld) -> None:
    """After a timeout the caller's buffer is the caller's: changed at once, it changes nothing that was sent before."""

    async def main(w: NetWorld) -> bytes:
        async with w.pair() as (here, there):
            data = bytearray(b"a" * len(TOO_MUCH))
            here.set_write_deadline(now() + SHORT)
            await late(w, here, "write", data)
            data[:] = b"b" * len(data)
            here.close_write()
            got = set[bytes]()
            while part := await w.do(there, "read"):
                got.update({bytes([c]) for c in set(part)})
            return b"".join(got)

    assert either.run(main) == b"a"


@pytest.mark.parametrize("by", ["deadline", "timeout"])
def test_the_buffer_of_a_write_that_gave_up_is_the_callers(either: NetWorld, by: str) -> None:
    """Also where the error is handled: a view that is left would keep it from growing."""

    async def main(w: NetWorld) -> int:
        async with w.pair() as (here, _):
            data = bytearray(len(TOO_MUCH))
            if by == "deadline":
                here.set_write_deadline(now() + SHORT)
            try:
                await w.do(here, "write", data, **({"timeout": SHORT} if by == "timeout" else {}))
            except DeadlineExceeded:
                data.clear()
            return len(data)

    assert either.run(main) == 0


def test_nobody_waits_for_deadlines_of_what_is_closed(either: NetWorld) -> None:
    """A program that ends long before its deadlines does not wait for them."""

    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            here.set_deadline(now() + 3600)
            there.set_read_deadline(now() + 7200)

    begin = time.monotonic()
    either.run(main)
    assert time.monotonic() - begin < PATIENCE


@pytest.mark.parametrize("seconds", [1e7, 1e30])
def test_a_deadline_may_be_years_away(either: NetWorld, seconds: float) -> None:
    """More milliseconds than the kernel has numbers for, and nothing else that is to happen before."""

    async def main(w: NetWorld) -> bytes:
        async with w.pair() as (here, there):
            here.set_deadline(now() + seconds)
            Threads().start(writes_when_all_is_quiet, there)
            got: bytes = await w.do(here, "read")
            return got

    def writes_when_all_is_quiet(conn: Any) -> None:
        time.sleep(A_WHILE)
        conn.write(b"x")

    assert either.run(main) == b"x"
