"""A thread that starts threads: Go's template thread.

What a goroutine that is locked to its thread did to it (signal mask, affinity, priority) would be inherited by every thread that is started from
there. So from the first lock on there is a thread that does nothing else, and starts what a locked one needs.
"""

from __future__ import annotations

import _thread
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

Order = tuple[Callable[..., None], tuple[Any, ...]]


class Template:
    def __init__(self) -> None:
        self._orders: SimpleQueue[Order | None] = SimpleQueue()
        self._first = _thread.allocate_lock()

    def prepare(self) -> None:
        """By a thread that nobody has changed yet."""
        if self._first.acquire(blocking=False):
            _thread.start_new_thread(self._serve, ())

    def order(self, start: Callable[..., None], *args: Any) -> None:
        self._orders.put((start, args))

    def close(self) -> None:
        if self._first.locked():
            self._orders.put(None)

    def _serve(self) -> None:
        while (order := self._orders.get()) is not None:
            start, args = order
            start(*args)
