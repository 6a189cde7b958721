"""All goroutines at one moment: what each does, since when, and where it stands.

Where the frames of a goroutine are:

    a thread that runs it, or sleeps with it     on that thread, from the innermost frame out; the scheduler's own are for the reader to drop
    its stack was set aside                      on that stack (g.args)
    its stack is about to be (g.args, no frame)  still on its home thread, which runs nobody any more
    neither, and its body is a coroutine         in the coroutine, in what that awaits, and so on
    it has not begun (g.args are its arguments)  nowhere: its function says what it will do

What can change is read between stop_world and start_world (interp.py): while the world stands still no Python runs and no lock is taken; what needs
either, texts above all, is made of it afterwards. Where the world cannot be stopped, in a pure build without a GIL, frames are looked at only if the
caller knows that nobody runs. In a pure build with a GIL others go on between two looks: threads are looked at first, and a goroutine that leaves its
stack meanwhile is found on either; one that comes back to it is running, and its frames may be missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .album import Album, sees_others
from .g import state_word
from .interp import start_world, stop_world
from .states import DEAD, LOW_32, MOMENT_BITS, PARKED, PARKING, WAIT_REASONS

if TYPE_CHECKING:
    from types import CodeType

    from .g import Goroutine
    from .m import M
    from .sched import Scheduler

HOME = -1  # in a fact


class Shot(NamedTuple):
    """One goroutine. `frames` are innermost first; None: they could not be looked at. `body` is what it runs, or will run if not `begun`."""

    id: int
    name: str | None
    body: Any
    begun: bool
    state: str
    waits: float
    locked: bool
    creator: int
    origin: tuple[CodeType, int] | None
    frames: tuple[tuple[CodeType, int], ...] | None


def photograph(s: Scheduler, goroutines: list[Goroutine], alone: bool) -> list[Shot]:
    """Those that live, in their order, and are not the runtime's own. `alone`: nobody else runs, whether the world can be stopped or not."""
    album, threads = Album(), Album()
    ms = list(s.allm)
    facts: list[Any] = []
    held: list[Any] = []
    before = stop_world()
    try:
        note_threads(threads, ms, held, sees_others or alone)
        note_goroutines(album, goroutines, facts, sees_others or alone)
    finally:
        start_world(before)
    blocked = s.blocked_goroutines()
    now = s.host.now() >> MOMENT_BITS
    found, by_thread = album.develop(), threads.develop()
    for number, ident in held:
        if ident in by_thread:
            found[number] = by_thread[ident]
    for g, fact in zip(goroutines, facts, strict=True):
        if fact is not None and found.get(g.id) == ():
            found[g.id] = by_thread.get(getattr(fact[HOME], "ident", 0), ())
    return [shot(g, fact, found.get(g.id), now, blocked) for g, fact in zip(goroutines, facts, strict=True) if fact is not None]


def roll_call(s: Scheduler, goroutines: list[Goroutine]) -> list[tuple[int, str | None, Any, str, float]]:
    """The same in short: id, given name, body, state, and for how many seconds it waits, -1 if it does not. Without frames it takes a fraction of the
    time."""
    unused = Album()  # made and dropped while others run
    facts: list[Any] = []
    before = stop_world()
    try:
        note_goroutines(unused, goroutines, facts, False)
    finally:
        start_world(before)
    blocked = s.blocked_goroutines()
    now = s.host.now() >> MOMENT_BITS
    return [line(g, fact, now, blocked) for g, fact in zip(goroutines, facts, strict=True) if fact is not None]


def line(g: Goroutine, fact: Any, now: int, blocked: set[int]) -> tuple[int, str | None, Any, str, float]:
    state, phase, reason, since, body, _, _, _ = fact
    if state == PARKED or state == PARKING:
        return g.id, g.given_name, body, WAIT_REASONS[reason], seconds(now, since)
    return g.id, g.given_name, body, state_word(state, phase, g.id in blocked), -1.0


def note_goroutines(album: Album, goroutines: list[Goroutine], facts: list[Any], look: bool) -> None:
    """The world stands still."""
    for i in range(len(goroutines)):
        g: Goroutine = goroutines[i]
        state = g.state_now()
        if state == DEAD or g.body is None or g.system:
            facts.append(None)
            continue
        facts.append((state, g.phase, g.reason, g.since, g.body, type(g.args) is not tuple, g.locks != 0, g.home))
        if not look or type(g.args) is tuple:
            pass
        elif g.args is not None:
            album.take_stack(g.args, g.id)
        else:
            album.take_awaits(g.body, g.id)


def note_threads(threads: Album, ms: list[M], held: list[Any], look: bool) -> None:
    """The same, for those that have a thread: theirs is where the frames are, whatever else there is."""
    before: list[Goroutine | None] = []
    for i in range(len(ms)):
        m: M = ms[i]
        before.append(m.held())
    if look:
        threads.take_threads()
    else:
        threads.take_caller()
    for i in range(len(ms)):
        m = ms[i]
        g: Goroutine | None = m.held()
        if g is not None and g is before[i]:  # else, in a pure build, it has come since, and what was looked at is another's
            held.append((g.id, m.ident))


def shot(g: Goroutine, fact: Any, frames: Any, now: int, blocked: set[int]) -> Shot:
    state, phase, reason, since, body, begun, locked, _ = fact
    waiting = state == PARKED or state == PARKING
    word = WAIT_REASONS[reason] if waiting else state_word(state, phase, g.id in blocked)
    code = g.caller_code()
    return Shot(
        g.id,
        g.given_name,
        body,
        begun,
        word,
        seconds(now, since) if waiting else 0.0,
        locked,
        g.creator,
        None if code is None else (code, g.caller_lasti()),
        frames,
    )


def seconds(now: int, since: int) -> float:
    """Between two readings of the coarse clock, whose words go round; the later may have been read first. Rounded up: a minute is not 59 seconds."""
    ticks = (now - since + 1) & LOW_32
    return 0.0 if ticks >> 31 else ticks * (1 << MOMENT_BITS) / 1e9
