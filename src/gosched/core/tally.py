"""Figures of a run, read off its trail as it goes: how busy the Ps were, how long goroutines waited for their turns, and how evenly.

For runs of millions of events, where trace/replay.py would take minutes: an event is believed here, not checked. In virtual time, where one trail has
all events in their order.

Times that goroutines wait for a turn are counted in buckets, 32 for each power of two: a percentile is exact to 3 %.
"""

from __future__ import annotations

from .events import (
    ARGS,
    E_BY,
    E_GO_BLOCK,
    E_GO_CREATE,
    E_GO_END,
    E_GO_START,
    E_GO_STOP,
    E_GO_UNBLOCK,
    E_M_START,
    E_PHASE,
    E_STEAL,
    E_SYSCALL_BEGIN,
    E_SYSCALL_END,
    PREEMPTED,
)

FINE = 5
COUNTS = [len(args) for args in ARGS]


def bucket_of(ns: int) -> int:
    if ns < 1 << FINE:
        return ns
    shift = 0
    high = ns >> FINE
    while high > 1:
        high >>= 1
        shift += 1
    return (shift << FINE) + (ns >> shift)


def value_of(bucket: int) -> int:
    """The middle of a bucket, in ns."""
    if bucket < 2 << FINE:
        return bucket
    shift = (bucket >> FINE) - 1
    low = bucket - (shift << FINE)
    low <<= shift
    one = 1
    return low + (one << shift >> 1)


class Tally:
    """`ended`: when main was over, or else the last event of a goroutine; both in ns since the run began at `begun`.

    Of a goroutine: `since` when it stands in its present state, `ran` and `queued` for how long it has been in these. Of an M: which it `runs`, and
    whether that is in a call."""

    def __init__(self, begun: int) -> None:
        self.begun = begun
        self.now = begun
        self.ended = begun
        self.over = False
        self.busy = 0
        self.goroutines = self.turns = self.steals = self.stolen = self.preemptions = self.threads = 0
        self.waits = [0] * 2048
        self.longest = 0
        self.since: list[int] = [0] * 1024
        self.ran: list[int] = [0] * 1024
        self.queued: list[int] = [0] * 1024
        self.runs: list[int] = [0] * 64
        self.calls: list[int] = [0] * 64
        self.served = 0
        self.shares = 0.0
        self.squares = 0.0

    def read(self, data: bytes, time: int, who: int) -> tuple[int, int]:
        """All events of `data`, before which those were the time and the writer. The time and the writer after it."""
        at = 0
        size = len(data)
        while at < size:
            kind = data[at]
            at += 1
            a = b = 0
            count = COUNTS[kind]
            for i in range(-1, count):
                n = shift = 0
                while data[at] >= 0x80:
                    part = data[at] & 0x7F
                    n |= part << shift
                    shift += 7
                    at += 1
                part = data[at]
                n |= part << shift
                at += 1
                if i < 0:
                    time += n
                elif i == 0:
                    a = n
                elif i == 1:
                    b = n
            if kind == E_BY:
                who = a
            else:
                self.note(time, who, kind, a, b)
        self.now = time
        return time, who

    def note(self, time: int, who: int, kind: int, a: int, b: int) -> None:
        while who >= len(self.runs):
            self.runs += [0] * len(self.runs)
            self.calls += [0] * len(self.calls)
        g = self.runs[who]
        if kind == E_GO_START:
            self.turns += 1
            self.wait(time - self.since[a])
            self.queued[a] += time - self.since[a]
            self.since[a] = time
            self.runs[who] = a
        elif kind == E_GO_BLOCK or kind == E_GO_STOP or kind == E_GO_END:
            self.work(g, time)
            self.runs[who] = 0
            if kind == E_GO_END:
                self.serve(g)
            elif kind == E_GO_STOP and a == PREEMPTED:
                self.preemptions += 1
        elif kind == E_GO_UNBLOCK:
            self.since[a] = time
        elif kind == E_GO_CREATE:
            self.goroutines += 1
            self.know(a)
            self.since[a] = time
        elif kind == E_STEAL:
            self.steals += 1
            self.stolen += b
        elif kind == E_SYSCALL_BEGIN:
            self.work(g, time)
            self.calls[who] = 1
        elif kind == E_SYSCALL_END:
            self.since[g] = time
            self.calls[who] = 0
        elif kind == E_M_START:
            self.threads += 1
        elif kind == E_PHASE and not self.over:
            self.finish(time)
        if not self.over:
            self.ended = time

    def finish(self, time: int) -> None:
        """Main is over. Who runs has run until now."""
        for m in range(len(self.runs)):
            if self.runs[m] and not self.calls[m]:
                self.work(self.runs[m], time)
        self.ended = time
        self.over = True

    def know(self, g: int) -> None:
        while g >= len(self.since):
            n = len(self.since)
            self.since += [0] * n
            self.ran += [0] * n
            self.queued += [0] * n
        self.ran[g] = 0
        self.queued[g] = 0

    def work(self, g: int, time: int) -> None:
        """g has run until now."""
        ns = time - self.since[g]
        self.since[g] = time
        self.ran[g] += ns
        if not self.over:
            self.busy += ns

    def wait(self, ns: int) -> None:
        self.waits[bucket_of(ns)] += 1
        if ns > self.longest:
            self.longest = ns

    def serve(self, g: int) -> None:
        """g has ended: of the time in which it could have run, it ran so much."""
        could = self.ran[g] + self.queued[g]
        if could > 0 and self.ran[g] > 0:
            share = self.ran[g] / could
            self.served += 1
            self.shares += share
            self.squares += share * share

    # ---- at the end ----

    def makespan(self) -> int:
        return self.ended - self.begun

    def percentile(self, share: float) -> int:
        """In ns."""
        left = share * sum(self.waits)
        for bucket, n in enumerate(self.waits):
            left -= n
            if n and left <= 0:
                return min(self.longest, value_of(bucket))
        return self.longest

    def fairness(self) -> float:
        """Jain's index of the shares: 1 if all waited in proportion to what they ran, near 0 if one had it all."""
        return self.shares * self.shares / (self.served * self.squares) if self.served else 1.0
