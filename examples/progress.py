"""How far a program is, as a line on stderr if that is a terminal: for quicksort.py and mandelbrot.py."""

from __future__ import annotations

import sys

from gosched import RecvChan


def follow(what: str, parts: RecvChan[int], total: int) -> None:
    """Waits until the parts that are done make up the total."""
    done = 0
    while done < total:
        done += parts.recv()
        if sys.stderr.isatty():
            print(f"\r{what} {done / total:4.0%}", end="\n" if done == total else "", file=sys.stderr, flush=True)
