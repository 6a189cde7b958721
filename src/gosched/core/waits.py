"""What goroutines wait on, all in one moment: for find_deadlocks.

While the world stands still it is read who sleeps, on what, who holds that, and who can still be woken (reach.py); what is made of it is made
afterwards. What a goroutine waits on is borrowed (StateWord.on): it is good as long as nobody has won the wait. Of it only what can be said is kept,
and no reference: another who looks meanwhile would find it reachable by us.

A goroutine that sleeps with its stack (`home`) is taken for wakeable: what that stack refers to cannot be told from outside.
"""

from __future__ import annotations

from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple

from .album import Album, sees_others
from .chan import Channel
from .interp import start_world, stop_world
from .interrupt import has_deadline
from .native import LockQueue, WaitQueue, address
from .reach import wakeable
from .select import Selection
from .states import LOCKED, W_IO, W_WLOCK, WAIT_REASONS

if TYPE_CHECKING:
    from .g import Goroutine
    from .sched import Scheduler


class Thing(NamedTuple):
    """What is waited on. `holder`: the number of who has it, or 0. `values` and `room`: of a channel, but for a timer's."""

    address: int
    kind: type
    holder: int
    values: int
    room: int


class Sleeper(NamedTuple):
    """One that waits. `number`: its id, the realm of its scheduler added. `on`: several of a select. `hope`: something that is alive could wake it.
    `guarded`: a time or a context could, too. `places`: where it stands, innermost first."""

    g: Goroutine
    number: int
    reason: str
    on: list[Thing]
    hope: bool
    guarded: bool
    places: tuple[tuple[CodeType, int], ...]


def look(schedulers: list[Scheduler]) -> tuple[dict[int, Goroutine], list[Sleeper]]:
    """All goroutines there by their numbers, and those that sleep."""
    goroutines: list[Goroutine] = []
    numbers: list[int] = []
    for s in schedulers:
        for g in s.goroutines():
            goroutines.append(g)
            numbers.append(s.realm + g.id)
    album = Album()
    before = stop_world()
    try:
        first = note_sleepers(goroutines, numbers) if before < 0 else []
        found = note_sleepers(goroutines, numbers)
        if sees_others:
            note_places(album, found)
    finally:
        start_world(before)
    if before < 0:
        found = seen_twice(first, found)
    places = album.develop()
    return dict(zip(numbers, goroutines, strict=True)), [sleeper(facts, places.get(facts[1], ())) for facts in found]


def sleeper(facts: tuple[Any, ...], places: Any) -> Sleeper:
    g, number, reason, on, hope, guarded = facts
    return Sleeper(g, number, reason, [Thing(*thing) for thing in on], hope, guarded, places)


def seen_twice(first: list[Any], second: list[Any]) -> list[Any]:
    """Where the world cannot be stopped: what stands in a second look as in the first stood so in between, and all of it at once."""
    before = {facts[1]: facts for facts in first}
    return [facts for facts in second if before.get(facts[1]) == facts]


def note_sleepers(goroutines: list[Goroutine], numbers: list[int]) -> list[Any]:
    """The world stands still: what a Sleeper is made of."""
    judged: list[Goroutine] = []
    for i in range(len(goroutines)):
        g: Goroutine = goroutines[i]
        if g.sleeps() and g.home is None and g.reason != W_IO:
            judged.append(g)
    verdicts = wakeable(judged)
    found: list[Any] = []
    at = 0
    for i in range(len(goroutines)):
        g = goroutines[i]
        if g.sleeps() and g.reason != W_IO:
            hope = True
            if at < len(judged) and judged[at] is g:
                hope = verdicts[at]
                at += 1
            found.append((g, numbers[i], WAIT_REASONS[g.reason], things(g), hope, g.guarded or has_deadline(g)))
    return found


def note_places(album: Album, found: list[Any]) -> None:
    """Where they stand."""
    for i in range(len(found)):
        g: Goroutine = found[i][0]
        if g.home is None:
            album.take_awaits(g.body, found[i][1])
        elif g.args is not None:
            album.take_stack(g.args, found[i][1])


def things(g: Goroutine) -> list[Any]:
    """What a Thing is made of, for each that g waits on."""
    on = g.waits_on()
    if on is None:
        return []
    if isinstance(on, Selection):
        selection: Selection = on
        return [thing(channel, 0) for channel in selection.channels()]
    return [thing(on, 0 if g.reason == W_WLOCK else holder(on))]  # a writer waits for readers, and they are only counted


def thing(on: Any, holder: int) -> tuple[Any, ...]:
    values = room = 0
    if isinstance(on, Channel):
        channel: Channel = on
        if channel.timer is None:
            values, room = channel.buffered(), channel.limit
    return (address(on), type(on), holder, values, room)


def holder(on: Any) -> int:
    """Who has the lock, as far as is known; any goroutine may unlock it. 0: nobody, or a thread that is no goroutine."""
    if isinstance(on, LockQueue):
        lock: LockQueue = on
        return lock.holder if lock.lock_word() & LOCKED else 0
    if isinstance(on, WaitQueue):
        queue: WaitQueue = on
        return queue.holder
    return 0
