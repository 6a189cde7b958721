"""Who ran when on which P, and who took work from whom, as a trace tells it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from gosched.core.events import E_GO_CREATE, E_STEAL
from gosched.trace.files import Recording
from gosched.trace.replay import Replay
from gosched.trace.summary import Summary
from gosched.trace.things import Go, Step

MAIN = 1


@dataclass(frozen=True)
class Stretch:
    """A goroutine on a P, without a break. Times are nanoseconds since the first of all stretches began."""

    p: int
    g: int
    begin: int
    end: int
    moved: bool
    """This is not the P on which it was started."""


@dataclass(frozen=True)
class Raid:
    """P p took n goroutines from another one."""

    p: int
    n: int


@dataclass(frozen=True)
class Track:
    """What the goroutines did that main started."""

    procs: int
    stretches: tuple[Stretch, ...]
    raids: tuple[Raid, ...]

    def ran(self) -> list[int]:
        """How many ended on each P."""
        last = {stretch.g: stretch.p for stretch in sorted(self.stretches, key=lambda s: s.end)}
        counted = Counter(last.values())
        return [counted[p] for p in range(self.procs)]

    def taken(self, p: int) -> tuple[int, int]:
        """How many goroutines P p took from others, in how many raids."""
        mine = [raid.n for raid in self.raids if raid.p == p]
        return sum(mine), len(mine)

    @property
    def length(self) -> int:
        return max(stretch.end for stretch in self.stretches)


@dataclass
class Tracking(Summary):
    """A summary that also keeps every stretch of those that main started, and every raid."""

    stretches: list[Stretch] = field(default_factory=list)
    raids: list[Raid] = field(default_factory=list)
    homes: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.replay.watch(self.note)

    def note(self, step: Step) -> None:
        if step.kind == E_STEAL:
            self.raids.append(Raid(step.p, step.args[1]))
        elif step.kind == E_GO_CREATE and step.args[1] == MAIN:
            self.homes[step.args[0]] = step.p

    def leave_p(self, m: int, p: int, now: int, g: Go | None) -> None:
        since = self.on_p.get(m)
        super().leave_p(m, p, now, g)
        if since is not None and g is not None and g.id in self.homes:
            self.stretches.append(Stretch(p, g.id, since, now, p != self.homes[g.id]))


def track(recording: Recording) -> Track:
    """Of a whole trace."""
    seen = Tracking(Replay.of(recording))
    seen.replay.play()
    seen.close()
    first = min((stretch.begin for stretch in seen.stretches), default=0)
    stretches = tuple(replace(stretch, begin=stretch.begin - first, end=stretch.end - first) for stretch in seen.stretches)
    return Track(recording.header.gomaxprocs, stretches, tuple(seen.raids))
