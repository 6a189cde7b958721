"""Markdown: the head of a run, a table for each case, the bars below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from gosched.bench.bars import verdicts
from gosched.bench.hosts import GoHost, Host
from gosched.bench.stamp import Stamp
from gosched.bench.table import Role, Row, Table


def head(stamp: Stamp, hosts: Iterable[Host], conditions: str) -> str:
    lines = [
        "# gosched benchmarks",
        "",
        f"- {stamp.date}, commit {stamp.commit}",
        f"- {stamp.cpu}, {stamp.cores} cores, {stamp.system}, load {stamp.load:g} before the run",
        *(f"- {host}" for host in hosts),
        f"- {conditions}",
        "",
    ]
    return "\n".join(lines)


def section(table: Table) -> str:
    """A case: its table, its bars, and what was wrong."""
    case = table.case
    lines = [
        f"## {case.name}: {case.title}",
        "",
        f"| runtime | interpreter | procs | n | {case.unit} | min–max | × gosched |",
        "|---|---|--:|--:|--:|--:|--:|",
        *(line(table, row) for row in table.rows),
        "",
        *(f"- {host.label}: {verdict}" for host, verdict in verdicts(table)),
        *(f"- **wrong answer**: {text}" for text in table.disagreements()),
        "",
    ]
    return "\n".join(lines)


def line(table: Table, row: Row) -> str:
    if row.median is None:
        figures = [row.trouble, "", ""]
    else:
        figures = [number(row.median), f"{number(min(row.figures))}–{number(max(row.figures))}", ", ".join(ratios(table, row))]
    return "| " + " | ".join([row.runtime, row.interpreter, f"{row.times}{row.size.procs}", f"{row.times}{row.size.n:,}", *figures]) + " |"


def ratios(table: Table, row: Row) -> Iterator[str]:
    """How many times gosched's figure with as many Ps, and with few if the row has few; for Go on each interpreter."""
    assert row.median is not None
    hosts = {other.host: None for other in table.rows if other.runtime == "gosched"} if isinstance(row.host, GoHost) else {row.host: None}
    for host in hosts:
        ours = table.median("gosched", host, row.size.procs, Role.FEW if row.role is Role.FEW else Role.MAIN)
        if ours:  # there may be no figure, and one of memory may be 0
            yield f"{row.median / ours:.2f}" + (f" ({host.label})" if len(hosts) > 1 else "")


def number(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 10 else f"{figure:.1f}"


def as_data(table: Table) -> dict[str, Any]:
    """All raw figures of a case, for JSON."""
    return {
        "case": table.case.name,
        "unit": table.case.unit,
        "rows": [
            {
                "runtime": row.runtime,
                "interpreter": row.interpreter,
                "role": row.role.value,
                "procs": row.size.procs,
                "n": row.size.n,
                "work": row.size.work,
                "figures": row.figures,
                "median": row.median,
                "answers": row.answers,
                "trouble": row.trouble,
            }
            for row in table.rows
        ],
        "bars": [{"interpreter": host.label} | asdict(verdict) for host, verdict in verdicts(table)],
        "wrong": list(table.disagreements()),
    }
