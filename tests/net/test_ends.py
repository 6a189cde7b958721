"""How a connection's operations end: closed, too late, refused; and what a connection says of itself."""

from __future__ import annotations

import gc
import warnings
from typing import Any

import pytest

import gosched
from gosched import DeadlineExceeded, net

from .nets import AWAITED, PATIENCE, TOO_MUCH, NetWorld, nobody_waits, waiting, where

# ---- close ----


def test_close_wakes_who_waits(w: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, _):
            readers = [w.start(w.do, here, *op) for op in (("read",), ("read_exactly", 5), ("read_line",), ("read", 9, PATIENCE))]
            writers = [w.start(w.do, here, "write", TOO_MUCH)]
            await w.until_waiting(5)
            writers += [w.start(w.do, here, *op) for op in (("write", b"x"), ("write", b"x", PATIENCE))]
            await w.until_waiting(7)
            here.close()
            for name, waits in (("read", readers), ("write", writers)):
                for each in waits:
                    with pytest.raises(net.ClosedError, match=rf"^{name} {where(here)}: use of a connection that was closed$"):
                        await w.result(each)
            await w.until(nobody_waits, "nobody to wait")

    w.run(main)


def test_use_after_close(either: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            await w.do(there, "write", b"abc\ndef")
            assert await w.do(here, "read_line") == b"abc\n"
            here.close()
            here.close()
            for name, *op in (
                ("read", "read"),
                ("read", "read_exactly", 1),
                ("read", "read_line"),
                ("write", "write", b"x"),
                ("write", "write", b""),
            ):
                for limits in (dict[str, Any](), {"timeout": 1}):
                    with pytest.raises(net.ClosedError, match=rf"^{name} {where(here)}: use of a connection that was closed$"):
                        await w.do(here, *op, **limits)
            with pytest.raises(ConnectionError, match=rf"^close_write {where(here)}: use of a connection that was closed$"):
                here.close_write()
            for name in ("set_deadline", "set_read_deadline", "set_write_deadline"):
                with pytest.raises(net.ClosedError, match=rf"^{name}.*: use of a connection that was closed$"):
                    getattr(here, name)(1)
            assert here.closed

    either.run(main)


def test_set_deadline_after_close_names_the_connection() -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, _):
            here.close()
            with pytest.raises(net.ClosedError, match=where(here)):
                here.set_deadline(1)

    AWAITED.run(main)


def test_close_write(w: NetWorld) -> None:
    """The other side reads to the end, and can still answer."""

    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            await w.do(here, "write", b"question")
            here.close_write()
            here.close_write()
            assert await w.do(there, "read_line") == b"question"
            assert await w.do(there, "read") == b""
            await w.do(there, "write", b"answer\n")
            assert await w.do(here, "read_line") == b"answer\n"
            with pytest.raises(BrokenPipeError, match=rf"write {where(here)}: broken pipe"):
                await w.do(here, "write", b"x")

    w.run(main)


def test_close_write_wakes_nobody_who_reads(either: NetWorld) -> None:
    async def main(w: NetWorld) -> bytes:
        async with w.pair() as (here, there):
            reads = w.start(w.do, here, "read")
            await w.until_waiting()
            here.close_write()
            assert await w.do(there, "read") == b""
            assert reads.is_open()
            await w.do(there, "write", b"x")
            got: bytes = await w.result(reads)
            return got

    assert either.run(main) == b"x"


def test_the_other_side_is_gone(either: NetWorld) -> None:
    """What was not read there is an error here, that names the connection."""

    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            await w.do(here, "write", b"never read")
            await w.do(net, "wait_readable", there)
            there.close()
            with pytest.raises((ConnectionResetError, BrokenPipeError), match=rf"(read|write) {where(here)}: (connection reset|broken pipe)"):
                for _ in range(1000):
                    await w.do(here, "write", b"x" * 1000)
                    await w.do(here, "read")

    either.run(main)


def test_with() -> None:
    async def main() -> None:
        here: Any
        there: Any
        with net.listen("127.0.0.1:0") as listener:
            async with await net.adial(str(listener.address)) as here, await listener.aaccept() as there:
                assert not here.closed
            assert here.closed
            assert there.closed
            with pytest.raises(ZeroDivisionError), net.dial(str(listener.address)) as here, listener.accept() as there:
                raise ZeroDivisionError
            assert here.closed
            assert there.closed

    gosched.run(main)


# ---- limits ----


@pytest.mark.parametrize("op", [("read",), ("read_exactly", 6), ("read_line",)], ids=lambda op: str(op[0]))
@pytest.mark.parametrize("seconds", [-1, 0, 0.02])
def test_a_timeout_leaves_nothing_behind(w: NetWorld, op: tuple[Any, ...], seconds: float) -> None:
    """What had come is there for the next."""

    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            with pytest.raises(DeadlineExceeded, match=rf"^read {where(there)}: .*within {seconds} s"):
                await w.do(there, *op, timeout=seconds)
            assert nobody_waits()
            await w.do(here, "write", b"abc")
            if op[0] != "read":
                await w.do(net, "wait_readable", there)
                with pytest.raises(DeadlineExceeded):
                    await w.do(there, *op, timeout=seconds)
                assert nobody_waits()
            assert await w.do(there, "read_exactly", 3) == b"abc"
            await w.do(here, "write", b"defgh\n")
            assert await w.do(there, "read_line", timeout=PATIENCE) == b"defgh\n"

    w.run(main)


def test_a_timeout_of_who_waits_for_its_turn(w: NetWorld) -> None:
    """It leaves the queue; the others keep their places."""

    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            first = w.start(w.do, there, "read_exactly", 2)
            await w.until_waiting()
            hasty = w.start(w.do, there, "read", 1, 0.02)
            last = w.start(w.do, there, "read_exactly", 2)
            assert isinstance(await w.failure(hasty), DeadlineExceeded)
            await w.do(here, "write", b"abcd")
            assert {await w.result(first), await w.result(last)} == {b"ab", b"cd"}
            await w.until(nobody_waits, "nobody to wait")

    w.run(main)


def test_a_timeout_of_the_first_gives_the_turn_to_the_next(w: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            first = w.start(w.do, there, "read", 5, 0.05)
            await w.until(lambda: waiting() or not first.is_open(), "the read to begin")  # it may be over before it is seen to wait
            second = w.start(w.do, there, "read", 5)
            assert isinstance(await w.failure(first), DeadlineExceeded)
            await w.do(here, "write", b"abc")
            assert await w.result(second) == b"abc"
            stuck = w.start(w.do, here, "write", TOO_MUCH, 0.05)
            await w.until(lambda: waiting() or not stuck.is_open(), "the write to begin")
            behind = w.start(w.do, here, "write", b"!")
            assert isinstance(await w.failure(stuck), DeadlineExceeded)
            while not (await w.do(there, "read", 1_000_000)).endswith(b"!"):
                pass
            await w.result(behind)

    w.run(main)


# ---- arguments ----


def test_bad_arguments(either: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, _):
            for n in (0, -1, "x", 1.5, None):
                with pytest.raises((TypeError, ValueError), match=rf"^n must be a number of bytes, 1 or more, not {n!r}$"):
                    await w.do(here, "read", n)
                with pytest.raises((TypeError, ValueError), match=rf"^limit must be a number of bytes, 1 or more, not {n!r}$"):
                    await w.do(here, "read_line", n)
            for n in (-1, "x", 1.5, None):
                with pytest.raises((TypeError, ValueError), match=rf"^n must be a number of bytes, 0 or more, not {n!r}$"):
                    await w.do(here, "read_exactly", n)
            for data, kind in (("text", "str"), (1, "int"), (None, "NoneType"), ([1, 2], "list")):
                for limits in ({}, {"timeout": 1}):
                    with pytest.raises(TypeError, match=rf"^data must be bytes, or like bytes, not {kind}$"):
                        await w.do(here, "write", data, **limits)
            for op in (("read",), ("read_exactly", 1), ("read_line",), ("write", b"x")):
                with pytest.raises(TypeError, match="timeout must be seconds, an int or a float, not str"):
                    await w.do(here, *op, timeout="1")
                with pytest.raises(TypeError, match="ctx must be a Context, not int"):
                    await w.do(here, *op, ctx=1)
            assert nobody_waits()

    either.run(main)


def test_data_must_lie_in_one_piece(either: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, _):
            with pytest.raises((TypeError, ValueError, BufferError), match=r"^data "):
                await w.do(here, "write", memoryview(b"abcdef")[::2])

    either.run(main)


# ---- what it says of itself ----


def test_addresses_and_repr(either: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            assert (here.local, here.remote) == (there.remote, there.local)
            assert here.remote == ("127.0.0.1", there.local.port, "")
            assert str(here.local) == f"127.0.0.1:{here.local.port}"
            assert repr(here) == f"<net.Conn {here.local}->{here.remote}>"
            there.close()
            assert repr(there) == f"<net.Conn {there.local}->{there.remote} closed>"

    either.run(main)


@pytest.mark.parametrize("kind", ["connection", "listener"])
def test_what_is_not_closed_is_closed_with_a_warning(kind: str) -> None:
    async def main(w: NetWorld) -> list[str]:
        listener = net.listen("127.0.0.1:0")
        conn = await w.dial(listener.address)
        other = await w.do(listener, "accept")
        if kind == "connection":
            listener.close()
        else:
            conn.close()
        name = f"unclosed connection {conn.local}->{conn.remote}" if kind == "connection" else f"unclosed listener {listener.address}"
        gc.collect()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            del conn, listener
            gc.collect()
        with other:
            assert await w.do(other, "read", timeout=PATIENCE) == b""
        assert [warning.category for warning in caught] == [ResourceWarning]
        return [name, str(caught[0].message)]

    name, message = AWAITED.run(main)
    assert message == name


def test_what_is_closed_goes_without_a_warning() -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair():
            pass
        gc.collect()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AWAITED.run(main)
        gc.collect()
