"""The bars: what the project promises of gosched's speed and memory, and whether a run keeps it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from gosched.bench.hosts import Host
from gosched.bench.table import Role, Table


@dataclass(frozen=True)
class Verdict:
    bar: str
    figure: str
    passed: bool | None
    """None: it cannot be said, and `figure` says why."""

    def __str__(self) -> str:
        word = "not judged" if self.passed is None else "**passed**" if self.passed else "**missed**"
        return f"{self.bar}: {word}, {self.figure}"


class Bar(Protocol):
    def judge(self, table: Table, host: Host) -> Verdict:
        """Of gosched on one interpreter."""


@dataclass(frozen=True)
class Faster:
    """At least so many times as fast as a peer on the same interpreter, or as Go, each on one P. 0.5: at most twice as slow."""

    peer: str
    factor: float

    def judge(self, table: Table, host: Host) -> Verdict:
        bar = self.words()
        ours = table.median("gosched", host, 1)
        theirs = table.median(self.peer, host, 1)
        if ours is None or theirs is None:
            return Verdict(bar, f"no figure of {'gosched' if ours is None else self.peer}", None)
        return Verdict(bar, f"{theirs / ours:.2f}×", theirs / ours >= self.factor)

    def words(self) -> str:
        if self.factor > 1:
            return f"≥ {self.factor:g}× as fast as {self.peer}"
        return f"no slower than {self.peer}" if self.factor == 1 else f"within {1 / self.factor:g}× of {self.peer}"


@dataclass(frozen=True)
class AtMost:
    """At most so many of the case's units. On so many Ps; where they must run at the same time to keep it, that is not asked for under the GIL."""

    limit: float
    role: Role = Role.MAIN
    procs: int = 1
    parallel: bool = False

    def judge(self, table: Table, host: Host) -> Verdict:
        bar = f"≤ {self.limit:g} {table.case.unit}"
        if self.procs > 1:
            bar += f" with {self.procs} Ps"
        if self.role is Role.FEW:
            bar += f" with n = {table.case.few}"
        ours = table.median("gosched", host, self.procs, self.role)
        if ours is None:
            return Verdict(bar, "no figure of gosched", None)
        if self.parallel and not host.parallel:
            return Verdict(bar, f"{ours:.1f} under the GIL", None)
        return Verdict(bar, f"{ours:.1f}" if ours >= 1 else f"{ours:.2f}", ours <= self.limit)


@dataclass(frozen=True)
class AtLeast:
    """At least so many of the case's units, of which more are better."""

    limit: float

    def judge(self, table: Table, host: Host) -> Verdict:
        bar = f"≥ {self.limit:g} {table.case.unit}"
        ours = table.median("gosched", host, 1)
        if ours is None:
            return Verdict(bar, "no figure of gosched", None)
        return Verdict(bar, f"{ours:.1f}", ours >= self.limit)


@dataclass(frozen=True)
class Scales:
    """Two Ps against one, where two can run at a time. Where the case was run as two processes too, their gain stands beside: no more can be had."""

    factor: float

    def judge(self, table: Table, host: Host) -> Verdict:
        bar = f"≥ {self.factor:g}× as fast with 2 Ps as with 1" if self.factor > 1 else "no slower with 2 Ps than with 1"
        one = table.median("gosched", host, 1)
        two = table.median("gosched", host, 2)
        if one is None or two is None:
            return Verdict(bar, "no figure of gosched", None)
        apart = table.median("gosched", host, 1, Role.APART)
        ceiling = "" if apart is None else f"; two processes at once: {one / apart:.2f}×"
        if not host.parallel:
            return Verdict(bar, f"{one / two:.2f}× under the GIL{ceiling}", None)
        return Verdict(bar, f"{one / two:.2f}×{ceiling}", one / two >= self.factor)


@dataclass(frozen=True)
class Flat:
    """What an operation costs hardly grows with n: so many times the figure with few, at most."""

    factor: float

    def judge(self, table: Table, host: Host) -> Verdict:
        bar = f"with {table.case.n:,} within {self.factor:g}× of the figure with {table.case.few:,}"
        many = table.median("gosched", host, 1)
        few = table.median("gosched", host, 1, Role.FEW)
        if many is None or few is None:
            return Verdict(bar, "no figure of gosched", None)
        return Verdict(bar, f"{many / few:.2f}×", many / few <= self.factor)


@dataclass(frozen=True)
class Survives:
    """No crash, no recursion error, the right answer."""

    def judge(self, table: Table, host: Host) -> Verdict:
        bar = "no crash, no recursion error"
        rows = [row for row in table.rows if row.runtime == "gosched" and row.host is host]
        troubles = [row.trouble for row in rows if row.trouble]
        return Verdict(bar, "; ".join(troubles) or f"{sum(len(row.figures) for row in rows)} runs", not troubles)


def verdicts(table: Table) -> Iterator[tuple[Host, Verdict]]:
    """Every bar of the case, on every interpreter that gosched was to run on."""
    hosts = {row.host: None for row in table.rows if row.runtime == "gosched"}
    for host in hosts:
        for bar in table.case.bars:
            yield host, bar.judge(table, host)
