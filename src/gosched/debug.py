"""Debug mode: GOSCHED_DEBUG=1, or Python's own development mode (-X dev). And GOSCHED_DEBUG=blocking: the watchdog. A comma joins them.

A twin that is called and not awaited does nothing, silently. In debug mode the twins are native coroutines, so CPython reports such a one when it is
dropped (`RuntimeWarning: coroutine 'Chan.asend' was never awaited`), with the place where it was made.
"""

from __future__ import annotations

import os
import sys

WORDS = frozenset(word.strip() for word in os.environ.get("GOSCHED_DEBUG", "").split(",")) - {"", "0"}
KNOWN = {"1", "blocking"}
if WORDS - KNOWN:
    print(f"gosched: GOSCHED_DEBUG: unknown {', '.join(sorted(WORDS - KNOWN))}; known are {', '.join(sorted(KNOWN))}", file=sys.stderr)
DEBUG: bool = "1" in WORDS or sys.flags.dev_mode
WATCHDOG: bool = "blocking" in WORDS

# Frames that the report of a dropped coroutine shows.
ORIGIN_DEPTH = 3


def track_origins() -> None:
    """On a thread that runs goroutines, in debug mode: coroutines remember where they were made."""
    if DEBUG:
        sys.set_coroutine_origin_tracking_depth(ORIGIN_DEPTH)
