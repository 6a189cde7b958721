"""A program on a scheduler, whatever plays its threads: main, its result, and every way in which it can end.

The scheduler reports here (failed, all_asleep, all_gone, fatal, thread_gone), from any thread; `changed` is what a subclass does to wake whoever
waits for the end. The first fatal error wins, and with it the end of the others begins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gosched.core.ending import begin_ending
from gosched.core.g import Goroutine, Watcher
from gosched.core.sched import Scheduler
from gosched.core.states import RETURNED
from gosched.errors import DeadlockError, Goexit

OnUncaught = Callable[[Goroutine, BaseException], object]


class Main(Watcher):
    """Waits for one main goroutine's result. If `ends`, the program is over with it, before another goroutine gets a turn."""

    def __init__(self, program: Program, ends: bool) -> None:
        self.program = program
        self.ends = ends
        self.done = False
        self.left = False
        self.value: Any = None
        self.error: BaseException | None = None

    def goroutine_done(self, g: Goroutine, outcome: int, value: Any) -> None:
        if outcome == RETURNED:
            self.value = value
        elif isinstance(value, Goexit):
            self.left = True
        else:
            self.error = value
        self.done = not self.left
        if self.done and self.ends:
            begin_ending(self.program.sched)
        self.program.changed()


class Program:
    sched: Scheduler

    def __init__(self, on_uncaught: OnUncaught | None) -> None:
        self.on_uncaught = on_uncaught
        self.error: BaseException | None = None
        self.asleep = False
        self.gone = False

    def changed(self) -> None:
        raise NotImplementedError

    def failed(self, g: Goroutine, error: BaseException) -> None:
        """An exception left a goroutine that nobody watches."""
        if isinstance(error, Goexit):
            return
        if self.on_uncaught is not None and not isinstance(error, SystemExit):
            try:
                self.on_uncaught(g, error)
                return
            except BaseException as second:  # what the handler raises ends the program instead
                error = second
        error.add_note(describe(g))
        self.fatal(error)

    def fatal(self, error: BaseException) -> None:
        if self.error is None:
            self.error = error
        begin_ending(self.sched)
        self.changed()

    def all_asleep(self) -> None:
        self.asleep = True
        self.changed()

    def all_gone(self) -> None:
        self.gone = True
        self.changed()

    def thread_gone(self) -> None:
        self.changed()


def describe(g: Goroutine) -> str:
    origin = g.created_by
    return f"in goroutine {g.id} ({g.name})" + (f", created by {origin}" if origin else "")


def deadlock(sched: Scheduler) -> DeadlockError:
    """The report: who waits on what, and where it was started."""
    goroutines = sched.goroutines()
    if not goroutines:
        return DeadlockError("no goroutines (main called Goexit) - deadlock!")
    lines = ["all goroutines are asleep - deadlock!"]
    for g in goroutines:
        lines += ["", f"goroutine {g.id} [{g.wait_reason or g.state}]:", f"    {g.name}"]
        if g.created_by:
            lines.append(f"created by {g.created_by}")
    return DeadlockError("\n".join(lines))
