"""Every event explains itself in a sentence: what happened, where the goroutine stood before, and where it goes now.

A sentence is made of an event and of what is told of the queues right behind it (core/events.py: QUEUE, SPILL): together they are one thing that
happened. What is said of queues is what the events say (trace/queues.py), not what the rules would have them be.
"""

from __future__ import annotations

from gosched.core.events import (
    AT_GLOBAL,
    AT_NEXT,
    E_EXPIRE,
    E_GO_CREATE,
    E_GO_START,
    E_GO_STOP,
    E_GO_UNBLOCK,
    E_PROC_STEAL,
    E_QUEUE,
    E_REFILL,
    E_SPILL,
    E_STEAL,
    NAMES,
)
from gosched.core.states import ALIVE, W_IO, W_SLEEP
from gosched.policy import Policy
from gosched.trace.queues import IN_GLOBAL, IN_HAND, IN_NEXT, IN_RING, Queues
from gosched.trace.replay import Replay
from gosched.trace.sentences import WORDS, Teller
from gosched.trace.things import CALL, RUNNABLE, Step
from gosched.trace.units import count, span

Told = tuple[int, tuple[int, ...]]
"""What is told of a queue: kind and args."""


class Explainer:
    """`tick`: how many slices each P has begun."""

    def __init__(self, replay: Replay, queues: Queues, policy: Policy, ticks: dict[int, int]) -> None:
        self.replay = replay
        self.queues = queues
        self.policy = policy
        self.ticks = ticks
        self.taken = 0  # the kind of the last event that took goroutines out of another queue

    def say(self, step: Step, behind: list[Told]) -> str:
        """After the step, and after what is told behind it."""
        teller = Short(self.replay, step)
        if step.kind == E_GO_START:
            return self.starts(teller)
        if step.kind == E_STEAL:
            self.taken = E_STEAL
            return self.steals(teller)
        if step.kind == E_REFILL:
            self.taken = E_REFILL
            return f"P{step.args[0]} has nothing in its own queue: it takes its share of the global one, {count(step.args[1] + 1, 'goroutine')}"
        if step.kind == E_PROC_STEAL:
            return self.robs(teller)
        if step.kind == E_EXPIRE:
            who = teller.go(behind[0][1][0]) if behind else "who is next"
            return f"P{step.args[0]}'s slice is over: {who}, who was next and would have inherited it, goes to the tail of the global queue"
        text = WORDS[NAMES[step.kind]](teller)
        if step.kind in (E_GO_CREATE, E_GO_UNBLOCK, E_GO_STOP):
            text += self.queued(teller, behind)
        return text

    def starts(self, t: Short) -> str:
        where, _ = self.queues.came
        p, go, tick = t.step.p, t.go(), self.ticks.get(t.step.p, 0) - 1  # it looked before it began this slice
        waited = t.lasted(RUNNABLE)
        after = f", after {span(waited)}" if waited else ""
        if where == IN_NEXT:
            return f"P{p} runs {go}, who was next{': with the rest of the slice' if self.policy.inherit else ''}"
        if where == IN_RING:
            return f"P{p} runs {go}, the {'newest' if self.policy.lifo else 'first'} of its queue{after}"
        if where == IN_HAND:
            what = "the newest of what it stole" if self.taken == E_STEAL else "the first of them"
            return f"P{p} runs {go}, {what}{after}"
        if where == IN_GLOBAL and self.policy.fairness and tick % self.policy.fairness == 0 and tick and not self.policy.central:
            return f"P{p} is at tick {tick}, one of every {self.policy.fairness}: it looks at the global queue first, and runs {go}{after}"
        return f"P{p} {'takes' if self.policy.central else 'has nothing in its own queue and takes'} {go} from the global queue{after}"

    def steals(self, t: Short) -> str:
        victim, n = t.args
        if self.queues.from_next:
            return f"P{t.step.p} found nothing in any queue, so it took {t.go(self.queues.from_next)}, who was next on P{victim}"
        part = "half" if self.policy.share == 0.5 else "all" if self.policy.share == 1 else "a share"
        return f"P{t.step.p} found its queue empty, so it stole {part} of P{victim}'s: {count(n, 'goroutine')}"

    def robs(self, t: Short) -> str:
        g = self.replay.world.goroutines.get(t.step.g)
        where = "" if g is None else f", where {t.go()} is in a call" if g.state == CALL else f", where {t.go()} runs on"
        return f"{t.m()} took P{t.step.p} from M{t.step.m}{where}"

    def queued(self, t: Short, behind: list[Told]) -> str:
        """Where it goes."""
        if not behind or behind[0][0] != E_QUEUE:
            spilled = [args for kind, args in behind if kind == E_SPILL]
            return f": P{spilled[0][0]}'s queue is full, so its {spilled[0][1]} oldest go to the global queue, and it behind them" if spilled else ""
        _, where, p = behind[0][1]
        if where == AT_GLOBAL:
            return ": to the tail of the global queue"
        if where != AT_NEXT:
            return f": to the tail of P{p}'s queue"
        text = f": next on P{p}"
        rest = behind[1:]
        if rest and rest[0][0] == E_SPILL:
            full, n = rest[0][1]
            text += f"; P{full}'s queue is full, so its {n} oldest go to the global queue, and {t.go(rest[1][1][0])}, who was next, behind them"
        elif rest:
            text += f"; {t.go(rest[0][1][0])}, who was next, goes to the tail"
        return text


class Short(Teller):
    """Goroutines by their numbers, as on the page."""

    def by_nobody(self) -> str:
        if self.replay.world.phase != ALIVE:
            return "by the end of the program"
        g = self.replay.world.goroutines.get(self.step.g)
        return {W_IO: "by the network", W_SLEEP: "by its timer"}.get(0 if g is None else g.reason, "by no goroutine")

    def go(self, number: int | None = None) -> str:
        number = self.step.g if number is None else number
        name = self.replay.name_of(number) if number else ""
        return f"G{number} ({name})" if name else f"G{number}" if number else "a goroutine"
