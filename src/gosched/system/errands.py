"""What goroutines let the thread in run() do for them: there are things that only the main thread may do, and no goroutine runs there."""

from __future__ import annotations

import _thread
from collections import deque
from collections.abc import Callable
from types import TracebackType

from .handlers import HANDLERS, in_main_thread


class Errand:
    def __init__(self, fn: Callable[[], object]) -> None:
        self.fn = fn
        self.error: BaseException | None = None
        self.done = False
        self.over = _thread.allocate_lock()
        self.over.acquire()

    def run(self) -> None:
        """A signal's handler may raise in here, and that is not the errand's error."""
        try:
            self.fn()
            self.done = True
        except Exception as error:
            self.error = error
        self.end()

    def end(self) -> None:
        """Who waits goes on. Twice is once."""
        if self.over.locked():
            self.over.release()


class Errands:
    """Open while a thread waits in run() and looks here whenever it is rung for: `with errands:`, and `serve` in its loop."""

    def __init__(self, ring: Callable[[], None]) -> None:
        self.ring = ring
        self.lock = _thread.allocate_lock()
        self.waiting: deque[Errand] = deque()
        self.open = False
        self.elsewhere = False
        """run() was called, but not by the main thread."""

    def __enter__(self) -> None:
        with self.lock:
            self.open = in_main_thread()
            self.elsewhere = not self.open
        if self.open:
            HANDLERS.settle()  # what was stopped while nobody served

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.shut()

    def shut(self) -> None:
        """From here on nobody is there; who waits learns it."""
        with self.lock:
            self.open = False
        while self.waiting:
            self.waiting.popleft().end()

    def do(self, fn: Callable[[], object]) -> bool:
        """By a goroutine: the main thread calls fn, and its exception is raised here. False: nobody is there to do it."""
        errand = Errand(fn)
        with self.lock:
            if not self.open:
                return False
            self.waiting.append(errand)
        self.ring()
        errand.over.acquire()
        if errand.error is not None:
            raise errand.error
        return errand.done

    def serve(self) -> None:
        """Where a handler raises in between, the errand is still there for `shut`."""
        while self.waiting:
            self.waiting[0].run()
            self.waiting.popleft()
