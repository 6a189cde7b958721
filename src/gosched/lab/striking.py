"""Ctrl-C in virtual time, where one thread plays all the others: the signal's handler runs on it, between two bytecodes of whatever it does.

In code of a program's own it raises KeyboardInterrupt, as always. In code of the runtime, which may hold a lock or have a goroutine in its hand, an
exception would leave both as they are: there the program is told that it is over, and ends after the turn that it is in. A second one is not so
polite.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

from gosched.program import Program

# What the runtime itself calls, and what is written in Python.
CALLED = ("contextlib", "random", "threading")


@contextlib.contextmanager
def heeding_ctrl_c(program: Program) -> Iterator[None]:
    """Only where Python's own handler stands, and in the main thread, as no other may set one."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    told: list[KeyboardInterrupt] = []

    def struck(number: int, frame: FrameType | None) -> None:
        if told or not is_ours(frame):
            raise KeyboardInterrupt
        told.append(KeyboardInterrupt())
        if program.error is None:
            program.error = told[0]

    signal.signal(signal.SIGINT, struck)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for late in told:  # the program had ended by itself
        raise late


def is_ours(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_globals.get("__name__") in CALLED:
        frame = frame.f_back
    return frame is None or str(frame.f_globals.get("__name__")).partition(".")[0] == "gosched"
