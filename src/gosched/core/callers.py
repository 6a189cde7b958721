"""Who called us: the nearest Python frame outside the package."""

from __future__ import annotations

import sys
from types import FrameType


def outside_frame() -> FrameType | None:
    frame: FrameType | None = sys._getframe().f_back
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "gosched":
        frame = frame.f_back
    return frame
