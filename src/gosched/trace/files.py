"""A trace as a file: how it is written, and how it is read back.

    gosched trace 1\\n
    kind, 1 byte | trail, 4 bytes | length, 4 bytes | payload          … and so on to the end, numbers little-endian

    H   JSON      Header: always the first
    S   JSON      [number of the first, [strings]]: the table that names are numbers in, counted from 0
    C   binary    a piece of a trail: time of its first event (8 bytes, ns), who writes (4 bytes), events as in core/events.py
    G   JSON      [goroutines that were alive when the trace was closed]
    E   JSON      End: always the last

Records are appended and never changed, so a file whose writer died is whole up to its last whole record. That is no error: `Recording.notes` says so.
Everything else that is not as it should be is a TraceFileError, which names the file, the place and what is wrong there: a trace may come from
anybody, and nothing in it is believed.

`decode` is the inner loop of every reader. Most numbers in a trace fit one byte; they are read without a call.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Any, NamedTuple

from gosched.core.events import ARGS, E_BY, NAMES

VERSION = 1
TITLE = b"gosched trace "
MAGIC = TITLE + b"%d\n" % VERSION
HEADER, STRINGS, PIECE, GOROUTINES, END = b"H", b"S", b"C", b"G", b"E"
RECORD = struct.Struct("<cII")
PIECE_HEAD = struct.Struct("<QI")
# A number has at most so many bits: what is longer is garbage, and would be slow garbage.
WIDEST = 64
WHYS = ("end", "asked", "sigquit", "deadlock", "stall")

Event = tuple[int, int, int, tuple[int, ...]]
COUNTS = tuple(len(args) for args in ARGS)


class TraceFileError(ValueError):
    """What was given as a trace is none, or is damaged."""

    def __init__(self, name: str, offset: int, wrong: str) -> None:
        super().__init__(f"{name}, byte {offset:,}: {wrong}")
        self.name = name
        self.offset = offset
        self.wrong = wrong


@dataclass
class Header:
    gosched: str
    python: str
    build: str
    free_threaded: bool
    pid: int
    command: str
    gomaxprocs: int
    virtual: bool
    begun: int  # ns, by the clock of the events
    wall: float  # the same moment, in seconds since 1970
    stacks: bool


@dataclass
class Alive:
    """A goroutine that was there when the trace was closed."""

    id: int
    name: str
    state: str
    reason: str
    created_by: int


@dataclass
class End:
    ended: int
    lost: int
    why: str
    complete: bool  # False: a flight recorder's, whose beginning is cut off
    cut: list[int] | None = None  # the trails whose beginning is; None: whichever do not begin with M_START
    read_from: int | None = None  # others ran on while the trails were read, one after the other, from then on


class Piece(NamedTuple):
    trail: int
    data: bytes
    offset: int = 0  # of the data in its file


@dataclass
class Recording:
    """What is in a file."""

    name: str
    header: Header
    strings: list[str] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    goroutines: list[Alive] = field(default_factory=list)
    end: End | None = None
    notes: list[str] = field(default_factory=list)
    size: int = 0


# ---- writing ----


def encode_record(kind: bytes, payload: bytes, trail: int = 0) -> bytes:
    return RECORD.pack(kind, trail, len(payload)) + payload


def encode_header(header: Header) -> bytes:
    return encode_record(HEADER, encode_json(asdict(header)))


def encode_strings(first: int, strings: list[str]) -> bytes:
    return encode_record(STRINGS, encode_json([first, strings]))


def encode_piece(trail: int, begun: int, who: int, events: bytes) -> bytes:
    return encode_record(PIECE, head(begun, who) + events, trail)


def head(begun: int, who: int) -> bytes:
    return PIECE_HEAD.pack(begun, who)


def encode_goroutines(goroutines: Iterable[Alive]) -> bytes:
    return encode_record(GOROUTINES, encode_json([asdict(g) for g in goroutines]))


def encode_end(end: End) -> bytes:
    return encode_record(END, encode_json({name: value for name, value in asdict(end).items() if value is not None}))


def encode_event(kind: int, after: int, args: Iterable[int] = ()) -> bytes:
    """One event, `after` ns after the one before: what the core writes in C."""
    return bytes([kind]) + b"".join(encode_number(n) for n in (after, *args))


def encode_number(n: int) -> bytes:
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def encode_json(what: object) -> bytes:
    return json.dumps(what, separators=(",", ":")).encode()


# ---- reading ----


def read(path: str | os.PathLike[str]) -> Recording:
    """The whole of a file. OSError if there is none."""
    with open(path, "rb") as file:
        data = file.read()
    return parse(data, os.fspath(path))


def parse(data: bytes, name: str) -> Recording:
    at = check_magic(data, name)
    recording: Recording | None = None
    notes: list[str] = []
    while at < len(data):
        body = at + RECORD.size
        if body > len(data):
            break
        kind, trail, length = RECORD.unpack_from(data, at)
        if kind not in (HEADER, STRINGS, PIECE, GOROUTINES, END):
            raise TraceFileError(name, at, f"a record of kind {kind!r}; there are H, S, C, G and E")
        if (kind == HEADER) != (recording is None):
            raise TraceFileError(name, at, "the header must be the first record" if recording is None else "a second header")
        if recording is not None and recording.end is not None:
            raise TraceFileError(name, at, "a record after the last one (E)")
        if body + length > len(data):
            break
        payload = data[body : body + length]
        if recording is None:
            recording = Recording(name, parse_header(payload, name, body), notes=notes, size=len(data))
        elif kind == PIECE:
            if length < PIECE_HEAD.size:
                raise TraceFileError(name, body, f"a piece of {length} bytes; its head alone has {PIECE_HEAD.size}")
            recording.pieces.append(Piece(trail, payload, body))
        elif kind == STRINGS:
            recording.strings += parse_strings(payload, len(recording.strings), name, body)
        elif kind == GOROUTINES:
            recording.goroutines = parse_goroutines(payload, name, body)
        else:
            recording.end = parse_end(payload, name, body)
        at = body + length
    if recording is None:
        raise TraceFileError(name, at, "it ends before its header does")
    if at < len(data):
        notes.append(f"cut off in the middle of a record: the last {len(data) - at:,} bytes are left out")
    if recording.end is None:
        notes.append("not closed: the program was killed, or still runs")
    return recording


def check_magic(data: bytes, name: str) -> int:
    """Where the records begin."""
    if not data:
        raise TraceFileError(name, 0, "empty")
    if data.startswith(MAGIC):
        return len(MAGIC)
    if MAGIC.startswith(data):
        raise TraceFileError(name, len(data), "it ends before its header does")
    line = data[: len(TITLE) + 8].split(b"\n")[0]
    version = line[len(TITLE) :]
    if line.startswith(TITLE) and version.isdigit() and int(version) != VERSION:
        raise TraceFileError(name, len(TITLE), f"written in format {int(version)}; this gosched reads format {VERSION}: use the one that wrote it")
    raise TraceFileError(name, 0, f"not a gosched trace: it would begin with {MAGIC!r}")


def parse_json(payload: bytes, name: str, at: int) -> Any:
    try:
        return json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise TraceFileError(name, at, f"no JSON: {error}") from None


# What a field's annotation demands of its value. A bool is an int in Python, and is none here.
CHECKS: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
    "int | None": (int, type(None)),
    "list[int] | None": (list, type(None)),
}


def fill(into: type, told: Any, name: str, at: int) -> Any:
    """An object of a dataclass from JSON. Fields that it does not know are of a later gosched, and left out."""
    if not isinstance(told, dict):
        raise TraceFileError(name, at, f"{into.__name__} is {short(told)}; it must be an object")
    values = {}
    for f in fields(into):
        if f.name in told:
            value = told[f.name]
            allowed = CHECKS[str(f.type)]
            if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
                raise TraceFileError(name, at, f"{into.__name__}.{f.name} is {short(value)}; it must be {f.type}")
            values[f.name] = printable(value) if isinstance(value, str) else value
        elif f.default is MISSING:
            raise TraceFileError(name, at, f"{into.__name__} has no {f.name!r}")
    return into(**values)


def parse_header(payload: bytes, name: str, at: int) -> Header:
    header: Header = fill(Header, parse_json(payload, name, at), name, at)
    if header.begun < 0:
        raise TraceFileError(name, at, f"Header.begun is {header.begun}; it cannot be negative")
    return header


def parse_strings(payload: bytes, expected: int, name: str, at: int) -> list[str]:
    told = parse_json(payload, name, at)
    if not (isinstance(told, list) and len(told) == 2 and isinstance(told[1], list) and all(isinstance(s, str) for s in told[1])):
        raise TraceFileError(name, at, f"strings are {short(told)}; they must be [number, [strings]]")
    if told[0] != expected or isinstance(told[0], bool):
        raise TraceFileError(name, at, f"strings from number {short(told[0])} on; the next is {expected}")
    return [printable(s) for s in told[1]]


def parse_goroutines(payload: bytes, name: str, at: int) -> list[Alive]:
    told = parse_json(payload, name, at)
    if not isinstance(told, list):
        raise TraceFileError(name, at, f"the goroutines are {short(told)}; they must be a list")
    return [fill(Alive, one, name, at) for one in told]


def parse_end(payload: bytes, name: str, at: int) -> End:
    end: End = fill(End, parse_json(payload, name, at), name, at)
    if end.why not in WHYS:
        raise TraceFileError(name, at, f"End.why is {end.why!r}; it must be one of {', '.join(WHYS)}")
    if end.cut is not None and not all(type(trail) is int for trail in end.cut):
        raise TraceFileError(name, at, f"End.cut is {short(end.cut)}; it must be a list of numbers")
    return end


def printable(text: str) -> str:
    """Names come from programs and may have lone surrogates, which no terminal takes."""
    return text.encode("utf-8", "backslashreplace").decode()


def short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


# ---- events ----


def first_time(piece: Piece) -> int:
    begun: int = PIECE_HEAD.unpack_from(piece.data)[0]
    return begun


def first_kind(piece: Piece) -> int:
    """-1 if there is no event in it."""
    return piece.data[PIECE_HEAD.size] if len(piece.data) > PIECE_HEAD.size else -1


def decode(data: bytes, name: str = "a piece", offset: int = 0) -> Iterator[Event]:
    """The events of a piece: (time, who, kind, args). BY is none of them: it is in `who`."""
    if len(data) < PIECE_HEAD.size:
        raise TraceFileError(name, offset, f"a piece of {len(data)} bytes; its head alone has {PIECE_HEAD.size}")
    time, who = PIECE_HEAD.unpack_from(data)
    counts = COUNTS
    kinds = len(counts)
    none: tuple[int, ...] = ()
    start = at = PIECE_HEAD.size
    stop = len(data)
    try:
        while at < stop:
            start = at
            kind = data[at]
            if kind >= kinds:
                raise TraceFileError(name, offset + at, f"an event of kind {kind}; the last that is known is {kinds - 1}, {NAMES[-1]}")
            a = data[at + 1]
            at += 2
            if a > 127:
                a, at = number(data, at - 1)
            time += a
            count = counts[kind]
            if count == 0:
                yield time, who, kind, none
                continue
            a = data[at]
            at += 1
            if a > 127:
                a, at = number(data, at - 1)
            if count == 1:
                if kind == E_BY:
                    who = a
                else:
                    yield time, who, kind, (a,)
                continue
            b = data[at]
            at += 1
            if b > 127:
                b, at = number(data, at - 1)
            if count == 2:
                yield time, who, kind, (a, b)
                continue
            c = data[at]
            at += 1
            if c > 127:
                c, at = number(data, at - 1)
            yield time, who, kind, (a, b, c)
    except IndexError:
        raise TraceFileError(name, offset + start, f"{NAMES[data[start]]} is cut off by the end of its piece") from None
    except OverflowError:
        raise TraceFileError(name, offset + start, f"{NAMES[data[start]]} has a number of more than {WIDEST} bits") from None


def number(data: bytes, at: int) -> tuple[int, int]:
    """A number, and where the next thing begins."""
    n = shift = 0
    while True:
        byte = data[at]
        at += 1
        n |= (byte & 0x7F) << shift
        if byte < 128:
            if n >> WIDEST:
                raise OverflowError
            return n, at
        shift += 7
        if shift >= WIDEST:
            raise OverflowError
