"""What the tracer tells of a program that runs, read along while somebody looks at the page.

A program may tell millions of events a second, and to play one takes microseconds. So there is a budget for each look. What is within it is played,
all of it, and the log has every step in its order. What is beyond it is skimmed: counted, and only the last of each trail is played, by a replay
that begins in the middle of things.

The recorder that the trails belong to (trace/record.py) frees what it has done with: what it took away between two looks is beyond the budget as
well. One thread calls all this, the server's. Events that come while it reads are for its next look: steps are played up to when it began.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gosched.core.trail import skim
from gosched.trace.files import Piece, head
from gosched.trace.record import Recorder
from gosched.trace.replay import IllegalTrace, Replay
from gosched.trace.things import Step

# Bytes that are played in one look, of all trails together: some 1,000 events. Goroutines that a replay may know before it is begun anew.
BUDGET = 3_000
KNOWN = 50_000


@dataclass
class Place:
    """In a trail: a piece, a place in it, and the time and the writer of what was told before."""

    serial: int = 0
    offset: int = 0
    time: int = 0
    who: int = 0


@dataclass
class Told:
    """What one piece has told since, from `place` on."""

    trail: int
    place: Place
    data: bytes

    def skim(self, least: int) -> int:
        """Leaves out whole events, at least so many bytes. How many events that were."""
        at, time, who, events = skim(self.data, self.place.time, self.place.who, least)
        self.place = Place(self.place.serial, self.place.offset + at, time, who)
        self.data = self.data[at:]
        return events

    def piece(self) -> Piece:
        return Piece(self.trail, head(self.place.time, self.place.who) + self.data)


class NamedReplay(Replay):
    """It may not have seen a goroutine's beginning: the page knows names from its looks."""

    def __init__(self, begun: int, strings: list[str], names: dict[int, str]) -> None:
        super().__init__(begun, whole=False, strings=strings, name="the program")
        self.names = names

    def name_of(self, g: int) -> str:
        return super().name_of(g) or self.names.get(g, "")


class Follower:
    """`replay` is as it was after the last step. `skipped`: so many events, or more, are between those and the ones of the look before."""

    def __init__(self, recorder: Recorder, names: dict[int, str]) -> None:
        self.recorder = recorder
        self.names = names
        self.places: dict[int, Place] = {}
        self.replay = self.anew()
        self.skipped = 0

    def anew(self) -> NamedReplay:
        return NamedReplay(self.recorder.begun, [] if self.recorder.trails is None else self.recorder.trails.strings, self.names)

    def steps(self) -> Iterator[Step]:
        """What was told since the last look, or the last of it."""
        until = self.recorder.clock()
        told, gap = self.read()
        self.skipped = 0
        if gap or sum(len(part.data) for part in told) > BUDGET or len(self.replay.world.goroutines) > KNOWN:
            told = self.cut(told)
            self.skipped = max(self.skipped, 1)
            self.replay = self.anew()
        for part in told:
            self.replay.feed(part.piece())
        try:
            yield from self.replay.run(until)
        except IllegalTrace:  # a clock that went back, or an event that was told late: what is known is worth nothing
            self.replay = self.anew()

    def read(self) -> tuple[list[Told], bool]:
        """All there is, and whether something is missing before it."""
        found: list[Told] = []
        gap = False
        for trail, pieces in self.recorder.since({trail: (place.serial, place.offset) for trail, place in self.places.items()}):
            here = self.places.get(trail, Place())
            gap = gap or (bool(pieces) and pieces[0][0] != here.serial)
            for serial, begun, who, offset, data, _ in pieces:
                part = Told(trail, here if offset else Place(serial, 0, begun, who), data)
                if data:
                    found.append(replace(part))
                part.skim(len(data))
                here = self.places[trail] = part.place
        return found, gap

    def cut(self, told: list[Told]) -> list[Told]:
        """The end of each trail."""
        last = {part.trail: part for part in told}
        self.skipped = sum(part.skim(len(part.data)) for part in told if part is not last[part.trail])
        for part in last.values():
            self.skipped += part.skim(len(part.data) - BUDGET // len(last))
        return list(last.values())
