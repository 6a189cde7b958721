"""The runtimes: one module for each, `run(case, size)` and a function `case_…` for every case it can run.

A case gives its answer and what it measured. The clock starts in the running program, so starting and stopping a runtime is not counted.
Each case is written in its runtime's own idiom; where several were tried, in the fastest.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Runtime:
    """What the suite has to know of a runtime before it starts it."""

    name: str
    package: str | None = None
    """What to install; None: comes with Python, or with this checkout."""
    parallel: bool = False
    """Whether one program uses several threads."""
    needs: str = ""
    """Interpreters it is made for, in words."""


GO = Runtime("go", parallel=True)
THREADS = Runtime("threads")

RUNTIMES = {
    runtime.name: runtime
    for runtime in (
        Runtime("gosched", parallel=True),
        Runtime("asyncio"),
        Runtime("uvloop", "uvloop"),
        Runtime("trio", "trio"),
        Runtime("gevent", "gevent"),
        Runtime("tonio", "tonio", parallel=True, needs="free-threaded Python 3.14 or later"),
        THREADS,
        GO,
    )
}
