"""The outcome of a sweep for people: a table, plots as PNG, and a page that has both and needs nothing else.

Plots are drawn by matplotlib, tables by Rich: both are in the extra gosched[lab], and imported only here.
"""

from __future__ import annotations

import base64
import html
import json
import os
import platform
import shlex
import statistics
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gosched.trace.units import span

from .sweep import ExperimentError, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import Console
    from rich.table import Table

# Okabe and Ito's colours, told apart by who cannot tell red from green; and a dash and a mark for each, for who sees none.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (5, 2, 1, 2)))
MARKS = "osD^v<>p"

Figure = Callable[[Row], float]
PANELS: tuple[tuple[str, str, Figure], ...] = (
    ("makespan, ms", "log", lambda row: row.result.makespan * 1e3),
    ("utilisation of the Ps, %", "linear", lambda row: row.result.utilisation * 100),
    ("wait for a turn, p50, µs", "log", lambda row: max(row.result.p50 * 1e6, 0.1)),
    ("wait for a turn, p99, µs", "log", lambda row: max(row.result.p99 * 1e6, 0.1)),
    ("steals", "symlog", lambda row: row.result.steals),
    ("fairness (Jain)", "linear", lambda row: row.result.fairness),
)
COLUMNS: tuple[tuple[str, Callable[[list[Row]], str]], ...] = (
    ("makespan", lambda rows: span(middle(rows, lambda r: r.result.makespan) * 1e9)),
    ("busy", lambda rows: f"{middle(rows, lambda r: r.result.utilisation) * 100:.1f} %"),
    ("wait p50", lambda rows: span(middle(rows, lambda r: r.result.p50) * 1e9)),
    ("p99", lambda rows: span(middle(rows, lambda r: r.result.p99) * 1e9)),
    ("longest", lambda rows: span(middle(rows, lambda r: r.result.longest) * 1e9)),
    ("fairness", lambda rows: f"{middle(rows, lambda r: r.result.fairness):.3f}"),
    ("turns", lambda rows: f"{middle(rows, lambda r: r.result.turns):,.0f}"),
    ("steals", lambda rows: f"{middle(rows, lambda r: r.result.steals):,.0f}"),
    ("stolen", lambda rows: f"{middle(rows, lambda r: r.result.stolen):,.0f}"),
    ("stopped", lambda rows: f"{middle(rows, lambda r: r.result.preemptions):,.0f}"),
    ("threads", lambda rows: f"{middle(rows, lambda r: r.result.threads):,.0f}"),
)
# What a narrow terminal does without, in this order. The page has all.
SPARED = ("turns", "stolen", "longest", "threads", "wait p50", "stopped", "fairness")


def check() -> None:
    """Raises in one line if what reports need is not installed."""
    for name in ("matplotlib", "rich"):
        if find_spec(name) is None:
            raise ExperimentError(f"reports need {name}: pip install 'gosched[lab]'")


def middle(rows: Sequence[Row], figure: Figure) -> float:
    """The median over seeds."""
    return float(statistics.median(figure(row) for row in rows))


def grouped(rows: Sequence[Row]) -> dict[tuple[str, int, str], list[Row]]:
    """By workload, Ps and policy: what is left are seeds. Workloads and policies as they were given, Ps in order."""
    found: dict[tuple[str, int, str], list[Row]] = {}
    order = list(dict.fromkeys(row.cell.workload for row in rows))
    policies = list(dict.fromkeys(row.cell.policy for row in rows))
    for row in sorted(rows, key=lambda r: (order.index(r.cell.workload), r.cell.procs, policies.index(r.cell.policy), r.cell.seed)):
        found.setdefault((row.cell.workload, row.cell.procs, row.cell.policy), []).append(row)
    return found


def fitting(rows: Sequence[Row], console: Console) -> Table:
    """The table, with as many of its columns as the console has room for."""
    wide = console.options.update(max_width=1_000)
    made = table(rows)
    for n in range(1, len(SPARED) + 1):
        if console.measure(made, options=wide).maximum <= console.width:
            break
        made = table(rows, SPARED[:n])
    return made


def table(rows: Sequence[Row], spared: Sequence[str] = ()) -> Table:
    from rich import box
    from rich.table import Table

    seeds = len({row.cell.seed for row in rows})
    made = Table(box=box.SIMPLE_HEAD, caption=f"in virtual time; medians of {seeds} seeds" if seeds > 1 else "in virtual time")
    columns = [(name, write) for name, write in COLUMNS if name not in spared]
    for name in ("workload", "Ps", "policy"):
        made.add_column(name, justify="right" if name == "Ps" else "left", no_wrap=True)
    for name, _ in columns:
        made.add_column(name, justify="right", no_wrap=True)
    for (workload, procs, policy), group in grouped(rows).items():
        made.add_row(workload, f"{procs:,}", policy, *(write(group) for _, write in columns))
    return made


def opened(folder: Path) -> Path:
    """Before the sweep: what cannot be written is not computed first."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExperimentError(f"out: {folder} is no directory, and cannot be made one: {error.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise ExperimentError(f"out: nothing can be written to {folder}")
    return folder


def write(rows: Sequence[Row], folder: Path, source: str) -> list[Path]:
    """results.json, a picture for each workload, and report.html. What was written."""
    data = folder / "results.json"
    data.write_text(json.dumps({"stamp": stamp(source), "rows": [row.flat() for row in rows]}, indent=1), encoding="utf-8")
    pictures = [plot(name, [row for row in rows if row.cell.workload == name], folder) for name in dict.fromkeys(row.cell.workload for row in rows)]
    report = folder / "report.html"
    report.write_text(page(rows, pictures, source), encoding="utf-8")
    return [report, *pictures, data]


def stamp(source: str) -> dict[str, str]:
    import gosched

    return {
        "workloads": source,
        "gosched": f"{gosched.__version__} ({gosched.__build__})",
        "Python": platform.python_version(),
        "machine": platform.platform(terse=True),
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": shlex.join(["gosched", *sys.argv[1:]]),
    }


def plot(workload: str, rows: list[Row], folder: Path) -> Path:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, grid = pyplot.subplots(2, 3, figsize=(11, 6.4), layout="constrained")
    axes = grid.flat
    figure.suptitle(workload)
    policies = list(dict.fromkeys(row.cell.policy for row in rows))
    groups = grouped(rows)
    procs = sorted({row.cell.procs for row in rows})
    for axis, (title, scale, value) in zip(axes, PANELS, strict=True):
        for i, policy in enumerate(policies):
            points = [(n, middle(groups[workload, n, policy], value)) for n in procs if (workload, n, policy) in groups]
            draw(axis, points, i, policy)
        dress(axis, title, scale, procs)
    grid[0, 0].legend(frameon=False, fontsize=8)
    path = folder / f"{workload}.png"
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    return path


def draw(axis: Axes, points: list[tuple[int, float]], i: int, label: str) -> None:
    n = len(COLOURS)
    axis.plot(
        *zip(*points, strict=True), color=COLOURS[i % n], linestyle=DASHES[i % n], marker=MARKS[i % n], markersize=4, linewidth=1.4, label=label
    )


def dress(axis: Axes, title: str, scale: str, procs: list[int]) -> None:
    axis.set_title(title, fontsize=9)
    axis.set_xlabel("Ps", fontsize=8)
    axis.set_xscale("log", base=2)
    axis.set_xticks(procs, [f"{n:,}" for n in procs], fontsize=7, rotation=45 if len(procs) > 6 else 0)
    axis.set_yscale(scale)
    if scale == "linear":
        axis.set_ylim(0, axis.get_ylim()[1] * 1.05)
    axis.tick_params(axis="y", which="both", labelsize=7)
    axis.grid(alpha=0.25)
    axis.spines[["top", "right"]].set_visible(False)


STYLE = """
body{font:14px/1.5 system-ui,sans-serif;margin:2em auto;max-width:1240px;padding:0 1em;color:#1b2430;background:#fff}
h1{font-size:1.4em}h2{font-size:1.1em;margin-top:2em}img{max-width:100%}dl{display:grid;grid-template-columns:auto 1fr;gap:.1em 1em;color:#5a6675}
dd{margin:0}.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.25em .7em;text-align:right;white-space:nowrap}
th{border-bottom:1px solid #bbb}td:first-child,td:nth-child(3),th:first-child,th:nth-child(3){text-align:left}tr:nth-child(even){background:#f4f6f8}
@media(prefers-color-scheme:dark){body{background:#10141a;color:#e4e9ef}tr:nth-child(even){background:#181e26}img{background:#fff;border-radius:6px}}
"""


def page(rows: Sequence[Row], pictures: list[Path], source: str) -> str:
    """It stands alone: pictures are in it."""
    said = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(words)}</dd>" for name, words in stamp(source).items())
    heads = "".join(f"<th>{name}</th>" for name in ("workload", "Ps", "policy", *(name for name, _ in COLUMNS)))
    lines = []
    for (workload, procs, policy), group in grouped(rows).items():
        cells = (html.escape(workload), f"{procs:,}", html.escape(policy), *(html.escape(write(group)) for _, write in COLUMNS))
        lines.append(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    shown = "".join(
        f'<h2>{html.escape(path.stem)}</h2><img alt="Makespan, utilisation, wait for a turn, steals, fairness of {html.escape(path.stem)} over Ps" '
        f'src="data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}">'
        for path in pictures
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>gosched lab</title>'
        f"<style>{STYLE}</style><h1>Experiments in virtual time</h1><dl>{said}</dl>{shown}"
        f'<h2>All figures</h2><div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{"".join(lines)}</tbody></table></div></html>'
    )
