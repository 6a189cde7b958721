"""A view as the lines of a screen, for rich to paint: any width, any height, the most important first.

No figure is told by a colour alone: states are words, and what needs attention begins with a mark. The colours are blue, orange and vermilion, which
people see apart who do not see red and green apart; NO_COLOR switches them off (rich does that).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from rich.text import Text

from .model import PRow, RuntimeView, View, duration
from .text import about, by_count, counts, others, totals

BLUE, ORANGE, ALERT, DIM, TITLE = "#56b4e9", "#e69f00", "bold #d55e00", "dim", "bold"

# What `s` goes through: how the Ps are sorted.
SORTS: tuple[tuple[str, Callable[[PRow], Any]], ...] = (
    ("P", attrgetter("id")),
    ("queue", lambda row: (-row.queue, row.id)),
    ("ticks", lambda row: (-(row.ticks or 0.0), row.id)),
)
# A bar is full at so many goroutines, or at the longest queue.
FULL = 16
BAR = 8
# Columns of the lower half: three from so many characters on.
WIDE = 120


@dataclass(frozen=True)
class Glyphs:
    """What bars and sparklines are made of, the emptiest first."""

    bar: str
    spark: str
    dot: str
    mark: str


UNICODE = Glyphs(" ▏▎▍▌▋▊▉█", "▁▂▃▄▅▆▇█", "·", "▲")
ASCII = Glyphs(" -#", "_.-=#", "|", "!")


@dataclass
class Looks:
    """What the keys have chosen, and what else is to be said."""

    interval: float
    sort: int = 0
    runtime: int = 0
    paused: bool = False
    note: str = ""
    glyphs: Glyphs = UNICODE

    def key(self, key: str) -> bool:
        """False: it means to quit."""
        if key == "p":
            self.paused = not self.paused
        elif key == "s":
            self.sort = (self.sort + 1) % len(SORTS)
        elif key == "r":
            self.runtime += 1
        return key != "q"


def render(view: View, looks: Looks, width: int, height: int) -> list[Text]:
    """As many lines as fit."""
    head = [Text(f" gosched top  pid {view.pid}  {view.command} ", style="reverse"), Text(about(view))]
    if not view.runtimes:
        return fitted([*head, Text("no runtime is open")], [footer(view, looks)], width, height)
    runtime = view.runtimes[looks.runtime % len(view.runtimes)]
    head += overview(runtime, looks, width)
    warnings = [Text(f"{looks.glyphs.mark} {hint}", style=ALERT) for hint in ([looks.note] if looks.note else []) + runtime.hints]
    last = [*warnings[: max(1, height // 12)], footer(view, looks)]
    room = height - len(head) - len(last)
    head += processors(runtime, looks, width, max(2, min(len(runtime.ps), room // 2)))
    head.append(Text())
    head += lower(runtime, width, height - len(head) - len(last))
    return fitted(head, last, width, height)


def fitted(lines: list[Text], last: list[Text], width: int, height: int) -> list[Text]:
    """Cut to the screen, with the last ones at its foot."""
    room = max(0, height - len(last))
    lines = lines[:room] + [Text()] * (room - len(lines)) + last
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    lines[0].pad_right(max(0, width - lines[0].cell_len))
    return lines[:height]


def overview(view: RuntimeView, looks: Looks, width: int) -> list[Text]:
    stats = view.stats
    first = pairs(("GOMAXPROCS", stats["gomaxprocs"]), ("goroutines", f"{stats['goroutines']:,}"), ("threads", f"{stats['threads']:,}"))
    first.append(f"  ({counts(view.ms)})", DIM)
    queue = pairs(("queued", f"{view.queued[-1]:,}"), ("global", f"{stats['global_queue']:,}"), ("idle Ps", stats["idle_ps"]))
    queue.append("  ")
    queue.append(sparkline(view.queued, max(0, width - queue.cell_len), looks.glyphs), ORANGE)
    return [first, pairs(*totals(view)), queue, Text()]


def pairs(*found: tuple[str, object]) -> Text:
    text = Text()
    for word, figure in found:
        text.append(f"{'  ' if text else ''}{word} ", DIM)
        text.append(str(figure), TITLE)
    return text


def sparkline(values: Sequence[int], width: int, glyphs: Glyphs) -> str:
    """The newest on the right; the highest of what is shown is full."""
    shown = values[-width:] if width else []
    top = max(shown, default=0) or 1
    steps = len(glyphs.spark) - 1
    return "".join(glyphs.spark[-(-value * steps // top)] for value in shown)


def bar(value: int, full: int, width: int, glyphs: Glyphs) -> str:
    steps = len(glyphs.bar) - 1
    filled = min(width * steps, -(-value * width * steps // full))
    whole, part = divmod(filled, steps)
    return (glyphs.bar[-1] * whole + (glyphs.bar[part] if part else "")).ljust(width)


def processors(view: RuntimeView, looks: Looks, width: int, room: int) -> list[Text]:
    """One line each; those for which there is no room are counted."""
    lines = [Text(f"{'P':>3} {'status':7} {'queue':{BAR + 4}} next  ticks/s steals/s handoffs/s timers  running", style=TITLE)]
    rows = sorted(view.ps, key=SORTS[looks.sort][1])
    full = max([FULL, *(row.queue for row in rows)])
    shown = rows if len(rows) <= room else rows[: room - 1]
    for row in shown:
        line = Text(f"{row.id:3d} ")
        line.append(f"{row.status:7} ", BLUE if row.status == "running" else DIM)
        line.append(bar(row.queue, full, BAR, looks.glyphs), ORANGE)
        line.append(f"{row.queue:4d} {'yes' if row.runnext else '-':>4} {rate(row.ticks):>8} {rate(row.steals):>8} {rate(row.handoffs):>10}")
        line.append(f" {row.timers:6,d}  {row.goroutine or '-'}")
        lines.append(line)
    if len(rows) > len(shown):
        lines.append(Text(f"    and {len(rows) - len(shown)} more Ps", style=DIM))
    return lines


def rate(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.1f}" if 0 < value < 10 else f"{value:,.0f}"


def lower(view: RuntimeView, width: int, room: int) -> list[Text]:
    """Goroutines by state and by what they wait for; what they run; who has waited longest."""
    if room <= 0:
        return []
    states = [tally("by state", sorted(view.stats["by_state"].items(), key=by_count))]
    states.append(tally("waiting for", sorted(view.stats["by_wait_reason"].items(), key=by_count)))
    functions = tally("functions", view.functions)
    longest = [Text("waiting longest", style=TITLE)]
    longest += [Text(f"{duration(g['seconds']):>10}  {g['id']} {g['name']} [{g['reason']}]{others(g)}") for g in view.longest]
    if width >= WIDE:
        columns = [stacked(states, room), stacked([functions], room), stacked([longest], room)]
        widths = [36, (width - 40) // 2, width - 40 - (width - 40) // 2]
    else:
        columns = [stacked(states, room), stacked([functions, longest], room)]
        widths = [width * 2 // 5, width - width * 2 // 5 - 2]
    return beside(columns, widths)


def tally(title: str, rows: Iterable[tuple[str, int]]) -> list[Text]:
    return [Text(title, style=TITLE), *(Text(f"{n:10,d}  {name}") for name, n in rows)]


def stacked(blocks: list[list[Text]], room: int) -> list[Text]:
    """One above the other. Who needs less than a fair share leaves the rest to the others."""
    blocks = [block for block in blocks if len(block) > 1]
    lines: list[Text] = []
    for i, block in enumerate(blocks):
        left = room - len(lines)
        others = sum(len(later) for later in blocks[i + 1 :])
        share = max(left - others, left // (len(blocks) - i))
        if share >= 2:
            lines += block[:share]
    return lines


def beside(columns: list[list[Text]], widths: list[int]) -> list[Text]:
    lines = []
    for i in range(max(map(len, columns), default=0)):
        cells = [column[i].copy() if i < len(column) else Text() for column in columns]
        for cell, width in zip(cells, widths, strict=True):
            cell.truncate(width, overflow="ellipsis", pad=True)
        lines.append(Text("  ").join(cells))
    return lines


def footer(view: View, looks: Looks) -> Text:
    keys = [("q", "quit"), ("p", "go on" if looks.paused else "pause"), ("s", f"sort: {SORTS[looks.sort][0]}")]
    if len(view.runtimes) > 1:
        keys.append(("r", f"runtime {looks.runtime % len(view.runtimes) + 1} of {len(view.runtimes)}"))
    text = Text()
    for key, meaning in keys:
        text.append(f" {key} ", "reverse")
        text.append(f" {meaning}  ")
    text.append("PAUSED" if looks.paused else f"every {looks.interval:g} s", TITLE if looks.paused else DIM)
    return text
