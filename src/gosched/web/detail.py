"""One goroutine, for its panel: state, what it waits on, its stack with the source beside it, and where it was started."""

from __future__ import annotations

import linecache
from types import CodeType
from typing import Any

from gosched.core.frames import Shot, photograph
from gosched.core.g import line_of
from gosched.core.sched import Scheduler
from gosched.dump import Writer, function_name

from .waiting import Waiting

# Frames that are shown of either end of a deep stack, and letters of a line.
SHOWN = 30
WIDE = 160


def describe(sched: Scheduler, number: int, waiting: Waiting) -> dict[str, Any] | None:
    """None: there is no such goroutine, or no more."""
    found = [g for g in sched.goroutines() if g.id == number]
    shots = photograph(sched, found, sched.virtual) if found else []
    if not shots:
        return None
    shot, g = shots[0], found[0]
    writer = Writer()
    return {
        "id": number,
        "name": shot.name or function_name(shot.body),
        "state": shot.state,
        "waits": round(shot.waits, 1),
        "locked": shot.locked,
        "creator": shot.creator,
        "origin": None if shot.origin is None else place(writer, *shot.origin),
        "on": [[text, holder] for text, holder in waiting.on.get(number, [])][:20] if g.wait_reason else [],
        "stack": stack(writer, shot),
        "seen": shot.frames is not None or not shot.begun,
        "begun": shot.begun,
    }


def stack(writer: Writer, shot: Shot) -> list[dict[str, Any]]:
    frames = writer.user_frames(shot)
    if len(frames) > 2 * SHOWN:
        elided = {"function": f"… {len(frames) - 2 * SHOWN} frames left out …", "file": "", "line": 0, "source": ""}
        return [*(place(writer, *frame) for frame in frames[:SHOWN]), elided, *(place(writer, *frame) for frame in frames[-SHOWN:])]
    return [place(writer, *frame) for frame in frames]


def place(writer: Writer, code: CodeType, at: int) -> dict[str, Any]:
    line = line_of(code, at)
    source = linecache.getline(code.co_filename, line).strip()
    return {"function": writer.qualified(code), "file": code.co_filename, "line": line, "source": source[:WIDE]}
