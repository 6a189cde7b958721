"""What must have happened between two moments, in words: counters that went up, goroutines that came and went.

For where there is too much to be told one by one (following.py): less than a trace, which has every event and its order, but nothing rare is missed.
"""

from __future__ import annotations

from .snapshot import Event, Machine, Proc, Row, Snapshot

# So many goroutines that came or went are named one by one.
NAMED = 6


def changes(before: Snapshot, now: Snapshot) -> list[Event]:
    t = now.t
    found: list[Event] = []
    if len(before.ps) != len(now.ps):
        found.append(Event(t, "procs", f"gomaxprocs is {len(now.ps)}, was {len(before.ps)}"))
    old_ps = {p.id: p for p in before.ps}
    for p in now.ps:
        if p.id in old_ps:
            found += of_p(t, old_ps[p.id], p)
    old_ms = {m.id: m for m in before.ms}
    for m in now.ms:
        found += of_m(t, old_ms.get(m.id), m)
    found += [Event(t, "thread", f"M{gone} has ended") for gone in old_ms.keys() - {m.id for m in now.ms}]
    if before.rows and now.rows:
        found += of_goroutines(t, before.rows, now.rows)
    elif before.total != now.total and (before.groups or now.groups):
        found.append(Event(t, "go", f"{now.total:,} goroutines, were {before.total:,}"))
    if before.phase != now.phase:
        found.append(Event(t, "end", "main is over: the others are being ended" if now.phase == 1 else "the threads leave"))
    return found


def of_p(t: float, old: Proc, p: Proc) -> list[Event]:
    found = []
    if p.steals > old.steals:
        raids = p.steals - old.steals
        found.append(Event(t, "steal", f"P{p.id} stole {count(p.stolen - old.stolen, 'goroutine')} in {count(raids, 'raid')}"))
    blocks, forced = p.blocks - old.blocks, p.forced - old.forced
    if blocks > 0:
        found.append(Event(t, "retake", f"P{p.id} was taken from a goroutine in a blocking call{times(blocks)}"))
    if forced > 0:
        found.append(Event(t, "retake", f"P{p.id} was taken by force from a goroutine that did not answer{times(forced)}"))
    return found


def of_m(t: float, old: Machine | None, m: Machine) -> list[Event]:
    if old is None:
        return [Event(t, "thread", f"M{m.id} has begun")]
    found = []
    if m.preemptions > old.preemptions:
        found.append(Event(t, "preempt", f"M{m.id} suspended a goroutine in the middle of its code{times(m.preemptions - old.preemptions)}"))
    if m.state == "blocked" and (old.state != "blocked" or old.g != m.g):
        found.append(Event(t, "block", f"blocks M{m.id} in a call", m.g))
    return found


def of_goroutines(t: float, old: dict[int, Row], rows: dict[int, Row]) -> list[Event]:
    started = [row for number, row in rows.items() if number not in old]
    ended = [row for number, row in old.items() if number not in rows]
    found = [Event(t, "go", f"{row[4]} started{by(row[5])}", row[0]) for row in started[:NAMED]]
    if len(started) > NAMED:
        found.append(Event(t, "go", f"… and {len(started) - NAMED:,} more started"))
    found += [Event(t, "end", f"{row[4]} ended", row[0]) for row in ended[:NAMED]]
    if len(ended) > NAMED:
        found.append(Event(t, "end", f"… and {len(ended) - NAMED:,} more ended"))
    return found


def by(creator: int) -> str:
    return f", by goroutine {creator}" if creator else ""


def count(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"


def times(n: int) -> str:
    return f", {n} times" if n > 1 else ""
