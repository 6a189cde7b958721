"""What an act leaves: words for the terminal, figures and charts for both pictures. It knows nothing of how they are drawn."""

from __future__ import annotations

import gc
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from gosched.bench.work import resident
from gosched.demo.track import Track
from gosched.errors import GoschedError

STATM = Path("/proc/self/statm")


class Failed(GoschedError):
    """An act did not do what it says."""


@dataclass(frozen=True)
class Bar:
    name: str
    value: float
    words: str
    """The value, as people read it."""
    ours: bool = True


@dataclass(frozen=True)
class Chart:
    """Bars on one scale, from 0."""

    title: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Figure:
    value: str
    label: str


class Outcome(Protocol):
    """Of one act."""

    def words(self) -> list[str]:
        """Lines that say what came out."""

    def figures(self) -> list[Figure]:
        """The most telling ones."""

    def charts(self) -> list[Chart]:
        """What can be compared."""

    def track(self) -> Track | None:
        """Who ran when, if that was written down."""

    def texts(self) -> list[str]:
        """What is to be shown as it is: a program, a report."""


class Plain:
    """What most acts do not have."""

    def charts(self) -> list[Chart]:
        return []

    def track(self) -> Track | None:
        return None

    def texts(self) -> list[str]:
        return []


def expect(holds: bool, otherwise: str) -> None:
    """A figure is worth nothing if the answer was wrong."""
    if not holds:
        raise Failed(otherwise)


@contextmanager
def collector_off() -> Iterator[None]:
    """As in the benchmarks: it comes when it likes, and would be measured with whoever allocates then."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def memory() -> int:
    """Of this process, in bytes. Without /proc, `ps` knows."""
    if STATM.exists():
        return resident()
    return 1024 * int(subprocess.run(["ps", "-o", "rss=", "-p", str(os.getpid())], capture_output=True, text=True, check=True).stdout)


def times(theirs: float, ours: float) -> str:
    """How many times as much: 0.31, 4.2, 12. Unknown where ours is nothing, as the growth of a process that had memory to spare."""
    if ours <= 0:
        return "?"
    ratio = theirs / ours
    return f"{ratio:.2f}" if ratio < 0.995 else f"{ratio:.1f}" if ratio < 10 else f"{ratio:,.0f}"


def size(number: float) -> str:
    """Bytes: 532 bytes, 1.4 kB, 53 MB."""
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= unit:
            return f"{number / unit:.{1 if number < 10 * unit else 0}f} {name}"
    return f"{number:.0f} bytes"
