"""SIGQUIT prints a goroutine dump and ends the process with 2, as in Go; `gosched dump PID` and `gosched top PID` are answered while the program
goes on.

The handlers stand while a run() lives in the main thread, and only where the default stood. They leave the work to a thread of its own: the main
thread may have been interrupted anywhere, with locks held that a dump needs, or in the middle of a print. Every command that asks has one: a
command that was stopped (Ctrl-Z) before it has read its answer keeps nobody else waiting.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

from gosched.core.sched import Scheduler
from gosched.dump import dump_all
from gosched.figures import figures_all
from gosched.system.asker import CALL, Question, called, reach
from gosched.system.schedtrace import write
from gosched.trace.record import alarm_all

Living = Callable[[], list[Scheduler]]

ANSWERS: dict[str, Callable[[list[Scheduler]], str]] = {"dump": dump_all, "stats": figures_all}


@contextlib.contextmanager
def answering(living: Living) -> Iterator[None]:
    """`living`: of what the dump is to tell."""
    handlers: dict[signal.Signals, Any] = {}
    if threading.current_thread() is threading.main_thread():
        with contextlib.suppress(ValueError):  # the main thread of another interpreter
            for number, act in ((signal.SIGQUIT, quit_with_dump), (CALL, answer_all)):
                if signal.getsignal(number) is signal.SIG_DFL:
                    handlers[number] = Handler(act, living)
                    signal.signal(number, handlers[number])
    try:
        yield
    finally:
        for number, handler in handlers.items():
            if signal.getsignal(number) is handler:
                signal.signal(number, signal.SIG_DFL)


class Handler:
    def __init__(self, act: Callable[[Living], None], living: Living) -> None:
        self.act = act
        self.living = living

    def __call__(self, *_: object) -> None:
        apart(self.act, self.living)


def apart(act: Callable[..., None], *args: Any) -> None:
    try:
        _thread.start_new_thread(act, args)
    except RuntimeError:  # no thread to be had
        act(*args)


def quit_with_dump(living: Living) -> None:
    """Below `sys.stderr`, whose lock another thread may hold."""
    try:
        write(2, f"SIGQUIT: quit\n\n{dump_all(living())}\n".encode())
        alarm_all("sigquit")
    finally:
        os._exit(2)


def answer_all(living: Living) -> None:
    for question in called():
        apart(answer, question, living)


def answer(question: Question, living: Living) -> None:
    connection = reach(question)
    if connection is not None:
        with connection, contextlib.suppress(OSError):  # who asked has left
            connection.sendall(f"{ANSWERS[question.kind](living())}\n".encode())
