"""The plots of a report, as SVG: ratios to asyncio and to Go, scaling over Ps, cost over the number of goroutines.

Drawn by matplotlib, of the extra gosched[bench], which is imported only here. The same figures give the same bytes.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from gosched.bench.document import Picture
from gosched.bench.record import CaseRecord, RowRecord, Run
from gosched.bench.runtimes import RUNTIMES
from gosched.bench.table import Role
from gosched.lab.report import COLOURS, MARKS, draw
from gosched.trace.units import UNITS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Of words and axes. In the page it gives way to the page's own colour, which is light in the dark; so does the one black of the lines.
INK = "#1b2430"
BLACK = "#000000"
WIDTH = 5.2
LOOK: Any = {
    "svg.fonttype": "none",
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": "#8894a3",
    "grid.alpha": 0.35,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}


@dataclass(frozen=True)
class Group:
    """Plots that belong together, with what to know about them."""

    title: str
    words: str
    pictures: list[Picture]


def possible() -> bool:
    return find_spec("matplotlib") is not None


def drawn(run: Run) -> list[Group]:
    """Those that there are figures for."""
    several = len(list(run.interpreters())) > 1
    groups = []
    for i in run.interpreters():
        where, key = (f", {run.hosts[i].label}" if several else ""), (f"-{i + 1}" if several else "")
        groups += [
            Group(
                f"Beside asyncio and Go{where}",
                "Each on one P or thread, where the case does not need more. A dot to the right of 1 is faster, smaller or less late than "
                "the one compared with, a dot to the left slower, larger or later. The line leads to gosched.",
                list(ratio_pictures(run, i, key)),
            ),
            Group(
                f"Scaling over Ps{where}",
                "How many times as fast with more Ps (threads, for TonIO; workers of a pool, for threads) as the same runtime is with one: the "
                f"pale line would be perfect. There are {run.stamp.cores} cores; more Ps than that should cost nothing. Whiskers are the fastest "
                "and the slowest round.",
                list(scaling_pictures(run, i, key)),
            ),
            Group(
                f"Cost over the number of goroutines{where}",
                "Start n that all wait, let them go, and wait until the last has ended: the time for each. Whiskers are the fastest and the slowest "
                "round. A line that ends early: more were not tried, for time or memory.",
                list(cost_pictures(run, i, key)),
            ),
        ]
    return [group for group in groups if group.pictures]


def ratio_pictures(run: Run, interpreter: int, key: str) -> Iterator[Picture]:
    for base in ("asyncio", "go"):
        advantages = {case.name: found for case in run.cases if (found := against(run, case, interpreter, base))}
        if advantages:
            words = f"How many times as good as {'Go' if base == 'go' else base}, by case"
            yield picture(f"ratios-{base}{key}", words, 0.9 + 0.235 * len(advantages), partial(dots, advantages=advantages))


def against(run: Run, case: CaseRecord, interpreter: int, base: str) -> dict[str, float]:
    """How many times as good as the base each of the others is, on as few Ps as the case has."""
    rows = [row for row in run.rows(case, interpreter) if row.role == Role.MAIN.value and row.median is not None]
    least = {row.runtime: row for row in sorted(rows, key=lambda row: -row.procs)}
    if base not in least or "gosched" not in least:
        return {}
    found = {name: case.advantage(least[base], row) for name, row in least.items() if name != base}
    return {name: ratio for name, ratio in found.items() if ratio}


def dots(axis: Axes, advantages: dict[str, dict[str, float]]) -> None:
    cases = list(advantages)
    axis.axvline(1, color=INK, linewidth=1)
    for y, ratios in enumerate(advantages.values()):
        axis.plot([1, ratios["gosched"]], [y, y], color=COLOURS[0], linewidth=2.2, solid_capstyle="butt")
    for i, runtime in enumerate(RUNTIMES):
        rows = [y for y, ratios in enumerate(advantages.values()) if runtime in ratios]
        if rows:
            ours = runtime == "gosched"
            xs = [advantages[cases[y]][runtime] for y in rows]
            axis.scatter(xs, rows, s=34 if ours else 17, color=COLOURS[i], marker=MARKS[i], label=runtime, zorder=3 if ours else 4)
    axis.set_xscale("log")
    axis.set_yticks(range(len(cases)), cases)
    axis.set_ylim(len(cases) - 0.4, -0.6)
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:,g}×")
    axis.grid(axis="both")
    axis.set_axisbelow(True)


def scaling_pictures(run: Run, interpreter: int, key: str) -> Iterator[Picture]:
    for case in run.cases:
        rows = [row for row in run.rows(case, interpreter) if case.scales and row.role == Role.MAIN.value and row.median]
        by_runtime = {name: [row for row in rows if row.runtime == name] for name in RUNTIMES}
        lines = {name: found for name, found in by_runtime.items() if len(found) > 1 and found[0].procs == 1}
        if lines:
            words = f"{case.name}: how many times as fast with more Ps as with one"
            yield picture(f"scaling-{case.name}{key}", words, 3.1, partial(speedups, lines=lines, cores=run.stamp.cores))


def speedups(axis: Axes, lines: dict[str, list[RowRecord]], cores: int) -> None:
    ps = sorted({row.procs for rows in lines.values() for row in rows})
    axis.plot(ps, [min(n, cores) for n in ps], color=INK, linewidth=4, alpha=0.2)
    for name, rows in lines.items():
        one = rows[0].median
        assert one is not None
        line(axis, name, [(row.procs, one / row.median, one / max(row.figures), one / min(row.figures)) for row in rows if row.median])
    axis.set_xscale("log", base=2)
    axis.set_xticks(ps, [f"{n:,}" for n in ps])
    axis.minorticks_off()
    axis.set_xlabel("Ps")
    axis.set_ylim(0, max(axis.get_ylim()[1], 2.1))
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:g}×")
    axis.grid()


def cost_pictures(run: Run, interpreter: int, key: str) -> Iterator[Picture]:
    for case in run.cases:
        rows = [row for row in run.rows(case, interpreter) if row.role == Role.STEP.value and row.median]
        lines = {name: found for name in RUNTIMES if (found := [row for row in rows if row.runtime == name])}
        if lines:
            words = "Time per goroutine, over the number of goroutines"
            yield picture(f"cost-{case.name}{key}", words, 4.2, partial(costs, lines=lines))


def costs(axis: Axes, lines: dict[str, list[RowRecord]]) -> None:
    for name, rows in lines.items():
        line(axis, name, [(row.n, row.median, min(row.figures), max(row.figures)) for row in rows if row.median])
    steps = sorted({row.n for rows in lines.values() for row in rows})
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xticks(steps, [f"{n:,}" for n in steps])
    axis.xaxis.set_minor_locator(null())
    axis.yaxis.set_minor_locator(null())
    axis.yaxis.set_major_formatter(lambda value, _: duration(value))
    axis.set_xlabel("goroutines")
    axis.grid()


def null() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()


def line(axis: Axes, runtime: str, points: list[tuple[int, float, float, float]]) -> None:
    """A line through medians, with whiskers from the least to the most."""
    i = list(RUNTIMES).index(runtime)
    draw(axis, [(x, y) for x, y, _, _ in points], i, runtime)
    for x, _, least, most in points:
        axis.plot([x, x], [least, most], color=COLOURS[i], linewidth=1, alpha=0.6)


def duration(ns: float) -> str:
    """1 µs, 10 µs: a round number, with no digits that say nothing."""
    for size, unit in UNITS:
        if ns >= size:
            return f"{ns / size:,g} {unit}"
    return f"{ns:,g} ns"


def picture(name: str, words: str, height: float, paint: Callable[[Axes], None]) -> Picture:
    """One plot, with the runtimes named below it."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    with matplotlib.rc_context(LOOK | {"svg.hashsalt": name}):
        figure, axis = pyplot.subplots(figsize=(WIDTH, height), layout="constrained")
        paint(axis)
        figure.suptitle(words, fontsize=9.5, fontweight="bold")
        figure.legend(loc="outside lower center", ncols=4, fontsize=8, handletextpad=0.4, columnspacing=1.2)
        svg = text_of(figure, name, words)
        pyplot.close(figure)
    inked = svg.replace(INK, "currentColor").replace(BLACK, "currentColor")
    return Picture(name, words, inked, svg.replace(">", '><rect width="100%" height="100%" fill="#ffffff"/>', 1))


def text_of(figure: Figure, name: str, words: str) -> str:
    """SVG to be put into a page: no prologue, no metadata, ids that are its own, a name for who cannot see it."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :].strip()
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{name}-", svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{html.escape(words)}" ', 1) + "\n"
