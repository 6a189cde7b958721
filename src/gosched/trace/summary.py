"""What a trace amounts to: where the time went, how long goroutines queued, who stole from whom.

A Summary is an observer of a replay. It keeps distributions, not events: its memory grows with the number of start functions, and of regions and
tasks that are open, not with the length of the trace. Percentiles are at most 3 % too high (figures.py); counts, sums and maxima are exact.

Time that a goroutine spent in a state that is not known, at the beginning of a flight recording or around lost events, is counted nowhere. What is
still going on when the trace ends is counted up to its last event.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

from gosched.core.events import (
    E_ASK,
    E_BLOCKED,
    E_GC_BEGIN,
    E_GC_END,
    E_GO_BLOCK,
    E_GO_CREATE,
    E_GO_END,
    E_GO_START,
    E_GO_STOP,
    E_GO_UNBLOCK,
    E_NETPOLL,
    E_PROC_START,
    E_PROC_STEAL,
    E_PROC_STOP,
    E_REGION_BEGIN,
    E_REGION_END,
    E_STEAL,
    E_SYSCALL_BEGIN,
    E_SYSCALL_END,
    E_TASK_BEGIN,
    E_TASK_END,
    E_TIMERS,
    PREEMPTED,
)
from gosched.core.states import WAIT_REASONS

from .figures import Figures
from .files import Recording
from .replay import Replay
from .things import CALL, GONE, NONE, RUNNABLE, RUNNING, WAITING, Go, Step

LONGEST = 10
UNNAMED = "(unknown)"
# Events after which a goroutine is in another state, but for GO_CREATE, before which it was in none.
MOVES = frozenset({E_GO_START, E_GO_END, E_GO_STOP, E_GO_BLOCK, E_SYSCALL_BEGIN, E_SYSCALL_END, E_GO_UNBLOCK})


@dataclass
class Function:
    """All goroutines that were started with one name."""

    count: int = 0
    running: int = 0
    calls: int = 0
    waiting: dict[str, int] = field(default_factory=dict)
    latency: Figures = field(default_factory=Figures)


@dataclass
class Procs:
    """One P."""

    held: int = 0  # ns with an M
    running: int = 0  # ns with a goroutine that runs, or is in a call
    turns: int = 0
    stole: int = 0
    lost: int = 0  # times that it was taken away


@dataclass(order=True)
class Stretch:
    """A goroutine on a P, without a break."""

    ns: int
    at: int
    g: int
    name: str = field(compare=False)
    p: int = field(compare=False)


@dataclass
class Summary:
    replay: Replay
    begun: int = 0
    ended: int = 0
    events: int = 0
    goroutines: int = 0
    gone: int = 0
    latency: Figures = field(default_factory=Figures)
    running: int = 0
    runnable: int = 0
    calls: int = 0
    waiting: dict[str, int] = field(default_factory=dict)
    steals: int = 0
    stolen: int = 0
    handoffs: int = 0
    asked: int = 0
    preempted: int = 0
    blocked: int = 0
    netpolls: int = 0
    netpolled: int = 0
    timers: int = 0
    collections: Figures = field(default_factory=Figures)
    functions: dict[str, Function] = field(default_factory=dict)
    procs: dict[int, Procs] = field(default_factory=dict)
    longest: list[Stretch] = field(default_factory=list)
    regions: dict[str, Figures] = field(default_factory=dict)
    tasks: dict[str, Figures] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.collecting: dict[int, int] = {}
        self.open_regions: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self.open_tasks: dict[int, tuple[int, int]] = {}
        self.on_p: dict[int, int] = {}  # since when the goroutine on an M uses its P
        self.replay.watch(self.see)

    # ---- watching ----

    def see(self, step: Step) -> None:
        if not self.events:
            self.begun = step.time
        self.events += 1
        self.ended = step.time
        kind = step.kind
        if kind in MOVES:
            g = self.replay.world.goroutines.get(step.g)
            if g is not None:
                self.see_goroutine(step, g)
        elif kind in SEERS:
            SEERS[kind](self, step)

    def see_goroutine(self, step: Step, g: Go) -> None:
        kind = step.kind
        self.account(g, g.was, g.was_since, g.since, g.was_reason)
        if kind == E_GO_START:
            if g.was == RUNNABLE and g.was_since >= 0:
                self.latency.add(g.since - g.was_since)
                self.function(g).latency.add(g.since - g.was_since)
            if step.p != NONE:
                self.proc(step.p).turns += 1
                self.on_p[step.m] = step.time
        elif kind in (E_GO_BLOCK, E_GO_STOP, E_GO_END):
            if step.p != NONE:
                self.leave_p(step.m, step.p, step.time, g)
            if kind == E_GO_STOP:
                self.preempted += step.args[0] == PREEMPTED
            self.gone += kind == E_GO_END

    def account(self, g: Go, state: int, since: int, until: int, reason: int) -> None:
        """g was in a state."""
        if since < 0:
            return
        ns = until - since
        if state == RUNNING:
            self.running += ns
            self.function(g).running += ns
        elif state == RUNNABLE:
            self.runnable += ns
        elif state == CALL:
            self.calls += ns
            self.function(g).calls += ns
        elif state == WAITING:
            why = WAIT_REASONS[reason]
            self.waiting[why] = self.waiting.get(why, 0) + ns
            waiting = self.function(g).waiting
            waiting[why] = waiting.get(why, 0) + ns

    def see_create(self, step: Step) -> None:
        self.goroutines += 1
        self.function(self.replay.world.goroutines[step.g]).count += 1

    def see_proc_start(self, step: Step) -> None:
        if step.g:
            self.on_p[step.m] = step.time

    def see_proc_stop(self, step: Step) -> None:
        p = self.replay.world.ps.get(step.p)
        if p is None:
            return
        if p.was_since >= 0:
            self.proc(step.p).held += step.time - p.was_since
        if step.kind == E_PROC_STEAL:
            self.handoffs += 1
            self.proc(step.p).lost += 1
        if step.g:
            self.leave_p(step.m, step.p, step.time, self.replay.world.goroutines.get(step.g))

    def leave_p(self, m: int, p: int, now: int, g: Go | None) -> None:
        """The goroutine on M m no longer uses its P."""
        since = self.on_p.pop(m, None)
        if since is None or g is None:
            return
        self.proc(p).running += now - since
        if len(self.longest) < LONGEST or now - since > self.longest[0].ns:
            stretch = Stretch(now - since, since, g.id, self.replay.name_of(g.id), p)
            (heapq.heappush if len(self.longest) < LONGEST else heapq.heappushpop)(self.longest, stretch)

    def see_steal(self, step: Step) -> None:
        self.steals += 1
        self.stolen += step.args[1]
        if step.p != NONE:
            self.proc(step.p).stole += step.args[1]

    def see_ask(self, step: Step) -> None:
        self.asked += 1

    def see_blocked(self, step: Step) -> None:
        self.blocked += 1

    def see_netpoll(self, step: Step) -> None:
        self.netpolls += 1
        self.netpolled += step.args[0]

    def see_timers(self, step: Step) -> None:
        self.timers += 1

    def see_gc_begin(self, step: Step) -> None:
        self.collecting[step.who] = step.time

    def see_gc_end(self, step: Step) -> None:
        since = self.collecting.pop(step.who, None)
        if since is not None:
            self.collections.add(step.time - since)

    def see_region_begin(self, step: Step) -> None:
        self.open_regions.setdefault(who_is_in(step), []).append((step.args[0], step.time))

    def see_region_end(self, step: Step) -> None:
        """Of the innermost of that name. Regions that are not nested are the user's affair."""
        mine = self.open_regions.get(who_is_in(step), [])
        for at in range(len(mine) - 1, -1, -1):
            name, since = mine[at]
            if name == step.args[0]:
                del mine[at]
                self.regions.setdefault(self.replay.string(name), Figures()).add(step.time - since)
                break
        if not mine:
            self.open_regions.pop(who_is_in(step), None)

    def see_task_begin(self, step: Step) -> None:
        self.open_tasks[step.args[0]] = step.args[2], step.time

    def see_task_end(self, step: Step) -> None:
        name, since = self.open_tasks.pop(step.args[0], (NONE, 0))
        if name != NONE:
            self.tasks.setdefault(self.replay.string(name), Figures()).add(step.time - since)

    def function(self, g: Go) -> Function:
        name = UNNAMED if g.name == NONE else self.replay.string(g.name)
        found = self.functions.get(name)
        if found is None:
            found = self.functions[name] = Function()
        return found

    def proc(self, number: int) -> Procs:
        found = self.procs.get(number)
        if found is None:
            found = self.procs[number] = Procs()
        return found

    # ---- the end ----

    def close(self) -> Summary:
        """What goes on is counted up to the last event."""
        world = self.replay.world
        for g in world.goroutines.values():
            if g.state != GONE:
                self.account(g, g.state, g.since, self.ended, g.reason)
        for m in list(self.on_p):
            machine = world.ms[m]
            if machine.p is not None:
                self.leave_p(m, machine.p.number, self.ended, machine.g)
        for p in world.ps.values():
            if p.m is not None and p.since >= 0:
                self.proc(p.number).held += self.ended - p.since
        self.longest.sort(reverse=True)
        self.notes += self.replay.notes()
        return self

    @property
    def alive(self) -> int:
        return sum(g.state != GONE for g in self.replay.world.goroutines.values())


def who_is_in(step: Step) -> tuple[int, int]:
    """A region is a goroutine's, or a thread's that runs none."""
    return step.g, NONE if step.g else step.who


SEERS = {
    E_GO_CREATE: Summary.see_create,
    E_PROC_START: Summary.see_proc_start,
    E_PROC_STOP: Summary.see_proc_stop,
    E_PROC_STEAL: Summary.see_proc_stop,
    E_STEAL: Summary.see_steal,
    E_ASK: Summary.see_ask,
    E_BLOCKED: Summary.see_blocked,
    E_NETPOLL: Summary.see_netpoll,
    E_TIMERS: Summary.see_timers,
    E_GC_BEGIN: Summary.see_gc_begin,
    E_GC_END: Summary.see_gc_end,
    E_REGION_BEGIN: Summary.see_region_begin,
    E_REGION_END: Summary.see_region_end,
    E_TASK_BEGIN: Summary.see_task_begin,
    E_TASK_END: Summary.see_task_end,
}


def summarize(recording: Recording, meet: Callable[[Replay], object] = bool) -> Summary:
    """All of a recording. `meet` is shown the replay before it begins. IllegalTrace if the recording is none that can be."""
    replay = Replay.of(recording)
    meet(replay)
    summary = Summary(replay)
    summary.notes += recording.notes
    replay.play()
    return summary.close()
