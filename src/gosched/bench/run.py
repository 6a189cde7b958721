"""The command: `python -m gosched.bench`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from gosched.bench import record, report
from gosched.bench.cases import Case, all_cases
from gosched.bench.document import Part, markdown
from gosched.bench.hosts import GoHost, Host, PythonHost
from gosched.bench.progress import Progress
from gosched.bench.record import Run
from gosched.bench.runtimes import GO, RUNTIMES
from gosched.bench.stamp import Stamp
from gosched.bench.table import Row, Table
from gosched.errors import GoschedError
from gosched.lab.report import opened

# Options of a measurement. Without them nothing stands in their place but None or False.
MEASURING = ("cases", "runtimes", "python", "go", "repeat", "gc", "quick", "json")


def main(argv: Sequence[str] | None = None) -> int:
    """Status 1 if something crashed, hung or gave a wrong answer. A missed bar is a result, not an error."""
    return run(parse(argv))


def run(options: argparse.Namespace) -> int:
    """Measures, or reads what was measured; prints as it goes."""
    try:
        check(options)
        folder = opened(options.report) if options.report else None
        run = recorded(options.source) if options.source else measured(options)
    except GoschedError as error:
        print(f"gosched bench: {error}", file=sys.stderr)
        return 2
    if options.json:
        options.json.write_text(record.dumps(run), encoding="utf-8")
    for path in report.write(run, folder) if folder else []:
        print(path)
    return 1 if any(row.failure for case in run.cases for row in case.rows) else 0


def check(options: argparse.Namespace) -> None:
    """--from measures nothing, so nothing of a measurement goes with it."""
    asked = [f"--{name}" for name in MEASURING if getattr(options, name)]
    if options.source and asked:
        raise GoschedError(f"--from measures nothing: it does not go with {', '.join(asked)}")
    if options.json and not options.json.parent.is_dir():
        raise GoschedError(f"--json {options.json}: there is no directory {options.json.parent}")


def recorded(path: Path) -> Run:
    run = record.read(path)
    show(report.head(run))
    for case in run.cases:
        show(report.section(run, case))
    show(report.ending(run))
    return run


def measured(options: argparse.Namespace) -> Run:
    options.repeat = options.repeat or (1 if options.quick else 5)
    options.runtimes = options.runtimes or list(RUNTIMES)
    interpreters = [PythonHost(path) for path in options.python or [sys.executable]]
    cases = all_cases(max(host.count_of_5_ms for host in interpreters), options.quick)
    hosts: list[Host] = [*interpreters]
    if GO.name in options.runtimes:
        hosts.append(GoHost(options.go))
    run = Run(Stamp.now(), [record.host_record(host) for host in hosts], conditions(options))
    show(report.head(run))
    tables = [Table(cases[name], rows(cases[name], hosts, options.runtimes)) for name in options.cases or cases]
    progress = Progress(tables, options.repeat)
    for table in tables:
        measure(table, options, progress)
        run.cases.append(record.case_record(table, hosts))
        progress.clear()
        show(report.section(run, run.cases[-1]))
    show(report.ending(run))
    return run


def show(parts: Iterable[Part]) -> None:
    print(markdown(parts), flush=True)


def rows(case: Case, hosts: list[Host], runtimes: list[str]) -> Iterator[Row]:
    """Those that cannot be run are among them, and say so."""
    for host in hosts:
        for name in runtimes:
            runtime = RUNTIMES[name]
            if name not in case.runtimes or isinstance(host, GoHost) != (runtime is GO):
                continue
            absent = host.absence(runtime)
            sizes = list(case.sizes(runtime))
            for role, size in sizes[:1] if absent else sizes:
                yield Row(name, host, size, role, absent)


def measure(table: Table, options: argparse.Namespace, progress: Progress) -> None:
    """Round after round, in each every row once: so what disturbs the machine hits all alike. A row that failed is not tried again."""
    for i in range(1, options.repeat + 1):
        progress.begin(table, i)
        for row in table.rows:
            if not row.absent:
                progress.cell(table, i, row)
            if not row.trouble:
                table.measure(row, "on" if options.gc else "off", options.timeout)


def conditions(options: argparse.Namespace) -> str:
    collector = "on" if options.gc else "off while a case runs"
    rounds = "1 round" if options.repeat == 1 else f"medians of {options.repeat} rounds"
    warning = "; quick: a smoke test, no measurement" if options.quick else ""
    return f"{rounds}; Python's collector {collector}, in all Python rows{warning}"


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m gosched.bench", description="gosched beside its peers, every cell in a fresh process")
    add_options(parser)
    return parser.parse_args(argv)


def add_options(parser: argparse.ArgumentParser) -> None:
    for option, kind, names in (("--cases", "case", list(all_cases(0, True))), ("--runtimes", "runtime", list(RUNTIMES))):
        parser.add_argument(option, type=chosen(kind, names), metavar="A,B", help=f"of {', '.join(names)}; all")
    parser.add_argument("--python", action="append", metavar="PATH", help="an interpreter, may be given several times; this one")
    parser.add_argument("--go", metavar="PATH", help="a Go compiler, 1.25 or later; else GOSCHED_GO, `go`, or the one in ~/.cache/gosched")
    parser.add_argument("--repeat", type=positive, metavar="N", help="rounds; 5, with --quick 1")
    parser.add_argument("--gc", action="store_true", help="leave Python's collector on")
    parser.add_argument("--quick", action="store_true", help="small sizes, one round: a smoke test")
    parser.add_argument("--timeout", type=float, default=300.0, metavar="S", help="for one cell; 300 s")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all raw figures")
    parser.add_argument("--report", type=Path, metavar="DIR", help="write report.html, report.md with its plots, and figures.json")
    parser.add_argument("--from", type=Path, metavar="FILE", dest="source", help="measure nothing: show the figures that --json or --report wrote")


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a positive number, not {text!r}")
    return int(text)


def chosen(kind: str, names: list[str]) -> Callable[[str], list[str]]:
    """Reads a list with commas; the order is the suite's own."""

    def read(text: str) -> list[str]:
        asked = text.split(",")
        unknown = [name for name in asked if name not in names]
        if unknown:
            raise argparse.ArgumentTypeError(f"no such {kind}: {', '.join(unknown)}; there are {', '.join(names)}")
        return [name for name in names if name in asked]

    return read
