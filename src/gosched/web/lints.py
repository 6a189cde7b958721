"""What a reader should look at: said in a sentence, with the goroutine to click on."""

from __future__ import annotations

import sys
import sysconfig
from dataclasses import dataclass

from gosched.core.states import W_IO, W_SLEEP, WAIT_REASONS

from .snapshot import Lint, Snapshot
from .waiting import Waiting

# In s. A slice is 10 ms; the page looks ten times a second: what it sees kept for a tenth did not answer when it was asked.
HELD = 0.1
IN_CALL = 1.0
WAITS = 60.0
LOCK_HELD = 1.0
TURN = 0.1

# So many of a kind are told.
MOST = 5


# Sysmon asks who has kept its P for a slice to let others run. For so long it is told after the last time; asked so often, it never parks.
RECENT = 3.0
OFTEN = 10


@dataclass
class Hog:
    """`longest`: that it kept its P, in s. `parked`: since sysmon first asked."""

    first: float
    last: float = 0.0
    longest: float = 0.0
    times: int = 0
    parked: bool = False


class Lints:
    def __init__(self) -> None:
        self.hogs: dict[int, Hog] = {}

    def asked(self, t: float, g: int, kept: float) -> None:
        """Sysmon asked g to let others run: it had kept its P for so long."""
        hog = self.hogs.setdefault(g, Hog(t))
        hog.last = t
        hog.longest = max(hog.longest, kept)
        hog.times += 1

    def parked(self, g: int) -> None:
        if g in self.hogs:
            self.hogs[g].parked = True

    def forget(self) -> None:
        """Not all was seen: whether it parked is not known any more."""
        self.hogs.clear()

    def burning(self, now: Snapshot) -> list[Lint]:
        self.hogs = {g: hog for g, hog in self.hogs.items() if now.t - hog.last < RECENT}
        told = {p.g for p in now.ps if p.held >= HELD}
        hogs = {g: hog for g, hog in self.hogs.items() if g not in told}
        worst = sorted((item for item in hogs.items() if item[1].times > 1), key=lambda item: -item[1].times)
        found = [Lint(f"asked {g}", 1, asked_text(g, hog), g) for g, hog in worst[:MOST]]
        once = {g: hog for g, hog in hogs.items() if hog.times == 1}
        if once:
            longest = max(once, key=lambda g: once[g].longest)
            who = f"{len(once)} goroutines" if len(once) > 1 else f"Goroutine {longest}"
            each = " each" if len(once) > 1 else ""
            found.append(Lint("asked once", 1, f"{who} held a P too long, up to {span(once[longest].longest)}, once{each}", longest))
        return found

    def look(self, now: Snapshot, waiting: Waiting) -> list[Lint]:
        found = [*gil(), *dead(waiting), *held(now), *self.burning(now), *calls(now), *turns(now), *locks(now, waiting), *long_waits(now, waiting)]
        return sorted(found, key=lambda lint: -lint.level)


def asked_text(g: int, hog: Hog) -> str:
    if hog.times >= OFTEN and not hog.parked:
        return f"Goroutine {g} never parks: in {span(hog.last - hog.first)} it was asked {hog.times} times to let others run"
    return f"Goroutine {g} held its P too long, up to {span(hog.longest)}, and was asked {hog.times} times to let others run"


def gil() -> list[Lint]:
    free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    if free and getattr(sys, "_is_gil_enabled", lambda: True)():
        return [Lint("gil", 2, "The GIL is on, on a free-threaded build: an extension module that was not made for it has switched it on")]
    return []


def dead(waiting: Waiting) -> list[Lint]:
    return [Lint(f"dead {kind} {ids[0]}", 2, text, ids[0]) for kind, ids, text in waiting.dead[:MOST]]


def held(now: Snapshot) -> list[Lint]:
    late = [p for p in now.ps if p.held >= HELD]
    return [Lint(f"held {p.id} {p.g}", 1, f"Goroutine {p.g} has kept P{p.id} for {span(p.held)} in one turn", p.g) for p in late[:MOST]]


def calls(now: Snapshot) -> list[Lint]:
    late = [m for m in now.ms if m.state == "blocked" and m.away >= IN_CALL]
    return [Lint(f"call {m.id} {m.g}", 1, f"Goroutine {m.g} has been in a blocking call on M{m.id} for {span(m.away)}", m.g) for m in late[:MOST]]


def turns(now: Snapshot) -> list[Lint]:
    can_run = now.queue + sum(p.length + (p.next != 0) for p in now.ps)
    if not can_run or now.latency is None or now.latency < TURN:
        return []
    return [Lint("turn", 1, f"{can_run:,} can run, and wait {span(now.latency)} for a turn: there is more work than Ps")]


def locks(now: Snapshot, waiting: Waiting) -> list[Lint]:
    found = []
    for thing in waiting.things:
        if thing.holder and thing.longest >= LOCK_HELD and not thing.cycle:
            n = f"{thing.count:,} wait" if thing.count > 1 else "one waits"
            text = f"Goroutine {thing.holder} holds {thing.text}, for which {n}, {span(thing.longest)} by now"
            found.append(Lint(f"lock {thing.key}", 1, text, thing.holder))
    return found[:MOST]


def long_waits(now: Snapshot, waiting: Waiting) -> list[Lint]:
    """By reason and function. To sleep, and to wait for the network, is no fault; who waits for ever is told already."""
    told = {number for _, ids, _ in waiting.dead for number in ids}
    groups: dict[tuple[int, str], tuple[int, float, int]] = {}
    for number, state, reason, since, name, _ in now.rows.values():
        waits = now.t - since
        if state == "w" and waits >= WAITS and reason not in (W_IO, W_SLEEP) and number not in told:
            n, longest, first = groups.get((reason, name), (0, 0.0, number))
            groups[reason, name] = (n + 1, max(longest, waits), first)
    for state, reason, name, n, waits, ids in now.groups:
        if state == "w" and waits >= WAITS and reason not in (W_IO, W_SLEEP):
            groups[reason, name] = (n, waits, ids[0])
    found = [
        Lint(f"waits {reason} {name}", 1, f"{who(n, name, first)} for up to {span(waits)} [{WAIT_REASONS[reason]}]", first)
        for (reason, name), (n, waits, first) in sorted(groups.items(), key=lambda item: -item[1][1])
    ]
    return found[:MOST]


def who(n: int, name: str, first: int) -> str:
    return f"Goroutine {first} ({name}) waits" if n == 1 else f"{n:,} goroutines ({name}) wait"


def span(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1e3:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds / 60:.0f} min"
