"""A trace for the Perfetto UI (ui.perfetto.dev, or chrome://tracing): the JSON trace event format.

    Ps            a track each: the goroutine that it runs; steals, preemptions, losses as instants; arrows from who woke or started to who then runs
    threads       a track each: the goroutine, or that it looks for work, polls or sleeps
    goroutines    a track each, for the busiest ones: running, runnable, why it waits, in a call; arrows from goroutine to goroutine; regions
    collector     a track for each thread that it ran on
    tasks         the user's
    program       counters: goroutines, those that are runnable, gomaxprocs

Ten thousand tracks help nobody, so only some goroutines have one: those that ran longest. The recording is played twice, first to find them.

A track shows one slice at a time, which is what the world says after each step. So slices are balanced whatever the trace is like, and where events
were lost, they end. Events are written in the order of their times, one a line, as they come: the export needs no memory for them.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from gosched.core.events import (
    E_ASK,
    E_BLOCKED,
    E_GC_BEGIN,
    E_GC_END,
    E_GO_CREATE,
    E_GO_START,
    E_GO_STOP,
    E_GO_UNBLOCK,
    E_LOG,
    E_LOST,
    E_NETPOLL,
    E_PROC_STEAL,
    E_REGION_BEGIN,
    E_REGION_END,
    E_STEAL,
    E_TASK_BEGIN,
    E_TASK_END,
    PREEMPTED,
)
from gosched.core.states import WAIT_REASONS

from .files import Recording
from .replay import Replay, writer
from .sentences import sentence
from .summary import MOVES
from .things import AWAKE, CALL, GONE, M_STATES, NONE, RUNNABLE, RUNNING, STATES, UNKNOWN, WAITING, Go, Machine, Step

PROGRAM, PS, MS, GOROUTINES, COLLECTOR, TASKS = range(1, 7)
PROCESSES = {PROGRAM: "program", PS: "Ps", MS: "threads", GOROUTINES: "goroutines", COLLECTOR: "collector", TASKS: "tasks"}
# How many goroutines have a track of their own, unless told.
TRACKS = 200
# A counter is written no more often: nobody sees the difference, and it would double the file.
COUNTER_NS = 10_000
INSTANTS = {E_STEAL: "steal", E_ASK: "asked", E_BLOCKED: "blocked", E_PROC_STEAL: "P taken", E_NETPOLL: "netpoll", E_LOG: "log"}

Track = tuple[int, int]
encode = json.JSONEncoder(separators=(",", ":")).encode


def export(recording: Recording, write: Callable[[str], object], tracks: int = TRACKS, meet: Callable[[Replay], object] = bool) -> int:
    """Writes it, piece by piece; returns how many events it wrote. `meet` is shown the replays before they begin. IllegalTrace if the recording is
    none that can be."""
    replay = Replay.of(recording)
    meet(replay)
    shown = busiest(replay, tracks)
    replay = Replay.of(recording)
    meet(replay)
    out = Exporter(replay, shown, write)
    write('{"displayTimeUnit":"ns","otherData":' + json.dumps(asdict(recording.header)) + ',"traceEvents":[\n')
    out.begin()
    for step in replay.run():
        out.see(step)
    out.end()
    write("\n]}\n")
    return out.written


def busiest(replay: Replay, n: int) -> set[int]:
    """The goroutines that ran longest."""
    goroutines = replay.world.goroutines
    ran: dict[int, int] = {}
    for step in replay.run():
        if step.kind in MOVES and step.g in goroutines:
            g = goroutines[step.g]
            lasted = g.since - g.was_since if g.was in (RUNNING, CALL) and g.was_since >= 0 else 0
            ran[step.g] = ran.get(step.g, 0) + lasted
    for g in goroutines.values():
        if g.state in (RUNNING, CALL) and g.since >= 0:
            ran[g.id] = ran.get(g.id, 0) + replay.world.now - g.since
    return set(heapq.nlargest(n, ran, key=lambda g: (ran[g], -g)))


class Exporter:
    def __init__(self, replay: Replay, shown: set[int], write: Callable[[str], object]) -> None:
        self.replay = replay
        self.world = replay.world
        self.shown = shown
        self.write = write
        self.written = 0
        self.time = self.world.begun
        self.open: dict[Track, tuple[str, int]] = {}  # what a track shows: a name, and the goroutine's number
        self.known: set[Track] = set()
        self.arrows = 0
        self.flying: dict[int, list[int]] = {}  # arrows to goroutines that do not run yet
        self.regions: dict[int, list[str]] = {}
        self.tasks: dict[int, str] = {}
        self.runnable = 0
        self.alive = 0
        self.counted = self.world.begun
        self.counters: dict[str, int] = {}

    # ---- writing ----

    def put(self, phase: str, pid: int, tid: int, name: str, **more: Any) -> None:
        if (pid, tid) not in self.known and phase != "M":
            self.introduce(pid, tid)
        event = {"ph": phase, "pid": pid, "tid": tid, "ts": (self.time - self.world.begun) / 1000, "name": name, **more}
        self.write((",\n" if self.written else "") + encode(event))
        self.written += 1

    def introduce(self, pid: int, tid: int) -> None:
        self.known.add((pid, tid))
        if pid == GOROUTINES:
            name = f"{tid} {self.replay.name_of(tid)}".strip()
        else:
            name = {PS: f"P{tid}", COLLECTOR: writer(tid)}.get(pid, f"M{tid}")
        if pid not in (PROGRAM, TASKS):
            self.put("M", pid, tid, "thread_name", args={"name": name})
            self.put("M", pid, tid, "thread_sort_index", args={"sort_index": tid})

    def begin(self) -> None:
        for pid, name in PROCESSES.items():
            hidden = f" (the {len(self.shown):,} busiest)" if pid == GOROUTINES else ""
            self.put("M", pid, 0, "process_name", args={"name": name + hidden})
            self.put("M", pid, 0, "process_sort_index", args={"sort_index": pid})

    def show(self, track: Track, name: str, g: int = 0, **args: Any) -> None:
        """What a track shows from now on; nothing, if it has no name."""
        old = self.open.get(track)
        if old == (name, g) or (old is None and not name):
            return
        if old is not None:
            del self.open[track]
            self.put("E", *track, old[0])
        if name:
            self.open[track] = name, g
            self.put("B", *track, name, args={"goroutine": g, **args} if g else args)

    def arrow(self, phase: str, number: int, track: Track, name: str) -> None:
        binding = {"bp": "e"} if phase == "f" else {}
        self.put(phase, track[0], track[1], name, cat="wake", id=number, **binding)

    # ---- what a step changes ----

    def see(self, step: Step) -> None:
        self.time = step.time
        kind = step.kind
        g = self.world.goroutines.get(step.g)
        if kind == E_GO_STOP and step.args[0] == PREEMPTED and step.p != NONE:
            self.put("i", PS, step.p, "preempted", s="t", args={"goroutine": step.g})
        if kind == E_LOST:
            self.refresh_all()
        if g is not None:
            if kind in MOVES or kind == E_GO_CREATE:
                self.count(g)
            self.refresh_goroutine(g)
        if step.m != NONE:
            self.refresh_machine(self.world.ms[step.m])
        if step.p != NONE:
            self.refresh_proc(step.p)
        if kind in (E_GO_UNBLOCK, E_GO_CREATE):
            self.shoot(step)
        elif kind == E_GO_START:
            self.land(step)
        elif kind in INSTANTS:
            self.instant(step)
        elif kind in SPANS:
            SPANS[kind](self, step)
        if step.time - self.counted >= COUNTER_NS:
            self.put_counters()

    def refresh_all(self) -> None:
        for g in self.world.goroutines.values():
            self.refresh_goroutine(g)
        for m in self.world.ms.values():
            self.refresh_machine(m)
        for p in self.world.ps:
            self.refresh_proc(p)
        states = [g.state for g in self.world.goroutines.values()]
        self.runnable = states.count(RUNNABLE)
        self.alive = len(states) - states.count(UNKNOWN) - states.count(GONE)

    def refresh_goroutine(self, g: Go) -> None:
        if g.id not in self.shown:
            return
        track = GOROUTINES, g.id
        if g.state in (UNKNOWN, GONE):
            self.show(track, "")
        elif g.state == WAITING:
            self.show(track, WAIT_REASONS[g.reason] or STATES[WAITING])
        elif g.state == RUNNABLE:
            self.show(track, STATES[RUNNABLE])
        else:
            self.show(track, STATES[g.state] if g.p != NONE else f"{STATES[g.state]}, without a P", m=NONE if g.m is None else g.m.number, p=g.p)

    def refresh_machine(self, m: Machine) -> None:
        track = MS, m.number
        if m.state != AWAKE:
            self.show(track, M_STATES[m.state])
        elif m.g is not None:
            self.show(track, self.called(m.g), m.g.id)
        else:
            self.show(track, "looks for work" if m.p is not None else "")

    def refresh_proc(self, number: int) -> None:
        m = self.world.ps[number].m
        if m is None or m.g is None:
            self.show((PS, number), "")
        else:
            self.show((PS, number), self.called(m.g), m.g.id)

    def called(self, g: Go) -> str:
        return self.replay.name_of(g.id) or f"goroutine {g.id}"

    # ---- arrows ----

    def shoot(self, step: Step) -> None:
        """From who woke or started a goroutine: to where it runs next, and to its track."""
        by = step.args[1]
        if not by:
            return
        name = "start" if step.kind == E_GO_CREATE else "wake"
        if step.p != NONE and (PS, step.p) in self.open:
            self.arrows += 1
            self.arrow("s", self.arrows, (PS, step.p), name)
            self.flying.setdefault(step.g, []).append(self.arrows)
        if by in self.shown and step.g in self.shown and (GOROUTINES, by) in self.open:
            self.arrows += 1
            self.arrow("s", self.arrows, (GOROUTINES, by), name)
            self.arrow("f", self.arrows, (GOROUTINES, step.g), name)

    def land(self, step: Step) -> None:
        for number in self.flying.pop(step.g, ()):
            self.arrow("f", number, (PS, step.p) if step.p != NONE else (MS, step.m), "wake")

    # ---- instants, spans, counters ----

    def instant(self, step: Step) -> None:
        track = (MS, step.m) if step.p == NONE else (PS, step.p)
        if step.kind in (E_ASK, E_BLOCKED):
            m = self.world.ms.get(step.args[0])
            track = (MS, step.args[0]) if m is None or m.p is None else (PS, m.p.number)
        if track == (MS, NONE):
            track = PROGRAM, 0
        self.put("i", *track, INSTANTS[step.kind], s="t" if track[0] != PROGRAM else "g", args={"what": sentence(self.replay, step)})

    def gc_begin(self, step: Step) -> None:
        self.show((COLLECTOR, step.who), f"generation {step.args[0]}")

    def gc_end(self, step: Step) -> None:
        self.show((COLLECTOR, step.who), "")

    def region_begin(self, step: Step) -> None:
        if step.g in self.shown:
            name = self.replay.string(step.args[0])
            self.regions.setdefault(step.g, []).append(name)
            self.put("b", GOROUTINES, step.g, name, cat="region", id=step.g)

    def region_end(self, step: Step) -> None:
        """Of the innermost, if it has that name: others cannot be shown."""
        mine = self.regions.get(step.g)
        if mine and mine[-1] == self.replay.string(step.args[0]):
            self.put("e", GOROUTINES, step.g, mine.pop(), cat="region", id=step.g)

    def task_begin(self, step: Step) -> None:
        task, parent, name = step.args
        self.tasks[task] = self.replay.string(name)
        self.put("b", TASKS, 0, self.tasks[task], cat="task", id=task, args={"task": task, "parent": parent})

    def task_end(self, step: Step) -> None:
        name = self.tasks.pop(step.args[0], None)
        if name is not None:
            self.put("e", TASKS, 0, name, cat="task", id=step.args[0])

    def count(self, g: Go) -> None:
        self.runnable += (g.state == RUNNABLE) - (g.was == RUNNABLE)
        self.alive += (g.was == UNKNOWN) - (g.state == GONE)

    def put_counters(self) -> None:
        self.counted = self.time
        told = {"runnable goroutines": self.runnable, "goroutines": self.alive, "gomaxprocs": self.world.gomaxprocs}
        for name, value in told.items():
            if self.counters.get(name) != value:
                self.counters[name] = value
                self.put("C", PROGRAM, 0, name, args={"value": value})

    def end(self) -> None:
        """What is open ends with the trace."""
        self.put_counters()
        for g, numbers in self.flying.items():
            for number in numbers:
                self.arrow("f", number, (GOROUTINES, g) if g in self.shown else (PROGRAM, 0), "wake")
        for track in list(self.open):
            self.show(track, "")
        for g, names in self.regions.items():
            for name in reversed(names):
                self.put("e", GOROUTINES, g, name, cat="region", id=g)
        for task, name in self.tasks.items():
            self.put("e", TASKS, 0, name, cat="task", id=task)


SPANS: dict[int, Callable[[Exporter, Step], None]] = {
    E_GC_BEGIN: Exporter.gc_begin,
    E_GC_END: Exporter.gc_end,
    E_REGION_BEGIN: Exporter.region_begin,
    E_REGION_END: Exporter.region_end,
    E_TASK_BEGIN: Exporter.task_begin,
    E_TASK_END: Exporter.task_end,
}


def as_text(recording: Recording, tracks: int = TRACKS) -> str:
    """The export as one string."""
    parts: list[str] = []
    export(recording, parts.append, tracks)
    return "".join(parts)
