"""Does a goroutine that is stopped in the middle of its code hold something?

If it is set aside there, its thread runs others meanwhile. To them an RLock that it holds is as good as their own, and so is the lock of a module
that it is importing. So a goroutine is set aside only where no frame of it is inside a `with` block or a `try` with a `finally`; elsewhere its thread
waits with it. What tells is the table of handlers that the compiler leaves with the code: each range of instructions has its innermost handler, which
is itself in the range of the next one out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import lru_cache
from opcode import opmap
from types import CodeType, FrameType
from typing import NamedTuple

HANDLER = opmap["PUSH_EXC_INFO"]
WITH = opmap["WITH_EXCEPT_START"]
BARE_EXCEPT = opmap["POP_TOP"]
EXCEPT = {opmap["CHECK_EXC_MATCH"], opmap["CHECK_EG_MATCH"]}
ENDS = {HANDLER, opmap["RERAISE"]}

# Bytes just before and behind a `with`, in which __enter__ and __exit__ are called; and before a `try`, in which acquire() is.
ENTER = 8 if sys.version_info >= (3, 14) else 2
EXIT = 16
ACQUIRE = 14


class Guard(NamedTuple):
    """The handler for a range of instructions. `before` and `behind`: how far what it guards is held around that range, if it is the handler of a
    `with` or a `finally`; else 0."""

    start: int
    end: int
    handler: int
    before: int
    behind: int

    def covers(self, place: int) -> bool:
        return self.start <= place < self.end

    def holds_at(self, place: int) -> bool:
        around = self.start - self.before <= place < self.end + self.behind
        return self.behind != 0 and (around or self.handler <= place <= self.handler + self.behind)


def holds_nothing(frame: FrameType | None) -> bool:
    """Of that frame and all that wait for it, but for the runtime's own."""
    while frame is not None:
        if not frame.f_globals.get("__name__", "").startswith("gosched.core.") and guarded(frame.f_code, frame.f_lasti):
            return False
        frame = frame.f_back
    return True


def guarded(code: CodeType, place: int) -> bool:
    guards = guards_of(code)
    for _ in range(len(guards)):
        if any(guard.holds_at(place) for guard in guards):
            return True
        outer = next((guard.handler for guard in guards if guard.covers(place)), None)
        if outer is None:
            return False
        place = outer
    return False


@lru_cache(256)
def guards_of(code: CodeType) -> list[Guard]:
    found: list[Guard] = []
    numbers = table_of(code.co_exceptiontable)
    instructions = code.co_code
    for start in numbers:
        length, handler, _ = next(numbers), next(numbers), next(numbers)
        found.append(Guard(2 * start, 2 * (start + length), 2 * handler, *margins(instructions[2 * handler :: 2])))
    return found


def table_of(table: bytes) -> Iterator[int]:
    """Numbers of six bits a byte, highest first; a further bit says that the number goes on."""
    number = 0
    for byte in table:
        number = number << 6 | byte & 63
        if not byte & 64:
            yield number
            number = 0


def margins(handler: bytes) -> tuple[int, int]:
    """Of a guard whose handler begins with these instructions: none if it is that of an `except`, or only tidies up. What a `finally` does stands
    behind the range once more, as long as in the handler."""
    if handler[0] != HANDLER or handler[1] == BARE_EXCEPT:
        return 0, 0
    if handler[1] == WITH:
        return ENTER, EXIT
    length, op = next(((i, op) for i, op in enumerate(handler) if i and (op in EXCEPT or op in ENDS)), (2, HANDLER))
    return (0, 0) if op in EXCEPT else (ACQUIRE, 2 * (length - 1))
