"""Partial deadlocks: goroutines that wait for each other, or for what nobody else can reach, while others run on. And the wait-for graph.

core/waits.py takes the picture in one moment; here it is read.

    cycle          each waits for a lock that the next one holds. Any goroutine may unlock a mutex, so who holds it is as certain as the program is
                   clean: it is the one that locked it last
    unreachable    no goroutine that can go on, no thread, nothing that lives, has a way to what they wait on
    nil            a nil channel, or a select without cases: by definition for ever
A wait that a time or a context can end is no part of a cycle.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Literal

from gosched.channels import Chan
from gosched.core.g import Goroutine, line_of
from gosched.core.states import W_RECV_NIL, W_SELECT_NONE, W_SEND_NIL, WAIT_REASONS
from gosched.core.waits import Sleeper, Thing, look
from gosched.runtime import schedulers

__all__ = ["Deadlock", "Edge", "Node", "Wait", "WaitGraph", "find_deadlocks", "wait_graph"]

Kind = Literal["cycle", "unreachable", "nil"]
NIL = {WAIT_REASONS[reason]: on for reason, on in ((W_RECV_NIL, "nil"), (W_SEND_NIL, "nil"), (W_SELECT_NONE, "nothing"))}
PACKAGE = str(Path(__file__).parent)


@dataclass(frozen=True)
class Wait:
    """A goroutine waits on one thing; in a select it has several."""

    goroutine: Goroutine
    reason: str
    """In Go's words."""
    on: str
    """What it waits on: its kind and address."""
    held_by: Goroutine | None
    """Who locked it last, if it is a lock."""
    where: str | None
    """The function and line that waits."""


@dataclass(frozen=True)
class Deadlock:
    """Goroutines that wait for ever, as :func:`find_deadlocks` found them. `str()` says it in words.

    >>> import gosched
    >>> async def main():
    ...     gosched.go(gosched.nil.arecv, name="stuck")
    ...     while not (found := gosched.find_deadlocks()):
    ...         await gosched.ayield_now()
    ...     return str(found[0]).splitlines()[0]
    >>> gosched.run(main)
    'deadlock: a goroutine waits on a nil channel'
    """

    kind: Kind
    goroutines: tuple[Goroutine, ...]
    waits: tuple[Wait, ...]

    def __str__(self) -> str:
        n = len(self.goroutines)
        who, wait = ("a goroutine", "waits") if n == 1 else (f"{n:,} goroutines", "wait")
        what = "for what nobody else can reach"
        if self.kind == "cycle":
            what = "for itself" if n == 1 else "for each other"
        elif self.kind == "nil":
            what = "on a nil channel" if self.waits[0].on == "nil" else "in a select without cases"
        lines = [f"deadlock: {who} {wait} {what}"]
        for g in self.goroutines:
            mine = [wait for wait in self.waits if wait.goroutine is g]
            holder = f", held by goroutine {mine[0].held_by.id}" if mine[0].held_by is not None else ""
            lines.append(f"  goroutine {g.id} ({g.name}) waits for {', '.join(wait.on for wait in mine)} [{mine[0].reason}]{holder}")
            if mine[0].where is not None:
                lines.append(f"      in {mine[0].where}")
            if g.created_by is not None:
                lines.append(f"      created by {g.created_by}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Node:
    """A goroutine, or what goroutines wait on."""

    key: str
    text: str


@dataclass(frozen=True)
class Edge:
    """`source` waits for `target`, for this reason; or a lock is "held by" a goroutine."""

    source: Node
    target: Node
    reason: str


@dataclass(frozen=True)
class WaitGraph:
    """Who waits on what, and who holds that, in one moment."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def find_deadlocks() -> list[Deadlock]:
    """Goroutines that will never go on, while others may: those that wait for each other's locks, those that wait on a channel, a WaitGroup or other
    things that nobody else can reach any more, those that wait on `nil`. From a goroutine or from any thread; of all open runtimes.

    It may miss some, and docs/deadlocks.md says which, but names none that could still go on by itself.

    >>> import gosched
    >>> async def locks_twice(mutex):
    ...     async with mutex, mutex:
    ...         pass
    >>> async def main():
    ...     gosched.go(locks_twice, gosched.Mutex(), name="itself")
    ...     while not (found := gosched.find_deadlocks()):
    ...         await gosched.ayield_now()
    ...     return found[0].kind, found[0].goroutines[0].name
    >>> gosched.run(main)
    ('cycle', 'itself')
    """
    return judge(*look(schedulers()))


def judge(everybody: dict[int, Goroutine], sleepers: list[Sleeper]) -> list[Deadlock]:
    """What a look has found, read."""
    found = []
    lost: dict[int, Sleeper] = {}
    for ring in cycles(sleepers):
        found.append(report("cycle", ring, everybody))
    reported = {g for deadlock in found for g in deadlock.goroutines}
    for s in sleepers:
        if s.reason in NIL:
            if not s.hope or not s.guarded:
                found.append(report("nil", [s], everybody))
        elif not s.hope and s.g not in reported:
            lost[s.number] = s
    return found + [report("unreachable", group, everybody) for group in groups(lost)]


def cycles(sleepers: Iterable[Sleeper]) -> list[list[Sleeper]]:
    """Each once, from its lowest number on. A goroutine waits for one lock, so from each there is one way on, if any."""
    locked = {s.number: s for s in sleepers if not s.guarded and any(thing.holder for thing in s.on)}
    found = []
    seen: set[int] = set()
    for start in sorted(locked):
        way: dict[int, Sleeper] = {}
        at = start
        while at in locked and at not in seen:
            seen.add(at)
            way[at] = locked[at]
            at = locked[at].on[0].holder
        if at in way:
            ring = list(way.values())
            found.append(ring[list(way).index(at) :])
    return found


def groups(lost: dict[int, Sleeper]) -> list[list[Sleeper]]:
    """Those that share what they wait on, or wait for a lock that another of them holds, belong together."""
    leader = {number: number for number in lost}

    def find(number: int) -> int:
        while leader[number] != number:
            leader[number] = number = leader[leader[number]]
        return number

    first: dict[int, int] = {}
    for number, s in lost.items():
        for thing in s.on:
            for other in (first.setdefault(thing.address, number), thing.holder):
                if other in lost:
                    low, high = sorted((find(number), find(other)))
                    leader[high] = low
    found: dict[int, list[Sleeper]] = {}
    for number, s in lost.items():
        found.setdefault(find(number), []).append(s)
    return list(found.values())


def report(kind: Kind, sleepers: list[Sleeper], everybody: dict[int, Goroutine]) -> Deadlock:
    return Deadlock(kind, tuple(s.g for s in sleepers), tuple(wait for s in sleepers for wait in waits(s, everybody)))


def waits(s: Sleeper, everybody: dict[int, Goroutine]) -> list[Wait]:
    things = {name(thing): thing.holder for thing in s.on} or {NIL.get(s.reason, "time"): 0}
    return [Wait(s.g, s.reason, on, everybody.get(holder), where(s.places)) for on, holder in things.items()]


def name(thing: Thing) -> str:
    """As its repr would be, which may be a user's code."""
    kind = thing.kind.__name__.removesuffix("Core")
    if issubclass(thing.kind, Chan):
        kind = f"Chan {thing.values}/{thing.room}"
    return f"<{kind} at {thing.address:#x}>"


def where(places: tuple[tuple[CodeType, int], ...]) -> str | None:
    """The innermost of them that is not ours."""
    for code, at in places:
        if not code.co_filename.startswith(PACKAGE):
            return f"{code.co_qualname} at {code.co_filename}:{line_of(code, at)}"
    return None


def wait_graph() -> WaitGraph:
    """The wait-for graph of all goroutines that wait, of all open runtimes, but for those that wait for the network.

    >>> import gosched, gosched.deadlocks
    >>> async def main():
    ...     mutex = gosched.Mutex()
    ...     async with mutex:
    ...         gosched.go(mutex.alock, name="second")
    ...         while not (edges := gosched.deadlocks.wait_graph().edges):
    ...             await gosched.ayield_now()
    ...         return edges[1].reason, edges[1].target.text
    >>> gosched.run(main)
    ('held by', 'goroutine 1 (main)')
    """
    everybody, sleepers = look(schedulers())
    nodes: dict[str, Node] = {}
    edges: dict[Edge, None] = {}

    def node(key: str, text: str) -> Node:
        return nodes.setdefault(key, Node(key, text))

    def goroutine(number: int) -> Node:
        g = everybody[number]
        return node(f"g{number}", f"goroutine {g.id} ({g.name})")

    for s in sleepers:
        for thing in s.on:
            target = node(f"{thing.address:#x}", name(thing))
            edges[Edge(goroutine(s.number), target, s.reason)] = None
            if thing.holder in everybody:
                edges[Edge(target, goroutine(thing.holder), "held by")] = None
        if not s.on:
            goroutine(s.number)
    return WaitGraph(tuple(nodes.values()), tuple(edges))
