"""What a report says: the head of a run, a summary, plots, a table for each case with its bars below it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gosched.bench import plots, record
from gosched.bench.document import Grid, Heading, Part, Pictures, Points, Words, markdown, page
from gosched.bench.record import CaseRecord, RowRecord, Run
from gosched.bench.runtimes import RUNTIMES
from gosched.bench.table import Role
from gosched.trace.units import span

TITLE = "gosched benchmarks"
NO_PLOTS = "No plots: matplotlib is not installed here (`pip install 'gosched[bench]'`)."


def write(run: Run, folder: Path) -> list[Path]:
    """report.html, which has all in it; report.md with its pictures beside it; figures.json, to draw it again. What was written."""
    drawn = plots.drawn(run) if plots.possible() else None
    parts = whole(run, drawn)
    texts = {"report.html": page(TITLE, parts), "report.md": markdown(parts), "figures.json": record.dumps(run)}
    texts |= {f"{picture.name}.svg": picture.file for group in drawn or [] for picture in group.pictures}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def whole(run: Run, drawn: list[plots.Group] | None) -> list[Part]:
    parts = [*head(run), *ending(run)]
    if drawn is None:
        parts.append(Words(NO_PLOTS))
    for group in drawn or []:
        parts += [Heading(2, group.title), Words(group.words), Pictures(group.pictures)]
    for case in run.cases:
        parts += section(run, case)
    return parts


def ending(run: Run) -> list[Part]:
    """After the tables: what came out of it all."""
    return [*outcome(run), *summary(run)]


def head(run: Run) -> list[Part]:
    stamp = run.stamp
    return [
        Heading(1, TITLE),
        Points(
            [
                f"{stamp.date}, commit {stamp.commit}",
                f"{stamp.cpu}, {stamp.cores} cores, {stamp.system}, load {stamp.load:g} before the run",
                *(host.about for host in run.hosts),
                run.conditions,
            ]
        ),
    ]


def outcome(run: Run) -> list[Part]:
    """Answers, bars, and who is not there: what is wrong stands at the top."""
    wrong = [text for case in run.cases for text in case.wrong]
    checked = sum(case.checked for case in run.cases)
    failed = [f"`{case.name}`, {name(run, row)}: **{row.failure}**" for case in run.cases for row in case.rows if row.failure]
    bars = [(case, bar) for case in run.cases for bar in case.bars]
    counts = [sum(bar.passed is verdict for _, bar in bars) for verdict in (True, False, None)]
    return [
        Points(
            [
                f"Answers: {checked:,} were checked, " + ("and there are **wrong ones**, named below." if wrong else "all of them right."),
                *failed,
                "Bars, what the project promises of gosched: {} passed, {} missed, {} could not be judged here.".format(*counts),
                *(f"**missed**: `{case.name}` on {run.hosts[bar.host].label}: {bar.bar}, {bar.figure}" for case, bar in bars if bar.passed is False),
                *absences(run),
            ]
        )
    ]


def absences(run: Run) -> list[str]:
    """Each once, however many cases it is missing from."""
    return sorted({f"No figures of {row.runtime}: {row.absent}." for case in run.cases for row in case.rows if row.absent})


def summary(run: Run) -> Iterator[Part]:
    """A table for each interpreter: cases × runtimes."""
    for interpreter in run.interpreters():
        runtimes = [
            name for name in RUNTIMES if name != "gosched" and any(row.runtime == name for case in run.cases for row in run.rows(case, interpreter))
        ]
        lines = [line for case in run.cases for line in summary_lines(run, case, interpreter, runtimes)]
        if lines:
            yield Heading(2, f"Summary, {run.hosts[interpreter].label}")
            yield Words(
                "How many times gosched's figure with as many Ps the others have: above 1 gosched is faster, smaller, or less late. "
                "**Bold**: it is behind, and whom, is said beside. –: no such program."
            )
            yield Grid(["case", "Ps", *runtimes, "behind", "gosched itself"], lines, left=1)


def summary_lines(run: Run, case: CaseRecord, interpreter: int, runtimes: list[str]) -> Iterator[list[str]]:
    """A line for each number of Ps that gosched and somebody else, or gosched alone, was measured with."""
    rows = [row for row in run.rows(case, interpreter) if row.role == Role.MAIN.value]
    ours_all = [row for row in rows if row.runtime == "gosched"]
    for ours in ours_all:
        others = {row.runtime: row for row in rows if row.runtime != "gosched" and concerns(row, ours.procs, ours is ours_all[0])}
        ahead = [runtime for runtime in runtimes if runtime in others and lost(case.advantage(others[runtime], ours))]
        figure = ours.trouble if ours.median is None else with_unit(ours.median, case.unit)
        cells = [summary_cell(case, others.get(runtime), ours) for runtime in runtimes]
        yield [f"`{case.name}`", str(ours.procs), *cells, ", ".join(ahead), figure]


def concerns(row: RowRecord, procs: int, least: bool) -> bool:
    """Who is absent has one row for all numbers of Ps. Who has but one thread is compared with gosched on the least that it was run on."""
    return row.procs == procs or (bool(row.absent) and RUNTIMES[row.runtime].parallel) or (least and row.procs < procs)


def summary_cell(case: CaseRecord, row: RowRecord | None, ours: RowRecord) -> str:
    if row is None:
        return "–"
    if row.median is None:
        return "absent" if row.absent else "failed"
    advantage = case.advantage(row, ours)
    if advantage is None:
        return "no ratio"
    return f"**{times(advantage)}**" if lost(advantage) else times(advantage)


def lost(advantage: float | None) -> bool:
    """As it is written: 0.996 is a draw."""
    return advantage is not None and round(advantage, 2) < 1


def section(run: Run, case: CaseRecord) -> list[Part]:
    """A case: its table, its bars, and what was wrong."""
    return [
        Heading(2, f"{case.name}: {case.title}"),
        Grid(["runtime", "interpreter", "procs", "n", case.unit, "min–max", "× gosched"], [line(run, case, row) for row in case.rows], left=2),
        Points(
            [
                *(f"{run.hosts[bar.host].label}: {bar}" for bar in case.bars),
                *(f"**wrong answer**: {text}" for text in case.wrong),
                *([] if case.wrong else [f"{case.checked} answers, all right"]),
            ]
        ),
    ]


def line(run: Run, case: CaseRecord, row: RowRecord) -> list[str]:
    if row.median is None:
        figures = [row.trouble, "", ""]
    else:
        figures = [number(row.median), f"{number(min(row.figures))}–{number(max(row.figures))}", ", ".join(ratios(run, case, row))]
    several = f"{row.processes} × " if row.processes > 1 else ""
    return [row.runtime, row.interpreter, f"{several}{row.procs}", f"{several}{row.n:,}", *figures]


def ratios(run: Run, case: CaseRecord, row: RowRecord) -> Iterator[str]:
    """How many times gosched's figure; for Go on each interpreter. Bold: gosched is behind."""
    hosts = list(run.interpreters()) if run.hosts[row.host].is_go else [row.host]
    for host in hosts:
        ours = case.gosched(host, row)
        ratio = case.ratio(row, ours)
        if ratio is not None:
            text = times(ratio) + (f" ({run.hosts[host].label})" if len(hosts) > 1 else "")
            yield f"**{text}**" if row.runtime != "gosched" and lost(case.advantage(row, ours)) else text


def name(run: Run, row: RowRecord) -> str:
    return f"{row.runtime} on {row.interpreter}, {row.procs} P, n = {row.n:,}"


def number(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 10 else f"{figure:.1f}" if figure >= 1 else f"{figure:.2f}"


def with_unit(figure: float, unit: str) -> str:
    """1.23 µs per hop, 520 bytes per goroutine."""
    return f"{span(figure)}{unit.removeprefix('ns')}" if unit.startswith("ns") else f"{number(figure)} {unit}"


def times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"
