"""A view as plain text, for --once and for the last figures of a program that has ended. It needs no terminal and no rich."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .model import RuntimeView, View, duration

# Of a list, so many lines.
LINES = 10


def plain(view: View) -> str:
    lines = [f"pid {view.pid}: {view.command}", about(view)]
    for i, runtime in enumerate(view.runtimes, 1):
        lines.append("")
        if len(view.runtimes) > 1:
            lines.append(f"runtime {i} of {len(view.runtimes)}")
        lines += of_runtime(runtime)
    return "\n".join(lines) + "\n"


def about(view: View) -> str:
    up = "" if view.uptime is None else f", up {duration(view.uptime)}"
    return f"{view.python}, {view.build}{up}"


def of_runtime(view: RuntimeView) -> Iterator[str]:
    stats = view.stats
    yield f"GOMAXPROCS {stats['gomaxprocs']}, goroutines {stats['goroutines']:,}, threads {stats['threads']:,}: {counts(view.ms)}"
    yield f"global queue {stats['global_queue']:,}, idle Ps {stats['idle_ps']}, stacks aside {stats['stacks_aside']:,}"
    yield " ".join(f"{word} {figure}," for word, figure in totals(view)).rstrip(",")
    yield ""
    yield f"{'P':>3} {'status':8} {'queue':>5} {'next':4} {'ticks':>10} {'steals':>8} {'handoffs':>8} {'timers':>6}  running"
    for row, p in zip(view.ps, stats["ps"], strict=True):
        following = "yes" if row.runnext else "-"
        yield (
            f"{row.id:3d} {row.status:8} {row.queue:5d} {following:4} {p['schedtick']:10,d} {p['steals']:8,d} {p['handoffs']:8,d} {row.timers:6,d}"
            f"  {row.goroutine or '-'}"
        )
    yield from section("goroutines by state", sorted(stats["by_state"].items(), key=by_count))
    yield from section("waiting for", sorted(stats["by_wait_reason"].items(), key=by_count))
    more = [("others", view.more_functions)] if view.more_functions else []
    yield from section("functions", view.functions[:LINES], [f"{n:12,d}  {name}" for name, n in more])
    longest = [f"{duration(g['seconds']):>12}  goroutine {g['id']} ({g['name']}) [{g['reason']}]{others(g)}" for g in view.longest[:LINES]]
    yield from section("waiting longest", [], longest)
    yield from section("hints", [], [f"  {hint}" for hint in view.hints])


def totals(view: RuntimeView) -> Iterator[tuple[str, str]]:
    """Per second if there were two answers, else since the beginning."""
    stats = view.stats
    turns = sum(p["usertick"] for p in stats["ps"])
    for word, key, total in (
        ("turns", "turns", turns),
        ("preemptions", "preemptions", stats["preemptions"]),
        ("blocking calls", "blocking_calls", stats["blocking_calls"]),
        ("plain parks", "plain_parks", stats["plain_parks"]),
    ):
        yield word, f"{view.rates[key]:,.0f}/s" if key in view.rates else f"{total:,}"


def others(group: dict[str, Any]) -> str:
    """Behind the one of a group that has waited longest."""
    return f" and {group['count'] - 1:,} more" if group["count"] > 1 else ""


def section(title: str, rows: list[tuple[str, int]], lines: list[str] | None = None) -> Iterator[str]:
    if rows or lines:
        yield ""
        yield f"{title}:"
        yield from (f"{n:12,d}  {name}" for name, n in rows)
        yield from lines or ()


def counts(found: dict[str, int]) -> str:
    return ", ".join(f"{n:,} {word}" for word, n in sorted(found.items(), key=by_count)) or "none"


def by_count(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]
