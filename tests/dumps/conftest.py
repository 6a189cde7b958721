"""Programs whose dump is asked for from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gosched.system import asker

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a program and waits for its first line: it is up."""
    started: list[subprocess.Popen[str]] = []

    def begin(text: str, *args: str, **env: str) -> subprocess.Popen[str]:
        path = tmp_path / "program.py"
        path.write_text("import signal\n" + textwrap.dedent(text))
        command = [sys.executable, str(path), *args]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **env})
        started.append(process)
        assert process.stdout is not None
        line = b""  # not by the stream: what it has read ahead, communicate() would not find
        while (byte := os.read(process.stdout.fileno(), 1)) not in (b"", b"\n"):
            line += byte
        assert line == b"up"
        return process

    yield begin
    for process in started:
        process.send_signal(signal.SIGKILL)
        process.communicate()


@pytest.fixture
def asked() -> Callable[[int], subprocess.CompletedProcess[str]]:
    """`gosched dump PID`."""

    def ask(pid: int) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "gosched", "dump", str(pid)], capture_output=True, text=True, timeout=60, check=False)

    return ask


@pytest.fixture
def ended() -> int:
    """The number of a process that is no more."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return child


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where nobody else asks."""
    monkeypatch.setattr(asker, "PLACE", str(tmp_path))
    return tmp_path
