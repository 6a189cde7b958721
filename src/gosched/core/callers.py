"""What must be Python also in the compiled build: a look at who called us, the nearest frame outside the package; bytecode to be struck."""

from __future__ import annotations

import sys
from types import FrameType


def outside_frame() -> FrameType | None:
    frame: FrameType | None = sys._getframe().f_back
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "gosched":
        frame = frame.f_back
    return frame


def in_core(frame: FrameType) -> bool:
    """Of the runtime itself, which has frames in a pure build."""
    return str(frame.f_globals.get("__name__")).startswith("gosched.core.")


def absorb() -> None:
    """An asynchronous exception is on its way to this thread: it is raised as soon as this begins, for the caller to drop. Merely to take it back
    would leave the interpreter in alarm for good, before 3.13, and a traced thread of 3.11 in a loop without end."""
