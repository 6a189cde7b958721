"""Who called us: the nearest Python frame outside the package."""

from __future__ import annotations

import sys
from types import CodeType, FrameType


def outside_frame() -> FrameType | None:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "gosched":
        frame = frame.f_back
    return frame


def outside_code() -> CodeType | None:
    frame = outside_frame()
    return None if frame is None else frame.f_code


def outside_lasti() -> int:
    frame = outside_frame()
    return -1 if frame is None else frame.f_lasti
