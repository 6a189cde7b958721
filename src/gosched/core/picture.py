"""The whole scheduler in one moment, for the live page: who runs where, who stands in which queue, what every thread and goroutine does.

As in frames.py and waits.py what can change is read between stop_world and start_world: numbers, and references to what the runtime itself keeps
alive. Names, groups and everything else that could run Python are made afterwards. Where the world cannot be stopped, in a pure build, the figures
are of nearly one moment.

A goroutine is a row as long as there are not too many of them: (id, state, reason, since, name, creator). Beyond that they are counted by what they
do and what they were started as, and nobody makes ten thousand rows ten times a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .frames import seconds
from .interp import start_world, stop_world
from .states import DEAD, MOMENT_BITS, PARKED, PARKING, PREEMPTED, RUNNABLE, RUNNING, SYSCALL

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M
    from .p import P
    from .sched import Scheduler

# What a goroutine does, as a letter.
WAITS, RUNS, CAN_RUN, WAS_PREEMPTED, IN_CALL = "w", "R", "r", "p", "s"

# So many of a queue are named, and so many of a group.
SHOWN = 32
EXAMPLES = 8
# A name is a user's, and may be anything.
NAME = 120


class Picture(NamedTuple):
    """`rows` are of all goroutines, or empty if there are more than were asked for; then `groups`: (state, reason, name) ->
    [count, longest wait, ids]."""

    now: int
    ps: list[tuple[Any, ...]]
    ms: list[tuple[Any, ...]]
    queue: int
    queued: list[int]
    figures: tuple[int, ...]
    total: int
    rows: list[tuple[Any, ...]]
    groups: dict[tuple[str, int, str], list[Any]]


def take(s: Scheduler, most: int, names: dict[int, str]) -> Picture:
    """`names`: of goroutines seen before, by id. They are told again, and those that are gone are dropped."""
    goroutines: list[Goroutine] = s.outside.snapshot()
    for i in range(len(s.allp)):
        p: P = s.allp[i]
        goroutines += p.live.snapshot()
    ms = list(s.allm)
    now: int = s.host.now()
    facts: list[Any] = []
    seen_ps: list[Any] = []
    seen_ms: list[Any] = []
    before = stop_world()
    try:
        blocked = note_ms(ms, seen_ms, now)
        note_ps(s, seen_ps)
        queue = s.global_size()
        queued = note_queue(s)
        figures = (s.net_waiters(), s.spinning(), s.idle_ps(), s.threads, s.idle_threads, s.phase(), s.past_preemptions, s.past_calls)
        note_goroutines(goroutines, facts, blocked)
    finally:
        start_world(before)
    coarse = now >> MOMENT_BITS
    rows: list[Any] = []
    groups: dict[Any, list[Any]] = {}
    known: dict[int, str] = {}
    if len(facts) <= most:
        make_rows(goroutines, facts, names, known, coarse, rows)
    else:
        make_groups(goroutines, facts, names, known, coarse, groups)
    names.clear()
    names.update(known)
    return Picture(now, seen_ps, seen_ms, queue, queued, figures, len(facts), rows, groups)


def note_ps(s: Scheduler, found: list[Any]) -> None:
    """The world stands still, as for the next ones."""
    for i in range(s.nproc):
        p: P = s.allp[i]
        m: M | None = p.m
        driver = -1
        runs = 0
        if m is not None and m.p is p:
            driver = m.id
            runs = m.goid if m.busy() else 0
        ring: list[int] = []
        for at in range(SHOWN):
            g: Goroutine | None = p.ring_at(at)
            if g is None:
                break
            ring.append(g.id)
        g = p.next_now()
        following = 0 if g is None else g.id
        figures = (p.slices(), p.turns(), p.steals, p.stolen, p.handoffs, p.retakes, p.blocks, p.forced, p.timers.size(), p.timers.wake_time())
        found.append((p.id, p.status, driver, runs, p.ring_size(), ring, following, *figures))


def note_queue(s: Scheduler) -> list[int]:
    found: list[int] = []
    for at in range(SHOWN):
        g: Goroutine | None = s.global_at(at)
        if g is None:
            break
        found.append(g.id)
    return found


def note_ms(ms: list[M], found: list[Any], now: int) -> set[int]:
    """The ids of those whose thread sysmon has found in a call that blocks."""
    blocked: set[int] = set()
    for i in range(len(ms)):
        m: M = ms[i]
        p: P | None = m.p
        state = m.state
        away = 0
        runs = m.goid if m.busy() else 0
        if runs != 0 and m.blocked_in == runs:
            blocked.add(runs)
            away = now - m.blocked_since
            state = "blocked"
        elif runs != 0 and m.marked():
            state = "blocked"
        elif m.spinning and state == "running":
            state = "spinning"
        found.append((m.id, state, p.id if p is not None and p.m is m else -1, runs, away, m.locks, m.aside, m.preemptions, m.blocking_calls))
    return blocked


def note_goroutines(goroutines: list[Goroutine], facts: list[Any], blocked: set[int]) -> None:
    for i in range(len(goroutines)):
        g: Goroutine = goroutines[i]
        state = g.state_now()
        if state == DEAD or g.body is None or g.system:
            continue
        reason = 0
        word = CAN_RUN
        if state == PARKED or state == PARKING:
            word = WAITS
            reason = g.reason
        elif state == RUNNING:
            word = IN_CALL if g.phase == SYSCALL or g.id in blocked else RUNS
        elif state == RUNNABLE and g.phase == PREEMPTED:
            word = WAS_PREEMPTED
        facts.append((i, g.id, word, reason, g.since, g.creator))


def make_rows(goroutines: list[Goroutine], facts: list[Any], names: dict[int, str], known: dict[int, str], now: int, rows: list[Any]) -> None:
    for at, number, word, reason, since, creator in facts:
        name = names.get(number)
        if name is None:
            g: Goroutine = goroutines[at]
            name = name_of(g.given_name, g.body)
        known[number] = name
        rows.append((number, word, reason, waited(word, now, since), name, creator))


def make_groups(
    goroutines: list[Goroutine], facts: list[Any], names: dict[int, str], known: dict[int, str], now: int, groups: dict[Any, list[Any]]
) -> None:
    for at, number, word, reason, since, _ in facts:
        name = names.get(number)
        if name is None:
            g: Goroutine = goroutines[at]
            name = name_of(None, g.body)
        known[number] = name
        key = (word, reason, name)
        group = groups.get(key)
        if group is None:
            groups[key] = [1, since, [number]]
        else:
            group[0] += 1
            if group[0] <= EXAMPLES:
                group[2].append(number)
            if later(group[1], since):
                group[1] = since
    for key, group in groups.items():
        group[1] = waited(key[0], now, group[1])


def later(a: int, b: int) -> bool:
    """Of two readings of the coarse clock, whose words go round."""
    return seconds(a, b) > 0


def waited(word: str, now: int, since: int) -> float:
    return seconds(now, since) if word == WAITS else 0.0


def wait_of(g: Goroutine, now: int) -> float:
    """For how long it has waited, if it does, by the coarse clock."""
    return seconds(now, g.since)


def name_of(given: str | None, body: Any) -> str:
    """What it was called, or is: a function that was bound to arguments has that function's name. A goroutine that has just ended has none."""
    if given is None:
        while getattr(body, "func", None) is not None:
            body = body.func
        given = str(getattr(body, "__qualname__", None) or ("" if body is None else type(body).__qualname__))
    return given if len(given) <= NAME else given[:NAME] + "…"
