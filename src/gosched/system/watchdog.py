"""GOSCHED_DEBUG=blocking: names the goroutine that keeps its P for a slice without entering the runtime, and shows where.

Once per place. Sysmon reports from its own thread, so the stack is that of another thread at this very moment: on a free-threaded build the
interpreter stops all threads to take it.
"""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gosched.core.m import M

_reported: set[tuple[str, int]] = set()


def report_stall(m: M, ns: int, blocked: bool) -> None:
    frame = sys._current_frames().get(m.ident)
    if frame is None:
        return
    stack = [entry for entry in traceback.extract_stack(frame) if "/gosched/core/" not in entry.filename and "/gosched/system/" not in entry.filename]
    if not stack:
        return
    place = (stack[-1].filename, stack[-1].lineno or 0)
    if place in _reported:
        return
    _reported.add(place)
    what = "blocked in a call" if blocked else "burning CPU"
    advice = "blocking(fn, ...) marks such a call" if blocked else "it is preempted where this Python can do that; a long C call is not"
    text = "".join(traceback.format_list(stack))
    print(f"gosched: goroutine {m.goid} has kept its P for {ns // 1_000_000} ms, {what}:\n{text}({advice})", file=sys.stderr, flush=True)
