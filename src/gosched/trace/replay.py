"""A trace, played again: the trails of all writers become one sequence, and the world (world.py) goes along.

The trails are merged by their times. Clocks are only as good as their ticks, and PROC_STEAL is told late (core/events.py), so the head of a trail
that is not legal yet is *held back*: the others go on, and it is tried again after each of their steps. It is an error, IllegalTrace, only when no
trail can go on.

    recording = files.read(path)
    replay = Replay.of(recording)
    for step in replay.run():
        ...                           # replay.world is as it was after the step

    live = Replay(begun)
    live.feed(piece)                  # whenever pieces come
    for step in live.run(until=t):    # everything up to t; pieces that come after this call may have later events only

Two kinds of recordings have holes. A flight recorder's (End.complete is False) has lost the beginning of its trails, each at another time: what was
before the latest of these beginnings is played without a word, since much of it hangs in the air, and only what the Ms themselves know of it is
kept. And where a trail says LOST, everything may have happened there since the event before: until then every event is believed, whatever it says,
and after it nothing is known but, again, what the other Ms know of themselves.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterator

from gosched.core.events import (
    ARGS,
    E_GO_CREATE,
    E_GO_STOP,
    E_GO_UNBLOCK,
    E_LOST,
    E_M_START,
    E_PROC_STEAL,
    E_PROC_STOP,
    E_STACK,
    FIRST_M,
    NAMES,
    OUTSIDE,
    SYSMON,
)

from .files import Event, Piece, Recording, decode, first_kind, first_time
from .things import NONE, Machine, Step
from .units import count, moment, span
from .world import World

# Of events at the same time those come first that others may need, and PROC_STEAL last, since it is told late.
RANKS = [0 if kind in (E_GO_CREATE, E_GO_STOP, E_GO_UNBLOCK, E_PROC_STOP) else 2 if kind == E_PROC_STEAL else 1 for kind in range(len(NAMES))]
# A live reader takes an event that stays illegal for so long for an error.
PATIENCE_NS = 5_000_000_000

Observer = Callable[[Step], object]


class IllegalTrace(ValueError):
    """No trail can go on: the oldest event that cannot, and why."""

    def __init__(self, event: Event, trail: int, begun: int, complaint: str, others: int = 0) -> None:
        time, who, kind, args = event
        told = ", ".join(f"{name} {value}" for name, value in zip(ARGS[kind], args, strict=True))
        more = f" ({others} more {'trail waits' if others == 1 else 'trails wait'})" if others else ""
        super().__init__(
            f"{NAMES[kind]}{f'({told})' if told else ''} by {writer(who)} at {moment(time - begun)}, in trail {trail}, is illegal: {complaint}{more}"
        )
        self.time = time
        self.who = who
        self.kind = kind
        self.args_of_event = args
        self.trail = trail
        self.complaint = complaint


def writer(who: int) -> str:
    return {OUTSIDE: "a thread outside", SYSMON: "sysmon"}.get(who, f"M{who - FIRST_M}")


class Trail:
    """What is still to be played of one. `head` is its next event; `gap`: that one is LOST, or what was before was cut off."""

    __slots__ = ("complaint", "events", "gap", "head", "machine", "name", "number", "pieces", "who")

    def __init__(self, number: int, name: str) -> None:
        self.number = number
        self.name = name
        self.pieces: deque[Piece] = deque()
        self.events: Iterator[Event] = iter(())
        self.head: Event | None = None
        self.who = NONE
        self.machine: Machine | None = None
        self.gap = False
        self.complaint = ""  # why the head was held back, when it first was

    def advance(self) -> Event | None:
        """To the next event; None if there is none yet."""
        while True:
            for event in self.events:
                if event[2] == E_STACK and self.head is not None:  # it belongs to the event before, even if it took its time
                    event = self.head[0], event[1], E_STACK, event[3]
                self.head = event
                return event
            if not self.pieces:
                self.events = iter(())
                self.head = None
                return None
            piece = self.pieces.popleft()
            self.events = decode(piece.data, self.name, piece.offset)


class Replay:
    """`whole`: from the beginning of the program on. `quiet`: until then events are played without a word. `cut_short`: its writer died, or
    wrote while others ran on, from that moment: each trail ends somewhere, and what an event after it needs may not have been written: that is no
    error."""

    def __init__(
        self,
        begun: int = 0,
        whole: bool = True,
        virtual: bool = False,
        strings: list[str] | None = None,
        name: str = "a trace",
        quiet: int | None = None,
        cut_short: int | None = None,
    ) -> None:
        self.world = World(begun, whole, virtual)
        self.strings = [] if strings is None else strings
        self.name = name
        self.quiet = quiet
        self.cut_short = cut_short
        self.unplaced = ""  # the first event that nothing written makes legal
        self.trails: dict[int, Trail] = {}
        self.observers: list[Observer] = []
        self.steps = 0
        self.held = 0  # so many events were held back
        self.held_ns = 0  # and one of them so long
        self.lost = 0  # so many are told of
        self.lost_in_all = 0
        self.leaks = False
        self.skipped = 0  # events before `quiet`
        self.gaps = 0 if quiet is None else 1
        self.fed = 0  # bytes
        self.over = False
        self.waiting: list[Trail] = []

    @classmethod
    def of(cls, recording: Recording) -> Replay:
        """All of a recording, to be run."""
        header, end = recording.header, recording.end
        whole = end is None or end.complete
        quiet = None if whole else beginning(recording)
        replay = cls(header.begun, whole, header.virtual, recording.strings, recording.name, quiet, 0 if end is None else end.read_from)
        if end is not None:
            replay.lost_in_all = end.lost
            replay.leaks = end.lost > 0
        for piece in recording.pieces:
            replay.feed(piece)
        replay.close()
        return replay

    # ---- names ----

    def string(self, number: int) -> str:
        return self.strings[number] if 0 <= number < len(self.strings) else f"string {number}"

    def name_of(self, g: int) -> str:
        """A goroutine's; empty if it is not known."""
        known = self.world.goroutines.get(g)
        return "" if known is None or known.name == NONE else self.string(known.name)

    # ---- running ----

    def feed(self, piece: Piece) -> None:
        """The next piece of a trail."""
        trail = self.trails.get(piece.trail)
        if trail is None:
            trail = self.trails[piece.trail] = Trail(piece.trail, self.name)
        trail.pieces.append(piece)
        self.fed += len(piece.data)

    def close(self) -> None:
        """No more pieces will come: what is not legal now never will be."""
        self.over = True

    def watch(self, observer: Observer) -> None:
        """It is called with every step, when the world has changed."""
        self.observers.append(observer)

    def progress(self) -> float:
        """How much of what was fed has been played, from 0 to 1."""
        left = sum(len(piece.data) for trail in self.trails.values() for piece in trail.pieces)
        return 1 - left / self.fed if self.fed else 1.0

    def play(self) -> Replay:
        """All of it, for the observers."""
        for _ in self.run():
            pass
        return self

    def run(self, until: int | None = None) -> Iterator[Step]:
        """The steps up to a time, or all there are. May be called again, when there are more pieces, or for a later time."""
        world, rules, heap, observers = self.world, self.world.rules, list[tuple[int, int, int, Trail]](), self.observers
        self.waiting = []
        for trail in self.trails.values():
            if trail.head is not None or trail.advance() is not None:
                self.push(heap, trail)
        while heap or self.waiting:
            if not heap or (until is not None and heap[0][0] > until):
                if self.waiting and self.leaks and until is None:
                    self.spring_leak()
                    self.release(heap)
                    continue
                step = self.last_resort(until)
                if step is None:
                    return
                self.release(heap)
                yield step
                continue
            trail = heapq.heappop(heap)[3]
            horizon = heap[0][0] if heap else None
            event = trail.head
            while event is not None:
                time, who, kind, args = event
                if self.quiet is not None and time >= self.quiet:
                    self.begin_aloud()
                if who != trail.who:
                    self.set_writer(trail, who)
                now = world.now
                world.guess = not world.whole and (not self.waiting or self.gaps > 0)
                answer = rules[kind](time if time > now else now, who, trail.machine, args)
                if isinstance(answer, str):
                    accepted = self.refused(trail, event, answer)
                    if accepted is None:
                        self.waiting.append(trail)
                        break
                    answer = accepted
                if time > now:
                    world.now = time
                elif trail.complaint:
                    self.held_ns = max(self.held_ns, now - time)
                    trail.complaint = ""
                if kind == E_LOST:
                    self.end_gap(trail, args[0])
                event = trail.advance()
                if self.quiet is None:
                    self.steps += 1
                    for observer in observers:
                        observer(answer)
                    yield answer
                else:
                    self.skipped += 1
                if event is None:
                    self.release(heap)
                elif event[2] != E_STACK:
                    late = (horizon is not None and event[0] >= horizon) or (until is not None and event[0] > until)
                    if late or self.waiting or event[2] == E_LOST:
                        if self.waiting:
                            self.release(heap)
                        self.push(heap, trail)
                        break

    def push(self, heap: list[tuple[int, int, int, Trail]], trail: Trail) -> None:
        """Its head is to be tried. If that is LOST, everything may happen from here on: the step before it was the last that is certain."""
        if trail.head is not None and trail.head[2] == E_LOST and not trail.gap:
            trail.gap = True
            self.gaps += 1
            self.world.forget_trail(trail.number)
        heapq.heappush(heap, entry(trail))

    def set_writer(self, trail: Trail, who: int) -> None:
        trail.who = who
        trail.machine = self.world.machine(who)
        if trail.machine is not None:
            trail.machine.trail = trail.number

    def release(self, heap: list[tuple[int, int, int, Trail]]) -> None:
        """Who was held back tries again."""
        for trail in self.waiting:
            self.push(heap, trail)
        self.waiting = []

    def refused(self, trail: Trail, event: Event, complaint: str) -> Step | None:
        """In a gap whatever is told is believed. Else the trail is held back."""
        if self.gaps:
            step = self.believe(trail, event)
            if step is not None:
                return step
        if not trail.complaint:
            trail.complaint = complaint
            self.held += 1
        return None

    def believe(self, trail: Trail, event: Event) -> Step | None:
        time, who, kind, args = event
        world = self.world
        world.guess = True
        world.forget_named(who, kind, args)
        if trail.machine is not None:
            trail.machine.trail = trail.number
        step = world.rules[kind](max(time, world.now), who, trail.machine, args)
        return step if isinstance(step, Step) else None

    def last_resort(self, until: int | None) -> Step | None:
        """No trail can go on. The oldest that a guess makes legal does, if guesses are allowed. Else it is an error, or more is to come."""
        world = self.world
        self.waiting.sort(key=entry)
        if not world.whole:
            world.guess = True
            for trail in self.waiting:
                assert trail.head is not None
                time, who, kind, args = trail.head
                step = world.rules[kind](max(time, world.now), who, trail.machine, args)
                if isinstance(step, Step):
                    self.held_ns = max(self.held_ns, world.now - time)
                    world.now = step.time
                    trail.complaint = ""
                    self.steps += 1
                    if trail.advance() is None:
                        self.waiting.remove(trail)
                    for observer in self.observers:
                        observer(step)
                    return step
        if self.waiting:
            oldest = self.waiting[0]
            assert oldest.head is not None
            late = until is not None and until - oldest.head[0] > PATIENCE_NS
            if (self.over and until is None) or late:
                error = IllegalTrace(oldest.head, oldest.number, world.begun, oldest.complaint, len(self.waiting) - 1)
                if self.cut_short is None or oldest.head[0] < self.cut_short:
                    raise error
                self.unplaced = str(error)
        return None

    # ---- holes ----

    def end_gap(self, trail: Trail, lost: int) -> None:
        self.lost += lost
        if trail.gap:
            trail.gap = False
            self.gaps -= 1
        self.world.forget_trail(trail.number)

    def spring_leak(self) -> None:
        """No trail can go on, and events were lost in places where nobody could write LOST any more, at the end of a trail: believe what is left."""
        self.leaks = False
        self.gaps += 1
        self.world.forget_trail(NONE)

    def begin_aloud(self) -> None:
        """The trails are whole from here on. What the Ms have told of themselves holds: all else is unknown."""
        self.quiet = None
        self.gaps -= 1
        self.world.forget_trail(NONE)

    def notes(self) -> list[str]:
        """What is remarkable and no error."""
        found = []
        if lost := max(self.lost, self.lost_in_all):
            found.append(f"{count(lost, 'event')} lost: the reader was too slow, and what they told is unknown")
        if self.skipped:
            found.append(f"{count(self.skipped, 'event')} left out: before the first moment that all trails tell of")
        if self.held:
            found.append(f"{count(self.held, 'event')} held back until what they need was told, for at most {span(self.held_ns)}")
        if self.unplaced:
            found.append(f"the end is missing, and so is what this needs: {self.unplaced}")
        return found


def entry(trail: Trail) -> tuple[int, int, int, Trail]:
    """Its place in the heap; no two have the same number."""
    assert trail.head is not None
    return trail.head[0], RANKS[trail.head[2]], trail.number, trail


def beginning(recording: Recording) -> int | None:
    """Of a flight recording: from when on every trail is there. None: from the first event on."""
    first: dict[int, Piece] = {}
    for piece in recording.pieces:
        first.setdefault(piece.trail, piece)
    cut = None if recording.end is None else recording.end.cut
    times = [first_time(piece) for trail, piece in first.items() if (first_kind(piece) != E_M_START if cut is None else trail in cut)]
    return max(times, default=None)
