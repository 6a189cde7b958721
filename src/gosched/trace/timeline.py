"""A trace as a picture in time: what stands in each lane from when to when, what happened at a moment, and who brought it about.

    sysmon     what it saw and did, if it did anything
    P          the goroutine that it runs; below it the M that has it, and, where the trace tells of queues, who waits in its `next` and its ring
    global     who waits in the global queue, if anybody does and it is told
    M          the goroutine that it runs, with a P or without; or that it looks for work, polls or sleeps

svg.py draws it. What is outside of the window is left out here, so a long trace can be looked at in pieces.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from gosched.core.events import (
    E_ASK,
    E_GO_BLOCK,
    E_GO_CREATE,
    E_GO_END,
    E_GO_START,
    E_GO_STOP,
    E_GO_UNBLOCK,
    E_NETPOLL,
    E_PHASE,
    E_PROC_STEAL,
    E_QUEUE,
    E_SPIN,
    E_STEAL,
    E_SYSCALL_BEGIN,
    E_SYSCALL_END,
    E_TIMERS,
    NO_P,
    PREEMPTED,
    SYSMON,
)
from gosched.core.states import ALIVE, ENDING, WAIT_REASONS

from .files import Recording
from .queues import Queues
from .replay import Replay
from .things import AWAKE, CALL, NONE, PARKED, POLLING, Machine, Step
from .units import count

# Kinds of lanes, in the order in which they are drawn.
OF_SYSMON, OF_P, OF_GLOBAL, OF_M = range(4)
# Rows of a lane: what it runs, the M that has it; the queue's rows follow, `next` first.
RUNS, HELD, NEXT, RING = range(4)
# Of a queue so many rows are shown, unless told.
ROWS = 8
# So many Ps have a lane even if they run nothing.
IDLE = 16
# More spans than this make no picture.
MOST = 4_000
# How a span looks. A goroutine runs, is in a call, runs on without a P; an M looks for work, polls, sleeps, has the P; a goroutine waits in a queue.
RUN, IN_CALL, BARE, SEARCH, POLL, SLEEP, HOLD, WAIT = range(8)
# What a mark says. The words of a legend are in svg.py.
STARTS, WAITS, YIELD, STOPPED, NO_P_LEFT, ENDS, CALLS, BACK, STEALS, TIMER, NETWORK, ASKS, TAKES = range(13)
# Arrows: who woke whom, who took goroutines from whom, what sysmon did to whom.
WAKES, ROBS, ACTS = range(3)

Lane = tuple[int, int]
"""A kind and a number."""
THE_SYSMON: Lane = (OF_SYSMON, 0)
THE_GLOBAL: Lane = (OF_GLOBAL, 0)


class TooMuch(ValueError):
    """For a picture."""

    def __init__(self) -> None:
        super().__init__(f"more than {MOST:,} slices are no picture: choose a part of the time")


class Span(NamedTuple):
    """What a row of a lane shows from `begin` to `end`, in ns since the trace began. `g`: the goroutine, or 0; `text`: of what is none."""

    lane: Lane
    row: int
    begin: int
    end: int
    look: int
    g: int
    text: str


class Mark(NamedTuple):
    lane: Lane
    at: int
    kind: int
    text: str


class Arrow(NamedTuple):
    lane: Lane
    at: int
    to: Lane
    lands: int
    kind: int


@dataclass
class Timeline:
    """`names`: of goroutines. `moments`: of the whole program, as (when, words). `depths`: how many rows the queue of a lane needs."""

    begin: int
    end: int
    spans: list[Span] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    moments: list[tuple[int, str]] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    lanes: list[Lane] = field(default_factory=list)
    depths: dict[Lane, int] = field(default_factory=dict)


def timeline(recording: Recording, begin: int = 0, end: int | None = None, threads: bool = True, rows: int = ROWS) -> Timeline:
    """Of a window, in ns since the trace began; to the end of the trace, if `end` is None. `threads`: with a lane for each M. `rows`: so many
    of each queue show who waits there, if the trace tells it. IllegalTrace if it is none that can be, TooMuch if
    it has too many slices."""
    watcher = Watcher(Replay.of(recording), begin, end, threads, rows)
    for step in watcher.replay.run():
        if end is not None and watcher.since(step.time) > end:
            break
        watcher.see(step)
    return watcher.finish()


class Watcher:
    """Follows a replay. A track is a row of a lane, and shows one thing at a time."""

    def __init__(self, replay: Replay, begin: int, end: int | None, threads: bool, rows: int) -> None:
        self.replay = replay
        self.world = replay.world
        self.begin = begin
        self.end = end
        self.threads = threads
        self.rows = rows
        self.queues = Queues()
        self.told = False  # the trace tells of queues
        self.open: dict[tuple[Lane, int], tuple[int, tuple[int, int, str]]] = {}
        self.flying: dict[int, tuple[Lane, int]] = {}  # who was woken and does not run yet: by whom, and when
        self.spinning: set[int] = set()
        self.now = 0
        self.found = Timeline(begin, begin)

    def since(self, time: int) -> int:
        return time - self.world.begun

    # ---- what a step changes ----

    def see(self, step: Step) -> None:
        self.now = self.since(step.time)
        self.follow_search(step)
        self.follow_queues(step)
        if step.m != NONE:
            self.show_machine(self.world.ms[step.m])
        if step.p != NONE:
            self.show_proc(step.p)
        if step.kind in MARKS:
            MARKS[step.kind](self, step)

    def follow_search(self, step: Step) -> None:
        if step.kind == E_SPIN:
            self.spinning.add(step.m)
        elif step.m in self.spinning and step.kind not in (E_STEAL, E_QUEUE):
            m = self.world.ms[step.m]
            if m.g is not None or m.p is None:
                self.spinning.discard(step.m)

    def show(self, lane: Lane, row: int, look: int = NONE, g: int = 0, text: str = "") -> None:
        """What that row shows from now on; nothing, if there is no look."""
        old = self.open.get((lane, row))
        new = (look, g, text)
        if old is not None and old[1] != new:
            del self.open[lane, row]
            self.put(Span(lane, row, old[0], self.now, *old[1]))
        if look != NONE and (old is None or old[1] != new):
            self.open[lane, row] = self.now, new

    def put(self, span: Span) -> None:
        """Of what takes no time, only goroutines that run are kept: they did something."""
        if span.end > self.begin and (span.end > span.begin or (span.row == RUNS and span.look == RUN)):
            self.found.spans.append(span._replace(begin=max(span.begin, self.begin)))
            if len(self.found.spans) > MOST:
                raise TooMuch

    def show_machine(self, m: Machine) -> None:
        for p in [p.number for p in self.world.ps.values() if p.m is m]:
            self.show_proc(p)
        if not self.threads:
            return
        lane = OF_M, m.number
        if m.state == PARKED:
            self.show(lane, RUNS, SLEEP, text="sleeps")
        elif m.state == POLLING:
            self.show(lane, RUNS, POLL, text="waits for the network and timers")
        elif m.state != AWAKE:
            self.show(lane, RUNS)
        elif m.g is not None:
            self.show(lane, RUNS, IN_CALL if m.g.state == CALL else RUN if m.p is not None else BARE, m.g.id)
        else:
            self.show(lane, RUNS, *((SEARCH, 0, "looks for work") if m.p is not None else (NONE, 0, "")))

    def show_proc(self, number: int) -> None:
        lane, m = (OF_P, number), self.world.ps[number].m
        if m is None:
            self.show(lane, RUNS)
            self.show(lane, HELD)
            return
        self.show(lane, HELD, SEARCH if m.number in self.spinning else HOLD, text=f"M{m.number}")
        if m.g is None:
            self.show(lane, RUNS)
        else:
            self.show(lane, RUNS, IN_CALL if m.g.state == CALL else RUN, m.g.id)

    # ---- queues ----

    def follow_queues(self, step: Step) -> None:
        queues = self.queues
        self.told |= step.kind == E_QUEUE
        if not self.rows or not self.told:
            return
        queues.follow(step)
        for p in sorted(queues.touched):
            following = queues.next.get(p, 0)
            self.show((OF_P, p), NEXT, *((WAIT, following) if following else (NONE,)))
            self.show_queue((OF_P, p), list(queues.ring(p)))
        queues.touched.clear()
        self.show_queue(THE_GLOBAL, list(queues.common))

    def show_queue(self, lane: Lane, waiting: list[int]) -> None:
        fits = waiting if len(waiting) <= self.rows else waiting[: self.rows - 1]
        for place in range(self.rows):
            if place < len(fits):
                self.show(lane, RING + place, WAIT, fits[place])
            elif place < len(waiting):
                self.show(lane, RING + place, WAIT, 0, f"{len(waiting) - place} more")
            else:
                self.show(lane, RING + place)

    # ---- marks and arrows ----

    def mark(self, lane: Lane, kind: int, text: str) -> None:
        if self.now >= self.begin and (self.threads or lane[0] != OF_M):
            self.found.marks.append(Mark(lane, self.now, kind, text))

    def lane_of(self, step: Step) -> Lane | None:
        """Of who tells it."""
        if step.p != NONE:
            return OF_P, step.p
        return (OF_M, step.m) if step.m != NONE else THE_SYSMON if step.who == SYSMON else None

    def mark_here(self, step: Step, kind: int, text: str) -> None:
        lane = self.lane_of(step)
        if lane is not None:
            self.mark(lane, kind, text)

    def arrow(self, lane: Lane, at: int, to: Lane, kind: int) -> None:
        if at >= self.begin and (self.threads or OF_M not in (lane[0], to[0])):
            self.found.arrows.append(Arrow(lane, at, to, self.now, kind))

    def created(self, step: Step) -> None:
        self.found.names[step.args[0]] = self.replay.string(step.args[2])
        self.mark_here(step, STARTS, f"starts G{step.args[0]}")

    def started(self, step: Step) -> None:
        woken = self.flying.pop(step.g, None)
        here = self.lane_of(step)
        if woken is not None and here is not None:
            self.arrow(*woken, here, WAKES)

    def woke(self, step: Step) -> None:
        lane = self.lane_of(step)
        if lane is not None:
            self.flying[step.g] = lane, self.now

    def blocked(self, step: Step) -> None:
        reason = WAIT_REASONS[step.args[0]]
        self.mark_here(step, WAITS, f"waits: {reason}" if reason else "waits")

    def stopped(self, step: Step) -> None:
        kind, text = {PREEMPTED: (STOPPED, "is stopped"), NO_P: (NO_P_LEFT, "has no P, queues")}.get(step.args[0], (YIELD, "yields"))
        self.mark_here(step, kind, text)

    def stole(self, step: Step) -> None:
        victim, n = step.args
        self.mark_here(step, STEALS, f"steals {n} from P{victim}")
        self.arrow((OF_P, victim), self.now, (OF_P, step.p), ROBS)

    def took(self, step: Step) -> None:
        if step.who == SYSMON:
            self.mark(THE_SYSMON, TAKES, f"takes P{step.p} from M{step.m}")
            self.arrow(THE_SYSMON, self.now, (OF_P, step.p), ACTS)
        else:
            self.mark((OF_P, step.p), TAKES, f"is taken from M{step.m}")

    def asked(self, step: Step) -> None:
        m, g, _ = step.args
        self.mark(THE_SYSMON, ASKS, f"asks G{g} to stop")
        machine = self.world.ms.get(m)
        if machine is not None and machine.p is not None:
            self.arrow(THE_SYSMON, self.now, (OF_P, machine.p.number), ACTS)

    def passed(self, step: Step) -> None:
        if self.now >= self.begin and step.args[0] != ALIVE:
            self.found.moments.append((self.now, "main is over" if step.args[0] == ENDING else "threads leave"))

    # ---- the end ----

    def finish(self) -> Timeline:
        found = self.found
        self.now = found.end = max(self.begin + 1, self.now if self.end is None else self.end)
        for lane, row in list(self.open):
            self.show(lane, row)
        found.spans.sort(key=lambda span: (span.lane, span.row, span.begin))
        used = {span.lane for span in found.spans} | {mark.lane for mark in found.marks}
        found.lanes = sorted(used | {(OF_P, p) for p in range(min(self.world.gomaxprocs, IDLE))})
        for span in found.spans:
            if span.row >= NEXT:
                found.depths[span.lane] = max(found.depths.get(span.lane, 0), span.row - NEXT + 1)
        return found


MARKS = {
    E_GO_CREATE: Watcher.created,
    E_GO_START: Watcher.started,
    E_GO_UNBLOCK: Watcher.woke,
    E_GO_BLOCK: Watcher.blocked,
    E_GO_STOP: Watcher.stopped,
    E_GO_END: lambda watcher, step: watcher.mark_here(step, ENDS, "ends"),
    E_SYSCALL_BEGIN: lambda watcher, step: watcher.mark_here(step, CALLS, "enters a call"),
    E_SYSCALL_END: lambda watcher, step: watcher.mark_here(step, BACK, "is back"),
    E_STEAL: Watcher.stole,
    E_TIMERS: lambda watcher, step: watcher.mark_here(step, TIMER, "a timer is due"),
    E_NETPOLL: lambda watcher, step: watcher.mark_here(step, NETWORK, f"network: {count(step.args[0], 'goroutine')}"),
    E_PROC_STEAL: Watcher.took,
    E_ASK: Watcher.asked,
    E_PHASE: Watcher.passed,
}
