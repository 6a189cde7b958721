"""Runs whose figures are given, not measured: hosts that answer at once, and what a suite would make of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence

from gosched.bench import record
from gosched.bench.cases import all_cases
from gosched.bench.hosts import CellReading, GoHost, Host
from gosched.bench.record import Run
from gosched.bench.run import rows
from gosched.bench.runtimes import RUNTIMES, Runtime
from gosched.bench.stamp import Stamp
from gosched.bench.table import Table
from gosched.bench.work import Size

Rule = Callable[[str, str, Size], float | str]
"""Of a case, a runtime and a size: the figure in the case's unit, or how it failed."""

CASES = all_cases(1_000, True)
STAMP = Stamp("2026-01-02 03:04 UTC", "abc1234", "A <fast> CPU & more", 2, "Linux 6", 0.5)
# What each costs, in every case.
COSTS = {"gosched": 100.0, "asyncio": 800, "uvloop": 550, "trio": 1_500, "gevent": 90, "tonio": 120, "threads": 40_000, "go": 60}
# The rounds of a row differ; the median is the first.
ROUNDS = (1.0, 0.5, 2.0)


def usual(case: str, runtime: str, size: Size) -> float:
    """More Ps are faster, up to two."""
    return COSTS[runtime] / min(size.procs, 2)


class Given(Host):
    """An interpreter that answers what it is told to."""

    def __init__(
        self, label: str = "3.13", rule: Rule = usual, parallel: bool = False, absent: Mapping[str, str] | None = None, wrong: str = ""
    ) -> None:
        self.label = label
        self.rule = rule
        self.parallel = parallel
        self.absent = absent or {}
        self.wrong = wrong
        self.lock = threading.Lock()
        self.asked: dict[tuple[str, str, Size], int] = {}

    def absence(self, runtime: Runtime) -> str:
        return self.absent.get(runtime.name, "")

    def command(self, case: str, runtime: str, size: Size, collector: str) -> list[str]:
        raise AssertionError("nothing is run")

    def environment(self, size: Size) -> dict[str, str]:
        raise AssertionError("nothing is run")

    def run(self, case: str, runtime: str, size: Size, collector: str, timeout: float) -> CellReading | str:
        figure = self.rule(case, runtime, size)
        if isinstance(figure, str):
            return figure
        with self.lock:  # two may be run at once
            n = self.asked[case, runtime, size] = self.asked.get((case, runtime, size), -1) + 1
        total = figure * CASES[case].operations(size) * ROUNDS[n % len(ROUNDS)]
        return CellReading(CASES[case].answer(size) + (runtime == self.wrong), round(total), gil=runtime == "gevent")

    def __str__(self) -> str:
        return f"Python {self.label} (/usr/bin/python): gosched 0.1"


class GivenGo(Given, GoHost):
    """Go's twin of it."""

    def __str__(self) -> str:
        return "Go 1.27 (/usr/bin/go)"


def table(case: str, *hosts: Host, rounds: int = 3) -> Table:
    made = Table(CASES[case], rows(CASES[case], list(hosts), list(RUNTIMES)))
    for _ in range(rounds):
        for row in made.rows:
            if not row.trouble:
                made.measure(row, "off", 1.0)
    return made


def run_of(cases: Sequence[str], *hosts: Host) -> Run:
    run = Run(STAMP, [record.host_record(host) for host in hosts], "medians of 3 rounds")
    for name in cases:
        run.cases.append(record.case_record(table(name, *hosts), list(hosts)))
    return run


def go(rule: Rule = usual) -> GivenGo:
    return GivenGo("Go 1.27", rule, parallel=True)
