"""A step as a plain sentence: "P2 found its queue empty and stole 3 goroutines from P0".

For the log of a trace, the live page and the laboratory. A sentence is made right after its step, while the world still knows what the step has
ended: how long a goroutine waited is in it.
"""

from __future__ import annotations

from collections.abc import Callable

from gosched.core.events import NAMES
from gosched.core.states import WAIT_REASONS

from .replay import Replay, writer
from .things import CALL, NONE, RUNNABLE, WAITING, Step
from .units import count, span

PLACES = ("P{}'s next", "the tail of P{}'s queue", "the tail of the global queue")
PHASES = ("the program begins", "main is over, and the others are being ended", "the threads leave")
STOPS = ("let others run", "was stopped to let others run", "has lost its P and queues for another")


def sentence(replay: Replay, step: Step) -> str:
    """Of the step that `replay` has just made."""
    return WORDS[NAMES[step.kind]](Teller(replay, step))


class Teller:
    """One step, and how what it names is called."""

    def __init__(self, replay: Replay, step: Step) -> None:
        self.replay = replay
        self.step = step
        self.args = step.args

    def go(self, number: int | None = None) -> str:
        number = self.step.g if number is None else number
        if not number:
            return "a goroutine"
        name = self.replay.name_of(number)
        return f"goroutine {number} ({name})" if name else f"goroutine {number}"

    def m(self) -> str:
        """Who speaks."""
        return writer(self.step.who)

    def p(self) -> str:
        """The P, or who speaks if it is not known."""
        return self.m() if self.step.p == NONE else f"P{self.step.p}"

    def text(self, at: int) -> str:
        return self.replay.string(self.args[at])

    def lasted(self, state: int) -> int | None:
        """How long the goroutine was in the state that has just ended."""
        g = self.replay.world.goroutines.get(self.step.g)
        return None if g is None or g.was != state or g.was_since < 0 else g.since - g.was_since

    def created(self) -> str:
        by = self.args[1]
        return f"{self.go(by) if by else self.m()} started {self.go()}"

    def started(self) -> str:
        queued = self.lasted(RUNNABLE)
        after = "" if queued is None else f" after {span(queued)} in a queue"
        return f"{self.p()} runs {self.go()}{after}"

    def blocked(self) -> str:
        reason = WAIT_REASONS[self.args[0]]
        return f"{self.go()} waits{f': {reason}' if reason else ''}"

    def woken(self) -> str:
        g = self.replay.world.goroutines.get(self.step.g)
        waited = self.lasted(WAITING)
        reason = "" if g is None or waited is None or not g.reason else f" ({WAIT_REASONS[g.reason]})"
        after = "" if waited is None else f" after {span(waited)}{reason}"
        by = self.args[1]
        return f"{self.go(by)} woke {self.go()}{after}" if by else f"{self.go()} was woken{after} {self.by_nobody()}"

    def by_nobody(self) -> str:
        return "by no goroutine: a timer, the network, a thread"

    def robbed(self) -> str:
        running = f", which runs {self.go()}" if self.step.g else ""
        return f"{self.m()} took P{self.step.p} from M{self.step.m}{running}"

    def unmarked(self, number: int) -> str:
        g = self.replay.world.goroutines.get(number)
        return "" if g is not None and g.state == CALL else " that nobody marked"

    def task(self) -> str:
        parent = f" within task {self.args[1]}" if self.args[1] else ""
        return f"task {self.args[0]} ({self.text(2)}) began{parent}"

    def logged(self) -> str:
        task = f" in task {self.args[0]}" if self.args[0] else ""
        category = self.text(1)
        return f"{self.go() if self.step.g else self.m()} says{task}: {f'{category}: ' if category else ''}{self.text(2)}"

    def stack(self) -> str:
        return "at " + self.text(0).replace("\n", " < ") if self.text(0) else "at no line of Python"


WORDS: dict[str, Callable[[Teller], str]] = {
    "NOTHING": lambda t: "nothing",
    "BY": lambda t: f"{t.m()} speaks",
    "LOST": lambda t: f"{count(t.args[0], 'event')} not written: what happened meanwhile is unknown",
    "PHASE": lambda t: PHASES[t.args[0]],
    "PROCS": lambda t: f"gomaxprocs is {t.args[0]}",
    "M_START": lambda t: f"{t.m()} begins",
    "M_END": lambda t: f"{t.m()} ends",
    "M_PARK": lambda t: f"{t.m()} found nothing to do and sleeps",
    "M_POLL": lambda t: f"{t.m()} found nothing to do and waits for descriptors and timers",
    "M_WAKE": lambda t: f"{t.m()} wakes up",
    "PROC_START": lambda t: f"{t.m()} takes P{t.step.p}",
    "PROC_STOP": lambda t: f"{t.m()} gives up {f'P{t.step.p}' if t.step.p != NONE else 'its P'}",
    "PROC_STEAL": Teller.robbed,
    "PROC_LOST": lambda t: f"{t.m()} notices that its P is gone",
    "STEAL": lambda t: f"{t.p()} found its queue empty and stole {count(t.args[1], 'goroutine')} from P{t.args[0]}",
    "GO_CREATE": Teller.created,
    "GO_START": Teller.started,
    "GO_END": lambda t: f"{t.go()} ends",
    "GO_STOP": lambda t: f"{t.go()} {STOPS[t.args[0]]}",
    "GO_BLOCK": Teller.blocked,
    "SYSCALL_BEGIN": lambda t: f"{t.go()} enters a blocking call",
    "SYSCALL_END": lambda t: f"{t.go()} is back from its call",
    "GO_UNBLOCK": Teller.woken,
    "BLOCKED": lambda t: f"{t.m()} sees {t.go(t.args[1])} on M{t.args[0]} for {span(t.args[2])} in a call{t.unmarked(t.args[1])}",
    "ASK": lambda t: f"{t.m()} asks {t.go(t.args[1])} on M{t.args[0]} to let others run: it has kept its P for {span(t.args[2])}",
    "NETPOLL": lambda t: f"{t.p()} finds descriptors ready: {count(t.args[0], 'goroutine')} can go on",
    "TIMERS": lambda t: f"{t.p()} runs timers of P{t.args[0]} that are due",
    "GC_BEGIN": lambda t: f"the collector begins on {t.m()}, generation {t.args[0]}",
    "GC_END": lambda t: f"the collector is done on {t.m()}: {count(t.args[0], 'object')}",
    "REGION_BEGIN": lambda t: f"{t.go() if t.step.g else t.m()} enters region {t.text(0)}",
    "REGION_END": lambda t: f"{t.go() if t.step.g else t.m()} leaves region {t.text(0)}",
    "TASK_BEGIN": Teller.task,
    "TASK_END": lambda t: f"task {t.args[0]} ends",
    "LOG": Teller.logged,
    "STACK": Teller.stack,
    "QUEUE": lambda t: f"{t.go(t.args[0])} goes to {PLACES[t.args[1]].format(t.args[2])}",
    "SPILL": lambda t: f"P{t.args[0]}'s queue is full: its {t.args[1]} oldest go to the global queue",
    "REFILL": lambda t: f"P{t.args[0]} takes its share of the global queue: one to run, and {t.args[1]} into its own",
    "DRAIN": lambda t: f"P{t.args[0]} is no more: what it had goes to the head of the global queue",
    "EXPIRE": lambda t: f"the slice of P{t.args[0]} is over: who is next on it has no part in it any more",
    "SPIN": lambda t: f"{t.m()} looks for work in the queues of others",
}
