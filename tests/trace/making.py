"""Traces that nobody recorded: told by hand, or by a simulation of a scheduler that keeps the rules."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from gosched.core.events import (
    E_ASK,
    E_BLOCKED,
    E_BY,
    E_GC_BEGIN,
    E_GC_END,
    E_GO_BLOCK,
    E_GO_CREATE,
    E_GO_END,
    E_GO_START,
    E_GO_STOP,
    E_GO_UNBLOCK,
    E_LOG,
    E_M_END,
    E_M_PARK,
    E_M_POLL,
    E_M_START,
    E_M_WAKE,
    E_NETPOLL,
    E_PHASE,
    E_PROC_LOST,
    E_PROC_START,
    E_PROC_STEAL,
    E_PROC_STOP,
    E_PROCS,
    E_REGION_BEGIN,
    E_REGION_END,
    E_STACK,
    E_STEAL,
    E_SYSCALL_BEGIN,
    E_SYSCALL_END,
    E_TASK_BEGIN,
    E_TASK_END,
    E_TIMERS,
    FIRST_M,
    NO_P,
    OUTSIDE,
    PREEMPTED,
    SYSMON,
    YIELDS,
)
from gosched.core.states import ENDING, EXITING, W_RECV, W_SLEEP
from gosched.trace import files
from gosched.trace.files import Alive, End, Header, Recording

SHARED = 0  # the trail of all who are no M
BEGUN = 1_000_000_000
STRINGS = ["main", "worker", "server.handle", "parse", "request", "category", "message", "work app.py:3\nmain app.py:9"]
# (time, trail, who, kind, args)
Told = tuple[int, int, int, int, tuple[int, ...]]


def header(**other: object) -> Header:
    usual: dict[str, object] = {
        "gosched": "0.1.0",
        "python": "3.14.0",
        "build": "compiled",
        "free_threaded": True,
        "pid": 4711,
        "command": "python app.py",
        "gomaxprocs": 2,
        "virtual": False,
        "begun": BEGUN,
        "wall": 1_700_000_000.5,
        "stacks": False,
    }
    return Header(**{**usual, **other})  # type: ignore[arg-type]


@dataclass
class Story:
    """Events in the order in which they were told; `m(2)` tells as M 2, in the trail of that."""

    now: int = BEGUN
    told: list[Told] = field(default_factory=list)
    strings: list[str] = field(default_factory=lambda: list(STRINGS))
    alive: list[Alive] = field(default_factory=list)

    def tell(self, who: int, kind: int, *args: int, after: int = 10, trail: int | None = None) -> Story:
        self.now += after
        self.told.append((self.now, max(0, who - FIRST_M + 1) if trail is None else trail, who, kind, args))
        return self

    def m(self, number: int, kind: int, *args: int, after: int = 10) -> Story:
        return self.tell(FIRST_M + number, kind, *args, after=after)

    def data(self, **how: object) -> bytes:
        return encode(self.told, self.strings, self.alive, **how)  # type: ignore[arg-type]

    def recording(self, **how: object) -> Recording:
        return files.parse(self.data(**how), "story.trace")


def encode(
    told: list[Told],
    strings: list[str],
    alive: list[Alive] | None = None,
    complete: bool = True,
    piece: int = 1_000_000,
    virtual: bool = False,
    cut: list[int] | None = None,
    why: str = "end",
    lost: int = 0,
    read_from: int | None = None,
) -> bytes:
    """As a recorder would have written it, with so many events a piece."""
    out = files.MAGIC + files.encode_header(header(virtual=virtual)) + files.encode_strings(0, strings)
    trails: dict[int, list[Told]] = {}
    for event in told:
        trails.setdefault(event[1], []).append(event)
    for trail, events in trails.items():
        for at in range(0, len(events), piece):
            out += encode_some(trail, events[at : at + piece])
    ended = max((event[0] for event in told), default=BEGUN) + 10
    return out + files.encode_goroutines(alive or []) + files.encode_end(End(ended, lost, why, complete, cut, read_from))


def encode_some(trail: int, events: list[Told]) -> bytes:
    first, _, who = events[0][:3]
    time, writer = first, who
    body = b""
    for at, _, by, kind, args in events:
        if by != writer:
            body += files.encode_event(E_BY, 0, [by])
            writer = by
        body += files.encode_event(kind, max(0, at - time), args)
        time = max(at, time)
    return files.encode_piece(trail, first, who, body)


def begin(procs: int = 2, ms: int = 1) -> Story:
    """Ms with Ps, and goroutine 1, which may run."""
    story = Story()
    story.tell(OUTSIDE, E_PROCS, procs)
    story.tell(OUTSIDE, E_GO_CREATE, 1, 0, 0)
    for number in range(ms):
        story.m(number, E_M_START)
        story.m(number, E_PROC_START, number)
    return story


class Simulation:
    """A scheduler whose every choice is drawn. What it tells is legal, in the order and the times in which it tells it; `late`: but for
    PROC_LOST, whose M is sometimes quicker than who tells of the PROC_STEAL. `ties`: several things may happen in the same nanosecond, and what was
    first is to be found out."""

    def __init__(self, seed: int, procs: int = 3, ms: int = 5, late: bool = True, one: bool = False, ties: bool = True) -> None:
        self.random = random.Random(seed)
        self.gaps = (0, 1, 5, 80, 300, 20_000) if ties else (1, 5, 80, 300, 20_000)
        self.story = Story()
        self.late = late
        self.one = one  # everything in one trail, as in virtual time
        self.procs = procs
        self.idle = list(range(procs))
        self.p: dict[int, int | None] = {}
        self.g: dict[int, int | None] = {}
        self.asleep: set[int] = set()
        self.unstarted = list(range(ms))
        self.calls: set[int] = set()
        self.regions: dict[int, list[int]] = {}
        self.tasks: list[int] = []
        self.runnable = [1]
        self.waiting: list[int] = []
        self.last_g = 1
        self.last_task = 0
        self.tell(OUTSIDE, E_PROCS, procs)
        self.tell(OUTSIDE, E_GO_CREATE, 1, 0, 0)

    def tell(self, who: int, kind: int, *args: int, after: int | None = None) -> None:
        after = self.random.choice(self.gaps) if after is None else after
        self.story.tell(who, kind, *args, after=after, trail=SHARED if self.one else None)

    def m(self, number: int, kind: int, *args: int) -> None:
        self.tell(FIRST_M + number, kind, *args)

    def run(self, events: int) -> Story:
        while len(self.story.told) < events:
            self.turn()
        self.end()
        return self.story

    def turn(self) -> None:
        if self.unstarted and (not self.p or self.random.random() < 0.1):
            m = self.unstarted.pop(0)
            self.p[m] = self.g[m] = None
            self.m(m, E_M_START)
            return
        if self.waiting and self.random.random() < 0.1:
            self.unblock(OUTSIDE, 0)
            return
        m = self.random.choice(list(self.p))
        if m in self.asleep:
            self.rouse(m)
        elif self.g[m] is not None:
            self.user_code(m, self.g[m] or 0)
        elif self.p[m] is None:
            self.find_p(m)
        else:
            self.find_work(m)

    def rouse(self, m: int) -> None:
        if self.idle and (self.runnable or not any(self.awake())):
            self.asleep.discard(m)
            self.m(m, E_M_WAKE)

    def awake(self) -> list[int]:
        return [m + 1 for m in self.p if m not in self.asleep]

    def find_p(self, m: int) -> None:
        if self.idle:
            self.take_p(m)
        else:
            self.m(m, E_M_PARK)
            self.asleep.add(m)

    def take_p(self, m: int) -> None:
        p = self.p[m] = self.idle.pop(self.random.randrange(len(self.idle)))
        self.m(m, E_PROC_START, p)

    def drop_p(self, m: int) -> None:
        p = self.p[m]
        assert p is not None
        self.m(m, E_PROC_STOP)
        self.idle.append(p)
        self.p[m] = None

    def find_work(self, m: int) -> None:
        if self.runnable:
            if self.procs > 1 and self.random.random() < 0.3:
                self.m(m, E_STEAL, ((self.p[m] or 0) + 1) % self.procs, self.random.randint(1, 4))
            g = self.g[m] = self.runnable.pop(self.random.randrange(len(self.runnable)))
            self.m(m, E_GO_START, g)
            return
        if self.random.random() < 0.5:
            self.m(m, E_TIMERS, self.p[m] or 0)
        self.drop_p(m)
        self.m(m, self.random.choice((E_M_PARK, E_M_POLL)))
        self.asleep.add(m)

    def user_code(self, m: int, g: int) -> None:
        if m in self.calls:
            self.in_call(m)
            return
        chosen = self.random.choice(
            ("create", "create", "block", "block", "stop", "end", "wake", "wake", "call", "region", "task", "collect", "log", "ask", "rob", "stack")
        )
        if chosen == "create":
            self.last_g += 1
            self.m(m, E_GO_CREATE, self.last_g, g, self.random.randrange(3))
            self.runnable.append(self.last_g)
        elif chosen == "block":
            self.m(m, E_GO_BLOCK, self.random.choice((W_RECV, W_SLEEP)))
            self.waiting.append(g)
            self.g[m] = None
        elif chosen == "stop":
            self.stop(m, g, self.random.choice((YIELDS, PREEMPTED)))
        elif chosen == "end" and g != 1:
            self.m(m, E_GO_END)
            self.g[m] = None
        elif chosen == "wake" and self.waiting:
            self.unblock(FIRST_M + m, g)
        elif chosen == "call":
            self.calls.add(m)
            self.m(m, E_SYSCALL_BEGIN)
            if self.p[m] is not None and self.random.random() < 0.5:
                self.drop_p(m)
        elif chosen == "region":
            self.region(m, g)
        elif chosen == "task":
            self.task(m)
        elif chosen == "collect":
            self.m(m, E_GC_BEGIN, 2)
            self.m(m, E_GC_END, 17)
        elif chosen == "log":
            self.m(m, E_LOG, 0, 5, 6)
        elif chosen == "ask":
            self.tell(SYSMON, E_ASK, m, g, 10_000_000)
        elif chosen == "rob" and self.p[m] is not None:
            self.rob(m, g)
        elif chosen == "stack":
            self.tell(FIRST_M + m, E_STACK, 7, after=0)

    def in_call(self, m: int) -> None:
        if self.p[m] is not None and self.random.random() < 0.3:
            self.rob(m, self.g[m] or 0)
            return
        self.calls.discard(m)
        self.m(m, E_SYSCALL_END)
        if self.p[m] is None:
            self.without_p(m)

    def rob(self, m: int, g: int) -> None:
        """Sysmon takes the P, and the M notices at once."""
        p = self.p[m]
        assert p is not None
        self.tell(SYSMON, E_BLOCKED, m, g, 50_000)
        self.p[m] = None
        if m in self.calls:
            self.tell(SYSMON, E_PROC_STEAL, p, m)
            self.idle.append(p)
            self.calls.discard(m)
            self.m(m, E_SYSCALL_END)
            self.m(m, E_PROC_LOST)
        elif self.late and self.random.random() < 0.5:
            self.m(m, E_PROC_LOST)
            self.tell(SYSMON, E_PROC_STEAL, p, m)
            self.idle.append(p)
        else:
            self.tell(SYSMON, E_PROC_STEAL, p, m)
            self.idle.append(p)
            self.m(m, E_PROC_LOST)
        self.without_p(m)

    def without_p(self, m: int) -> None:
        if self.idle:
            self.take_p(m)
        else:
            self.stop(m, self.g[m] or 0, NO_P)

    def stop(self, m: int, g: int, why: int) -> None:
        self.m(m, E_GO_STOP, why)
        self.runnable.append(g)
        self.g[m] = None

    def unblock(self, who: int, by: int) -> None:
        g = self.waiting.pop(self.random.randrange(len(self.waiting)))
        if not by:
            self.tell(who, E_NETPOLL, 1)
        self.tell(who, E_GO_UNBLOCK, g, by)
        self.runnable.append(g)

    def region(self, m: int, g: int) -> None:
        mine = self.regions.setdefault(g, [])
        if mine and self.random.random() < 0.5:
            self.m(m, E_REGION_END, mine.pop())
        else:
            mine.append(3)
            self.m(m, E_REGION_BEGIN, 3)

    def task(self, m: int) -> None:
        if self.tasks and self.random.random() < 0.5:
            self.m(m, E_TASK_END, self.tasks.pop())
        else:
            self.last_task += 1
            self.tasks.append(self.last_task)
            self.m(m, E_TASK_BEGIN, self.last_task, 0, 4)

    def end(self) -> None:
        """Main is over, and the threads leave."""
        self.tell(OUTSIDE, E_PHASE, ENDING)
        self.tell(OUTSIDE, E_PHASE, EXITING)
        for m in self.p:
            if m in self.asleep:
                self.m(m, E_M_WAKE)
            if m in self.calls:
                self.m(m, E_SYSCALL_END)
            if self.g[m] is not None:
                self.m(m, E_GO_END)
            if self.p[m] is not None:
                self.drop_p(m)
            self.m(m, E_M_END)
