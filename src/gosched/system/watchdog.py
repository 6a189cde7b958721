"""GOSCHED_DEBUG=blocking: names the goroutine that does not enter the runtime for a slice, and shows where.

Once per place, also if the P was taken away meanwhile. Sysmon reports from its own thread, so the stack is that of another thread at this very
moment: on a free-threaded build the interpreter stops all threads to take it.
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING

from gosched.core.snapshot import away_for, kept_waiting
from gosched.core.states import SLICE_NS

if TYPE_CHECKING:
    from gosched.core.m import M

OWN = os.path.dirname(os.path.dirname(__file__)) + os.sep

# Of those that wait, so many are named.
NAMED = 5

_reported: set[tuple[str, int]] = set()


def report_blocked(ms: list[M], now: int) -> None:
    """Those whose call has cost them their P, long before the slice was over."""
    for m in list(ms):
        ns = away_for(m, now)
        if ns >= SLICE_NS:
            report_stall(m, ns, True)


def report_stall(m: M, ns: int, blocked: bool) -> None:
    frame = sys._current_frames().get(m.ident)
    if frame is None:
        return
    stack = [entry for entry in traceback.extract_stack(frame) if not entry.filename.startswith(OWN)]
    if not stack:
        return
    place = (stack[-1].filename, stack[-1].lineno or 0)
    if place in _reported:
        return
    _reported.add(place)
    what = "blocked in a call" if blocked else "burning CPU"
    advice = "blocking(fn, ...) marks such a call" if blocked else "it is preempted where this Python can do that; a long C call is not"
    text = "".join(traceback.format_list(stack))
    head = f"gosched: goroutine {m.goid} has not entered the runtime for {ns // 1_000_000} ms, {what}:\n"
    print(f"{head}{text}{who_waits(m)}({advice})", file=sys.stderr, flush=True)


def who_waits(m: M) -> str:
    """A line about the goroutines that can go on only on this thread, if there are any."""
    waiting = [f"{g.id} ({g.name})" for g in kept_waiting(m) if g.id != m.goid]
    if not waiting:
        return ""
    more = f" and {len(waiting) - NAMED} more" if len(waiting) > NAMED else ""
    return f"  bound to its thread, and waiting for it: goroutine{'s' * (len(waiting) > 1)} {', '.join(waiting[:NAMED])}{more}\n"
