"""What takes more than a line to write down: names, and where a goroutine stands, if that is wanted. The rest is told in place, where it happens.

Names are looked up before the runtime is entered: an attribute of a user's object may be anything. Frames are looked at by the thread they belong to,
or in a coroutine that has just yielded to it, and before anybody else can have it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .album import Album
from .bodies import is_coroutine
from .events import E_GO_BLOCK, E_GO_CREATE, E_GO_STOP, E_STACK, NO_P, YIELDS
from .events import PREEMPTED as ASKED
from .g import line_of
from .native import current_m
from .states import PREEMPTED

if TYPE_CHECKING:
    from types import CodeType, FrameType

    from .g import Goroutine
    from .m import M

# Of a stack that is written down.
DEPTH = 32
PACKAGE = __file__.rsplit("/", 2)[0] + "/"


def start_name(body: Any, name: Any) -> str:
    """What a goroutine is called: as it was given, or its function."""
    if name is None:
        name = getattr(body, "__qualname__", None) or type(body).__qualname__
    return str(name)


def name_number(m: M, body: Any, name: Any) -> int:
    """The number of a new goroutine's name. In user code."""
    return number_here(m, start_name(body, name))


def number_here(m: M, text: str) -> int:
    """The number of a string. Each M remembers those that it has named."""
    number = m.names.get(text)
    if number is None:
        number = m.sched.trails.number(text)  # type: ignore[union-attr]
        m.names[text] = number
    return number


def tell_create(m: M, g: Goroutine, number: int) -> None:
    m.trail.tell3(m.who, E_GO_CREATE, g.id, g.creator, number)  # type: ignore[union-attr]
    if m.trail.of.stacks:  # type: ignore[union-attr]
        tell_frames(m)


def tell_block(m: M, g: Goroutine) -> None:
    m.trail.tell1(m.who, E_GO_BLOCK, g.reason)  # type: ignore[union-attr]
    if m.trail.of.stacks:  # type: ignore[union-attr]
        tell_place(m, g)


def tell_stop(m: M, g: Goroutine) -> None:
    """g goes back to a queue."""
    why = ASKED if g.phase == PREEMPTED else NO_P if m.p is None else YIELDS
    m.trail.tell1(m.who, E_GO_STOP, why)  # type: ignore[union-attr]
    if m.trail.of.stacks:  # type: ignore[union-attr]
        tell_place(m, g)


def tell_place(m: M, g: Goroutine) -> None:
    """Where g stands: on this stack, or in the coroutine that has just yielded."""
    if m.busy() or not is_coroutine(g.body):
        tell_frames(m)
    else:
        album = Album()
        album.take_awaits(g.body, g.id)
        places: Any = album.develop().get(g.id, ())
        tell_stack(m, [(code, line_of(code, lasti)) for code, lasti in places])


def tell_frames(m: M) -> None:
    """Where this thread is."""
    frame: FrameType | None = sys._getframe()
    places: list[tuple[CodeType, int | None]] = []
    while frame is not None and len(places) < 2 * DEPTH:
        places.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back
    tell_stack(m, places)


def tell_stack(m: M, places: list[tuple[CodeType, int | None]]) -> None:
    lines = [f"{code.co_qualname} {code.co_filename}:{line}" for code, line in places if not code.co_filename.startswith(PACKAGE)]
    text = "\n".join(lines[:DEPTH])
    m.trail.tell1(m.who, E_STACK, m.trail.of.number(text))  # type: ignore[union-attr]


def tell_user(kind: int, args: tuple[int, ...]) -> bool:
    """By user code, or by a callback of the collector: of what the goroutine that runs here does. False: nobody writes it down."""
    m: M | None = current_m()
    if m is None or m.trail is None:
        return False
    if len(args) == 1:
        m.trail.tell1(m.who, kind, args[0])
    elif len(args) == 2:
        m.trail.tell2(m.who, kind, args[0], args[1])
    else:
        m.trail.tell3(m.who, kind, args[0], args[1], args[2])
    return True


def is_told() -> bool:
    """Whether tell_user would write anything."""
    m: M | None = current_m()
    return m is not None and m.trail is not None


def user_number(text: str) -> int:
    """The number of a string that the caller will tell of. Only if is_told."""
    return number_here(current_m(), text)


def user_task() -> int:
    """A number for a new task of the caller's. Only if is_told."""
    m: M = current_m()
    return m.sched.trails.new_task()  # type: ignore[union-attr]
