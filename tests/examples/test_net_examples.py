"""The servers among the examples, each in a process of its own, with clients as users have them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PATIENCE = 60.0

Served = Callable[[str], tuple[str, int]]
curls = pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl command to ask with")
chats = pytest.mark.parametrize("program", ["chat.py", "chat_plain.py"])
webs = pytest.mark.parametrize("program", ["http_server.py", "http_server_plain.py"])
SELECTORS = "selectors"
pytestmark = [pytest.mark.slow, pytest.mark.parametrize("poller", ["epoll", SELECTORS])]


@pytest.fixture
def served(poller: str, tmp_path: Path) -> Iterator[Served]:
    """Starts one of the examples; says where it listens. Afterwards it must still run, and have nothing to complain about."""
    processes: list[subprocess.Popen[str]] = []
    complaints = tmp_path / "stderr"

    def start(program: str) -> tuple[str, int]:
        if program.startswith("http"):
            pytest.importorskip("h11", reason="h11 is not installed")
        with complaints.open("w") as errors:
            process = subprocess.Popen(
                [sys.executable, "-X", "dev", str(EXAMPLES / program), "127.0.0.1:0"],
                env={**os.environ, "GOSCHED_POLLER": poller, "PYTHONWARNINGS": "default"},
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        processes.append(process)
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("listening on "), complaints.read_text()
        host, _, port = line.removeprefix("listening on ").strip().rpartition(":")
        return host, int(port)

    yield start
    for process in processes:
        ended = process.poll()
        process.kill()
        process.communicate()
        assert ended is None, complaints.read_text()
        assert complaints.read_text() == ""


class Talker:
    """A client of the chat: lines in, lines out."""

    def __init__(self, stack: ExitStack, address: tuple[str, int], name: str, small: bool = False) -> None:
        self.sock = stack.enter_context(socket.socket())
        self.sock.settimeout(PATIENCE)
        if small:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.sock.connect(address)
        self.lines: IO[bytes] = stack.enter_context(self.sock.makefile("rb"))
        assert self.hears() == "Your name?"
        self.says(name)
        self.name = name

    def says(self, line: str) -> None:
        self.sock.sendall(f"{line}\n".encode())

    def hears(self) -> str:
        return self.lines.readline().decode().rstrip("\n")

    def hears_until(self, line: str) -> None:
        while (heard := self.hears()) != line:
            assert heard, f"the end came before {line!r}"


@chats
def test_chat(served: Served, program: str) -> None:
    address = served(program)
    with ExitStack() as stack:
        ann = Talker(stack, address, "Ann")
        assert ann.hears() == "* Ann has joined, 0 were here"
        bob = Talker(stack, address, "Bob")
        for one in (ann, bob):
            assert one.hears() == "* Bob has joined, 1 were here"
        ann.says("hello")
        for one in (ann, bob):
            assert one.hears() == "Ann: hello"
        bob.says("grüß dich")
        for one in (ann, bob):
            assert one.hears() == "Bob: grüß dich"
        bob.sock.shutdown(socket.SHUT_RDWR)
        assert ann.hears() == "* Bob has left"
        ann.says("x" * 5000)  # no line of a person
        assert ann.hears() == ""


@chats
def test_a_slow_client_keeps_nobody_waiting(served: Served, program: str) -> None:
    """It takes nothing, and is dropped when too much waits for it."""
    address = served(program)
    with ExitStack() as stack:
        slow = Talker(stack, address, "slow", small=True)
        slow.hears_until("* slow has joined, 0 were here")
        ann = Talker(stack, address, "Ann")
        ann.hears_until("* Ann has joined, 1 were here")
        text = "y" * 1000
        said = 0
        while said < 20_000:
            ann.says(text)
            said += 1
            if (heard := ann.hears()) == "* slow has left":
                break
            assert heard == f"Ann: {text}"
        assert 64 < said < 20_000, "the slow client was never dropped"
        assert slow.sock.fileno() >= 0
        bob = Talker(stack, address, "Bob")
        bob.hears_until("* Bob has joined, 1 were here")


@chats
def test_a_crowd(served: Served, program: str) -> None:
    """Everybody hears everybody."""
    address, n = served(program), 10
    with ExitStack() as stack:
        crowd: list[Talker] = []
        for i in range(n):
            crowd.append(Talker(stack, address, f"talker{i}"))
            crowd[-1].hears_until(f"* talker{i} has joined, {i} were here")
        for one in crowd:
            one.says("here")
        for one in crowd:
            heard: set[str] = set()
            while len(heard) < n:
                line = one.hears()
                assert line
                if line.endswith(": here"):
                    heard.add(line)


def curl(*args: str) -> str:
    done = subprocess.run(["curl", "-sS", "--noproxy", "*", "--max-time", "60", *args], capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@webs
@curls
def test_http(served: Served, program: str) -> None:
    host, port = served(program)
    url = f"http://{host}:{port}"
    assert curl(f"{url}/") == "Hello from a goroutine.\n"
    assert curl("-w", "%{http_code}", "-o", os.devnull, f"{url}/about?who=me") == "200"
    assert curl("-w", "%{http_code}", f"{url}/nowhere") == "There is nothing at /nowhere\n404"
    assert curl("-w", "%{http_code}", "-X", "DELETE", f"{url}/") == "Only GET here.\n405"
    assert curl("-d", "some words", f"{url}/echo") == "some words"


@webs
@curls
def test_http_stays_connected(served: Served, program: str) -> None:
    host, port = served(program)
    url = f"http://{host}:{port}"
    both = curl("-w", "%{num_connects} %{http_code}\n", f"{url}/", f"{url}/about")
    assert both == "Hello from a goroutine.\n1 200\ngosched, h11, and nothing else.\n0 200\n"
    closed = curl("-H", "Connection: close", "-w", "%{num_connects}\n", f"{url}/", f"{url}/")
    assert closed == "Hello from a goroutine.\n1\n" * 2


@webs
@curls
def test_http_bodies(served: Served, program: str, tmp_path: Path) -> None:
    """Large, in chunks, after 100-continue, too large."""
    host, port = served(program)
    url = f"http://{host}:{port}/echo"
    body = "".join(f"{i}\n" for i in range(100_000))
    path = tmp_path / "body"
    path.write_text(body)
    assert curl("--data-binary", f"@{path}", url) == body
    assert curl("--data-binary", f"@{path}", "-H", "Transfer-Encoding: chunked", url) == body
    assert curl("--data-binary", f"@{path}", "-H", "Expect: 100-continue", url) == body
    path.write_text(body * 2)
    answer = subprocess.run(
        ["curl", "-sS", "--noproxy", "*", "--max-time", "60", "-w", "%{http_code}", "-o", os.devnull, "--data-binary", f"@{path}", url],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert answer.stdout in ("413", "000")  # 000: it was still sending when it was hung up on
    assert curl(f"http://{host}:{port}/") == "Hello from a goroutine.\n"


@webs
def test_http_bad_requests(served: Served, program: str) -> None:
    """400, and an end of that connection; a client that hangs up in the middle; others are served on."""
    address = served(program)
    for nonsense in (
        b"what is this\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    ):
        assert ask(address, nonsense).startswith(b"HTTP/1.1 400 "), nonsense
    ask(address, b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nnot all of it", end=True)
    ask(address, b"GET / HT", end=True)
    two = b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /about HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"  # the second before the first is answered
    answer = ask(address, two)
    assert answer.count(b"HTTP/1.1 200 ") == 2
    assert answer.endswith(b"nothing else.\n")


def ask(address: tuple[str, int], request: bytes, end: bool = False) -> bytes:
    """All that is answered."""
    with socket.create_connection(address, PATIENCE) as sock:
        sock.sendall(request)
        if end:
            sock.shutdown(socket.SHUT_WR)
        parts = []
        while part := sock.recv(65_536):
            parts.append(part)
        return b"".join(parts)
