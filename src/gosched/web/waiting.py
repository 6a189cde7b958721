"""Who waits on what, who holds it, and who will wait for ever: the data of the wait-for graph and of the list of channels and locks.

One look (core/waits.py) is read twice, as find_deadlocks reads it and as a list of things with those that wait on them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gosched.core.picture import wait_of
from gosched.core.sched import Scheduler
from gosched.core.states import MOMENT_BITS, WAIT_REASONS
from gosched.core.waits import look
from gosched.deadlocks import Deadlock, judge, name

# So many things are told, and of those that wait on one, so many.
THINGS = 120
WAITERS = 12
NAMED = 3
REASONS = {word: i for i, word in enumerate(WAIT_REASONS)}


@dataclass
class ThingSeen:
    """A channel, a lock, anything that is waited on. `holder` 0: nobody, or nobody knows."""

    key: str
    text: str
    kind: str
    holder: int
    count: int = 0
    ids: list[int] = field(default_factory=list)
    reasons: dict[int, int] = field(default_factory=dict)
    longest: float = 0.0
    cycle: bool = False

    def packed(self) -> list[Any]:
        reason = max(self.reasons, key=lambda r: self.reasons[r])
        return [self.key, self.text, self.kind, self.holder, self.count, self.ids, reason, round(self.longest, 1), self.cycle]


@dataclass
class Waiting:
    """`dead`: kind, ids, a sentence. `on`: what each goroutine waits on, and who holds that."""

    things: list[ThingSeen]
    dead: list[tuple[str, list[int], str]]
    on: dict[int, list[tuple[str, int]]]
    names: dict[int, str]

    @staticmethod
    def nothing() -> Waiting:
        return Waiting([], [], {}, {})

    def packed(self) -> dict[str, Any]:
        """Those of a cycle first, then what most wait on. Names: of who is in the picture."""
        things = sorted(self.things, key=lambda thing: (not thing.cycle, thing.holder == 0, -thing.count))[:THINGS]
        shown = {number for thing in things for number in (*thing.ids, thing.holder) if number}
        return {
            "things": [thing.packed() for thing in things],
            "more": len(self.things) - len(things),
            "dead": [[kind, ids[:50], text] for kind, ids, text in self.dead[:20]],
            "names": {number: self.names[number] for number in shown if number in self.names},
        }


def look_at_waits(sched: Scheduler) -> Waiting:
    everybody, sleepers = look([sched])
    deadlocks = judge(everybody, sleepers)
    in_cycle = {g.id for deadlock in deadlocks if deadlock.kind == "cycle" for g in deadlock.goroutines}
    now = sched.host.now() >> MOMENT_BITS
    things: dict[int, ThingSeen] = {}
    on: dict[int, list[tuple[str, int]]] = {}
    for s in sleepers:
        for thing in s.on:
            holder = thing.holder - sched.realm if thing.holder in everybody else 0
            seen = things.get(thing.address)
            if seen is None:
                kind = thing.kind.__name__.removesuffix("Core")
                seen = things[thing.address] = ThingSeen(f"{thing.address:#x}", name(thing), kind, holder)
            seen.count += 1
            if len(seen.ids) < WAITERS or s.g.id in in_cycle:
                seen.ids.append(s.g.id)
            reason = REASONS[s.reason]
            seen.reasons[reason] = seen.reasons.get(reason, 0) + 1
            seen.longest = max(seen.longest, wait_of(s.g, now))
            seen.cycle = seen.cycle or (s.g.id in in_cycle and holder in in_cycle)
            on.setdefault(s.g.id, []).append((seen.text, holder))
    dead: list[tuple[str, list[int], str]] = [(found.kind, [g.id for g in found.goroutines], sentence(found)) for found in deadlocks]
    shown = {number for thing in things.values() for number in (*thing.ids, thing.holder)}
    names = {number - sched.realm: g.name[:120] for number, g in everybody.items() if number - sched.realm in shown}
    return Waiting(list(things.values()), dead, on, names)


def sentence(found: Deadlock) -> str:
    """The first line of the report, and who they are."""
    first = str(found).split("\n", 1)[0].removeprefix("deadlock: ")
    named = ", ".join(f"{g.id} ({g.name[:40]})" for g in found.goroutines[:NAMED])
    more = len(found.goroutines) - NAMED
    return f"{first[:1].upper()}{first[1:]}: {named}{f' and {more:,} more' if more > 0 else ''}"
