"""Connections: what is read is what was written, in order, whole."""

from __future__ import annotations

import array
from typing import Any

import pytest

from gosched import WaitGroup, net

from ..channels.worlds import started_and_done
from .nets import PATIENCE, TOO_MUCH, NetWorld, where

# ---- reading ----


def test_read_returns_what_is_there(w: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            await w.do(here, "write", b"hello")
            await w.do(net, "wait_readable", there)
            assert await w.do(there, "read", 2) == b"he"
            assert await w.do(there, "read") == b"llo"
            reads = w.start(w.do, there, "read")
            await w.until_waiting()
            await w.do(here, "write", b"again")
            assert await w.result(reads) == b"again"
            here.close()
            for _ in range(2):
                assert await w.do(there, "read") == b""

    w.run(main)


def test_read_exactly(w: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            reads = w.start(w.do, there, "read_exactly", 6)
            for part in (b"ab", b"cd", b"efgh"):
                await w.until_waiting()
                await w.do(here, "write", part)
            assert await w.result(reads) == b"abcdef"
            assert await w.do(there, "read_exactly", 0) == b""
            here.close()
            message = rf"^read {where(there)}: the end came before 3 bytes did$"
            for _ in range(2):
                with pytest.raises(EOFError, match=message):
                    await w.do(there, "read_exactly", 3)
            assert await w.do(there, "read_exactly", 1) == b"g"
            assert await w.do(there, "read") == b"h"
            assert await w.do(there, "read") == b""
            with pytest.raises(EOFError):
                await w.do(there, "read_exactly", 1)

    w.run(main)


def test_read_exactly_of_megabytes(either: NetWorld) -> None:
    data = bytes(range(256)) * 8192

    async def main(w: NetWorld) -> bool:
        async with w.pair() as (here, there):
            writes = w.start(w.do, here, "write", data)
            same: bool = data == await w.do(there, "read_exactly", len(data))
            await w.result(writes)
            return same

    assert either.run(main)


def test_read_line(w: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            reads = w.start(w.do, there, "read_line")
            await w.until_waiting()
            await w.do(here, "write", b"one")
            await w.do(here, "write", b" line\nand another\n\nlast")
            here.close()
            assert await w.result(reads) == b"one line\n"
            assert [await w.do(there, "read_line") for _ in range(5)] == [b"and another\n", b"\n", b"last", b"", b""]

    w.run(main)


def test_a_line_has_a_limit(w: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            await w.do(here, "write", b"123\n1234\n12345\n")
            assert await w.do(there, "read_line", 4) == b"123\n"
            with pytest.raises(ValueError, match=rf"^read {where(there)}: a line of more than 4 bytes; give read_line a higher limit$"):
                await w.do(there, "read_line", 4)
            await w.do(there, "read_line")
            assert await w.do(there, "read_line", limit=6) == b"12345\n"

    w.run(main)


def test_a_line_that_is_too_long_can_still_be_read(either: NetWorld) -> None:
    """With the higher limit that the message asks for."""

    async def main(w: NetWorld) -> bytes:
        async with w.pair() as (here, there):
            await w.do(here, "write", b"12345\n")
            with pytest.raises(ValueError, match="a line of more than 4 bytes"):
                await w.do(there, "read_line", 4)
            line: bytes = await w.do(there, "read_line", 6)
            return line

    assert either.run(main) == b"12345\n"


def test_the_rest_may_be_as_long_as_the_limit(either: NetWorld) -> None:
    async def main(w: NetWorld) -> bytes:
        async with w.pair() as (here, there):
            await w.do(here, "write", b"1234")
            here.close()
            line: bytes = await w.do(there, "read_line", 4)
            return line

    assert either.run(main) == b"1234"


def test_the_ways_to_read_share_what_came(either: NetWorld) -> None:
    async def main(w: NetWorld) -> None:
        async with w.pair() as (here, there):
            await w.do(here, "write", b"line\nabcdefgh\nrest")
            assert await w.do(there, "read_line") == b"line\n"
            assert await w.do(there, "read_exactly", 3) == b"abc"
            assert await w.do(there, "read", 2) == b"de"
            assert await w.do(there, "read_line") == b"fgh\n"
            assert await w.do(there, "read", 2, timeout=PATIENCE) == b"re"
            here.close()
            assert await w.do(there, "read_line") == b"st"

    either.run(main)


# ---- writing ----


def test_write_writes_everything(w: NetWorld) -> None:
    """To a reader that takes a little now and then."""
    data = bytes(range(251)) * (len(TOO_MUCH) // 251)

    async def main(w: NetWorld) -> bool:
        async with w.pair() as (here, there):
            writes = w.start(w.do, here, "write", data)
            await w.until_waiting()
            got = bytearray()
            while len(got) < len(data):
                got += await w.do(there, "read", 1_000_000)
                await w.yield_now()
            await w.result(writes)
            return got == data

    assert w.run(main)


@pytest.mark.parametrize(
    "data",
    [b"", b"bytes", bytearray(b"bytearray"), memoryview(b"memoryview")[2:5], array.array("i", range(1000)), memoryview(array.array("d", [1.5, 2.5]))],
    ids=lambda data: type(data).__name__,
)
@pytest.mark.parametrize("timeout", [None, PATIENCE])
def test_write_takes_what_is_like_bytes(either: NetWorld, data: Any, timeout: float | None) -> None:
    async def main(w: NetWorld) -> bytes:
        async with w.pair() as (here, there):
            assert await w.do(here, "write", data, timeout=timeout) is None
            here.close_write()
            got: bytes = await w.do(there, "read_line", 100_000)
            while part := await w.do(there, "read"):
                got += part
            return got

    assert either.run(main) == bytes(memoryview(data).cast("B"))


def test_write_takes_nothing_of_any_kind(either: NetWorld) -> None:
    async def main(w: NetWorld) -> bytes:
        async with w.pair() as (here, there):
            for nothing in (b"", bytearray(), memoryview(b""), array.array("i"), memoryview(bytearray(4))[:0]):
                await w.do(here, "write", nothing)
            here.close()
            got: bytes = await w.do(there, "read")
            return got

    assert either.run(main) == b""


def test_writers_take_turns(w: NetWorld) -> None:
    """Each one's data arrives in one piece, however long it takes."""
    size, writers = 300_000, 6

    async def main(w: NetWorld) -> list[int]:
        async with w.pair() as (here, there):
            wg = WaitGroup()
            for i in range(writers):
                started_and_done(w, wg, w.do, here, "write", bytes([i]) * size)
                started_and_done(w, wg, w.do, here, "write", bytes([i + 100]) * size)
            kinds = []
            for _ in range(2 * writers):
                piece = await w.do(there, "read_exactly", size)
                assert piece == piece[:1] * size
                kinds.append(piece[0])
            await w.wait(wg)
            return sorted(kinds)

    assert w.run(main) == [*range(writers), *range(100, 100 + writers)]


@pytest.mark.slow
def test_readers_lose_nothing(w: NetWorld) -> None:
    total = 50_000

    async def main(w: NetWorld) -> list[int]:
        async with w.pair() as (here, there):
            got, wg = list[int](), WaitGroup()

            async def reads() -> None:
                while record := await w.do(there, "read_line"):
                    got.append(int(record))

            for _ in range(5):
                started_and_done(w, wg, reads)
            for i in range(0, total, 500):
                await w.do(here, "write", b"".join(b"%d\n" % j for j in range(i, i + 500)))
            here.close()
            await w.wait(wg)
            return sorted(got)

    assert w.run(main) == list(range(total))


def test_one_reads_while_another_writes(w: NetWorld) -> None:
    """On the same connection, both ways at once, more than fits in between."""
    size = 4_000_000

    async def main(w: NetWorld) -> list[Any]:
        async with w.pair() as ends:
            work = [w.start(w.do, end, "write", bytes(size)) for end in ends]
            work += [w.start(w.do, end, "read_exactly", size) for end in ends]
            return [await w.result(each) for each in work]

    assert [len(data or b"") for data in w.run(main)] == [0, 0, size, size]
