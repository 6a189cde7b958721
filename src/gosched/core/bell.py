"""The bell of run(): the twin of bell.pyx."""

from __future__ import annotations

import _thread
import contextlib


class Bell:
    """Rung by anybody, in a signal handler and in a finaliser, too: not with a lock that a thread may hold. Heard by one."""

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._lock.acquire()

    def ring(self) -> None:
        with contextlib.suppress(RuntimeError):  # rung already
            self._lock.release()

    def listen(self, seconds: float) -> bool:
        """Whether it was rung within so many seconds."""
        return self._lock.acquire(timeout=seconds)
