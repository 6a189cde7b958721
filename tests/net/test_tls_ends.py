"""TLS: how connections end, and what comes too late."""

from __future__ import annotations

import pytest

from gosched import Chan, DeadlineExceeded, net, now

from .peers import LOTS, PATIENCE, Certificate, Do, Told, both, names_both, pair, play, reset, two, until, until_waits

pytestmark = pytest.mark.usefixtures("poller")


# ---- ends ----


@both
def test_end_of_stream(do: Do, certificate: Certificate) -> None:
    async def main() -> None:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:
            for last in (b"", b"last words"):
                ours, theirs = await two(do, certificate, listener)
                with theirs:
                    await do(ours, "write", last)
                    ours.close()
                    ours.close()
                    if last:
                        assert await do(theirs, "read_exactly", len(last)) == last
                    assert await do(theirs, "read") == b""
                    assert await do(theirs, "read") == b""

    play(main)


@both
def test_close_write(do: Do, certificate: Certificate) -> None:
    """The server reads to the end and answers then."""

    async def main() -> None:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:
            ours, theirs = await two(do, certificate, listener)
            with ours, theirs:
                await do(ours, "write", b"question")
                await do(ours, "close_write")
                assert await do(theirs, "read_exactly", 8) == b"question"
                assert await do(theirs, "read") == b""
                await do(theirs, "write", b"answer" * 1000)
                theirs.close()
                assert await do(ours, "read_exactly", 6000) == b"answer" * 1000
                assert await do(ours, "read") == b""

    play(main)


@both
def test_close_write_loses_nothing(do: Do, certificate: Certificate) -> None:
    """What the other side sent before, and what this one has taken in but not read, is still there."""

    async def main() -> None:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:
            ours, theirs = await two(do, certificate, listener)
            with ours, theirs:
                for i in range(20):
                    await do(theirs, "write", bytes([i]) * 10)
                assert await do(ours, "read", 1) == b"\0"  # it has more of it by now
                await do(ours, "close_write")
                assert await do(theirs, "read") == b""
                assert await do(ours, "read_exactly", 199) == b"".join(bytes([i]) * 10 for i in range(20))[1:]

    play(main)


@both
def test_close_wakes_everybody(do: Do, certificate: Certificate) -> None:
    async def main() -> None:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:
            ours, theirs = await two(do, certificate, listener)
            with ours, theirs:
                waiting = [Told(do, ours, "read"), Told(do, ours, "read_line")]
                await until(lambda: any(one.goroutine.wait_reason == "IO wait" for one in waiting), "a reader to wait")
                waiting.append(Told(do, ours, "write", b"x" * LOTS))
                await until_waits(waiting[2].goroutine)
                ours.close()
                for one in waiting:
                    assert isinstance(await one.failure(), net.ClosedError)

            conn, peer = await pair(do, listener)
            with peer:
                shaking = Told(do, conn, "read")
                await until_waits(shaking.goroutine)
                conn.close()
                assert isinstance(await shaking.failure(), net.ClosedError)

    play(main)


@both
def test_reset(do: Do, certificate: Certificate) -> None:
    async def main() -> None:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:
            conn, peer = await pair(do, listener)
            with conn:
                shaking = Told(do, conn, "read")
                await until_waits(shaking.goroutine)
                reset(peer)
                error = await shaking.failure()
                assert isinstance(error, ConnectionResetError)
                assert names_both(error, conn)

    play(main)


# ---- deadlines ----


@both
def test_a_read_in_time_and_one_too_late(do: Do, certificate: Certificate) -> None:
    """What comes after the deadline is not lost."""

    async def main() -> None:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:
            ours, theirs = await two(do, certificate, listener)
            with ours, theirs:
                for way in ("timeout", "deadline"):
                    options = {"timeout": 0.02} if way == "timeout" else {}
                    if way == "deadline":
                        theirs.set_read_deadline(now() + 0.02)
                    with pytest.raises(DeadlineExceeded):
                        await do(theirs, "read", **options)
                    await do(ours, "write", b"half ")
                    with pytest.raises(DeadlineExceeded):
                        await do(theirs, "read_line", **options)
                    theirs.set_read_deadline(None)
                    await do(ours, "write", b"a line\n")
                    assert await do(theirs, "read_line", timeout=PATIENCE) == b"half a line\n"
                reader = Told(do, theirs, "read")
                await until_waits(reader.goroutine)
                theirs.set_read_deadline(0)  # while somebody waits
                assert isinstance(await reader.failure(), DeadlineExceeded)

    play(main)


@both
@pytest.mark.parametrize("way", ["timeout", "deadline"])
def test_write_too_late(do: Do, certificate: Certificate, way: str) -> None:
    """Part of it is on its way. The next write fails, or the other side gets what was promised: never a broken record."""

    async def main() -> None:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:
            reading, writing = await two(do, certificate, listener)
            with reading, writing:
                if way == "deadline":
                    writing.set_write_deadline(now() + 0.05)
                with pytest.raises(DeadlineExceeded):
                    await do(writing, "write", b"a" * LOTS, **({"timeout": 0.05} if way == "timeout" else {}))
                writing.set_write_deadline(None)
                told: Chan[bytes] = Chan(1)

                async def reads() -> bytes:
                    got = bytearray()
                    while data := await do(reading, "read"):
                        got += data
                    return bytes(got)

                reader = Told(reads)
                try:
                    await do(writing, "write", b"b" * 1000)
                    told.send(b"b" * 1000)
                except OSError:
                    told.send(b"")
                writing.close()
                got, last = await reader.wait(), await told.arecv()
                assert got.rstrip(b"b").strip(b"a") == b""
                assert not last or got.endswith(b"a" + last)

    play(main)
