"""Random programs over a few channels: what they are made of, how hypothesis draws them, and how they are run in virtual time.

A program is data, so that a failing one is printed whole and shrinks. Running it gives a history: of every operation what it was asked to do, what
became of it, when it began and ended on the virtual clock, and a step count that orders all beginnings and ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations_with_replacement, product
from typing import Any

from hypothesis import strategies as st

import gosched
from gosched import (
    Chan,
    ClosedChannelError,
    DeadlineExceeded,
    DeadlockError,
    EndOfChannel,
    WaitGroup,
    aselect,
    asleep,
    ayield_now,
    default,
    nil,
    select,
)
from gosched.testing import virtual_run

Value = tuple[int, int]
"""(the goroutine that sends it, its number): no two are equal."""

NIL = -1
"""The number of the nil channel, in cases of selects."""

# What can become of an operation.
DONE, TIMED_OUT, CLOSED, WOULD_BLOCK, PENDING = "done", "timed out", "closed", "would block", "pending"


@dataclass(frozen=True)
class Case:
    kind: str
    channel: int


@dataclass(frozen=True)
class Step:
    """One operation. `timeout`: milliseconds, or None; `plain`: the spelling."""

    kind: str
    channel: int = 0
    timeout: int | None = None
    plain: bool = False
    cases: tuple[Case, ...] = ()
    default: bool = False


@dataclass(frozen=True)
class Plan:
    capacities: tuple[int, ...]
    goroutines: tuple[tuple[Step, ...], ...]
    gomaxprocs: int
    seed: int


@dataclass
class Record:
    """What became of one operation. `cases`: those it was made of (one, unless it is a select), each with the value that it offers."""

    goroutine: int
    step: Step
    cases: tuple[tuple[Case, Value | None], ...]
    begin: int
    begin_time: float
    end: int = -1
    end_time: float = -1.0
    outcome: str = PENDING
    chosen: int = -1
    value: Value | None = None

    def on(self, kind: str, channel: int) -> list[Value | None]:
        """The values of its cases of this kind ("send" or "recv") on this channel."""
        return [value for case, value in self.cases if case.channel == channel and case.kind.startswith(kind)]

    def did(self, kind: str, channel: int) -> bool:
        """It went through, by such a case."""
        return (
            self.outcome == DONE
            and self.chosen >= 0
            and self.cases[self.chosen][0].channel == channel
            and self.cases[self.chosen][0].kind.startswith(kind)
        )


@dataclass
class History:
    plan: Plan
    channels: list[Chan[Value]]
    records: list[Record] = field(default_factory=list)
    closes: list[tuple[int, int, int, bool]] = field(default_factory=list)
    """(channel, begin, end, first): calls of close."""
    left: list[list[Value]] = field(default_factory=list)
    """What was in the buffers at the end."""
    deadlock: bool = False
    steps: int = 0

    def tick(self) -> int:
        self.steps += 1
        return self.steps


# ---- drawing ----
# Steps are drawn from lists of all there are, the simple ones first: that is fast, and a failing program shrinks towards them.

MOST_CHANNELS = 3
TIMEOUTS: tuple[int | None, ...] = (1, 0, 2, 3, 5)
SPELLINGS = (False, False, True)


def _steps(channels: int, limits: tuple[int | None, ...]) -> st.SearchStrategy[Step]:
    numbers = range(channels)
    sends = [Step("send", *rest) for rest in product(numbers, limits, SPELLINGS)]
    receives = [Step(kind, *rest) for kind, *rest in product(("recv", "recv_ok"), numbers, limits, SPELLINGS)]
    tries = [Step(kind, channel) for kind, channel in product(("try_send", "try_recv"), numbers)]
    pauses = [Step(kind, 0, n) for kind, n in product(("yield", "sleep"), range(4))]
    closes = [Step("close", channel) for channel in numbers]
    cases = [Case(kind, channel) for kind, channel in product(("send", "recv", "recv_ok"), (*numbers, NIL))]
    several = [*combinations_with_replacement(cases, 1), *combinations_with_replacement(cases, 2), *combinations_with_replacement(cases, 3)]
    selects = [Step("select", 0, limit, plain, chosen) for chosen, limit, plain in product(several, limits, SPELLINGS)]
    with_default = [Step("select", 0, None, plain, chosen, True) for chosen, plain in product(several, SPELLINGS)]
    return st.one_of(*(st.sampled_from(group) for group in (sends, sends, receives, receives, selects, selects, with_default, tries, pauses, closes)))


def _plans(limits: tuple[int | None, ...]) -> st.SearchStrategy[Plan]:
    def on_channels(n: int) -> st.SearchStrategy[Plan]:
        goroutine = st.lists(_steps(n, limits), min_size=1, max_size=6).map(tuple)
        return st.builds(
            Plan,
            st.sampled_from([*product(range(4), repeat=n)]),
            st.lists(goroutine, min_size=2, max_size=6).map(tuple),
            st.integers(1, 3),
            st.integers(0, 2**16),
        )

    return st.one_of(*(on_channels(n + 1) for n in range(MOST_CHANNELS)))


plans_that_end = _plans(TIMEOUTS)
"""Every operation has a timeout: no deadlock."""

plans_that_may_block = _plans((None, *TIMEOUTS))


# ---- running ----


def run_plan(plan: Plan) -> History:
    history = History(plan, [Chan[Value](n) for n in plan.capacities])

    async def main() -> None:
        wg = WaitGroup()
        for number, steps in enumerate(plan.goroutines):
            wg.go(_goroutine, history, number, steps)
        await wg

    try:
        virtual_run(main, gomaxprocs=plan.gomaxprocs, seed=plan.seed)
    except DeadlockError:
        history.deadlock = True
    for ch in history.channels:
        history.left.append(drained(ch))
    return history


def drained(ch: Chan[Value]) -> list[Value]:
    found = []
    try:
        while True:
            value, ok = ch.try_recv()
            if not ok:
                return found
            assert value is not None
            found.append(value)
    except EndOfChannel:
        return found


async def _goroutine(history: History, number: int, steps: tuple[Step, ...]) -> None:
    sent = 0
    for step in steps:
        if step.kind == "yield":
            await ayield_now()
        elif step.kind == "sleep":
            await asleep((step.timeout or 0) / 1000)
        elif step.kind == "close":
            _close(history, step.channel)
        else:
            cases = step.cases or (Case(step.kind.removeprefix("try_"), step.channel),)
            offered: list[tuple[Case, Value | None]] = []
            for case in cases:
                offered.append((case, (number, sent) if case.kind == "send" else None))
                sent += case.kind == "send"
            await _operation(history, Record(number, step, tuple(offered), history.tick(), gosched.now()))


def _close(history: History, channel: int) -> None:
    ch, begin = history.channels[channel], history.tick()
    was_closed = ch.closed
    try:
        ch.close()
    except ClosedChannelError as error:
        _is_about(error, "close of closed channel", ch)
        assert was_closed
        history.closes.append((channel, begin, history.tick(), False))
    else:
        assert not was_closed
        history.closes.append((channel, begin, history.tick(), True))
    assert ch.closed


async def _operation(history: History, record: Record) -> None:
    history.records.append(record)
    step = record.step
    try:
        if step.kind == "select":
            await _select(history, record)
        else:
            record.value = await _single(history.channels[step.channel], record)
            record.chosen = 0
        if record.outcome == PENDING:
            record.outcome = DONE
    except DeadlineExceeded:
        assert step.kind != "select", "a select that times out returns (None, None)"
        record.outcome = TIMED_OUT
    except EndOfChannel as error:
        _ended_by(history, record, "recv", error)
    except ClosedChannelError as error:
        _ended_by(history, record, "send", error)
    record.end, record.end_time = history.tick(), gosched.now()


def _ended_by(history: History, record: Record, kind: str, error: ClosedChannelError) -> None:
    """A channel that is closed: the error says which, and of a select also the case."""
    record.outcome = CLOSED
    channel = next(i for i, ch in enumerate(history.channels) if ch is error.channel)
    _is_about(error, "send on closed channel" if kind == "send" else "receive on closed channel", history.channels[channel])
    possible = [i for i, (case, _) in enumerate(record.cases) if case.channel == channel and case.kind == kind]
    assert possible, f"no such case: {error}"
    record.chosen = possible[0]
    if isinstance(error, EndOfChannel) and record.step.kind == "select":
        assert error.index in possible
        record.chosen = error.index


def _is_about(error: ClosedChannelError, message: str, ch: Chan[Value]) -> None:
    assert str(error) == message
    assert error.channel is ch


async def _single(ch: Chan[Value], record: Record) -> Value | None:
    """One send or receive. (None, False) of recv_ok counts as closed."""
    step, value = record.step, record.cases[0][1]
    timeout = None if step.timeout is None else step.timeout / 1000
    if step.kind == "try_send":
        assert value is not None
        if not ch.try_send(value):
            record.outcome = WOULD_BLOCK
        return None
    if step.kind == "try_recv":
        got, ok = ch.try_recv()
        if not ok:
            record.outcome = WOULD_BLOCK
            assert got is None
        return got
    if step.kind == "send":
        assert value is not None
        if step.plain:
            ch.send(value, timeout=timeout)
        else:
            await ch.asend(value, timeout=timeout)
        return None
    if step.kind == "recv":
        return ch.recv(timeout=timeout) if step.plain else await ch.arecv(timeout=timeout)
    got, ok = ch.recv_ok(timeout=timeout) if step.plain else await ch.arecv_ok(timeout=timeout)
    if not ok:
        assert got is None
        record.outcome = CLOSED
    return got


async def _select(history: History, record: Record) -> None:
    step = record.step
    cases: list[Any] = []
    for case, value in record.cases:
        ch: Chan[Value] = nil if case.channel == NIL else history.channels[case.channel]
        cases.append((ch.send, value) if case.kind == "send" else getattr(ch, case.kind))
    if step.default:
        cases.append(default)
    timeout = None if step.timeout is None else step.timeout / 1000
    index, value = select(*cases, timeout=timeout) if step.plain else await aselect(*cases, timeout=timeout)
    if index is None:
        assert value is None
        record.outcome = TIMED_OUT
    elif step.default and index == len(record.cases):
        assert value is None
        record.outcome = WOULD_BLOCK
    else:
        record.chosen = index
        case = record.cases[index][0]
        if case.kind == "recv_ok":
            value, ok = value
            if not ok:
                assert value is None
                record.outcome = CLOSED
        elif case.kind == "send":
            assert value is None
        record.value = value
