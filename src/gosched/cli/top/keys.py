"""The keyboard, a key at a time and without an echo, while the screen is up; and a bell by which another thread ends the wait for a key."""

from __future__ import annotations

import os
import select
import termios
import tty
from types import TracebackType
from typing import Any


class Keys:
    """Waits for a key at a terminal. Where `fd` is none there are no keys, and the wait is only for the bell."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.terminal = os.isatty(fd)
        self._bell_in, self._bell = os.pipe()
        os.set_blocking(self._bell, False)
        self._before: list[Any] = []

    def __enter__(self) -> Keys:
        if self.terminal:
            self._before = termios.tcgetattr(self.fd)
            tty.setcbreak(self.fd, termios.TCSANOW)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if self.terminal:
            termios.tcsetattr(self.fd, termios.TCSADRAIN, self._before)
        bell, self._bell = self._bell, -1  # first: another file may get the number, and somebody may still ring
        os.close(bell)
        os.close(self._bell_in)

    def ring(self) -> None:
        """By any thread. A full pipe has been rung often enough; a closed one has no one to hear."""
        try:
            os.write(self._bell, b".")
        except OSError:
            pass

    def wait(self, seconds: float) -> str:
        """The keys that were pressed, none if the time is over or the bell rang."""
        watched = [self.fd, self._bell_in] if self.terminal else [self._bell_in]
        ready, _, _ = select.select(watched, [], [], max(0.0, seconds))
        if self._bell_in in ready:
            os.read(self._bell_in, 4096)
        if self.fd not in ready:
            return ""
        pressed = os.read(self.fd, 64)
        if not pressed:  # the terminal is gone
            self.terminal = False
        return pressed.decode(errors="replace")
