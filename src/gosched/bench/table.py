"""The figures of one case: a row for each runtime, interpreter and size."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from gosched.bench.hosts import GoHost, Host
from gosched.bench.work import Size

if TYPE_CHECKING:
    from gosched.bench.cases import Case


class Role(Enum):
    """What a row is there for."""

    MAIN = "main"
    FEW = "few"
    """The same with a small n."""
    STEP = "step"
    """One n of a sweep."""
    APART = "apart"
    """Two processes at once, each of this size."""


@dataclass
class Row:
    runtime: str
    host: Host
    size: Size
    role: Role = Role.MAIN
    absent: str = ""
    """Why it does not run here at all, in words."""
    failure: str = ""
    """How it failed: crash, hang, wrong answer."""
    figures: list[float] = field(default_factory=list)
    """Of every round, in the case's unit."""
    answers: list[int] = field(default_factory=list)
    gil_came_back: bool = False
    """A free-threaded interpreter had to switch its GIL on for it."""

    @property
    def trouble(self) -> str:
        return self.absent or self.failure

    @property
    def interpreter(self) -> str:
        return f"{self.host.label} (GIL on)" if self.gil_came_back else self.host.label

    @property
    def median(self) -> float | None:
        return statistics.median(self.figures) if self.figures and not self.trouble else None

    @property
    def processes(self) -> int:
        return 2 if self.role is Role.APART else 1

    @property
    def times(self) -> str:
        """Stands before what each of several processes has."""
        return f"{self.processes} × " if self.processes > 1 else ""

    def __str__(self) -> str:
        return f"{self.runtime} on {self.interpreter}, {self.times}{self.size.procs} P"


class Table:
    def __init__(self, case: Case, rows: Iterable[Row]) -> None:
        self.case = case
        self.rows = list(rows)

    def median(self, runtime: str, host: Host, procs: int, role: Role = Role.MAIN) -> float | None:
        """Of a runtime on this interpreter, or of Go, which needs none."""
        for row in self.rows:
            if (row.runtime, row.size.procs, row.role) == (runtime, procs, role) and (row.host is host or isinstance(row.host, GoHost)):
                return row.median
        return None

    def measure(self, row: Row, collector: str, timeout: float) -> None:
        """Runs a row's cell once more. Of two processes the slower one counts."""
        with ThreadPoolExecutor(row.processes) as pool:
            cells = [pool.submit(row.host.run, self.case.name, row.runtime, row.size, collector, timeout) for _ in range(row.processes)]
        figures = []
        for cell in cells:
            reading = cell.result()
            if isinstance(reading, str):
                row.failure = reading
                return
            figures.append(reading.figure)
            row.answers.append(reading.answer)
            if reading.answer != self.case.answer(row.size):
                row.failure = "failed: wrong answer"
            row.gil_came_back = reading.gil and row.host.parallel
        row.figures.append(max(figures) / self.case.operations(row.size) / row.processes)

    def disagreements(self) -> Iterator[str]:
        """Wrong answers, each beside the right one and those who gave it."""
        for row in self.rows:
            right = self.case.answer(row.size)
            for wrong in sorted(set(row.answers) - {right}):
                agreed = [str(other) for other in self.rows if other.size.n == row.size.n and right in other.answers]
                yield f"{row} answered {wrong:,}; {', '.join(agreed) or 'nobody'} answered {right:,}, which is right"
