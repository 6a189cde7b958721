"""TLS: both sides ours, one side the openssl command, and peers that do not speak it."""

from __future__ import annotations

import ssl
import subprocess
from typing import Any

import pytest

import gosched
from gosched import DeadlineExceeded, WaitGroup, blocking, go, net, now, run

from .peers import PATIENCE, Certificate, Do, Told, both, names_both, pair, play, raw, serve, take_all, two

pytestmark = pytest.mark.usefixtures("poller")
BIG = 4_000_000


def pattern(n: int, step: int) -> bytes:
    """n bytes that show if some of them are lost or change places."""
    return b"".join(b"%08x" % (i * step & 0xFFFF_FFFF) for i in range(n // 8))


# ---- the handshake ----


@both
@pytest.mark.parametrize("procs", [1, 2])
def test_echo(do: Do, certificate: Certificate, procs: int) -> None:
    async def main() -> Any:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:
            go(serve, do, listener)
            with await do(net, "dial", str(listener.address), ssl=certificate.client()) as conn:
                assert conn.tls.version() == "TLSv1.3"
                assert "TLS" in repr(conn)
                for word in (b"hello", b"x" * 100_000):
                    await do(conn, "write", word)
                    assert await do(conn, "read_exactly", len(word)) == word
                return conn.tls.getpeercert()

    assert ("DNS", "localhost") in play(main, procs=procs)["subjectAltName"]


def test_plain_goroutines(certificate: Certificate) -> None:
    """No coroutine anywhere."""

    def answer(conn: net.Conn) -> None:
        with conn:
            while line := conn.read_line():
                conn.write(line.upper())

    def accepts(listener: net.Listener) -> None:
        for conn in listener:
            go(answer, conn)

    def main() -> bytes:
        with net.listen("localhost:0", ssl=certificate.server()) as listener:
            go(accepts, listener)
            with net.dial(str(listener.address), ssl=certificate.client(), server_hostname="localhost", timeout=PATIENCE) as conn:
                conn.write(b"hello\n", timeout=PATIENCE)
                return conn.read_line(timeout=PATIENCE)

    assert run(main) == b"HELLO\n"


@both
def test_unix(do: Do, certificate: Certificate, tmp_path: Any) -> None:
    async def main() -> Any:
        with net.listen(f"unix:{tmp_path}/s", ssl=certificate.server()) as listener:
            go(serve, do, listener)
            with await do(net, "dial", f"unix:{tmp_path}/s", ssl=certificate.client(), server_hostname="localhost") as conn:
                await do(conn, "write", b"hello")
                return await do(conn, "read_exactly", 5)

    assert play(main) == b"hello"


@both
@pytest.mark.parametrize("procs", [1, 2])
def test_silent_clients_keep_nobody_waiting(do: Do, certificate: Certificate, procs: int) -> None:
    """The handshake is the affair of the goroutine that reads first, not of the one that accepts."""

    async def main() -> None:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:
            silent = [raw(listener.address) for _ in range(5)]
            go(serve, do, listener)
            with await do(net, "dial", str(listener.address), ssl=certificate.client()) as conn:
                await do(conn, "write", b"hello")
                assert await do(conn, "read_exactly", 5) == b"hello"
            for sock in silent:
                sock.close()

    play(main, procs=procs)


@both
def test_client_without_trust(do: Do, certificate: Certificate) -> None:
    async def main() -> None:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:

            async def reads() -> Any:
                with await do(listener, "accept") as conn:
                    return await do(conn, "read")

            server = Told(reads)
            with pytest.raises(ssl.SSLCertVerificationError):
                await do(net, "dial", str(listener.address), ssl=ssl.create_default_context())
            assert isinstance(await server.failure(), ssl.SSLError | ConnectionError)

    play(main)


@both
def test_wrong_hostname(do: Do, certificate: Certificate) -> None:
    async def main() -> None:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:
            go(serve, do, listener)
            with pytest.raises(ssl.SSLCertVerificationError, match="example"):
                await do(net, "dial", str(listener.address), ssl=certificate.client(), server_hostname="example.org")
            with await do(net, "dial", str(listener.address), ssl=certificate.client(), server_hostname="localhost") as conn:
                await do(conn, "write", b"x")
                assert await do(conn, "read") == b"x"

    play(main)


@both
def test_plain_text_client(do: Do, certificate: Certificate) -> None:
    async def main() -> None:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:
            conn, peer = await pair(do, listener)
            with conn, peer:
                peer.sendall(b"GET / HTTP/1.0\r\n\r\n")
                with pytest.raises(ssl.SSLError):
                    await do(conn, "read")
                with pytest.raises(ssl.SSLError):
                    await do(conn, "write", b"x")
                conn.close()
                with pytest.raises(net.ClosedError):
                    await do(conn, "read")
                blocking(take_all, peer)  # to the end: nobody hangs

    play(main)


@both
def test_plain_text_server(do: Do, certificate: Certificate) -> None:
    """One that greets, one that hangs up, one that resets."""

    async def main() -> None:
        with net.listen("127.0.0.1:0") as listener:

            async def greets() -> None:
                with await do(listener, "accept") as conn:
                    await do(conn, "write", b"220 mail.example ESMTP\r\n")
                    await do(conn, "read")

            go(greets)
            with pytest.raises(ssl.SSLError):
                await do(net, "dial", str(listener.address), ssl=certificate.client())

            async def hangs_up() -> None:
                (await do(listener, "accept")).close()

            go(hangs_up)
            with pytest.raises((ssl.SSLError, ConnectionError)):
                await do(net, "dial", str(listener.address), ssl=certificate.client())

    play(main)


@both
def test_deadlines_of_a_handshake(do: Do, certificate: Certificate) -> None:
    async def main() -> None:
        with net.listen("127.0.0.1:0") as listener, net.listen("127.0.0.1:0", ssl=certificate.server()) as secure:
            with pytest.raises(DeadlineExceeded):  # nobody answers: the kernel has connected it
                await do(net, "dial", str(listener.address), ssl=certificate.client(), timeout=0.05)
            with await do(listener, "accept"):
                pass
            conn, peer = await pair(do, secure)
            with conn, peer:
                with pytest.raises(DeadlineExceeded):
                    await do(conn, "read", timeout=0.05)
                with pytest.raises(DeadlineExceeded):
                    await do(conn, "handshake", timeout=0.05)
                conn.set_deadline(now() + 0.05)
                with pytest.raises(DeadlineExceeded) as error:
                    await do(conn, "read")
                assert names_both(error.value, conn)
                conn.set_deadline(None)

                def client() -> bytes:
                    with certificate.client().wrap_socket(peer, server_hostname="localhost") as sock:
                        sock.sendall(b"late")
                        return sock.recv(10)

                late = Told(calls, client)
                assert await do(conn, "read") == b"late"
                await do(conn, "write", b"but well")
                assert await late.wait() == b"but well"

    play(main)


async def calls(fn: Any, *args: Any) -> Any:
    return blocking(fn, *args)


# ---- data ----


@pytest.mark.slow
@both
@pytest.mark.parametrize("procs", [1, 2])
def test_much_both_ways_at_once(do: Do, certificate: Certificate, procs: int) -> None:
    """On each side one goroutine reads and another writes."""
    there, back = pattern(BIG, 7), pattern(BIG, 13)

    async def main() -> None:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:
            ours, theirs = await two(do, certificate, listener)
            with ours, theirs:

                async def reads(conn: net.Conn) -> bytes:
                    got = bytearray()
                    while len(got) < BIG:
                        data = await do(conn, "read")
                        assert data, "the end came too early"
                        got += data
                    return bytes(got)

                writers = [Told(do, ours, "write", there), Told(do, theirs, "write", back)]
                readers = [Told(reads, ours), Told(reads, theirs)]
                assert await readers[0].wait() == back
                assert await readers[1].wait() == there
                for writer in writers:
                    await writer.wait()

    play(main, procs=procs)


@both
def test_many_writers(do: Do, certificate: Certificate) -> None:
    """They take turns: what each writes comes in one piece."""
    writers, lines = 5, 40

    async def main() -> None:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:
            ours, theirs = await two(do, certificate, listener)
            with ours, theirs:
                wg = WaitGroup()

                async def writes(i: int) -> None:
                    for j in range(lines):
                        await do(ours, "write", b"%d:%d:" % (i, j) + bytes([65 + i]) * 20_000 + b"\n")

                for i in range(writers):
                    wg.go(writes, i)
                seen: dict[int, int] = dict.fromkeys(range(writers), 0)
                for _ in range(writers * lines):
                    who, number, letters = (await do(theirs, "read_line")).rstrip().split(b":")
                    assert int(number) == seen[int(who)]
                    assert letters == bytes([65 + int(who)]) * 20_000
                    seen[int(who)] += 1
                await wg

    play(main)


@both
def test_many_readers(do: Do, certificate: Certificate) -> None:
    """They take turns as well: each gets whole records."""

    async def main() -> None:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:
            ours, theirs = await two(do, certificate, listener)
            with ours, theirs:
                readers = [Told(do, theirs, "read_exactly", 1000) for _ in range(10)]
                for i in range(10):
                    await do(ours, "write", bytes([i]) * 1000)
                got = [await reader.wait() for reader in readers]
                assert sorted(got) == [bytes([i]) * 1000 for i in range(10)]

    play(main)


@both
def test_buffered_reads(do: Do, certificate: Certificate) -> None:
    async def main() -> None:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:
            ours, theirs = await two(do, certificate, listener)
            with ours, theirs:
                await do(ours, "write", b"first\nsecond\nabcdefghij" + b"k" * 200)
                assert await do(theirs, "read_line") == b"first\n"
                assert await do(theirs, "read", 3) == b"sec"
                assert await do(theirs, "read_line") == b"ond\n"
                assert await do(theirs, "read_exactly", 10) == b"abcdefghij"
                assert await do(theirs, "read_exactly", 0) == b""
                with pytest.raises(ValueError, match="100"):
                    await do(theirs, "read_line", 100)
                ours.close()
                with pytest.raises(EOFError):
                    await do(theirs, "read_exactly", 201)
                assert await do(theirs, "read_line") == b"k" * 200
                assert await do(theirs, "read_line") == b""
                assert await do(theirs, "read") == b""
                assert await do(theirs, "read") == b""

    play(main)


# ---- the openssl command ----


@both
def test_openssl_client(do: Do, certificate: Certificate) -> None:
    async def main() -> subprocess.CompletedProcess[bytes]:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:

            async def answers() -> None:
                with await do(listener, "accept") as conn:
                    await do(conn, "write", (await do(conn, "read_line")).upper())

            server = Told(answers)
            command = ["openssl", "s_client", "-connect", str(listener.address), "-CAfile", str(certificate.cert), "-verify_return_error", "-quiet"]
            done = blocking(subprocess.run, command, input=b"hello\n", capture_output=True, timeout=PATIENCE, check=False)
            await server.wait()
            return done

    done: subprocess.CompletedProcess[bytes] = play(main)
    assert done.stdout == b"HELLO\n", done.stderr
    assert done.returncode == 0


@both
@pytest.mark.parametrize("version", ["-tls1_2", "-tls1_3"])
def test_openssl_server(do: Do, certificate: Certificate, version: str) -> None:
    """It sends every line back to front."""
    command = ["openssl", "s_server", version, "-accept", "127.0.0.1:0", "-cert", str(certificate.cert), "-key", str(certificate.key), "-rev"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL) as server:
        assert server.stdout is not None
        try:
            address = next(line.split()[1].decode() for line in server.stdout if line.startswith(b"ACCEPT"))

            async def main() -> list[bytes]:
                with await do(net, "dial", address, ssl=certificate.client(), timeout=PATIENCE) as conn:
                    await do(conn, "write", b"hello\n")
                    first = await do(conn, "read_line")
                    await do(conn, "write", b"once more\n")
                    return [first, await do(conn, "read_line")]

            assert play(main) == [b"olleh\n", b"erom ecno\n"]
        finally:
            server.kill()


def test_bad_arguments(certificate: Certificate) -> None:
    def main() -> None:
        with pytest.raises(TypeError, match="SSLContext"):
            net.listen("127.0.0.1:0", ssl=True)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="SSLContext"):
            net.dial("127.0.0.1:1", ssl="yes")  # type: ignore[arg-type]

    gosched.run(main)
