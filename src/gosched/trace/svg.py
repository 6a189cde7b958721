"""A timeline (timeline.py), drawn: a lane for each P and each M, slices with goroutines' names, marks where something happens, arrows from who
brought it about, a scale, and a legend of what is there.

A word is written where there is room for it, and left out where there is none: nothing is written over anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from .sheet import COLOURS, Sheet, clipped, fit, width_of
from .timeline import (
    ACTS,
    ASKS,
    BACK,
    BARE,
    CALLS,
    ENDS,
    HELD,
    HOLD,
    IN_CALL,
    NETWORK,
    NEXT,
    NO_P_LEFT,
    OF_GLOBAL,
    OF_M,
    OF_P,
    OF_SYSMON,
    POLL,
    RING,
    ROBS,
    RUN,
    RUNS,
    SEARCH,
    SLEEP,
    STARTS,
    STEALS,
    STOPPED,
    TAKES,
    TIMER,
    WAIT,
    WAITS,
    WAKES,
    YIELD,
    Arrow,
    Lane,
    Mark,
    Span,
    Timeline,
)

WIDTH = 820
LEFT, RIGHT = 76, 18
PLOT = WIDTH - LEFT - RIGHT
# Heights within a lane: room above for arrows and notes, the slice, the M that has the P, the marks, a row of a queue.
ABOVE, SLICE, STRIP, MARKS_ROW, QUEUE_ROW, GAP = 24, 26, 12, 17, 11, 8
# A slice that is shorter than this would not be seen.
LEAST = 1.5
NARROW = 13  # a glyph and the room around it
STEPS = (1, 2, 5)
UNITS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns"))

# What a mark looks like, in a box of 10 by 10, filled or as a line; and what the legend says.
GLYPHS: dict[int, tuple[str, bool, str]] = {
    STARTS: ("M5 1V9M1 5H9", False, "starts a goroutine"),
    WAITS: ("M1.5 1H4V9H1.5zM6 1H8.5V9H6z", True, "waits (is parked)"),
    YIELD: ("M5 1A4 4 0 1 1 1 5M1 1.6V5H4.4", False, "yields"),
    STOPPED: ("M5 0L10 5L5 10L0 5z", True, "is stopped (preempted)"),
    NO_P_LEFT: ("M5 .6L9.4 5L5 9.4L.6 5z", False, "has no P and queues"),
    ENDS: ("M1 1H9V9H1z", True, "ends"),
    CALLS: ("M0 1H10L5 9.5z", True, "enters a call"),
    BACK: ("M0 9H10L5 .5z", True, "is back from it"),
    STEALS: ("M0 1L4 5L0 9M5 1L9 5L5 9", False, "steals"),
    TIMER: ("M5 .8A4.2 4.2 0 1 1 4.9 .8zM5 2.4V5L7 6.2", False, "a timer is due"),
    NETWORK: ("M.5 3.2C3 .2 7 .2 9.5 3.2M2.4 5.4C4 3.6 6 3.6 7.6 5.4M4 7.2H6V9.2H4z", False, "the network has news"),
    ASKS: ("M4 0H6V6.4H4zM4 8H6V10H4z", True, "asks to let others run"),
    TAKES: ("M10 0V10L4.5 5zM4.5 0V10L0 5z", True, "takes a P away"),
}
ARROWS = {WAKES: ("wake", "", 1.6, "wakes"), ROBS: ("rob", "5 3", 1.8, "goroutines are stolen"), ACTS: ("act", "2 3", 1.8, "sysmon acts")}
# What the legend says, by row and look.
SAMPLES = {
    (RUNS, RUN): "a goroutine runs",
    (RUNS, IN_CALL): "it is in a blocking call",
    (RUNS, BARE): "it has lost its P",
    (RUNS, SEARCH): "looks for work",
    (HELD, HOLD): "the thread that has the P",
    (HELD, SEARCH): "it looks for work (spins)",
    (NEXT, WAIT): "waits for its turn",
}


class Note(NamedTuple):
    """A number that a text can refer to: of something that begins then (`side` 1), or ends (-1)."""

    lane: Lane
    at: int
    side: int = 1


def draw(timeline: Timeline, title: str, notes: Sequence[Note] = ()) -> str:
    """As an SVG. The notes are numbered in their order."""
    return Drawing(timeline).draw(title, notes)


class Drawing:
    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self.sheet = Sheet(WIDTH)
        self.marked = {mark.lane for mark in timeline.marks}
        self.tops: dict[Lane, float] = {}
        self.bottom = 0.0
        self.shot: set[int] = set()  # the kinds of arrows that there is room for

    def draw(self, title: str, notes: Sequence[Note]) -> str:
        self.place_lanes(34 + 16 * bool(self.timeline.moments))
        self.sheet.text(14, 24, clipped(title, 14, WIDTH - 28), size=14, bold=True)
        self.draw_lanes()
        self.draw_scale()
        self.draw_moments()
        for span in self.timeline.spans:
            self.draw_span(span)
        for arrow in self.timeline.arrows:
            self.draw_arrow(arrow)
        for span in self.timeline.spans:
            self.write_span(span)
        for lane in self.timeline.lanes:
            self.draw_marks(lane)
        self.draw_notes(notes)
        return self.sheet.svg(self.draw_legend() + 12, title)

    # ---- where things are ----

    def x(self, at: int) -> float:
        timeline = self.timeline
        return LEFT + (min(max(at, timeline.begin), timeline.end) - timeline.begin) * PLOT / (timeline.end - timeline.begin)

    def place_lanes(self, y: float) -> None:
        for lane in self.timeline.lanes:
            self.tops[lane] = y
            y += self.height(lane) + GAP
        self.bottom = y

    def height(self, lane: Lane) -> float:
        rows = self.timeline.depths.get(lane, 0) * QUEUE_ROW
        marks = MARKS_ROW * (lane in self.marked)
        return {OF_SYSMON: MARKS_ROW + 8, OF_P: ABOVE + SLICE + STRIP + 4 + marks + rows, OF_GLOBAL: rows + 10, OF_M: 18 + SLICE + 4 + marks}[lane[0]]

    def slice_top(self, lane: Lane) -> float:
        return self.tops[lane] + {OF_SYSMON: 4, OF_P: ABOVE, OF_GLOBAL: 5, OF_M: 18}[lane[0]]

    def marks_top(self, lane: Lane) -> float:
        """Of the row of marks."""
        return self.slice_top(lane) + {OF_SYSMON: 2, OF_P: SLICE + STRIP + 4}.get(lane[0], SLICE + 4)

    def row_top(self, lane: Lane, row: int) -> float:
        if row == RUNS:
            return self.slice_top(lane)
        if row == HELD:
            return self.slice_top(lane) + SLICE + 1
        if lane[0] == OF_GLOBAL:
            return self.slice_top(lane) + (row - RING) * QUEUE_ROW
        return self.marks_top(lane) + MARKS_ROW * (lane in self.marked) + (row - NEXT) * QUEUE_ROW

    # ---- lanes ----

    def draw_lanes(self) -> None:
        for lane in self.timeline.lanes:
            kind, number = lane
            top = self.tops[lane]
            self.sheet.box(8, top, WIDTH - 16, self.height(lane), "band", 5)
            name = {OF_SYSMON: "sysmon", OF_P: f"P{number}", OF_GLOBAL: "global", OF_M: f"M{number}"}[kind]
            middle = self.slice_top(lane) + {OF_SYSMON: 12, OF_GLOBAL: 9}.get(kind, 18)
            self.sheet.text(18, middle, name, size=14 if kind in (OF_P, OF_M) else 12, bold=True)
            if kind == OF_P and self.timeline.depths.get(lane):
                self.sheet.text(LEFT - 8, self.row_top(lane, NEXT) + 9, "next", "soft", 9.5, "end")
                if self.timeline.depths[lane] > 1:
                    self.sheet.text(LEFT - 8, self.row_top(lane, RING) + 9, "queue", "soft", 9.5, "end")
            elif kind == OF_GLOBAL:
                self.sheet.text(18, middle + 12, "queue", size=12, bold=True)

    def draw_scale(self) -> None:
        begin, end = self.timeline.begin, self.timeline.end
        step = next(scale * base for scale in (10**n for n in range(20)) for base in STEPS if (end - begin) / (scale * base) <= 10)
        size, unit = next((size, unit) for size, unit in UNITS if step >= size or size == 1)
        at = -(-begin // step) * step
        while at <= end:
            x = self.x(at)
            self.sheet.line(x, self.tops[self.timeline.lanes[0]], x, self.bottom - GAP, "rule", 0.8)
            self.sheet.text(x, self.bottom + 6, f"{at // size}" if at else "0", "soft", 10.5, "middle")
            at += step
        self.sheet.text(18, self.bottom + 6, unit, "soft", 10.5)

    def draw_moments(self) -> None:
        last = 0.0
        for at, words in self.timeline.moments:
            x = self.x(at)
            self.sheet.line(x, 40, x, self.bottom - GAP, "pen", 1, "1 3")
            if x - width_of(words, 10.5) - 4 >= last:
                self.sheet.text(x, 37, words, "soft", 10.5, "end")
                last = x

    # ---- slices ----

    def draw_span(self, span: Span) -> None:
        x, y = self.x(span.begin), self.row_top(span.lane, span.row)
        width = self.x(span.end) - x
        if span.row == HELD:
            self.draw_strip(x, y, max(0.4, width - 0.6), span.look)
        elif span.row >= NEXT:
            self.sheet.box(x, y, max(0.4, width - 0.6), QUEUE_ROW - 2, f"{self.colour(span.g)} edge", 1.5, self.whole_name(span.g))
        elif span.look in (RUN, IN_CALL, BARE):
            self.draw_slice(x, y, max(LEAST, width), SLICE, span.look, self.colour(span.g), self.whole_name(span.g))
        elif width >= LEAST:
            middle = y + SLICE / 2
            if span.look == SLEEP:
                self.sheet.line(x, middle, x + width, middle, "quiet", 1, "1 4")
            elif span.look == POLL:
                self.sheet.box(x, y + 4, width, SLICE - 8, "quiet", 8)
            else:
                self.sheet.line(x, middle, x + width, middle, "quiet", 1.6, "5 3")

    def draw_slice(self, x: float, y: float, width: float, height: float, look: int, colour: str, says: str = "") -> None:
        self.sheet.box(x, y, width, height, f"{colour} {'bare' if look == BARE else 'edge'}", 2.5, says)
        if look == IN_CALL:
            self.sheet.box(x, y, width, height, "hatch", 2.5)

    def draw_strip(self, x: float, y: float, width: float, look: int) -> None:
        self.sheet.box(x, y, width, STRIP - 2, "held", 2)
        if look == SEARCH:
            self.sheet.box(x, y, width, STRIP - 2, "seek", 2)

    def write_span(self, span: Span) -> None:
        x, y = self.x(span.begin), self.row_top(span.lane, span.row)
        room = self.x(span.end) - x - 5
        if span.row == HELD:
            self.write(x + 3, y + 8.5, room, [span.text] if span.look == HOLD else [], "ink", 8.5)
        elif span.row >= NEXT:
            self.write(x + 3, y + 7.8, room, self.names(span.g) if span.g else [span.text], "on code", 8.5)
        elif span.look in (RUN, IN_CALL, BARE):
            self.write(x + 4, y + 17.5, room, self.names(span.g), "on code", 12)
        elif span.look == POLL:
            self.write(x + 8, y + 17, room - 8, [span.text, "polls"], "soft", 10.5)
        else:
            self.write(x + 2, y + 9, room, [span.text], "soft", 10)

    def write(self, x: float, y: float, room: float, choice: Sequence[str], look: str, size: float) -> None:
        """The first that fits."""
        for words in choice:
            if words and width_of(words, size, "code" in look) <= room:
                self.sheet.text(x, y, words, look, size)
                return

    def names(self, g: int) -> list[str]:
        return [self.whole_name(g), f"G{g}", str(g)]

    def whole_name(self, g: int) -> str:
        name = self.timeline.names.get(g, "")
        return f"G{g} {name}".rstrip() if g else ""

    def colour(self, g: int) -> str:
        return "c0" if g <= 1 else f"c{1 + (g - 2) % (len(COLOURS) - 1)}"

    # ---- arrows ----

    def draw_arrow(self, arrow: Arrow) -> None:
        if arrow.lane not in self.tops or arrow.to not in self.tops:
            return
        look, dash, width, _ = ARROWS[arrow.kind]
        x, to = self.x(arrow.at), self.x(arrow.lands)
        top, bottom = self.slice_top(arrow.lane), self.slice_top(arrow.lane) + (MARKS_ROW if arrow.lane[0] == OF_SYSMON else SLICE)
        if arrow.lane == arrow.to:
            if to - x <= 3:
                return
            y, end, bend = top, top - 1, top - min(15, 4 + (to - x) / 5)
        else:
            down = self.tops[arrow.to] > self.tops[arrow.lane]
            y, end = (bottom, self.slice_top(arrow.to) - 1) if down else (top, self.slice_top(arrow.to) + SLICE + 1)
            bend = (y + end) / 2
        self.shot.add(arrow.kind)
        self.sheet.path(f"M{fit(x)} {fit(y)}C{fit(x)} {fit(bend)} {fit(to)} {fit(bend)} {fit(to)} {fit(end)}", look, width, dash, look)

    # ---- marks ----

    def draw_marks(self, lane: Lane) -> None:
        y = self.marks_top(lane) + 3
        placed = self.placed([mark for mark in self.timeline.marks if mark.lane == lane])
        for i, (x, kind, text) in enumerate(placed):
            self.draw_glyph(x, y, kind)
            room = (placed[i + 1][0] if i + 1 < len(placed) else WIDTH - 14) - x - NARROW - 3
            self.write(x + NARROW, y + 8.6, room, [text], "soft halo", 10)

    def placed(self, marks: list[Mark]) -> list[tuple[float, int, str]]:
        """Where each goes, its kind, and what it says. Those of one kind at one place are one; others stand side by side."""
        found: list[tuple[float, int, list[str]]] = []
        for mark in marks:
            x = self.x(mark.at) - 5
            if found and found[-1][1] == mark.kind and x - found[-1][0] < NARROW:
                found[-1][2].append(mark.text)
                continue
            found.append((max(x, found[-1][0] + NARROW) if found else x, mark.kind, [mark.text]))
        return [(x, kind, said_together(kind, texts)) for x, kind, texts in found]

    def draw_glyph(self, x: float, y: float, kind: int) -> None:
        d, filled, _ = GLYPHS[kind]
        look = "ink" if filled else "pen"
        self.sheet.parts.append(f'<path transform="translate({fit(x)} {fit(y)})" d="{d}" class="{look}" stroke-width="{1.4 if not filled else 0}"/>')

    def draw_notes(self, notes: Sequence[Note]) -> None:
        taken: dict[Lane, list[float]] = {}
        for number, (lane, at, side) in enumerate(notes, 1):
            x, y = self.x(at) + 9 * side, self.slice_top(lane) - (9 if lane[0] == OF_M else 13)
            if lane[0] == OF_SYSMON:
                x, y = self.x(at) - 18, self.slice_top(lane) + 9
            others = taken.setdefault(lane, [])
            while any(abs(x - other) < 18 for other in others):
                x += side
            others.append(x)
            self.sheet.note(x, y, number)

    # ---- the legend ----

    def draw_legend(self) -> float:
        """Of what there is; returns how far down it goes."""
        x, y = 18.0, self.bottom + 28
        for words, draw_sample in self.samples():
            width = 28 + width_of(words, 11) + 16
            if x + width > WIDTH - 12:
                x, y = 18.0, y + 20
            draw_sample(x, y)
            self.sheet.text(x + 28, y + 4, words, "soft", 11)
            x += width
        return y + 10

    def samples(self) -> Iterator[tuple[str, Callable[[float, float], None]]]:
        """Words, and what draws what they explain."""
        wide = [span for span in self.timeline.spans if self.x(span.end) - self.x(span.begin) >= LEAST]
        for row, look in sorted({(min(span.row, NEXT), span.look) for span in wide}):
            if (row, look) in SAMPLES:
                yield SAMPLES[row, look], partial(self.sample_span, row, look)
        for kind in sorted({mark.kind for mark in self.timeline.marks}):
            yield GLYPHS[kind][2], partial(self.sample_mark, kind)
        for kind in sorted(self.shot):
            yield ARROWS[kind][3], partial(self.sample_arrow, kind)

    def sample_mark(self, kind: int, x: float, y: float) -> None:
        self.draw_glyph(x + 10, y - 5, kind)

    def sample_arrow(self, kind: int, x: float, y: float) -> None:
        look, dash, width, _ = ARROWS[kind]
        self.sheet.line(x, y, x + 22, y, look, width, dash, look)

    def sample_span(self, row: int, look: int, x: float, y: float) -> None:
        if row == HELD:
            self.draw_strip(x, y - 5, 22, look)
        elif row >= NEXT:
            self.sheet.box(x, y - 5, 22, QUEUE_ROW - 2, "c1 edge", 1.5)
        elif look == SEARCH:
            self.sheet.line(x, y, x + 22, y, "quiet", 1.6, "5 3")
        else:
            self.draw_slice(x, y - 7, 22, 14, look, "c1")


def said_together(kind: int, texts: list[str]) -> str:
    """By several marks at one place."""
    if len(set(texts)) == 1:
        return texts[0]
    return f"starts {len(texts)} goroutines" if kind == STARTS else ""
