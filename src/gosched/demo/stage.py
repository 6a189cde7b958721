"""Where it is shown: a terminal gets a line that is rewritten in place while an act works, and bold titles; a pipe gets the results alone."""

from __future__ import annotations

import os
import shutil
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from gosched.demo.outcome import Chart

WIDEST = 108
MARGIN = "   "
PAUSE = 0.1
EIGHTHS = " ▏▎▍▌▋▊▉█"


class Stage:
    """`folder` is where an act may leave files."""

    def __init__(self, out: TextIO, folder: Path) -> None:
        self.out = out
        self.folder = folder
        self.live = out.isatty() and os.environ.get("TERM") != "dumb"
        self.width = min(shutil.get_terminal_size().columns - 1, WIDEST) if self.live else WIDEST

    def title(self, line: str) -> None:
        self.write(f"\n\x1b[1m{line}\x1b[m" if self.live and "NO_COLOR" not in os.environ else f"\n{line}")

    def say(self, sentence: str, mark: str = "") -> None:
        """In as many lines as it needs, the first with a mark."""
        first, others = MARGIN + mark, MARGIN + " " * len(mark)
        self.write(
            textwrap.fill(sentence, self.width, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False)
        )

    def quote(self, text: str, most: int) -> None:
        """Line by line, as many paragraphs as fit."""
        lines = text.expandtabs(4).splitlines()
        end = len(lines) if len(lines) <= most else max((n for n, line in enumerate(lines[:most]) if not line), default=most)
        for line in lines[:end]:
            indent = MARGIN + line[: len(line) - len(line.lstrip())]
            self.write(textwrap.fill(line.strip(), self.width, initial_indent=indent, subsequent_indent=f"{indent}    ", break_long_words=False))
        if end < len(lines):
            self.write(f"{MARGIN}… and {len(lines) - end} more lines, which are in the page")

    def write(self, line: str) -> None:
        print(line, file=self.out, flush=True)

    def tell(self, words: str) -> None:
        """What goes on, in place of what was told before."""
        if self.live:
            print("\r\x1b[2K" + cut(MARGIN + words, self.width), end="", file=self.out, flush=True)

    def forget(self) -> None:
        """What was told last is no longer so."""
        if self.live:
            print("\r\x1b[2K", end="", file=self.out, flush=True)

    @contextmanager
    def telling(self, words: Callable[[], str]) -> Iterator[None]:
        """Asks for the words, again and again, while the block runs. By a thread of its own, which is not there where nobody sees it."""
        if not self.live:
            yield
            return
        over = threading.Event()

        def keep_telling() -> None:
            while not over.wait(PAUSE):
                self.tell(words())

        thread = threading.Thread(target=keep_telling, name="gosched demo", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            self.forget()

    def draw(self, chart: Chart) -> None:
        for line in drawn(chart, self.width - len(MARGIN)):
            self.write(MARGIN + line)


def cut(line: str, width: int) -> str:
    return line if len(line) <= width else line[: width - 1] + "…"


def drawn(chart: Chart, width: int) -> list[str]:
    """The chart as lines, each bar with its words behind it."""
    names = max(len(bar.name) for bar in chart.bars)
    room = max(10, min(40, width - names - 6 - max(len(bar.words) for bar in chart.bars)))
    most = max(0.0, *(bar.value for bar in chart.bars)) or 1
    return [chart.title, *(f"  {bar.name:{names}} {blocks(bar.value / most, room)} {bar.words}" for bar in chart.bars)]


def blocks(share: float, room: int) -> str:
    """A bar of an eighth of a character at least, if there is anything."""
    eighths = max(round(share * room * 8), 1 if share > 0 else 0)
    full, rest = divmod(eighths, 8)
    return "█" * full + EIGHTHS[rest].strip()
