"""What the runtime asks of the interpreter, as far as Python itself can: the twin of interp.pyx."""

from __future__ import annotations

import ctypes
import sys
from types import FrameType
from typing import Any

from .callers import in_core, outside_frame


def raise_soon(error: type[BaseException] | None) -> bool:
    """Here who calls would be struck itself, and after it the runtime's own code: False, it is not done."""
    return False


def raise_in(ident: int, error: type[BaseException]) -> None:
    """On another thread: between two bytecodes, or when it comes back from a call. In 3.11 it may strike one that the other has just started, and
    that has not begun."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(error))


def innermost_frame() -> Any:
    """Of the code that this thread runs, outside the package."""
    return outside_frame()


def interrupts_core() -> bool:
    """Asked by a finaliser: what it came between is code of the runtime itself, which perhaps holds a lock."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__") == "threading":
        frame = frame.f_back
    return frame is not None and in_core(frame)


def switch_stack(stack: Any) -> None:
    """Goes on there. Returns when somebody goes on here."""
    stack.switch()


def unwind_stack(stack: Any) -> None:
    """Ends it, and comes back."""
    stack.throw()


def no_more_stacks() -> None:
    """This thread is done with them."""


shows_frames = False


def stop_soon(ident: int, stopped: Any) -> bool:
    """By any thread: that thread calls `stopped` at its next line. Python cannot switch on the tracing of another thread: False."""
    return False


def stop_no_more() -> None:
    """By the thread that was to stop."""


def stop_world() -> int:
    """Python cannot stop others: -1."""
    return -1


def start_world(before: int) -> None:
    """They were not stopped."""
