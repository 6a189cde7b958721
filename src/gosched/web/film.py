"""A run of the laboratory as frames for its page: one for each event, with what has changed since the one before.

A frame is JSON, in the order that assets/store.js knows: Ps, Ms and goroutines as on the live page, but only those that the event has touched. Times
in them (`held`, `away`) are when it began, in s: the page knows what time it is in each frame. What is told of queues belongs to the event before
it (lab/explain.py). In virtual time there is one trail, and it is whole: events are taken in its order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gosched.core.events import (
    AT_NEXT,
    E_ASK,
    E_EXPIRE,
    E_GO_CREATE,
    E_GO_START,
    E_GO_STOP,
    E_GO_UNBLOCK,
    E_PHASE,
    E_PROC_STEAL,
    E_PROCS,
    E_QUEUE,
    E_SPILL,
    E_SPIN,
    E_STEAL,
    NAMES,
    PREEMPTED,
)
from gosched.core.states import ALIVE, W_IO, W_SLEEP
from gosched.lab.clockwork import Clockwork
from gosched.lab.explain import Explainer, Told
from gosched.trace.files import Event, decode, head
from gosched.trace.queues import IN_NEXT, Queues
from gosched.trace.record import VirtualRecorder
from gosched.trace.replay import IllegalTrace, Replay
from gosched.trace.things import CALL, ENDED, GONE, NONE, PARKED, POLLING, RUNNABLE, RUNNING, Go, Step
from gosched.trace.things import Machine as Thread

from .snapshot import Machine, Proc, Row
from .steps import KINDS, LETTERS

# Of a queue so many are shown by name.
SHOWN = 32
# What the log of the laboratory has beside that of the live page, and by which filter.
MORE = {
    "GO_START": "run",
    "M_PARK": "thread",
    "M_POLL": "thread",
    "M_WAKE": "thread",
    "SPIN": "thread",
    "PROC_START": "P",
    "PROC_STOP": "P",
    "PROC_LOST": "P",
    "DRAIN": "P",
    "REFILL": "global",
    "SYSCALL_END": "block",
    "TIMERS": "timer",
    "NETPOLL": "net",
    "EXPIRE": "preempt",
}

Frame = dict[str, Any]


class Film:
    """Of a run that goes on. `read` gives what is new; `turns` and such are counted as events tell."""

    def __init__(self, run: Clockwork, recorder: VirtualRecorder) -> None:
        self.run = run
        self.recorder = recorder
        assert recorder.trails is not None
        self.trail = recorder.trails.all[0]
        self.place = (0, 0, recorder.begun, 0)
        self.replay = Replay(recorder.begun, virtual=True, strings=recorder.trails.strings, name="the laboratory")
        self.queues = Queues()
        self.ticks: dict[int, int] = {}
        self.steals: dict[int, int] = {}
        self.stolen: dict[int, int] = {}
        self.retakes: dict[int, int] = {}
        self.spinning: set[int] = set()
        self.preempted: set[int] = set()
        self.preemptions = 0
        self.counts = dict.fromkeys("Rrwps", 0)
        self.letters: dict[int, str] = {}
        self.reasons: dict[int, int] = {}
        self.waits = {W_IO: 0, W_SLEEP: 0}
        self.frames = 0
        self.ended = 0  # when the last goroutine did anything, but for the end of the program
        self.busy: dict[int, int] = {}  # Ps that run a goroutine, since when
        self.worked = 0
        self.queued: list[int] = []
        self.explainer = Explainer(self.replay, self.queues, run.policy, self.ticks)

    # ---- reading ----

    def read(self) -> list[Frame]:
        """The events that were told since the last time."""
        found = []
        behind: list[Event] = []
        first: Event | None = None
        for event in self.events():
            if first is not None and belongs(first, behind, event):
                behind.append(event)
                continue
            if first is not None:
                found.append(self.frame(first, behind))
            first, behind = event, []
        if first is not None:
            found.append(self.frame(first, behind))
        return found

    def events(self) -> Iterator[Event]:
        serial, offset, time, who = self.place
        for number, begun, writer, begin, data, _ in self.trail.pieces(serial, offset):
            if number != serial:
                serial, time, who = number, begun, writer
            for event in decode(head(time, who) + data, "the laboratory"):
                time, who = event[0], event[1]
                yield event
            offset = begin + len(data)
        self.place = (serial, offset, time, who)
        self.trail.drop(serial)

    def apply(self, event: Event) -> Step:
        step = self.replay.world.apply(*event)
        if isinstance(step, str):
            raise IllegalTrace(event, 0, self.recorder.begun, step)
        self.replay.world.now = event[0]
        self.queues.follow(step)
        return step

    # ---- a frame ----

    def frame(self, event: Event, behind: list[Event]) -> Frame:
        step = self.apply(event)
        self.count(step)
        told: list[Told] = []
        for time, who, kind, args in behind:
            self.apply((time, who, kind, args))
            told.append((kind, args))
        text = self.explainer.say(step, told)
        name = NAMES[step.kind]
        look = KINDS.get(name) or MORE.get(name, name.lower())
        if step.kind == E_GO_STOP and step.args[0] != PREEMPTED:
            look = "yield"
        rows, gone = self.rows(step)
        frame = self.packed(name, look, text, step.g, step.time)
        frame["p"], frame["m"], frame["args"] = step.p, step.m, list(step.args)
        touched = sorted(self.touched(step))
        self.measure(step, touched)
        frame["ps"] = [self.proc(p) for p in touched]
        frame["ms"] = [self.machine(m) for m in self.machines(step)]
        frame["rows"], frame["gone"] = rows, gone
        return frame

    def packed(self, name: str, kind: str, text: str, g: int, at: int) -> Frame:
        world = self.replay.world
        self.frames += 1
        return {
            "t": self.time(at),
            "event": [self.frames, self.time(at), kind, text, g],
            "name": name,
            "p": NONE,
            "m": NONE,
            "args": [],
            "ps": [],
            "ms": [],
            "rows": [],
            "gone": [],
            "queue": [len(self.queues.common), [*self.queues.common][:SHOWN]],
            "counts": {letter: n for letter, n in self.counts.items() if n},
            "total": sum(self.counts.values()),
            "net": self.waits[W_IO],
            "timers": self.waits[W_SLEEP],
            "preemptions": self.preemptions,
            "phase": world.phase,
            "procs": world.gomaxprocs,
        }

    def remark(self, kind: str, text: str) -> Frame:
        """A frame of no event: what is known besides."""
        return self.packed(kind.upper(), kind, text, 0, self.replay.world.now)

    def time(self, ns: int) -> float:
        return round((ns - self.recorder.begun) / 1e9, 9)

    def count(self, step: Step) -> None:
        p = step.p
        if step.kind == E_GO_START:
            inherits = self.queues.came[0] == IN_NEXT and self.run.policy.inherit
            self.ticks[p] = self.ticks.get(p, 0) + (not inherits)
            self.spinning.discard(step.m)
            self.preempted.discard(step.g)
        elif step.kind == E_STEAL:
            self.steals[p] = self.steals.get(p, 0) + 1
            self.stolen[p] = self.stolen.get(p, 0) + step.args[1]
        elif step.kind == E_PROC_STEAL:
            self.retakes[p] = self.retakes.get(p, 0) + 1
        elif step.kind == E_GO_STOP and step.args[0] == PREEMPTED:
            self.preempted.add(step.g)
            self.preemptions += 1
        elif step.kind == E_SPIN:
            self.spinning.add(step.m)

    # ---- figures of the whole ----

    def measure(self, step: Step, touched: list[int]) -> None:
        world = self.replay.world
        if step.g and world.phase == ALIVE:
            self.ended = step.time
        if step.kind == E_GO_START:
            g = world.goroutines[step.g]
            self.queued.append(max(0, g.since - g.was_since))
        for number in touched:
            p = world.ps.get(number)
            runs = p is not None and p.m is not None and p.m.g is not None and p.m.g.state == RUNNING
            if runs and number not in self.busy:
                self.busy[number] = step.time
            elif not runs and number in self.busy:
                self.worked += step.time - self.busy.pop(number)

    def summary(self) -> dict[str, Any]:
        """When the run was done, how busy its Ps were until then, how long goroutines waited for their turns, and what it took."""
        world = self.replay.world
        span = max(1, self.ended - self.recorder.begun)
        waits = sorted(self.queued) or [0]
        return {
            "end": span / 1e9,
            "busy": round(min(1.0, (self.worked + sum(world.now - since for since in self.busy.values())) / (max(1, world.gomaxprocs) * span)), 4),
            "median": waits[len(waits) // 2] / 1e9,
            "longest": waits[-1] / 1e9,
            "turns": len(self.queued),
            "steals": sum(self.steals.values()),
            "stolen": sum(self.stolen.values()),
            "preemptions": self.preemptions,
            "threads": len(world.ms),
        }

    # ---- what an event has touched ----

    def touched(self, step: Step) -> set[int]:
        """Ps."""
        if step.kind == E_PROCS:
            return set(range(step.args[0]))
        found = set(self.queues.touched)
        self.queues.touched.clear()
        if step.p != NONE:
            found.add(step.p)
        return {p for p in found if p < max(1, self.replay.world.gomaxprocs)}

    def machines(self, step: Step) -> list[Thread]:
        m = self.replay.world.ms.get(step.m) if step.m != NONE else None
        if m is not None and m.p is None:
            self.spinning.discard(m.number)
        return [] if m is None else [m]

    def rows(self, step: Step) -> tuple[list[Row], list[int]]:
        if step.kind == E_PHASE or step.kind == E_ASK or not step.g:
            return [], []
        g = self.replay.world.goroutines[step.g]
        before = self.letters.get(g.id, "")
        letter = "" if g.state == GONE else self.letter(g)
        if before:
            self.counts[before] -= 1
            if before == "w" and self.reasons[g.id] in self.waits:
                self.waits[self.reasons[g.id]] -= 1
        if not letter:
            del self.letters[g.id]
            del self.replay.world.goroutines[g.id]
            return [], [g.id]
        self.letters[g.id] = letter
        self.reasons[g.id] = g.reason
        self.counts[letter] += 1
        if letter == "w" and g.reason in self.waits:
            self.waits[g.reason] += 1
        waits = letter == "w"
        since = self.time(g.since)
        return [(g.id, letter, g.reason if waits else 0, since, self.replay.name_of(g.id), g.creator)], []

    def letter(self, g: Go) -> str:
        if g.state == RUNNABLE and g.id in self.preempted:
            return "p"
        return LETTERS.get(g.state, "w")

    def proc(self, number: int) -> list[Any]:
        p = self.replay.world.ps.get(number)
        m = None if p is None else p.m
        g = None if m is None else m.g
        ring = self.queues.ring(number)
        tick = self.ticks.get(number, 0)
        return Proc(
            number,
            "idle" if m is None else "running",
            -1 if m is None else m.number,
            0 if g is None else g.id,
            len(ring),
            [*ring][:SHOWN],
            self.queues.next.get(number, 0),
            tick,
            tick,
            self.steals.get(number, 0),
            self.stolen.get(number, 0),
            0,
            self.retakes.get(number, 0),
            0,
            0,
            0,
            -1.0 if g is None else self.time(g.since),
        ).packed()

    def machine(self, m: Thread) -> list[Any]:
        g = m.g
        if m.state in (PARKED, POLLING):
            state = "parked" if m.state == PARKED else "polling"
        elif m.state == ENDED:
            state = "gone"
        elif g is not None and g.state == CALL:
            state = "blocked"
        else:
            state = "spinning" if m.number in self.spinning else "running"
        away = self.time(g.since) if g is not None and state == "blocked" else 0.0
        return Machine(m.number, state, NONE if m.p is None else m.p.number, 0 if g is None else g.id, away, 0, 0, 0).packed()


def belongs(first: Event, behind: list[Event], event: Event) -> bool:
    """Whether what is told of a queue is a part of what `first` tells: where its goroutine goes, and who has to make room for it."""
    if event[2] not in (E_QUEUE, E_SPILL) or event[0] != first[0]:
        return False
    if behind:
        return behind[-1][2] == E_SPILL or behind[0][3][1:] == (AT_NEXT, event[3][-1]) or event[2] == E_SPILL
    kind, args = first[2], first[3]
    if kind in (E_GO_CREATE, E_GO_UNBLOCK):
        return event[2] == E_SPILL or event[3][0] == args[0]
    return kind in (E_GO_STOP, E_EXPIRE)
