"""What is shown of one moment, and how it is put on the wire.

A frame is JSON: lists in a fixed order where there are many, as assets/store.js unpacks them. Goroutines are sent whole once, to who has just come,
and from then on as what has changed: rows that are new or different, and ids that are gone. Most goroutines wait most of the time, and cost nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from gosched.core.states import WAIT_REASONS

# More goroutines than this are counted in groups, and of the groups so many are told.
ROWS = 2_000
GROUPS = 200

# A goroutine: id, state (a letter), reason (its number), since when (s), name, creator.
Row = tuple[int, str, int, float, str, int]
# state, reason, name, how many, longest wait (s), some ids.
Group = tuple[str, int, str, int, float, list[int]]

STATES = {"R": "running", "r": "runnable", "w": "waiting", "p": "preempted", "s": "syscall"}


@dataclass
class Proc:
    """A P. `m` -1 and `g`, `next` 0: none. `ring` has the first of `length`."""

    id: int
    status: str
    m: int
    g: int
    length: int
    ring: list[int]
    next: int
    slices: int
    turns: int
    steals: int
    stolen: int
    handoffs: int
    retakes: int
    blocks: int
    forced: int
    timers: int
    held: float = 0.0
    """For how long it has been in one turn, in s."""

    def packed(self) -> list[Any]:
        return list(vars(self).values())


@dataclass
class Machine:
    """An M, which is a thread. `away`: for how long it has been in a call, in s."""

    id: int
    state: str
    p: int
    g: int
    away: float
    locks: int
    aside: int
    preemptions: int

    def packed(self) -> list[Any]:
        return list(vars(self).values())


@dataclass
class Lint:
    """What a reader should look at. `key` stays the same while it lasts. `level`: 1 look, 2 wrong."""

    key: str
    level: int
    text: str
    g: int = 0


@dataclass
class Event:
    """Something that happened. `kind` is what the page filters by. `text` is said of `g`, if there is one: "main ended"."""

    t: float
    kind: str
    text: str
    g: int = 0

    def packed(self, number: int) -> list[Any]:
        return [number, round(self.t, 4), self.kind, self.text, self.g]


@dataclass
class Snapshot:
    """`t`: s since the program began. `rate`: turns a second. `latency`: how long who can run waits for its turn, in s."""

    t: float
    ps: list[Proc]
    ms: list[Machine]
    queue: int
    queued: list[int]
    net: int
    timers: int
    next_timer: float | None
    total: int
    counts: dict[str, int]
    rows: dict[int, Row]
    groups: list[Group]
    names: dict[int, str] = field(default_factory=dict)
    """Of those that run, where there are no rows to tell."""
    preemptions: int = 0
    phase: int = 0
    rate: float = 0.0
    latency: float | None = None
    lints: list[Lint] = field(default_factory=list)


def frame(now: Snapshot, before: Snapshot | None, events: Iterable[list[Any]], cost: float) -> dict[str, Any]:
    """`before`: what the reader has already; None: nothing."""
    rows: Iterable[Row] = now.rows.values()
    gone: list[int] = []
    if before is not None:
        known = before.rows
        rows = [row for number, row in now.rows.items() if known.get(number) != row]
        gone = [number for number in known if number not in now.rows]
    return {
        "full": before is None,
        "t": round(now.t, 4),
        "ps": [p.packed() for p in now.ps],
        "ms": [m.packed() for m in now.ms],
        "queue": [now.queue, now.queued],
        "net": now.net,
        "timers": [now.timers, now.next_timer],
        "total": now.total,
        "counts": now.counts,
        "rows": list(rows),
        "gone": gone,
        "groups": now.groups,
        "names": now.names,
        "preemptions": now.preemptions,
        "phase": now.phase,
        "rate": round(now.rate, 1),
        "latency": now.latency,
        "lints": [[lint.key, lint.level, lint.text, lint.g] for lint in now.lints],
        "events": list(events),
        "cost": round(cost * 1e3, 3),
    }


def about(title: str, live: bool, start: float, end: float) -> str:
    """What a page must know before the first frame."""
    return encode({"title": title, "live": live, "start": start, "end": end, "states": STATES, "reasons": WAIT_REASONS, "rows": ROWS})


def encode(data: Any) -> str:
    """Names are a user's, and may have half of a surrogate pair in them: all is ASCII."""
    return json.dumps(data, separators=(",", ":"))
