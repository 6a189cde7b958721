"""What there is in a replayed world: goroutines, Ms and Ps with their states, and the steps that change them.

The names of the states are those that people are shown. A thing remembers the state before the present one, and since when it had it: so an observer,
who is called after a step, knows what the step has ended.
"""

from __future__ import annotations

from typing import NamedTuple

from gosched.core.states import WAIT_REASONS

# A goroutine's state.
UNKNOWN, RUNNABLE, RUNNING, WAITING, CALL, GONE = range(6)
STATES = ("unknown", "runnable", "running", "waiting", "in a call", "gone")
# An M's.
AWAKE, PARKED, POLLING, ENDED = range(4)
M_STATES = ("awake", "parked", "polling", "ended")
# Whether it was robbed.
SURELY, MAYBE = 1, 2
# Of a time that is not known, and of a number: no P, no M.
NEVER = -1
NONE = -1


class Step(NamedTuple):
    """One event, and whom it is about: a goroutine (0 for none, or not known), a P and an M (NONE). The world is as it was after it.

    p and m are the writer's, but for PROC_START, PROC_STOP, PROC_STEAL and PROC_LOST, where they are the P that changes hands and the M that gets or
    loses it. `time` never goes back: an event that was held back is counted from when it became legal."""

    time: int
    who: int
    kind: int
    args: tuple[int, ...]
    g: int
    p: int
    m: int


class Go:
    """A goroutine. `was` is its state before this one, since `was_since`, for `was_reason`: who looks after a step sees what it has ended."""

    __slots__ = ("created", "creator", "id", "m", "name", "reason", "since", "state", "was", "was_reason", "was_since", "woken_by")

    def __init__(self, number: int) -> None:
        self.id = number
        self.name = NONE  # the number of a string
        self.creator = 0
        self.created = NEVER
        self.state = UNKNOWN
        self.since = NEVER
        self.reason = 0  # of its last wait
        self.m: Machine | None = None  # while it runs, or is in a call
        self.woken_by = 0
        self.was = UNKNOWN
        self.was_since = NEVER
        self.was_reason = 0

    @property
    def p(self) -> int:
        """The P that it runs on."""
        return NONE if self.m is None or self.m.p is None else self.m.p.number

    def move(self, state: int, now: int) -> None:
        self.was = self.state
        self.was_since = self.since
        self.was_reason = self.reason
        self.state = state
        self.since = now

    def describe(self) -> str:
        if self.state == WAITING and self.reason:
            return f"waiting ({WAIT_REASONS[self.reason]})"
        if self.state in (RUNNING, CALL) and self.m is not None:
            return f"{STATES[self.state]} on M{self.m.number}"
        return STATES[self.state]


class Machine:
    """An M. `sure_g`, `sure_p`: whether g and p are known; None is nothing then, and anything else."""

    __slots__ = ("collects", "g", "number", "p", "robbed", "since", "state", "sure_g", "sure_p", "trail", "was", "was_since")

    def __init__(self, number: int, sure: bool) -> None:
        self.number = number
        self.state = AWAKE
        self.since = NEVER
        self.was = AWAKE
        self.was_since = NEVER
        self.g: Go | None = None
        self.p: Proc | None = None
        self.sure_g = sure
        self.sure_p = sure
        self.robbed = 0  # SURELY or MAYBE its P was taken and it has not noticed
        self.collects = False
        self.trail = NONE  # where it writes

    def move(self, state: int, now: int) -> None:
        self.was = self.state
        self.was_since = self.since
        self.state = state
        self.since = now

    def describe(self) -> str:
        if self.state != AWAKE:
            return f"M{self.number} is {M_STATES[self.state]}"
        g = f"runs goroutine {self.g.id}" if self.g is not None else "runs nothing" if self.sure_g else "runs something unknown"
        p = f"has P{self.p.number}" if self.p is not None else "has no P" if self.sure_p else "may have a P"
        return f"M{self.number} {g} and {p}"


class Proc:
    """A P. `was` is the M that had it before, since `was_since`."""

    __slots__ = ("m", "number", "since", "sure", "was", "was_since")

    def __init__(self, number: int, sure: bool) -> None:
        self.number = number
        self.m: Machine | None = None
        self.sure = sure  # that m is known
        self.since = NEVER
        self.was: Machine | None = None
        self.was_since = NEVER

    def give(self, m: Machine | None, now: int) -> None:
        self.was = self.m
        self.was_since = self.since
        self.m = m
        self.sure = True
        self.since = now
