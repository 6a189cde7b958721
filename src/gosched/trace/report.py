"""A summary as text: aligned columns, units that suit. Parts in which nothing happened are left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gosched.core.states import WAIT_REASONS

from .figures import Figures
from .summary import Summary
from .units import count, moment, share, span

# So many functions, regions and tasks are shown: those that took most. And of the reasons that one waited for.
SHOWN = 20
REASONS = 3


def report(summary: Summary) -> str:
    parts = [head(summary), states(summary), latency(summary), happened(summary), procs(summary), functions(summary), longest(summary)]
    parts += [named("region", summary.regions), named("task", summary.tasks), [f"note: {note}" for note in summary.notes]]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def head(s: Summary) -> list[str]:
    procs = s.replay.world.gomaxprocs or "unknown"
    return [
        f"{count(s.events, 'event')} in {span(s.ended - s.begun)}",
        f"{count(s.goroutines, 'goroutine')} created, {s.gone:,} ended, {s.alive:,} alive at the end; gomaxprocs {procs}",
    ]


def states(s: Summary) -> list[str]:
    rows = [("running", s.running), ("runnable", s.runnable), ("in calls", s.calls)]
    rows += [(f"waiting: {why or 'for no reason told'}", ns) for why, ns in largest(s.waiting)]
    total = sum(ns for _, ns in rows)
    return table(("what all goroutines did", "time", "share"), [(what, span(ns), share(ns, total)) for what, ns in rows if ns])


def latency(s: Summary) -> list[str]:
    return table(("from runnable to running", *HEADS), [(f"{s.latency.count:,} times", *figures(s.latency))]) if s.latency.count else []


def happened(s: Summary) -> list[str]:
    rows = [
        ("steals", s.steals, count(s.stolen, "goroutine")),
        ("Ps taken from threads in calls", s.handoffs, ""),
        ("calls seen that nobody marked", s.blocked, ""),
        ("asked to let others run", s.asked, ""),
        ("preempted", s.preempted, ""),
        ("looks at descriptors", s.netpolls, count(s.netpolled, "goroutine")),
        ("rounds of timers", s.timers, ""),
        ("runs of the collector", s.collections.count, f"{span(s.collections.total)}, the longest {span(s.collections.largest)}"),
    ]
    return table(("what happened", "times", ""), [(what, f"{n:,}", more) for what, n, more in rows if n], left=(0, 2))


def procs(s: Summary) -> list[str]:
    whole = s.ended - s.begun
    rows = [
        (f"P{number}", span(p.running), share(p.running, whole), span(p.held), share(p.held, whole), f"{p.turns:,}", f"{p.stole:,}", f"{p.lost:,}")
        for number, p in sorted(s.procs.items())
    ]
    return table(("P", "runs", "share", "has a thread", "share", "turns", "stole", "taken away"), rows)


def functions(s: Summary) -> list[str]:
    def weight(name: str) -> tuple[int, int]:
        return s.functions[name].running + s.functions[name].calls, s.functions[name].count

    names = sorted(s.functions, key=weight, reverse=True)
    rows = []
    for name in names[:SHOWN]:
        f = s.functions[name]
        waits = ", ".join(f"{why or WAIT_REASONS[0]} {span(ns)}".strip() for why, ns in largest(f.waiting)[:REASONS])
        rows.append((name, f"{f.count:,}", span(f.running), span(f.calls), span(f.latency.percentile(99)), waits))
    lines = table(("started as", "count", "running", "in calls", "queued p99", "waited most for"), rows, left=(0, 5))
    return lines + more(len(names))


def longest(s: Summary) -> list[str]:
    rows = [
        (span(x.ns), f"at {moment(x.at - s.replay.world.begun)}", f"P{x.p}", f"goroutine {x.g}{f' ({x.name})' if x.name else ''}") for x in s.longest
    ]
    return table(("longest on a P", "", "", ""), rows, left=(2, 3))


def named(what: str, found: dict[str, Figures]) -> list[str]:
    names = sorted(found, key=lambda name: found[name].total, reverse=True)
    rows = [(name, f"{found[name].count:,}", span(found[name].total), *figures(found[name])) for name in names[:SHOWN]]
    return table((what, "count", "total", *HEADS), rows) + more(len(names))


HEADS = ("p50", "p90", "p99", "max")


def figures(f: Figures) -> tuple[str, ...]:
    return (*(span(f.percentile(percent)) for percent in (50, 90, 99)), span(f.largest))


def more(n: int) -> list[str]:
    return [f"... and {n - SHOWN:,} more"] if n > SHOWN else []


def largest(times: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(times.items(), key=lambda item: (-item[1], item[0]))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[int] = (0,)) -> list[str]:
    """Columns, those in `left` to the left, the others to the right. No rows, no table."""
    cells = [list(heads), *(list(row) for row in rows)]
    if len(cells) == 1:
        return []
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
    return ["  ".join(c.ljust(w) if i in left else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))).rstrip() for row in cells]
