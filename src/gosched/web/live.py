"""The feed of a scheduler that runs: a look at it whenever the hub asks, and what the tracer has told since the look before.

A look costs some microseconds, and one more for two goroutines. What happened between two looks is read from the trails (following.py). Where that is
too much to be told one by one, the log has the last of it, and what counters tell (changes.py): a steal, or a P taken by force, is not missed.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections import deque
from typing import Any

from gosched.core.events import E_ASK, E_GO_BLOCK
from gosched.core.picture import Picture, take
from gosched.core.sched import Scheduler
from gosched.core.states import MOMENT_BITS, P_NAMES
from gosched.system.cpus import gil_enabled
from gosched.trace.record import Recorder

from .changes import changes
from .detail import describe
from .feed import Log
from .following import Follower
from .lints import Lints
from .snapshot import GROUPS, ROWS, Event, Machine, Proc, Row, Snapshot
from .steps import COMMON, LETTERS, fitting, queued_for, told
from .waiting import Waiting, look_at_waits

# Steps that are remembered, of all goroutines together; of the log, what is told of the common ones where not all were read.
HISTORY = 20_000
SAMPLE = 8


class LiveFeed:
    live = True

    def __init__(self, sched: Scheduler, recorder: Recorder) -> None:
        self.sched = sched
        self.start = sched.host.now()
        program = os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] else "python"
        lock = "GIL" if gil_enabled() else "free-threaded"
        self.title = f"{program} · pid {os.getpid()} · Python {platform.python_version()} {lock}"
        self.log = Log()
        self.lints = Lints()
        self.names: dict[int, str] = {}
        self.last: Snapshot | None = None
        self.follower = Follower(recorder, self.names)
        self.seen: deque[tuple[float, int, str, int | str]] = deque(maxlen=HISTORY)
        self.turns: dict[int, tuple[int, float]] = {}
        self.calls: dict[int, tuple[int, int, float]] = {}
        self.waiting = Waiting.nothing()

    def span(self) -> tuple[float, float]:
        return 0.0, self.time(self.sched.host.now())

    def time(self, ns: int) -> float:
        return float(ns - self.start) / 1e9

    def snapshot(self) -> Snapshot:
        now = self.develop(take(self.sched, ROWS, self.names))
        before = None if self.last is None or now.t - self.last.t > 5 else self.last  # else nobody has listened in between
        self.last = now
        events, queued = self.follow()
        if before is not None:
            now.rate, now.latency = pace(before, now)
        if queued:
            now.latency = round(sum(queued) / len(queued) / 1e9, 6)
        self.log.add(fitting(self.in_short(before, now, events) if self.follower.skipped else events, now.t))
        now.lints = self.lints.look(now, self.waiting)
        return now

    def develop(self, seen: Picture) -> Snapshot:
        t = self.time(seen.now)
        ps = [self.proc(t, fact) for fact in seen.ps]
        ms = [self.machine(t, fact) for fact in seen.ms if fact[1] != "gone"]
        due = [fact[16] for fact in seen.ps if fact[16] > 0]
        tick = (seen.now >> MOMENT_BITS) << MOMENT_BITS  # rows wait since a reading of the coarse clock, which must not seem to move
        rows: dict[int, Row] = {}
        counts: dict[str, int] = {}
        for number, state, reason, waits, name, creator in seen.rows:
            since = round(self.time(tick - round(waits * 1e9)), 3) if waits else 0.0
            rows[number] = (number, state, reason, since, name, creator)
            counts[state] = counts.get(state, 0) + 1
        for (state, _, _), (n, _, _) in seen.groups.items():
            counts[state] = counts.get(state, 0) + n
        groups = sorted(((*key, n, round(waits, 1), ids) for key, (n, waits, ids) in seen.groups.items()), key=lambda group: -group[3])
        net, _, _, _, _, phase, past, _ = seen.figures
        return Snapshot(
            t=t,
            ps=ps,
            ms=ms,
            queue=seen.queue,
            queued=seen.queued,
            net=net,
            timers=sum(p.timers for p in ps),
            next_timer=round(max(0, min(due) - seen.now) / 1e9, 4) if due else None,
            total=seen.total,
            counts=counts,
            rows=rows,
            groups=groups[:GROUPS],
            names={m.g: self.names[m.g] for m in ms if m.g in self.names} if groups else {},
            preemptions=past + sum(m.preemptions for m in ms),
            phase=phase,
        )

    def proc(self, t: float, fact: tuple[Any, ...]) -> Proc:
        number, status, m, g, length, ring, following, *figures, _ = fact
        p = Proc(number, P_NAMES[status], m, g, length, ring, following, *figures)
        turn, since = self.turns.get(p.id, (-1, t))
        if turn != p.turns or p.g == 0:
            since = t
        self.turns[p.id] = (p.turns, since)
        p.held = round(t - since, 3)
        return p

    def machine(self, t: float, fact: tuple[Any, ...]) -> Machine:
        number, state, p, g, away, locks, aside, preemptions, calls = fact
        if state != "blocked":
            self.calls.pop(number, None)
        elif away == 0:  # marked by blocking(): since we first saw it there
            which, call, since = self.calls.get(number, (g, calls, t))
            if (which, call) != (g, calls):
                since = t
            self.calls[number] = (g, calls, since)
            away = round((t - since) * 1e9)
        return Machine(number, state, p, g, round(away / 1e9, 3), locks, aside, preemptions)

    def follow(self) -> tuple[list[Event], list[int]]:
        """What the tracer has told since; and how long those that began to run have waited for it, in ns."""
        events: list[Event] = []
        queued: list[int] = []
        if self.follower.skipped:
            self.lints.forget()
        for step in self.follower.steps():
            replay = self.follower.replay
            t = self.time(step.time)
            text, event = told(replay, step, t)
            if event is not None:
                events.append(event)
            waited = queued_for(replay, step)
            if waited is not None:
                queued.append(waited)
            if step.g:
                g = replay.world.goroutines.get(step.g)
                self.seen.append((round(t, 4), step.g, "w" if g is None else LETTERS.get(g.state, "w"), text))
            if step.kind == E_ASK:
                self.lints.asked(t, step.args[1], step.args[2] / 1e9)
            elif step.kind == E_GO_BLOCK:
                self.lints.parked(step.g)
        return events, queued

    def in_short(self, before: Snapshot | None, now: Snapshot, last: list[Event]) -> list[Event]:
        """Where only the last events were read: some of these, and what must have happened before."""
        common = [event for event in last if event.kind in COMMON][-SAMPLE:]
        left_out = Event(now.t, "more", f"… more than {self.follower.skipped:,} events were too many to be told one by one")
        if before is None:
            return [*common, left_out]
        self.remember(before, now)
        return [*common, *changes(before, now), left_out]

    def remember(self, before: Snapshot, now: Snapshot) -> None:
        known = before.rows
        for number, row in now.rows.items():
            old = known.get(number)
            if old is None or old[1:4] != row[1:4]:
                self.seen.append((round(now.t, 3), number, row[1], row[2]))

    def events(self, cursor: int) -> tuple[int, list[list[Any]]]:
        return self.log.last, self.log.after(cursor)

    def goroutine(self, number: int) -> dict[str, Any] | None:
        found = describe(self.sched, number, self.waiting)
        if found is not None:
            found["history"] = [[t, state, reason] for t, who, state, reason in self.seen if who == number][-50:]
        return found

    def waits(self) -> dict[str, Any]:
        start = time.thread_time()
        self.waiting = look_at_waits(self.sched)
        return {**self.waiting.packed(), "t": round(self.span()[1], 3), "cost": round((time.thread_time() - start) * 1e3, 2)}


def pace(before: Snapshot, now: Snapshot) -> tuple[float, float | None]:
    """Turns a second; and how long who can run waits for one: by Little's law, how many can run by turns a second. None: nobody had one."""
    old = {p.id: p.turns for p in before.ps}
    turns = sum(p.turns - old.get(p.id, p.turns) for p in now.ps)
    rate = turns / max(now.t - before.t, 1e-6)
    can_run = now.queue + sum(p.length + (p.next != 0) for p in now.ps)
    if can_run == 0:
        return rate, 0.0
    return rate, round(can_run / rate, 6) if turns else None
