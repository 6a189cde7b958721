"""The examples, each in a process of its own: what they print, word for word. Of the servers, the chat and HTTP are in test_net_examples.py."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from . import test_net_examples as servers

EXAMPLES, PATIENCE = servers.EXAMPLES, servers.PATIENCE
STRICT = {**os.environ, "PYTHONWARNINGS": "error"}
SERVERS = {f"{name}{spelling}.py" for name in ("chat", "echo_server", "http_server") for spelling in ("", "_plain")} | {"service.py"}
ELSEWHERE = {"lab_sweep.py", "lost_update.py"}  # tests/lab/test_report.py, tests/testing/test_explore.py
served = servers.served

# A command, and what it prints.
PRINTED = {
    "crawler.py": """\
/ links to /cats /dogs
/cats links to / /cats/tom
/cats/tom links to /dogs/rex
/dogs links to /cats /dogs/rex /fish
/dogs/rex links to /
/fish is a dead link
""",
    "dining_philosophers.py": """\
Aristotle has eaten 3 times
Kant has eaten 3 times
Spinoza has eaten 3 times
Marx has eaten 3 times
Russell has eaten 3 times
""",
    "dining_philosophers.py --naive": """\
all goroutines are asleep - deadlock!
""",
    "mandelbrot.py 42": """\
        ..................................
      ................:::::-=+--:::.......
     .............:::::::--#%@%*-::::.....
    ...........::::::-*%+%%@@@@%#%==%-:...
   .......:::-::::--=%%@@@@@@@@@@@@%+-::..
  ..:::::::-=+%%@%*+%@@@@@@@@@@@@@@@@=-::.
  ::::----+#%@@@@@@@@@@@@@@@@@@@@@@@%-:::.
  ::::----+#%@@@@@@@@@@@@@@@@@@@@@@@%-:::.
  ..:::::::-=+%%@%*+%@@@@@@@@@@@@@@@@=-::.
   .......:::-::::--=%%@@@@@@@@@@@@%+-::..
    ...........::::::-*%+%%@@@@%#%==%-:...
     .............:::::::--#%@%*-::::.....
      ................:::::-=+--:::.......
        ..................................
""",
    "pipeline.py": """\
squares that read the same both ways: 1 4 9 121 484 676 10201 12321 14641 40804 44944 69696
stopped: numbers palindromes squares
""",
    "prime_sieve.py 10": """\
2 3 5 7 11 13 17 19 23 29
""",
    "pubsub.py": """\
Ann heard
    news: goroutines are cheap
    sport: five philosophers, one dinner
    sport: two to nil
Bob heard
    sport: five philosophers, one dinner
    sport: two to nil
Eve heard
    weather: channels stay dry
""",
    "quicksort.py 50000": """\
50000 numbers, in order: True
""",
    "rate_limiter.py": """\
at first: 0.0 0.0 0.0 0.2 0.4 0.6
after a pause: 1.9 1.9 1.9 2.0 2.2 2.4
""",
    "tour.py": """\
--- goroutines
world
hello
world
hello
world
hello
--- channels
-5 17 12
--- buffered channels
1 2
--- range and close
0 1 1 2 3 5 8 13 21 34
--- select
0 1 1 2 3 5 8 13 21 34
quit
--- default selection
tick
tick
tick
tick
BOOM!
--- equivalent binary trees
1 2 3 4 5 6 7 8 9 10
True False
--- mutex
1000
--- web crawler
found: https://golang.org/ 'The Go Programming Language'
found: https://golang.org/pkg/ 'Packages'
found: https://golang.org/pkg/fmt/ 'Package fmt'
found: https://golang.org/pkg/os/ 'Package os'
not found: https://golang.org/cmd/
""",
    "worker_pool.py": """\
100 workers, 1000 jobs: 122409
a group of 100, 1000 jobs: 122409
""",
}


def command(line: str) -> list[str]:
    program, *args = line.split()
    return [sys.executable, "-X", "dev", str(EXAMPLES / program), *args]


@pytest.mark.parametrize("line", PRINTED)
def test_prints(line: str) -> None:
    done = subprocess.run(command(line), env=STRICT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.stderr, done.stdout, done.returncode) == ("", PRINTED[line], 0)


@pytest.mark.parametrize(("line", "what"), [("quicksort.py 5000", "sorting"), ("mandelbrot.py 12", "drawing")])
def test_progress_on_a_terminal(line: str, what: str) -> None:
    """From the first part to the last, and a new line then."""
    terminal, end = os.openpty()
    with open(terminal, "rb", buffering=0) as screen:
        with open(end, "wb") as errors:
            subprocess.run(command(line), env=STRICT, stdout=subprocess.DEVNULL, stderr=errors, timeout=PATIENCE, check=True)
        shown = ""
        while not shown.endswith("\n"):  # in several parts, if the system likes; without any, an error
            part = screen.read(4096)
            assert part, shown
            shown += part.decode()
    percents = [int(percent) for percent in re.findall(rf"\r{what} +(\d+)%", shown)]
    assert len(percents) > 1
    assert percents == sorted(percents)
    assert shown.endswith(f"\r{what} 100%\r\n")
    assert re.sub(rf"\r{what} +\d+%", "", shown) == "\r\n"


@pytest.mark.parametrize("poller", ["epoll", servers.SELECTORS])
@pytest.mark.parametrize("program", ["echo_server.py", "echo_server_plain.py"])
def test_echo(served: servers.Served, program: str) -> None:
    """Nobody waits for another client, and half a connection is enough to be answered."""
    address = served(program)
    with socket.create_connection(address, PATIENCE) as first, socket.create_connection(address, PATIENCE) as second:
        for one, text in ((second, b"two"), (first, b"one"), (second, b"and again")):
            one.sendall(text)
            assert one.recv(len(text), socket.MSG_WAITALL) == text
        assert servers.ask(address, b"x" * 10_000, end=True) == b"x" * 10_000


def test_service_finishes_what_was_begun(tmp_path: Path) -> None:
    """SIGTERM in the middle of a request: no new connection, an idle one is hung up on, and the request gets its answer."""
    complaints = tmp_path / "stderr"
    with (
        complaints.open("w") as errors,
        subprocess.Popen(command("service.py 127.0.0.1:0"), env=STRICT, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            host, port = process.stdout.readline().removeprefix("listening on ").strip().split(":")
            address = host, int(port)
            with socket.create_connection(address, PATIENCE) as busy, socket.create_connection(address, PATIENCE) as idle:
                assert says(idle, b"1\n\n") == b"so far 1\nsum 1\n"
                assert says(busy, b"40\n") == b"so far 40\n"
                process.send_signal(signal.SIGTERM)
                assert process.stdout.readline() == "SIGTERM received: no more requests\n"
                assert idle.recv(1) == b""
                with pytest.raises(ConnectionRefusedError):
                    socket.create_connection(address, PATIENCE)
                assert says(busy, b"2\n\n") == b"so far 42\nsum 42\n"
                assert busy.recv(1) == b""
            assert process.stdout.read() == "all are answered\n"
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
    assert complaints.read_text() == ""


def says(sock: socket.socket, request: bytes) -> bytes:
    """As many lines as it was sent, as the service answers each."""
    sock.sendall(request)
    answer = b""
    while answer.count(b"\n") < request.count(b"\n"):
        part = sock.recv(100)
        assert part, answer
        answer += part
    return answer


def test_every_example_is_run_and_listed() -> None:
    programs = {path.name for path in EXAMPLES.glob("*.py")} - {"progress.py"}
    assert programs == {line.split()[0] for line in PRINTED} | SERVERS | ELSEWHERE
    rows = re.findall(r"^\| \[(\S+)\]\((\S+)\) \|.*`(.*)` \|$", (EXAMPLES / "README.md").read_text(), re.MULTILINE)
    assert {name for name, _, _ in rows} == programs
    for name, link, how in rows:
        assert name == link
        assert how in (EXAMPLES / name).read_text()  # as its docstring says it
