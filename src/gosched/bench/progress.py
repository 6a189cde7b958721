"""How far a run is, on stderr: one line of a terminal that changes, else a line for each round."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from time import monotonic

from gosched.bench.table import Row, Table

Clock = Callable[[], float]


class Progress:
    """Knows what is to be measured. What is left is guessed from what has been: every case says roughly how long a cell of it takes."""

    def __init__(self, tables: Sequence[Table], rounds: int, clock: Clock = monotonic) -> None:
        self.rounds = rounds
        self.clock = clock
        self.begun = clock()
        self.done = 0.0
        self.total = sum(self.weight(table) * rounds for table in tables)
        self.changing = sys.stderr.isatty()

    def weight(self, table: Table) -> float:
        return table.case.seconds * sum(not row.absent for row in table.rows)

    def begin(self, table: Table, number: int) -> None:
        if not self.changing:
            self.say(f"{table.case.name}: round {number} of {self.rounds}")

    def cell(self, table: Table, number: int, row: Row) -> None:
        """About to be measured, or passed over because it failed before."""
        if self.changing:
            self.say(f"{table.case.name}: round {number} of {self.rounds}, {row.runtime}")
        self.done += table.case.seconds

    def say(self, words: str) -> None:
        text = f"{words}; {self.left()}"
        print(f"\r\x1b[2K{text}" if self.changing else text, end="" if self.changing else "\n", file=sys.stderr, flush=True)

    def left(self) -> str:
        """In words. A first guess only when a hundredth is done."""
        if self.done < self.total / 100:
            return "no estimate yet"
        minutes = (self.clock() - self.begun) * (self.total - self.done) / self.done / 60
        share = f"{100 * self.done / self.total:.0f} % done"
        return f"{share}, about {minutes:.0f} min left" if minutes >= 1.5 else f"{share}, about {60 * minutes:.0f} s left"

    def clear(self) -> None:
        """The line of the terminal, before something else is written."""
        if self.changing:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)
