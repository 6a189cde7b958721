"""What the tests of the page share: a program with a page, and how to ask it things as a browser, or as somebody else."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the live page's extra is not installed: pip install 'gosched[web]'")
pytest.importorskip("uvicorn", reason="the live page's extra is not installed: pip install 'gosched[web]'")


class Page:
    """A program in a process of its own, and the address that it has printed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http://(\S+?):(\d+)/\?token=(\S+)", line)
        assert found, line + process.stderr.read()
        self.url = found[0]
        self.host, self.port, self.token = found[1], int(found[2]), found[3]

    @property
    def name(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def cookie(self) -> dict[str, str]:
        return {"Cookie": f"gosched_view_{self.port}={self.token}"}

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.host, self.port, timeout=30)

    def ask(self, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> tuple[int, dict[str, str], str]:
        """With the cookie, unless `Cookie` says otherwise."""
        connection = self.connect()
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, {**self.cookie, **given})
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode()
        finally:
            connection.close()

    def stream(self) -> Iterator[tuple[str, Any]]:
        """What a page is told, until it ends."""
        connection = self.connect()
        try:
            connection.request("GET", "/stream", headers=self.cookie)
            answer = connection.getresponse()
            assert answer.status == 200
            kind = ""
            while line := answer.readline().decode():
                if line.startswith("event: "):
                    kind = line[7:].strip()
                elif line.startswith("data: "):
                    yield kind, json.loads(line[6:])
        finally:
            connection.close()

    def settle(self, waiting: int) -> None:
        """Until so many goroutines wait, and main is in its call."""
        for kind, data in self.stream():
            if kind == "frame" and data["counts"] == {"w": waiting, "s": 1}:
                return

    def say(self, text: str) -> None:
        """To the program, which may wait for a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def end(self) -> str:
        """What the program wrote to stderr until its end, after the address."""
        return self.process.communicate("\n", timeout=60)[1]


Serve = Callable[..., Page]

# Ends when a line comes: a goroutine waits for it in a blocking call, marked.
QUIET = """
    import sys, gosched

    async def waits(ch):
        await ch.arecv()

    async def main():
        ch = gosched.Chan(3)
        for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 5):
            gosched.go(waits, ch)
        gosched.blocking(sys.stdin.readline)

    gosched.run(main, gomaxprocs=2, view=True)
"""


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    with serving(tmp_path) as start:
        yield start


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Serve]:
    """Starts programs with a page, and ends what the tests have left."""
    pages: list[Page] = []

    def start(text: str = QUIET, *args: str, command: tuple[str, ...] = ()) -> Page:
        path = folder / "program.py"
        path.write_text(textwrap.dedent(text))
        process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", *command, str(path), *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            pages.append(Page(process))
        except BaseException:
            process.kill()
            process.communicate()
            raise
        return pages[-1]

    try:
        yield start
    finally:
        for page in pages:
            page.process.kill()
            page.process.communicate()
