"""A command at a terminal of its own: its size, its keys, and what it has printed so far."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from typing import Any

SECONDS = 60.0
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]")


class Terminal:
    def __init__(self, *args: str, width: int = 80, height: int = 24) -> None:
        self.master, self.slave = pty.openpty()
        self.resize(width, height)
        self.modes: list[Any] = termios.tcgetattr(self.slave)
        env = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES", "NO_COLOR")} | {
            "TERM": "xterm-256color",
            "PYTHONUTF8": "1",
        }
        command = [sys.executable, "-m", "gosched", *args]
        self.process = subprocess.Popen(command, stdin=self.slave, stdout=self.slave, stderr=self.slave, env=env)
        self.printed = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")()  # a read may end in the middle of a character

    def resize(self, width: int, height: int) -> None:
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("4H", height, width, 0, 0))

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def until(self, pattern: str) -> str:
        """Reads until that has been printed, which is then left behind."""
        deadline = time.monotonic() + SECONDS
        while not (match := re.search(pattern, ESCAPES.sub("", self.printed))):
            assert time.monotonic() < deadline, f"no {pattern!r} in {self.printed[-3000:]!r}"
            self._read(0.5)
        self.printed = ""
        return match.group()

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self.master], [], [], seconds)
        if ready:
            self.printed += self.decoder.decode(os.read(self.master, 1 << 16))
        return bool(ready)

    def end(self) -> int:
        """Its exit code. Reads on meanwhile: it may have more to print than a terminal keeps."""
        deadline = time.monotonic() + SECONDS
        while self.process.poll() is None:
            assert time.monotonic() < deadline, self.printed[-3000:]
            self._read(0.05)
        while self._read(0.0):
            pass
        return self.process.returncode

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)
