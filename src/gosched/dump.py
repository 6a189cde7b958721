"""A goroutine dump: Go's layout, with Python frames.

    goroutine 7 [chan receive, 3 minutes, locked to thread] {name: "reader"}:
    app.read(...)
            /path/app.py:12
    created by app.main in goroutine 1
            /path/app.py:30

The text is made of what core/frames.py has seen, after the goroutines went on. Frames of the runtime itself are left out. Many that stand alike are
one entry, with their number.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Iterable
from types import CodeType, ModuleType
from typing import Any

from gosched.core.frames import Shot, photograph
from gosched.core.g import Goroutine, line_of
from gosched.core.sched import Scheduler

Place = tuple[CodeType, int]

OWN = os.path.dirname(__file__) + os.sep
# What is called from here is the runtime's own sleep, in a pure build; and these call goroutines: what is further out is the thread's.
SLEEPS = OWN + os.path.join("core", "native.py")
CALLS = OWN + os.path.join("core", "bodies.py")
ROOTS = {("system", "threads.py", "_thread_main"), ("lab", "virtual.py", "_steps"), ("lab", "virtual.py", "_one_step")}
ROOT_PLACES = {(OWN + os.path.join(folder, file), name) for folder, file, name in ROOTS}

# So many alike are still printed one by one; of those that are not, so many are named; so many frames are shown of either end of a stack.
ALIKE = 20
NAMED = 10
SHOWN = 50

UNSEEN = "(frames of others are left out: this build cannot look at them on a free-threaded Python while they may run)"


def dump(sched: Scheduler, first: Goroutine | None = None, only: bool = False, alone: bool = False) -> str:
    """Of all goroutines, `first` before the others, or of that one only. `alone`: nobody else runs."""
    return dump_some(sched, [first] if only and first is not None else sched.goroutines(), first, alone)


def dump_some(sched: Scheduler, goroutines: list[Goroutine], first: Goroutine | None = None, alone: bool = False) -> str:
    shots = photograph(sched, goroutines, alone or sched.virtual)
    writer = Writer()
    leader = None if first is None else first.id
    entries = [writer.one(shot) for shot in shots if shot.id == leader]
    entries += writer.grouped(shot for shot in shots if shot.id != leader)
    if any(shot.frames is None and shot.begun for shot in shots):
        entries.append(UNSEEN)
    return "\n\n".join(entries)


def dump_all(scheds: list[Scheduler]) -> str:
    """Of several runtimes, whose goroutines have the same numbers, one after the other. From outside of them."""
    if len(scheds) == 1:
        return dump(scheds[0])
    return "\n\n".join(f"runtime {i} of {len(scheds)}:\n\n{dump(sched)}".rstrip() for i, sched in enumerate(scheds, 1))


class Writer:
    """For one dump: which module a file is, and what has been written before, do not change meanwhile."""

    def __init__(self) -> None:
        self.modules = modules_by_file()
        self.known: dict[int, tuple[Place, ...]] = {}
        self.place = functools.cache(self.write_place)

    def one(self, shot: Shot) -> str:
        name = "" if shot.name is None or shot.name == function_name(shot.body) else f" {{name: {json.dumps(shot.name, ensure_ascii=False)}}}"
        return "\n".join([f"goroutine {shot.id} [{bracket(shot, age(shot.waits))}]{name}:", *self.stack(shot), *self.origin(shot, shot.creator)])

    def grouped(self, shots: Iterable[Shot]) -> list[str]:
        """In the order of their ids; a group stands where its first one would."""
        groups: dict[object, list[Shot]] = {}
        for shot in shots:
            groups.setdefault(self.look(shot), []).append(shot)
        entries: list[tuple[int, str]] = []
        for group in groups.values():
            if len(group) > ALIKE:
                entries.append((group[0].id, self.many(group)))
            else:
                entries += [(shot.id, self.one(shot)) for shot in group]
        return [text for _, text in sorted(entries)]

    def many(self, group: list[Shot]) -> str:
        shot = group[0]
        creators = {shot.creator for shot in group}
        shortest, longest = (age(f(shot.waits for shot in group)) for f in (min, max))
        waits = longest if shortest == longest or not longest else f"up to {longest}"
        ids = ", ".join(str(shot.id) for shot in group[:NAMED])
        lines = [f"{len(group):,} goroutines [{bracket(shot, waits)}]:", f"ids {ids} and {len(group) - NAMED:,} more"]
        return "\n".join([*lines, *self.stack(shot), *self.origin(shot, shot.creator if len(creators) == 1 else 0)])

    def look(self, shot: Shot) -> object:
        """The same for all that look alike. Codes are told apart by what they are, not by what is in them: their hash is slow."""
        frames = tuple([(id(code), at) for code, at in self.user_frames(shot)])
        origin = None if shot.origin is None else (id(shot.origin[0]), shot.origin[1])
        return shot.state, shot.locked, frames, origin, shot.frames is None and function_name(shot.body)

    def stack(self, shot: Shot) -> list[str]:
        frames = self.user_frames(shot)
        if not frames:
            return [f"{function_name(shot.body)}(...)"]
        if len(frames) <= 2 * SHOWN:
            return [self.place(*frame) for frame in frames]
        elided = f"...{len(frames) - 2 * SHOWN} frames elided..."
        return [*(self.place(*frame) for frame in frames[:SHOWN]), elided, *(self.place(*frame) for frame in frames[-SHOWN:])]

    def user_frames(self, shot: Shot) -> tuple[Place, ...]:
        if shot.frames is None:
            code = None if shot.begun else code_of(shot.body)
            return () if code is None else ((code, -1),)
        frames = self.known.get(id(shot.frames))
        if frames is None:
            frames = self.known[id(shot.frames)] = of_user(shot.frames)
        return frames

    def origin(self, shot: Shot, creator: int) -> list[str]:
        if shot.origin is None:
            return []
        code, at = shot.origin
        where = f" in goroutine {creator}" if creator else ""
        return [f"created by {self.qualified(code)}{where}\n\t{code.co_filename}:{line_of(code, at)}"]

    def write_place(self, code: CodeType, at: int) -> str:
        return f"{self.qualified(code)}(...)\n\t{code.co_filename}:{line_of(code, at)}"

    def qualified(self, code: CodeType) -> str:
        """With its module, if it was loaded as one."""
        module = self.modules.get(code.co_filename)
        return code.co_qualname if module is None else f"{module}.{code.co_qualname}"


def of_user(frames: tuple[Place, ...]) -> tuple[Place, ...]:
    """Without those of the runtime, and what the runtime has called to sleep."""
    found: list[Place] = []
    for code, at in frames:
        if code.co_filename == SLEEPS:
            found.clear()
        elif not code.co_filename.startswith(OWN):
            found.append((code, at))
        elif code.co_filename == CALLS or (code.co_filename, code.co_name) in ROOT_PLACES:
            break
    return tuple(found)


def bracket(shot: Shot, waits: str) -> str:
    return ", ".join(part for part in (shot.state, waits, "locked to thread" if shot.locked else "") if part)


def age(seconds: float) -> str:
    """Go says minutes alone, from the first on."""
    n, unit = (int(seconds), "second") if seconds < 60 else (int(seconds) // 60, "minute")
    return f"{n:,} {unit}{'s' * (n != 1)}" if n else ""


def function_name(body: Any) -> str:
    """Of a coroutine, or of a function that did not begin yet."""
    return getattr(body, "__qualname__", None) or type(body).__qualname__


def code_of(body: Any) -> CodeType | None:
    while isinstance(body, functools.partial):
        body = body.func
    code = getattr(body, "__code__", None)
    return code if isinstance(code, CodeType) else None


def modules_by_file() -> dict[str, str]:
    found: dict[str, str] = {}
    for name, module in list(sys.modules.items()):
        file = module.__dict__.get("__file__") if isinstance(module, ModuleType) else None
        if isinstance(file, str):
            found.setdefault(file, name)
    return found
