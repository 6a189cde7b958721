"""The feed of a recorded trace: it is played once, and on the way moments are kept, evenly spaced, each with what happened since the one before.

The page gets them all, as if they had just come, and scrubs through them by itself. What a trace does not tell is not made up: in which queue a
goroutine stood, and on what it waited, are not written down. How long each waited for its turn is, and is exact.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gosched.core.events import E_GO_START, E_GO_STOP, E_PROC_STEAL, E_STACK, E_STEAL, PREEMPTED
from gosched.trace import files
from gosched.trace.replay import Replay
from gosched.trace.things import CALL, ENDED, GONE, PARKED, POLLING, RUNNABLE, Go, Step
from gosched.trace.things import Machine as Thread

from .snapshot import GROUPS, ROWS, Event, Group, Machine, Proc, Row, Snapshot, frame
from .steps import LETTERS, fitting, queued_for, told

# Moments that are kept; events of one goroutine's past; what a trace does not tell.
MOMENTS = 600
PAST = 40
UNKNOWN = -1


class RecordedFeed:
    live = False

    def __init__(self, path: str | Path) -> None:
        recording = files.read(path)
        header = recording.header
        self.title = f"{Path(path).name} · {Path(header.command.split(' ')[0] or 'python').name} · pid {header.pid} · Python {header.python}"
        self.begun = header.begun
        self.replay = Replay.of(recording)
        self.turns: dict[int, int] = defaultdict(int)
        self.steals: dict[int, int] = defaultdict(int)
        self.stolen: dict[int, int] = defaultdict(int)
        self.retakes: dict[int, int] = defaultdict(int)
        self.preempted: set[int] = set()
        self.preemptions = 0
        self.queued: list[int] = []
        self.pasts: dict[int, deque[list[Any]]] = {}
        self.stacks: dict[int, str] = {}
        self.kept: list[tuple[Snapshot, list[list[Any]]]] = []
        self.play(recording)

    def span(self) -> tuple[float, float]:
        return 0.0, self.kept[-1][0].t if self.kept else 0.0

    def time(self, ns: int) -> float:
        return max(0.0, (ns - self.begun) / 1e9)

    def frames(self) -> Iterator[dict[str, Any]]:
        before: Snapshot | None = None
        for moment, events in self.kept:
            yield frame(moment, before, events, 0.0)
            before = moment

    # ---- playing ----

    def play(self, recording: files.Recording) -> None:
        first, last = bounds(recording)
        pause = max(1, (last - first) // MOMENTS)
        due = first + pause
        events: list[Event] = []
        number = 0
        for step in self.replay.run():
            while step.time >= due and len(self.kept) < 2 * MOMENTS:
                number = self.keep(due, events, number)
                events = []
                due = max(due + pause, step.time - (step.time - due) % pause)
            self.note(step, events)
        self.keep(max(self.replay.world.now, first), events, number)

    def note(self, step: Step, events: list[Event]) -> None:
        world = self.replay.world
        if step.kind == E_STACK:
            self.stacks[step.g] = self.replay.string(step.args[0])
            return
        if step.kind == E_GO_START:
            self.turns[step.p] += 1
            self.preempted.discard(step.g)
            queued = queued_for(self.replay, step)
            if queued is not None:
                self.queued.append(queued)
        elif step.kind == E_STEAL:
            self.steals[step.p] += 1
            self.stolen[step.p] += step.args[1]
        elif step.kind == E_PROC_STEAL:
            self.retakes[step.p] += 1
        elif step.kind == E_GO_STOP and step.args[0] == PREEMPTED:
            self.preempted.add(step.g)
            self.preemptions += 1
        text, event = told(self.replay, step, self.time(step.time))
        if event is not None:
            events.append(event)
        if step.g:
            g = world.goroutines.get(step.g)
            past = self.pasts.setdefault(step.g, deque(maxlen=PAST))
            past.append([round(self.time(step.time), 4), "w" if g is None else self.letter(g), text])

    def keep(self, at: int, events: list[Event], number: int) -> int:
        """The number of the last event."""
        events = fitting(events, self.time(at))
        self.kept.append((self.moment(at), [event.packed(number + i) for i, event in enumerate(events, 1)]))
        self.queued = []
        return number + len(events)

    # ---- a moment ----

    def moment(self, at: int) -> Snapshot:
        world = self.replay.world
        t = self.time(at)
        before = self.kept[-1][0] if self.kept else None
        there = [g for g in world.goroutines.values() if g.state != GONE]
        counts: dict[str, int] = defaultdict(int)
        for g in there:
            counts[self.letter(g)] += 1
        rows: dict[int, Row] = {}
        groups: list[Group] = []
        if len(there) <= ROWS:
            known = {} if before is None else before.rows
            for g in there:
                row = self.row(g)
                rows[g.id] = known[g.id] if known.get(g.id) == row else row  # one tuple for all moments in which it is the same
        else:
            groups = self.groups(there, at)
        ps = [self.proc(number, at) for number in range(max(world.gomaxprocs, 1))]
        ms = [self.machine(m, at) for m in world.ms.values() if m.state != ENDED]
        can_run = [g.id for g in there if g.state == RUNNABLE]
        turns = sum(self.turns.values()) - (0 if before is None else sum(p.turns for p in before.ps))
        return Snapshot(
            t=t,
            ps=ps,
            ms=ms,
            queue=len(can_run),
            queued=can_run[:32],
            net=UNKNOWN,
            timers=UNKNOWN,
            next_timer=None,
            total=len(there),
            counts=dict(counts),
            rows=rows,
            groups=groups,
            names={m.g: self.replay.name_of(m.g) for m in ms if m.g} if groups else {},
            preemptions=self.preemptions,
            phase=world.phase,
            rate=turns / max(t - (0.0 if before is None else before.t), 1e-9),
            latency=round(sum(self.queued) / len(self.queued) / 1e9, 6) if self.queued else 0.0,
        )

    def letter(self, g: Go) -> str:
        return "p" if g.state == RUNNABLE and g.id in self.preempted else LETTERS.get(g.state, "w")

    def row(self, g: Go) -> Row:
        letter = self.letter(g)
        waits = letter == "w"
        return (g.id, letter, g.reason if waits else 0, round(self.time(g.since), 4) if waits else 0.0, self.replay.name_of(g.id), g.creator)

    def groups(self, there: list[Go], at: int) -> list[Group]:
        found: dict[tuple[str, int, str], list[Go]] = defaultdict(list)
        for g in there:
            letter = self.letter(g)
            found[letter, g.reason if letter == "w" else 0, self.replay.name_of(g.id)].append(g)
        groups = [(*key, len(gs), round((at - min(g.since for g in gs)) / 1e9, 3), [g.id for g in gs[:8]]) for key, gs in found.items()]
        return sorted(groups, key=lambda group: -group[3])[:GROUPS]

    def proc(self, number: int, at: int) -> Proc:
        p = self.replay.world.ps.get(number)
        m = None if p is None else p.m
        g = 0 if m is None or m.g is None else m.g.id
        held = 0.0 if m is None or m.g is None else round((at - m.g.since) / 1e9, 4)
        figures = (self.turns[number], self.turns[number], self.steals[number], self.stolen[number], UNKNOWN, self.retakes[number], 0, 0, UNKNOWN)
        return Proc(number, "idle" if m is None else "running", -1 if m is None else m.number, g, UNKNOWN, [], 0, *figures, held)

    def machine(self, m: Thread, at: int) -> Machine:
        g = 0 if m.g is None else m.g.id
        state = "parked" if m.state == PARKED else "polling" if m.state == POLLING else "running"
        away = 0.0
        if m.g is not None and m.g.state == CALL:
            state, away = "blocked", round((at - m.g.since) / 1e9, 4)
        return Machine(m.number, state, -1 if m.p is None else m.p.number, g, away, 0, 0, 0)

    # ---- what else is asked ----

    def goroutine(self, number: int) -> dict[str, Any] | None:
        g = self.replay.world.goroutines.get(number)
        if g is None:
            return None
        return {
            "id": number,
            "name": self.replay.name_of(number),
            "state": f"{g.describe()} at the end",
            "waits": 0,
            "locked": False,
            "creator": g.creator,
            "origin": None,
            "on": [],
            "stack": stack(self.stacks.get(number, "")),
            "seen": True,
            "begun": True,
            "history": list(self.pasts.get(number, ())),
        }


def stack(text: str) -> list[dict[str, Any]]:
    """Of the last event that had one: "function file:line" a line."""
    found = []
    for line in text.splitlines():
        function, _, place = line.partition(" ")
        file, _, number = place.rpartition(":")
        found.append({"function": function, "file": file, "line": int(number) if number.isdecimal() else 0, "source": ""})
    return found


def bounds(recording: files.Recording) -> tuple[int, int]:
    """When its first piece begins, and about when it ends."""
    starts = [files.first_time(piece) for piece in recording.pieces] or [recording.header.begun]
    last = max(starts) if recording.end is None else recording.end.ended
    if recording.end is None:
        last = max([last, *(event[0] for piece in recording.pieces[-8:] for event in files.decode(piece.data, recording.name, piece.offset))])
    return min(starts), max(last, min(starts) + 1)
