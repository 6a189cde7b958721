"""What must hold of every history, whatever the schedule was: the sequential meaning of channels.

The checks need no search. A history gives intervals, and each rule is about what must not happen between intervals that do not overlap, or between
two waits that overlap for a while on the virtual clock: time stands still while any goroutine can go on.
"""

from __future__ import annotations

from collections import Counter

import gosched
from gosched import Chan, ClosedChannelError, EndOfChannel
from tests.properties.programs import CLOSED, DONE, NIL, PENDING, TIMED_OUT, WOULD_BLOCK, History, Record, Value

FOREVER = 1 << 60


def check(history: History) -> None:
    _outcomes(history)
    _timeouts(history)
    for channel in range(len(history.channels)):
        _nothing_lost_or_doubled(history, channel)
        _first_in_first_out(history, channel)
        _closing(history, channel)
        _nobody_passes_by(history, channel)
    if history.deadlock:
        _really_asleep(history)
    for channel, ch in enumerate(history.channels):
        nobody_left(ch, history.plan.capacities[channel])


def _outcomes(history: History) -> None:
    for r in history.records:
        step = r.step
        assert (r.outcome == PENDING) <= history.deadlock, f"never ended: {r}"
        if r.outcome == TIMED_OUT:
            assert step.timeout is not None
        if r.outcome == WOULD_BLOCK:
            assert step.default or step.kind.startswith("try_")
        if step.default or step.kind.startswith("try_"):
            assert r.begin_time == r.end_time or r.outcome == PENDING, f"did not come back at once: {r}"
        if r.outcome in (DONE, CLOSED):
            assert r.cases[r.chosen][0].channel != NIL, f"nil was chosen: {r}"


def _timeouts(history: History) -> None:
    for r in history.records:
        if r.step.timeout is None or r.outcome == PENDING:
            continue
        took = round((r.end_time - r.begin_time) * 1e6)
        if r.outcome == TIMED_OUT:
            assert took == r.step.timeout * 1000, f"{took} µs: {r}"
        else:
            assert took <= r.step.timeout * 1000, f"{took} µs: {r}"


def _values(history: History, channel: int) -> tuple[dict[Value, Record], dict[Value, Record]]:
    """Who sent each value that was sent, and who received each that was received."""
    sent: dict[Value, Record] = {}
    received: dict[Value, Record] = {}
    for r in history.records:
        if r.did("send", channel):
            value = r.cases[r.chosen][1]
            assert value is not None
            sent[value] = r
        if r.did("recv", channel):
            assert r.value is not None
            assert r.value not in received, f"received twice: {r.value}"
            received[r.value] = r
    return sent, received


def _nothing_lost_or_doubled(history: History, channel: int) -> None:
    """What was sent is what was received and what is left. A send that timed out, or met a closed channel, has delivered nothing; nor has a select by
    the cases that it did not choose."""
    sent, received = _values(history, channel)
    left = history.left[channel]
    assert Counter([*received, *left]) == Counter(list(sent))
    assert len(left) <= history.plan.capacities[channel]


def _first_in_first_out(history: History, channel: int) -> None:
    """Senders are served in the order in which they came, and so are receivers: who waits stands in line. What is left comes last.

    Nothing happens between the beginning of an operation and its arrival at the channel: the beginnings are in the order of arrival.
    """
    sent, received = _values(history, channel)
    in_order = sorted(sent, key=lambda value: sent[value].begin)
    out_order = sorted(received, key=lambda value: received[value].begin)
    assert [*out_order, *history.left[channel]] == in_order


def _closing(history: History, channel: int) -> None:
    calls = [c for c in history.closes if c[0] == channel]
    assert sum(first for *_, first in calls) == min(1, len(calls)), "closed once, or not at all"
    assert history.channels[channel].closed == bool(calls)
    begin, end = next(((b, e) for _, b, e, first in calls if first), (FOREVER, FOREVER))
    over = FOREVER
    for r in history.records:
        if r.outcome == CLOSED and r.cases[r.chosen][0].channel == channel:
            assert r.end > begin, f"closed before it was: {r}"
            if r.cases[r.chosen][0].kind != "send":
                over = min(over, r.end)
        if r.begin > end and r.outcome != PENDING:
            assert not r.did("send", channel), f"sent on a closed channel: {r}"
            if r.on("send", channel) or r.on("recv", channel):
                assert r.outcome in (DONE, CLOSED), f"a closed channel blocks nobody: {r}"
    for r in history.records:
        assert not (r.did("recv", channel) and r.begin > over), f"received after the end of the channel: {r}"
    if over < FOREVER:
        assert not history.left[channel], "the end of a channel that was not drained"


def _nobody_passes_by(history: History, channel: int) -> None:
    """Nobody waited to send while another waited to receive."""
    waited = [r for r in history.records if r.outcome == TIMED_OUT]
    for s in waited:
        if s.on("send", channel):
            for r in waited:
                if r is not s and r.on("recv", channel):
                    assert min(s.end_time, r.end_time) <= max(s.begin_time, r.begin_time), f"did not meet: {s} and {r}"


def _really_asleep(history: History) -> None:
    """A deadlock: none of those who wait could go on."""
    pending = [r for r in history.records if r.outcome == PENDING]
    assert pending, "a deadlock in which nobody waits"
    for channel, ch in enumerate(history.channels):
        senders = {r.goroutine for r in pending if r.on("send", channel)}
        receivers = {r.goroutine for r in pending if r.on("recv", channel)}
        if senders or receivers:
            assert not ch.closed, f"waits on closed channel {channel}"
        assert not receivers or not history.left[channel], f"waits for what is there, on channel {channel}"
        assert not senders or len(history.left[channel]) == ch.capacity, f"waits for room that is there, on channel {channel}"
        assert not senders or not receivers or len(senders | receivers) == 1, f"wait for each other on channel {channel}"


def nobody_left(ch: Chan[Value], capacity: int) -> None:
    """Nobody stands in the queues of a channel that was drained. The compiled build shows it only by what one can send and receive."""
    if gosched.__build__ != "compiled":
        assert not ch._receivers  # type: ignore[attr-defined]
        assert not ch._senders  # type: ignore[attr-defined]
    assert len(ch) == 0
    if ch.closed:
        for op in (ch.try_recv, lambda: ch.try_send((0, 0)), ch.close):
            try:
                op()
            except (EndOfChannel, ClosedChannelError):
                continue
            raise AssertionError("went through on a closed channel")
        return
    assert ch.try_recv() == (None, False), "somebody still sends"
    assert [ch.try_send((-1, i)) for i in range(capacity + 1)] == [True] * capacity + [False], "somebody still receives"
    assert [ch.try_recv() for _ in range(capacity + 1)] == [*[((-1, i), True) for i in range(capacity)], (None, False)]
