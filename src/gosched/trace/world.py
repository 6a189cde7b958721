"""What a trace says about the world: every goroutine, M and P, changed event by event, and the rules that events must keep.

A rule is asked for one event at a time (World.apply). Either the event is legal now: the world is changed, and a Step says whom it was about. Or it
is not: the world is left alone, and the answer is a sentence that says why. Whether that is an error is not decided here: in another trail there may
be the event that makes it legal (replay.py).

A recording may begin in the middle, and events may be lost. So there are things that are not known: a goroutine in state UNKNOWN, an M of which it is
not sure what it has. The first event that names one tells what it was before. That is a guess if an event that would tell it for certain is
still to come; so guesses are made only while `guess` is set.

What is not checked, because it does not follow from how the events are written: that a P's number is below gomaxprocs (it goes when its M notices);
that sysmon's BLOCKED and ASK still hold when they are written; that regions are nested (that is the user's).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gosched.core.events import (
    ARGS,
    AT_GLOBAL,
    E_GC_BEGIN,
    E_GC_END,
    E_GO_BLOCK,
    E_GO_CREATE,
    E_GO_END,
    E_GO_START,
    E_GO_STOP,
    E_GO_UNBLOCK,
    E_M_END,
    E_M_PARK,
    E_M_POLL,
    E_M_START,
    E_M_WAKE,
    E_PHASE,
    E_PROC_LOST,
    E_PROC_START,
    E_PROC_STEAL,
    E_PROC_STOP,
    E_PROCS,
    E_QUEUE,
    E_REGION_BEGIN,
    E_REGION_END,
    E_STEAL,
    E_SYSCALL_BEGIN,
    E_SYSCALL_END,
    E_TASK_BEGIN,
    E_TASK_END,
    FIRST_M,
    NO_P,
    SCHEMA,
    STOP_REASONS,
    SYSMON,
)
from gosched.core.states import ALIVE, EXITING, WAIT_REASONS

from .things import (
    AWAKE,
    CALL,
    ENDED,
    GONE,
    MAYBE,
    NEVER,
    NONE,
    PARKED,
    POLLING,
    RUNNABLE,
    RUNNING,
    STATES,
    SURELY,
    UNKNOWN,
    WAITING,
    Go,
    Machine,
    Proc,
    Step,
)
from .units import moment

if TYPE_CHECKING:
    from collections.abc import Callable


class World:
    """`begun`: the zero of the times that are said. `whole`: seen from its beginning, with nothing missing. `virtual`: one thread plays all Ms, and
    an M may give up its P in the middle of a goroutine, as if it had been taken (core/entry.py, survives)."""

    def __init__(self, begun: int = 0, whole: bool = True, virtual: bool = False) -> None:
        self.begun = begun
        self.whole = whole
        self.virtual = virtual
        self.guess = not whole
        self.goroutines: dict[int, Go] = {}
        self.ms: dict[int, Machine] = {}
        self.ps: dict[int, Proc] = {}
        self.tasks: dict[int, tuple[int, int]] = {}  # open ones: parent, the number of the name
        self.phase = ALIVE
        self.gomaxprocs = 0
        self.now = begun
        plain = self.tell
        self.rules: list[Callable[[int, int, Machine | None, tuple[int, ...]], Step | str]] = [
            RULES[kind].__get__(self) if kind in RULES else plain_rule(plain, kind) for kind in range(len(SCHEMA))
        ]

    def apply(self, time: int, who: int, kind: int, args: tuple[int, ...]) -> Step | str:
        """The step, or why not."""
        return self.rules[kind](time, who, self.machine(who), args)

    # ---- who there is ----

    def machine(self, who: int) -> Machine | None:
        """The M of a writer; None for those that are none."""
        number = who - FIRST_M
        if number < 0:
            return None
        m = self.ms.get(number)
        if m is None:
            m = self.ms[number] = Machine(number, self.whole)
        return m

    def proc(self, number: int) -> Proc:
        p = self.ps.get(number)
        if p is None:
            p = self.ps[number] = Proc(number, self.whole)
        return p

    def known(self, number: int) -> Go | None:
        """None: no such goroutine can be, as far as is known."""
        g = self.goroutines.get(number)
        if g is None and not self.whole and self.guess and number:
            g = self.goroutines[number] = Go(number)
        return g

    def forget_trail(self, trail: int) -> None:
        """Events of it were lost: what they changed is not known. Who runs on an M that writes elsewhere is: only that M could have changed it."""
        self.whole = False
        for g in self.goroutines.values():
            if g.state != GONE and (g.m is None or g.m.trail == trail):
                self.forget_goroutine(g)
        for m in self.ms.values():
            if m.trail == trail:
                self.forget_machine(m)
            m.p = None
            m.sure_p = False
            m.robbed = 0
        for p in self.ps.values():
            p.give(None, self.now)
            p.sure = False

    def forget_goroutine(self, g: Go) -> None:
        if g.m is not None:
            g.m.g = None
            g.m.sure_g = False
            g.m = None
        g.move(UNKNOWN, NEVER)

    def forget_machine(self, m: Machine) -> None:
        if m.g is not None:
            self.forget_goroutine(m.g)
        self.forget_p_of(m)
        m.move(AWAKE, NEVER)
        m.sure_g = False
        m.collects = False

    def forget_p_of(self, m: Machine) -> None:
        if m.p is not None:
            m.p.give(None, self.now)
            m.p.sure = False
        m.p = None
        m.sure_p = False
        m.robbed = 0

    def forget_named(self, who: int, kind: int, args: tuple[int, ...]) -> None:
        """An event that must be believed says otherwise: whatever it names may have been anything."""
        m = self.machine(who)
        if m is not None:
            self.forget_machine(m)
        for name, value in zip(ARGS[kind], args, strict=True):
            if name == "g" and value in self.goroutines:
                self.forget_goroutine(self.goroutines[value])
                if kind == E_GO_CREATE:
                    del self.goroutines[value]
            elif name == "p" and value in self.ps:
                holder = self.ps[value].m
                if holder is not None:
                    self.forget_p_of(holder)
                self.ps[value].sure = False
            elif name == "m" and value in self.ms:
                self.forget_p_of(self.ms[value])
            elif name == "task" and kind == E_TASK_BEGIN:
                self.tasks.pop(value, None)

    # ---- what is said of what is wrong ----

    def since(self, at: int) -> str:
        return "" if at < 0 else f" since {moment(at - self.begun)}"

    def bad_goroutine(self, number: int, wanted: str) -> str:
        g = self.goroutines.get(number)
        if g is None:
            return f"goroutine {number} was never created; it would have to be {wanted}"
        return f"goroutine {number} is {g.describe()}{self.since(g.since)}; it would have to be {wanted}"

    def bad_machine(self, m: Machine | None, who: int, wanted: str) -> str:
        if m is None:
            return f"{'sysmon' if who == SYSMON else 'a thread outside'} has neither goroutine nor P; only an M can tell this"
        return f"{m.describe()}; it would have to {wanted}"

    # ---- the rules ----

    def tell(self, time: int, who: int, kind: int, m: Machine | None, args: tuple[int, ...]) -> Step:
        """What changes nothing."""
        if m is None:
            return Step(time, who, kind, args, 0, NONE, NONE)
        return Step(time, who, kind, args, 0 if m.g is None else m.g.id, NONE if m.p is None else m.p.number, m.number)

    def set_phase(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        if not self.phase <= args[0] <= EXITING:
            return f"phase {args[0]} after phase {self.phase}; they go from 0 to {EXITING}"
        self.phase = args[0]
        return self.tell(time, who, E_PHASE, m, args)

    def set_procs(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        if args[0] < 1:
            return "gomaxprocs is 0; it would have to be at least 1"
        self.gomaxprocs = args[0]
        return self.tell(time, who, E_PROCS, m, args)

    def m_start(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        if m is None or (m.since >= 0 and m.state != ENDED):
            return self.bad_machine(m, who, "have ended, or to be new")
        m.g = None
        m.p = None
        m.sure_g = m.sure_p = True
        m.robbed = 0
        m.collects = False
        m.move(AWAKE, time)
        return self.tell(time, who, E_M_START, m, args)

    def m_end(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        if m is None or m.g is not None or m.state == ENDED or (m.p is not None and self.phase != EXITING):
            return self.bad_machine(m, who, "run nothing and have no P")
        if m.p is not None:
            m.p.give(None, time)
            m.p = None
        m.sure_g = m.sure_p = True
        m.move(ENDED, time)
        return self.tell(time, who, E_M_END, m, args)

    def m_park(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        return self.m_sleep(time, who, m, E_M_PARK, PARKED)

    def m_poll(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        return self.m_sleep(time, who, m, E_M_POLL, POLLING)

    def m_sleep(self, time: int, who: int, m: Machine | None, kind: int, state: int) -> Step | str:
        if m is None or m.state != AWAKE or m.g is not None or m.p is not None:
            return self.bad_machine(m, who, "be awake, run nothing and have no P")
        m.sure_g = m.sure_p = True
        m.move(state, time)
        return self.tell(time, who, kind, m, ())

    def m_wake(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        if m is None or not (m.state in (PARKED, POLLING) or (m.since < 0 and not m.sure_g and self.guess)):
            return self.bad_machine(m, who, "be parked or polling")
        m.sure_g = m.sure_p = True
        m.move(AWAKE, time)
        return self.tell(time, who, E_M_WAKE, m, args)

    def proc_start(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        number = args[0]
        if m is None or m.state != AWAKE or m.p is not None or m.robbed == SURELY or not (m.sure_p or self.guess):
            unaware = m is not None and m.robbed == SURELY
            return self.bad_machine(m, who, "have noticed the loss of its P" if unaware else "be awake and have no P")
        p = self.proc(number)
        if p.m is not None or not (p.sure or self.guess):
            holder = "somebody unknown" if p.m is None else f"M{p.m.number}"
            return f"P{number} belongs to {holder}{self.since(p.since)}; it would have to be nobody's"
        p.give(m, time)
        m.p = p
        m.sure_p = True
        m.robbed = 0
        return Step(time, who, E_PROC_START, args, 0 if m.g is None else m.g.id, number, m.number)

    def proc_stop(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        if m is None or m.state != AWAKE or (m.p is None and (m.sure_p or not self.guess)):
            return self.bad_machine(m, who, "have a P")
        g = m.g
        if g is not None and g.state == RUNNING and not self.virtual and self.phase != EXITING:
            return self.bad_machine(m, who, "run nothing, or to be in a call: its goroutine would go on without a P")
        number = NONE
        if m.p is not None:
            number = m.p.number
            m.p.give(None, time)
            m.p = None
        m.sure_p = True
        return Step(time, who, E_PROC_STOP, args, 0 if g is None else g.id, number, m.number)

    def proc_steal(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        number, robbed = args
        p = self.proc(number)
        victim = self.machine(robbed + FIRST_M)
        assert victim is not None
        if p.m is not victim and not (self.guess and p.m is None and not p.sure):
            holder = "nobody" if p.m is None else f"M{p.m.number}"
            return f"P{number} belongs to {holder}{self.since(p.since)}; it would have to be M{robbed}'s"
        if p.m is victim:
            victim.p = None
            victim.robbed = SURELY
        elif not victim.sure_p:
            victim.robbed = MAYBE  # or it has noticed, and may have another
        p.give(None, time)
        return Step(time, who, E_PROC_STEAL, args, 0 if victim.g is None else victim.g.id, number, robbed)

    def proc_lost(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        if m is None or not (m.robbed or (self.guess and not m.sure_p)):
            return self.bad_machine(m, who, "have had its P stolen")
        m.robbed = 0
        m.sure_p = True
        return Step(time, who, E_PROC_LOST, args, 0 if m.g is None else m.g.id, NONE, m.number)

    def steal(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        victim, n = args
        if m is None or m.state != AWAKE or (m.p is None and (m.sure_p or not self.guess)) or m.g is not None:
            return self.bad_machine(m, who, "have a P and run nothing")
        if m.p is not None and m.p.number == victim:
            return f"P{victim} would steal from itself; it would have to be another's"
        if n < 1:
            return "no goroutine was stolen; that is not told"
        return self.tell(time, who, E_STEAL, m, args)

    def go_create(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        number, by, name = args
        if number in self.goroutines or not number:
            return self.bad_goroutine(number, "new") if number else "goroutine 0; numbers begin with 1"
        if by and self.known(by) is None:
            return f"its creator: {self.bad_goroutine(by, 'there')}"
        g = self.goroutines[number] = Go(number)
        g.name = name
        g.creator = by
        g.created = time
        g.move(RUNNABLE, time)
        if m is None:
            return Step(time, who, E_GO_CREATE, args, number, NONE, NONE)
        return Step(time, who, E_GO_CREATE, args, number, NONE if m.p is None else m.p.number, m.number)

    def go_start(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        number = args[0]
        g = self.goroutines.get(number) or self.known(number)
        if g is None or (g.state != RUNNABLE and not (g.state == UNKNOWN and self.guess)):
            return self.bad_goroutine(number, "runnable")
        if m is None or m.state != AWAKE or m.g is not None or not (m.sure_g or self.guess):
            return self.bad_machine(m, who, "be awake and run nothing")
        p = m.p
        if p is None and (m.sure_p or not self.guess) and self.phase != EXITING:
            return self.bad_machine(m, who, "have a P")
        g.was = g.state
        g.was_since = g.since
        g.was_reason = g.reason
        g.state = RUNNING
        g.since = time
        g.m = m
        m.g = g
        m.sure_g = True
        return Step(time, who, E_GO_START, args, number, NONE if p is None else p.number, m.number)

    def leave(self, time: int, who: int, m: Machine | None, kind: int, args: tuple[int, ...], state: int) -> Step | str:
        """The goroutine that the writer runs stops running."""
        if m is None or m.state != AWAKE:
            return self.bad_machine(m, who, "be awake and run a goroutine")
        g = m.g
        if g is None:
            if m.sure_g or not self.guess:
                return self.bad_machine(m, who, "run a goroutine")
            m.sure_g = True
            return self.tell(time, who, kind, m, args)
        if g.state != RUNNING:
            return self.bad_goroutine(g.id, "running, not in a call")
        g.was = RUNNING
        g.was_since = g.since
        g.was_reason = g.reason
        g.state = state
        g.since = time
        g.m = None
        m.g = None
        return Step(time, who, kind, args, g.id, NONE if m.p is None else m.p.number, m.number)

    def go_end(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        return self.leave(time, who, m, E_GO_END, args, GONE)

    def go_stop(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        why = args[0]
        if why >= len(STOP_REASONS):
            return f"stop reason {why}; the last is {len(STOP_REASONS) - 1}"
        if why == NO_P and m is not None and m.p is not None:
            return self.bad_machine(m, who, "have no P, as it says")
        return self.leave(time, who, m, E_GO_STOP, args, RUNNABLE)

    def go_block(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        reason = args[0]
        if reason >= len(WAIT_REASONS):
            return f"wait reason {reason}; the last is {len(WAIT_REASONS) - 1}"
        g = None if m is None else m.g
        step = self.leave(time, who, m, E_GO_BLOCK, args, WAITING)
        if g is not None and type(step) is Step:
            g.reason = reason
        return step

    def syscall_begin(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        return self.turn(time, who, m, E_SYSCALL_BEGIN, RUNNING, CALL)

    def syscall_end(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        return self.turn(time, who, m, E_SYSCALL_END, CALL, RUNNING)

    def turn(self, time: int, who: int, m: Machine | None, kind: int, before: int, after: int) -> Step | str:
        """Into a call and out of it."""
        if m is None or m.state != AWAKE or (m.g is None and (m.sure_g or not self.guess)):
            return self.bad_machine(m, who, "be awake and run a goroutine")
        if m.g is not None:
            if m.g.state != before:
                return self.bad_goroutine(m.g.id, STATES[before])
            m.g.move(after, time)
        return self.tell(time, who, kind, m, ())

    def go_unblock(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        number, by = args
        g = self.goroutines.get(number) or self.known(number)
        if g is None or (g.state != WAITING and not (g.state == UNKNOWN and self.guess)):
            return self.bad_goroutine(number, "waiting")
        if by and by not in self.goroutines and self.known(by) is None:
            return f"who woke it: {self.bad_goroutine(by, 'there')}"
        g.was = g.state
        g.was_since = g.since
        g.was_reason = g.reason
        g.state = RUNNABLE
        g.since = time
        g.woken_by = by
        if m is None:
            return Step(time, who, E_GO_UNBLOCK, args, number, NONE, NONE)
        return Step(time, who, E_GO_UNBLOCK, args, number, NONE if m.p is None else m.p.number, m.number)

    def queue(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        return f"place {args[1]}; the last is {AT_GLOBAL}" if args[1] > AT_GLOBAL else self.tell(time, who, E_QUEUE, m, args)

    def gc_begin(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        if m is not None:
            if m.collects:
                return f"M{m.number} is in the collector; it would have to leave it first"
            m.collects = True
        return self.tell(time, who, E_GC_BEGIN, m, args)

    def gc_end(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        if m is not None:
            if not m.collects and self.whole:
                return f"M{m.number} is not in the collector"
            m.collects = False
        return self.tell(time, who, E_GC_END, m, args)

    def region_begin(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        return self.region(time, who, m, E_REGION_BEGIN, args)

    def region_end(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        return self.region(time, who, m, E_REGION_END, args)

    def region(self, time: int, who: int, m: Machine | None, kind: int, args: tuple[int, ...]) -> Step | str:
        if m is not None and m.g is None and (m.sure_g or not self.guess):
            return self.bad_machine(m, who, "run the goroutine whose region it is")
        return self.tell(time, who, kind, m, args)

    def task_begin(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        task, parent, name = args
        if task in self.tasks:
            return f"task {task} has begun already"
        self.tasks[task] = parent, name
        return self.tell(time, who, E_TASK_BEGIN, m, args)

    def task_end(self, time: int, who: int, m: Machine | None, args: tuple[int, ...]) -> Step | str:
        if self.tasks.pop(args[0], None) is None and (self.whole or not self.guess):
            return f"task {args[0]} is not open"
        return self.tell(time, who, E_TASK_END, m, args)


# Whatever else there is changes nothing in the world.
RULES = {
    E_PHASE: World.set_phase,
    E_PROCS: World.set_procs,
    E_M_START: World.m_start,
    E_M_END: World.m_end,
    E_M_PARK: World.m_park,
    E_M_POLL: World.m_poll,
    E_M_WAKE: World.m_wake,
    E_PROC_START: World.proc_start,
    E_PROC_STOP: World.proc_stop,
    E_PROC_STEAL: World.proc_steal,
    E_PROC_LOST: World.proc_lost,
    E_STEAL: World.steal,
    E_GO_CREATE: World.go_create,
    E_GO_START: World.go_start,
    E_GO_END: World.go_end,
    E_GO_STOP: World.go_stop,
    E_GO_BLOCK: World.go_block,
    E_SYSCALL_BEGIN: World.syscall_begin,
    E_SYSCALL_END: World.syscall_end,
    E_GO_UNBLOCK: World.go_unblock,
    E_QUEUE: World.queue,
    E_GC_BEGIN: World.gc_begin,
    E_GC_END: World.gc_end,
    E_REGION_BEGIN: World.region_begin,
    E_REGION_END: World.region_end,
    E_TASK_BEGIN: World.task_begin,
    E_TASK_END: World.task_end,
}


def plain_rule(
    tell: Callable[[int, int, int, Machine | None, tuple[int, ...]], Step], kind: int
) -> Callable[[int, int, Machine | None, tuple[int, ...]], Step]:
    return lambda time, who, m, args: tell(time, who, kind, m, args)
