"""Debug mode: GOSCHED_DEBUG=1, or Python's own development mode (-X dev). A comma joins it to other words:

    blocking           the watchdog (system/watchdog.py)
    schedtrace=1000    a line about the scheduler every so many milliseconds, scheddetail=1 with all Ps, Ms and Gs (system/schedtrace.py)

A twin that is called and not awaited does nothing, silently. In debug mode the twins are native coroutines, so CPython reports such a one when it is
dropped (`RuntimeWarning: coroutine 'Chan.asend' was never awaited`), with the place where it was made.

What cannot be understood is said once, on stderr, and left out: a program does not fail for it.
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

PLAIN = {"1", "blocking"}
KNOWN = ("1", "blocking", "scheddetail=1", "schedtrace=1000")
DAY_MS = 86_400_000


class Wishes(NamedTuple):
    """What the words say. `schedtrace` is in milliseconds, 0 is off. `complaints` are lines for the user."""

    debug: bool
    watchdog: bool
    schedtrace: int
    scheddetail: bool
    complaints: tuple[str, ...]


def parse(text: str) -> Wishes:
    """
    >>> parse("1, schedtrace=500")
    Wishes(debug=True, watchdog=False, schedtrace=500, scheddetail=False, complaints=())
    >>> parse("scheddetail=1").complaints
    ('scheddetail=1 does nothing without schedtrace: schedtrace=1000,scheddetail=1',)
    """
    words = {word.strip() for word in text.split(",")} - {"", "0"}
    complaints: list[str] = []
    trace, detail = 0, False
    unknown = set()
    for word in sorted(words - PLAIN):
        name, _, value = word.partition("=")
        if name == "schedtrace":
            if value.isdecimal() and 1 <= int(value) <= DAY_MS:
                trace = int(value)
            else:
                complaints.append(f"schedtrace must be milliseconds, from 1 to {DAY_MS} (a day), as in schedtrace=1000, not {value!r}")
        elif name == "scheddetail":
            if value in ("0", "1"):
                detail = value == "1"
            else:
                complaints.append(f"scheddetail must be 0 or 1, as in schedtrace=1000,scheddetail=1, not {value!r}")
        else:
            unknown.add(word)
    if detail and not any(word.partition("=")[0] == "schedtrace" for word in words):
        complaints.append("scheddetail=1 does nothing without schedtrace: schedtrace=1000,scheddetail=1")
    if unknown:
        complaints.append(f"unknown {', '.join(sorted(unknown))}; known are {', '.join(KNOWN)}")
    return Wishes("1" in words, "blocking" in words, trace, detail and trace > 0, tuple(complaints))


WISHES = parse(os.environ.get("GOSCHED_DEBUG", ""))
for complaint in WISHES.complaints:
    print(f"gosched: GOSCHED_DEBUG: {complaint}", file=sys.stderr)
DEBUG: bool = WISHES.debug or sys.flags.dev_mode
WATCHDOG: bool = WISHES.watchdog

# Frames that the report of a dropped coroutine shows.
ORIGIN_DEPTH = 3


def track_origins() -> None:
    """On a thread that runs goroutines, in debug mode: coroutines remember where they were made."""
    if DEBUG:
        sys.set_coroutine_origin_tracking_depth(ORIGIN_DEPTH)
