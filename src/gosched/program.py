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
from gosched.dump import dump
from gosched.errors import Canceled, DeadlockError, Goexit

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
        if isinstance(error, Goexit | Canceled):
            return
        if self.on_uncaught is not None and not isinstance(error, SystemExit):
            try:
                self.on_uncaught(g, error)
                return
            except BaseException as second:  # what the handler raises ends the program instead
                begin_outside(second, __file__)
                error = raised_while(error, second)
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

    def stuck(self, seconds: float) -> None:
        """A goroutine has kept its P so long, and perhaps the GIL: sysmon could do nothing about it before."""

    def thread_gone(self) -> None:
        self.changed()


def describe(g: Goroutine) -> str:
    origin = g.created_by
    return f"in goroutine {g.id} ({g.name})" + (f", created by {origin}" if origin else "")


def deadlock(sched: Scheduler) -> DeadlockError:
    """The report: who waits on what, since when and where, and where it was started."""
    if not sched.goroutines():
        return DeadlockError("no goroutines (main called Goexit) - deadlock!")
    return DeadlockError("all goroutines are asleep - deadlock!\n\n" + dump(sched, alone=True))


def begin_outside(error: BaseException, file: str) -> None:
    """The traceback does not begin with frames of that file of ours, which say nothing to who reads it."""
    while error.__traceback__ is not None and error.__traceback__.tb_frame.f_code.co_filename == file:
        error.__traceback__ = error.__traceback__.tb_next


def raised_while(first: BaseException, second: BaseException) -> BaseException:
    """The second, out of a handler of the first: as if raised in an `except` block."""
    last, seen = second, {id(first)}
    while last.__context__ is not None and id(last) not in seen:
        seen.add(id(last))
        last = last.__context__
    if id(last) not in seen:
        last.__context__ = first
    return second
