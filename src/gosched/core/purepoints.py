"""Where the explorer comes in: every method of the pure native that touches a shared word passes a point first. And which M a thread is."""

from __future__ import annotations

import threading
from typing import Any, Protocol


class Explorer(Protocol):
    """Decides who goes on at every shared word."""

    def point(self) -> None: ...
    def wait(self, ready: Any, timed: bool) -> bool: ...
    def local(self) -> Any: ...


explorer: Explorer | None = None


def point() -> None:
    if explorer is not None:
        explorer.point()


_thread = threading.local()


def current_m() -> Any:
    return getattr(_thread if explorer is None else explorer.local(), "m", None)


def set_current_m(m: Any) -> None:
    """Makes m this thread's M; the caller keeps m alive as long as it is set."""
    (_thread if explorer is None else explorer.local()).m = m
