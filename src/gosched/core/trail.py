"""What happens, written down: trails of events, whose meaning is in events.py. Compiled, trail.pyx and trail.h take its place, which see.

A trail is a chain of pieces, written by one thread at a time, and read by one at a time, which never wait for each other: the writer appends an event
whole, the reader copies what is there. What several threads write has a lock.
"""

from __future__ import annotations

from _thread import RLock, allocate_lock
from contextlib import nullcontext
from typing import Any

from .events import ARGS, E_BY, E_LOST, OUTSIDE
from .native import Note, now

PIECE = 65_536
LONGEST = 1 + 4 * 10
# What a piece takes beside its data, where it is a struct.
HEAD = 32


def skim(data: bytes, time: int, who: int, least: int) -> tuple[int, int, int, int]:
    """Goes past whole events, until at least so many bytes are behind it: how many that are, the time and the writer there, and how many events.
    `time` and `who` are those before the first."""
    at = events = 0
    while at < least:
        kind = data[at]
        at += 1
        for i in range(-1, len(ARGS[kind])):
            n = shift = 0
            while data[at] >= 0x80:
                n |= (data[at] & 0x7F) << shift
                shift += 7
                at += 1
            n |= data[at] << shift
            at += 1
            if i < 0:
                time += n
            elif kind == E_BY:
                who = n
        events += kind != E_BY
    return at, time, who, events


class Trails:
    """Of one scheduler. `one`: a single one for all writers, as in virtual time; `queues`: there they tell where goroutines are queued, too."""

    def __init__(self, limit: int, stacks: bool = False, one: bool = False, queues: bool = False) -> None:
        self.limit = limit
        self.stacks = stacks
        self.one = one
        self.queues = queues
        self.clock = 0
        self.bell = Note()
        self.all: list[Trail] = []
        self.strings: list[str] = []
        self.numbers: dict[str, int] = {}
        self.tasks = 0
        self.lock = allocate_lock()
        self.open().shared = RLock()

    def open(self) -> Trail:
        """A trail for an M that begins; the first of all is shared."""
        with self.lock:
            if self.one and self.all:
                return self.all[0]
            trail = Trail(self, len(self.all))
            self.all.append(trail)
        return trail

    def number(self, text: str) -> int:
        """Of a string that events name."""
        found = self.numbers.get(text)
        if found is None:
            with self.lock:
                found = self.numbers.get(text)
                if found is None:
                    found = len(self.strings)
                    self.strings.append(text)
                    self.numbers[text] = found
        return found

    def new_task(self) -> int:
        """The number of a task of the user's, from 1 on."""
        with self.lock:
            self.tasks += 1
            return self.tasks

    def set_clock(self, now: int) -> None:
        """In virtual time it is now `now`."""
        self.clock = now

    def sleep(self, until: int) -> bool:
        """By the reader: until a piece is full, or it is `until`, or woken. False: it is `until`."""
        rung = self.bell.sleep(until)
        self.bell.clear()
        return rung

    def tell_outside(self, kind: int, a: int) -> None:
        """By a thread that is no M."""
        self.all[0].tell1(OUTSIDE, kind, a)

    def wake(self) -> None:
        self.bell.wake()

    def held(self) -> int:
        """Bytes."""
        return sum(len(trail.chain) for trail in self.all) * (PIECE + HEAD)


class Piece:
    def __init__(self, serial: int, begun: int, who: int) -> None:
        self.serial = serial
        self.begun = begun
        self.who = who
        self.data = bytearray()


class Trail:
    def __init__(self, of: Trails, number: int) -> None:
        self.of = of
        self.id = number
        self.ended = False
        self.shared: Any = nullcontext()
        self.writing = False
        self.late: list[tuple[int, int, tuple[int, ...]]] = []
        self.chain: list[Piece] = []
        self.at = 0
        self.lost = 0
        self.who = -1

    def tell(self, who: int, kind: int) -> None:
        self._tell(who, kind, ())

    def tell1(self, who: int, kind: int, a: int) -> None:
        self._tell(who, kind, (a,))

    def tell2(self, who: int, kind: int, a: int, b: int) -> None:
        self._tell(who, kind, (a, b))

    def tell3(self, who: int, kind: int, a: int, b: int, c: int) -> None:
        self._tell(who, kind, (a, b, c))

    def _tell(self, who: int, kind: int, args: tuple[int, ...]) -> None:
        """A run of the collector in the middle of this may have something to tell, too: that comes after."""
        with self.shared:
            if self.writing:
                self.late.append((who, kind, args))
                return
            self.writing = True
            self._write(who, kind, args)
            while self.late:
                self._write(*self.late.pop(0))
            self.writing = False

    def _write(self, who: int, kind: int, args: tuple[int, ...]) -> None:
        moment = self.of.clock or now()
        if (not self.chain or len(self.chain[-1].data) + 3 * LONGEST > PIECE) and not self._turn(moment, who):
            self.lost += 1
            return
        if self.lost:
            self._add(moment, E_LOST, (self.lost,))
            self.lost = 0
        if self.who != who:
            self.who = who
            self._add(moment, E_BY, (who,))
        self._add(moment, kind, args)

    def _turn(self, moment: int, who: int) -> bool:
        """Another piece, if there may be one."""
        if self.of.held() + PIECE + HEAD > self.of.limit:
            self.of.wake()
            return False
        self.chain.append(Piece(self.chain[-1].serial + 1 if self.chain else 0, moment, who))
        self.at = moment
        self.who = who
        if len(self.chain) > 1:
            self.of.wake()
        return True

    def _add(self, moment: int, kind: int, args: tuple[int, ...]) -> None:
        event = bytearray((kind,))
        for n in (max(0, moment - self.at), *args):
            while n >= 0x80:
                event.append(n & 0x7F | 0x80)
                n >>= 7
            event.append(n)
        self.at = max(self.at, moment)
        self.chain[-1].data += event

    def pieces(self, serial: int, offset: int) -> list[tuple[int, int, int, int, bytes, bool]]:
        """By the reader: what was told from that place on, as (serial, time of its first event, who, offset, bytes, whether more may come).
        The piece with that serial is among them, if it is still there."""
        found = []
        chain = list(self.chain)
        for piece in chain:
            if piece.serial >= serial:
                begin = offset if piece.serial == serial else 0
                data = bytes(piece.data[begin:])
                if data or piece is chain[-1] or piece.serial == serial:
                    found.append((piece.serial, piece.begun, piece.who, begin, data, piece is chain[-1]))
        return found

    def marks(self) -> list[tuple[int, int]]:
        """By the reader: the pieces that there are, as (serial, time of its first event)."""
        return [(piece.serial, piece.begun) for piece in list(self.chain)]

    def untold(self) -> int:
        """How many events were lost since the last one that was not."""
        return self.lost

    def drop(self, serial: int) -> None:
        """By the reader: all before that piece, but for the last one."""
        while len(self.chain) > 1 and self.chain[0].serial < serial:
            del self.chain[0]
