"""Where goroutines stand, as far as Python itself can tell: the twin of album.pyx.

With a GIL each look is safe, and others may go on between two of them: of a goroutine that runs meanwhile, frames may be missing. Without a GIL,
to look at a coroutine that another thread resumes is to crash.
"""

from __future__ import annotations

import gc
import sys
from _thread import get_ident
from types import AsyncGeneratorType, CodeType, CoroutineType, FrameType, GeneratorType
from typing import Any

Frames = tuple[tuple[CodeType, int], ...]
FRAMES = {CoroutineType: ("cr_frame", "cr_await"), GeneratorType: ("gi_frame", "gi_yieldfrom"), AsyncGeneratorType: ("ag_frame", "ag_await")}
# The interpreter's own, around one that has frames. They do not say what is inside, but to the collector.
WRAPPERS = ("async_generator_asend", "async_generator_athrow", "coroutine_wrapper", "anext_awaitable")


sees_others: bool = getattr(sys, "_is_gil_enabled", lambda: True)()


class Album:
    def __init__(self) -> None:
        self.taken: dict[int, Frames] = {}

    def take_awaits(self, body: Any, number: int) -> None:
        """A coroutine with all that it awaits, under that number."""
        found = []
        body = unwrap(body)
        while body is not None:
            frame, awaits = FRAMES[type(body)]
            place = getattr(body, frame)
            if place is None:
                break
            found.append((place.f_code, place.f_lasti))
            body = unwrap(getattr(body, awaits))
        self.taken[number] = tuple(reversed(found))

    def take_stack(self, stack: Any, number: int) -> None:
        """One that was set aside."""
        self.taken[number] = callers(stack.gr_frame)

    def take_threads(self) -> None:
        """All threads, each under its ident."""
        for ident, frame in sys._current_frames().items():
            self.taken[ident] = callers(frame)

    def take_caller(self) -> None:
        """This thread alone."""
        self.taken[get_ident()] = callers(sys._getframe())

    def develop(self) -> dict[int, Frames]:
        """By number: a tuple of (code, offset), innermost first."""
        return self.taken


def callers(frame: FrameType | None) -> Frames:
    found = []
    while frame is not None:
        found.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(found)


def unwrap(awaited: Any) -> Any:
    """What has frames, or None."""
    while awaited is not None and type(awaited) not in FRAMES:
        inside = gc.get_referents(awaited) if type(awaited).__name__ in WRAPPERS else ()
        awaited = next((x for x in inside if type(x) in FRAMES or type(x).__name__ in WRAPPERS), None)
    return awaited
