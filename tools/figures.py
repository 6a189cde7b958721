"""Figures of docs/how-it-works.md that are of no trace: what there is, the states of a goroutine, and where a thread looks for work."""

from __future__ import annotations

from gosched.trace.sheet import Sheet

WIDTH = 820
COLUMN = 258

Box = tuple[float, float, float, float]
"""x, y, width, height."""


def drawn() -> dict[str, str]:
    return {"parts": parts(), "states": states(), "looks": looks()}


# ---- G, M and P ----


def parts() -> str:
    sheet = Sheet(WIDTH)
    title = "What there is: goroutines (G), threads (M), and the right to run (P)"
    sheet.text(14, 24, title, size=14, bold=True)
    left, middle, right = 14, 281, 548
    card(sheet, (left, 44, COLUMN, 76), "global queue", "one for all, under a lock")
    row(sheet, left + 27, 100, [14, 15, 16])
    card(sheet, (middle, 44, COLUMN, 76), "network", "goroutines that wait for it")
    row(sheet, middle + 27, 100, [17, 18])
    card(sheet, (right, 44, COLUMN, 76), "sysmon", "a thread without a P:")
    sheet.text(right + 12, 94, "sees who blocks or does not stop,", "soft", 11)
    sheet.text(right + 12, 109, "and takes the P, or asks", "soft", 11)
    proc(sheet, left, "P0", 5, [6, 7, 8])
    proc(sheet, middle, "P1", 9, [10])
    proc(sheet, right, "P2", 0, [])
    thread(sheet, left, "M0", 2, "runs G2, with P0")
    thread(sheet, middle, "M1", 3, "runs G3, with P1")
    thread(sheet, right, "M2", 4, "in a call: needs no P")
    for x in (left, middle):
        sheet.line(x + COLUMN / 2, 266, x + COLUMN / 2, 246, "pen", 1.6, head="pen")
    sheet.text(right + COLUMN / 2, 260, "P2 is free: who has work may take it", "soft", 11, "middle")
    return sheet.svg(338, title)


def card(sheet: Sheet, box: Box, name: str, words: str) -> None:
    x, y, width, height = box
    sheet.box(x, y, width, height, "band", 6)
    sheet.text(x + 12, y + 20, name, size=13, bold=True)
    sheet.text(x + 12, y + 35, words, "soft", 11)


def row(sheet: Sheet, x: float, y: float, goroutines: list[int]) -> None:
    for i, g in enumerate(goroutines):
        ball(sheet, x + 34 * i, y, g)


def ball(sheet: Sheet, x: float, y: float, g: int, look: str = "") -> None:
    sheet.circle(x, y, 14, f"{look or f'c{1 + (g - 2) % 7}'} edge")
    sheet.text(x, y + 4, f"G{g}", "on", 11, "middle", bold=True)


def proc(sheet: Sheet, x: float, name: str, following: int, ring: list[int]) -> None:
    """A card with `next`, the ring and the timers."""
    sheet.box(x, 134, COLUMN, 110, "band", 6)
    sheet.text(x + 12, 156, name, size=15, bold=True)
    sheet.text(x + 44, 156, "with timers, and free goroutines", "soft", 10.5)
    sheet.text(x + 12, 182, "next", "soft", 11)
    sheet.text(x + 70, 182, "queue, 256 places", "soft", 11)
    slots = [(x + 12, following), *((x + 70 + 38 * i, ring[i] if i < len(ring) else 0) for i in range(4))]
    for left, g in slots:
        sheet.box(left, 190, 36, 36, "quiet", 4)
        if g:
            ball(sheet, left + 18, 208, g)


def thread(sheet: Sheet, x: float, name: str, g: int, words: str) -> None:
    sheet.box(x, 268, COLUMN, 50, "held", 25)
    sheet.text(x + 20, 299, name, size=15, bold=True)
    ball(sheet, x + 78, 293, g)
    sheet.text(x + 104, 297, words, "ink", 11.5)


# ---- the states of a goroutine ----


def states() -> str:
    sheet = Sheet(WIDTH)
    title = "The states of a goroutine, and what changes them"
    sheet.text(14, 24, title, size=14, bold=True)
    state(sheet, (96, 90, 150, 56), "runnable", "waits in a queue")
    state(sheet, (370, 90, 150, 56), "running", "on an M with a P")
    state(sheet, (656, 90, 150, 56), "waiting", "in no run queue", "c5")
    state(sheet, (656, 210, 150, 56), "in a call", "its thread is blocked", "c2")
    state(sheet, (370, 210, 150, 56), "gone", "its memory is reused", "c0")
    join(sheet, "M16 118L92 118", (52, 110), "go(fn)")
    join(sheet, "M246 108L366 108", (306, 100), "its turn comes")
    join(sheet, "M370 132L250 132", (308, 147), "yields, or is")
    sheet.text(308, 161, "stopped after 10 ms", "soft", 11, "middle")
    join(sheet, "M520 118L652 118", (586, 110), "parks: channel, lock,")
    sheet.text(586, 134, "sleep, network", "soft", 11, "middle")
    join(sheet, "M731 90C731 40 171 40 171 86", (450, 46), "readied by another goroutine, a timer or the network")
    join(sheet, "M445 146L445 206", (452, 180), "returns", "start")
    join(sheet, "M520 138C570 160 600 200 652 226", (590, 172), "blocks", "start")
    join(sheet, "M656 250C590 250 560 190 500 150", (650, 268), "back, with a P", "end")
    join(sheet, "M731 266C731 316 171 316 171 150", (290, 298), "back, and no P is free", "end")
    return sheet.svg(330, title)


def state(sheet: Sheet, box: Box, name: str, words: str, look: str = "c1") -> None:
    x, y, width, height = box
    sheet.box(x, y, width, height, f"{look} edge", 10)
    sheet.text(x + width / 2, y + 25, name, "on", 15, "middle", bold=True)
    sheet.text(x + width / 2, y + 43, words, "on", 11, "middle")


def join(sheet: Sheet, d: str, at: tuple[float, float], words: str, anchor: str = "middle") -> None:
    sheet.path(d, "wake", 1.6, head="wake")
    sheet.text(*at, words, "soft", 11, anchor)


# ---- where a thread looks ----

# A place, what it is, and what becomes of what is found there.
LOOKS = (
    ("its timers", "those of its P that are due, and whom they wake", "into next"),
    ("global queue, at times", "at every 61st slice of the P, so that nobody starves there", "run one"),
    ("next", "readied last on this P; it goes on with the slice of who readied it", "run it"),
    ("its own queue", "the oldest", "run it"),
    ("global queue", "a share of it: the first to run, the others into its own queue", "run one"),
    ("network", "whoever can go on, without waiting", "into queue"),
    ("queues of the others", "half of the first that is not empty; four rounds over all Ps", "run one"),
    ("everything, once more", "it has given up its P by now: what came meanwhile was left to it", "look again"),
)


def looks() -> str:
    sheet = Sheet(WIDTH)
    title = "Where a thread with a P looks for a goroutine, and in which order"
    sheet.text(14, 24, title, size=14, bold=True)
    y = 44.0
    for number, (name, words, then) in enumerate(LOOKS, 1):
        sheet.box(14, y, WIDTH - 28, 32, "band", 5)
        sheet.note(34, y + 16, number)
        sheet.text(54, y + 20.5, name, size=13, bold=True)
        sheet.text(252, y + 20.5, words, "soft", 12)
        sheet.line(708, y + 16, 730, y + 16, "wake", 1.6, head="wake")
        sheet.text(738, y + 20.5, then, "ink", 12)
        y += 36
    sheet.text(54, y + 18, "Nothing anywhere:", size=13, bold=True)
    sheet.text(252, y + 18, "the thread sleeps; one of them waits for the network and the next timer.", "soft", 12)
    return sheet.svg(y + 36, title)
