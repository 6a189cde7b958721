"""What a run leaves: every figure in plain data, as --json writes it and --from reads it. Reports are made of this alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gosched.bench.bars import Verdict, verdicts
from gosched.bench.hosts import GoHost, Host
from gosched.bench.runtimes import RUNTIMES
from gosched.bench.stamp import Stamp
from gosched.bench.table import Role, Row, Table
from gosched.errors import GoschedError

# Changes when a reader of the old one would misread the new one.
FORMAT = 1


class RecordError(GoschedError):
    """A file that holds no figures of this suite."""


@dataclass(frozen=True)
class HostRecord:
    """An interpreter, or Go."""

    label: str
    about: str
    """Version, path, and the versions of what it has."""
    is_go: bool


@dataclass(frozen=True)
class RowRecord:
    runtime: str
    host: int
    """Which of the run's hosts."""
    interpreter: str
    role: str
    processes: int
    procs: int
    n: int
    work: int
    figures: list[float]
    median: float | None
    answers: list[int]
    absent: str
    """Why it did not run here at all, in words."""
    failure: str
    """How it failed."""

    @property
    def trouble(self) -> str:
        return self.absent or self.failure


@dataclass(frozen=True)
class BarRecord:
    host: int
    bar: str
    figure: str
    passed: bool | None

    def __str__(self) -> str:
        return str(Verdict(self.bar, self.figure, self.passed))


@dataclass(frozen=True)
class CaseRecord:
    name: str
    title: str
    unit: str
    more_is_better: bool
    scales: bool
    """Its rows show how runtimes scale over Ps."""
    rows: list[RowRecord]
    bars: list[BarRecord]
    wrong: list[str]
    """Every wrong answer, in words."""

    def gosched(self, host: int, like: RowRecord) -> RowRecord | None:
        """gosched's row that another one is compared with: as many Ps, as few if it has few, the same step of a sweep."""
        role = {Role.APART.value: Role.MAIN.value}.get(like.role, like.role)
        for row in self.rows:
            if (row.runtime, row.host, row.procs, row.role) == ("gosched", host, like.procs, role) and (role != Role.STEP.value or row.n == like.n):
                return row
        return None

    def ratio(self, row: RowRecord, base: RowRecord | None) -> float | None:
        """How many times base's figure. None: one of them has none, or base's is nothing, as one of memory may be."""
        if row.median is None or base is None or not base.median:
            return None
        return row.median / base.median

    def advantage(self, row: RowRecord, base: RowRecord | None) -> float | None:
        """How many times as good base is: above 1 it is faster, smaller or, where more is better, has more."""
        ratio = self.ratio(row, base)
        return 1 / ratio if ratio and self.more_is_better else ratio

    @property
    def checked(self) -> int:
        """Answers that were given."""
        return sum(len(row.answers) for row in self.rows)


@dataclass(frozen=True)
class Run:
    stamp: Stamp
    hosts: list[HostRecord]
    conditions: str
    cases: list[CaseRecord] = field(default_factory=list)

    def interpreters(self) -> Iterator[int]:
        """The hosts that gosched was to run on."""
        return (i for i, host in enumerate(self.hosts) if not host.is_go)

    def rows(self, case: CaseRecord, interpreter: int) -> Iterator[RowRecord]:
        """Of a case: those of this interpreter, and Go's, in the order of the suite."""
        order = list(RUNTIMES)
        here = [row for row in case.rows if row.host == interpreter or self.hosts[row.host].is_go]
        return iter(sorted(here, key=lambda row: order.index(row.runtime)))


def host_record(host: Host) -> HostRecord:
    return HostRecord(host.label, str(host), isinstance(host, GoHost))


def case_record(table: Table, hosts: list[Host]) -> CaseRecord:
    case = table.case
    return CaseRecord(
        name=case.name,
        title=case.title,
        unit=case.unit,
        more_is_better=case.more_is_better,
        scales=case.scales,
        rows=[row_record(row, hosts) for row in table.rows],
        bars=[BarRecord(hosts.index(host), **asdict(verdict)) for host, verdict in verdicts(table)],
        wrong=list(table.disagreements()),
    )


def row_record(row: Row, hosts: list[Host]) -> RowRecord:
    return RowRecord(
        runtime=row.runtime,
        host=hosts.index(row.host),
        interpreter=row.interpreter,
        role=row.role.value,
        processes=row.processes,
        procs=row.size.procs,
        n=row.size.n,
        work=row.size.work,
        figures=row.figures,
        median=row.median,
        answers=row.answers,
        absent=row.absent,
        failure=row.failure,
    )


def dumps(run: Run) -> str:
    return json.dumps({"format": FORMAT} | asdict(run), indent=1) + "\n"


def read(path: Path) -> Run:
    """Raises in one line what is wrong with the file."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise RecordError(f"{path} is no JSON: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise RecordError(f"{path} holds no figures that this version's --json wrote")
    try:
        return loaded(data)
    except (KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"{path} is damaged: {error}") from None


def loaded(data: dict[str, Any]) -> Run:
    return Run(
        stamp=Stamp(**data["stamp"]),
        hosts=[HostRecord(**host) for host in data["hosts"]],
        conditions=data["conditions"],
        cases=[
            CaseRecord(
                **case
                | {
                    "rows": [RowRecord(**row) for row in case["rows"]],
                    "bars": [BarRecord(**bar) for bar in case["bars"]],
                }
            )
            for case in data["cases"]
        ],
    )
