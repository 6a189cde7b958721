"""The command: `python -m gosched.bench`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from gosched.bench import report
from gosched.bench.cases import Case, all_cases
from gosched.bench.hosts import GoHost, Host, PythonHost
from gosched.bench.runtimes import GO, RUNTIMES
from gosched.bench.stamp import Stamp
from gosched.bench.table import Row, Table


def main(argv: Sequence[str] | None = None) -> int:
    """Status 1 if something crashed, hung or gave a wrong answer. A missed bar is a result, not an error."""
    return run(parse(argv))


def run(options: argparse.Namespace) -> int:
    """Measures, and prints as it goes."""
    options.repeat = options.repeat or (1 if options.quick else 5)
    interpreters = [PythonHost(path) for path in options.python or [sys.executable]]
    cases = all_cases(max(host.count_of_5_ms for host in interpreters), options.quick)
    hosts: list[Host] = [*interpreters]
    if GO.name in options.runtimes:
        hosts.append(GoHost(options.go))
    stamp = Stamp.now()
    print(report.head(stamp, hosts, conditions(options)), flush=True)
    tables = []
    for name in options.cases:
        table = Table(cases[name], rows(cases[name], hosts, options.runtimes))
        measure(table, options)
        tables.append(table)
        print(report.section(table), flush=True)
    if options.json:
        data = {
            "stamp": asdict(stamp),
            "hosts": [str(host) for host in hosts],
            "conditions": conditions(options),
            "cases": [report.as_data(table) for table in tables],
        }
        options.json.write_text(json.dumps(data, indent=1) + "\n")
    return 1 if any(row.failure for table in tables for row in table.rows) else 0


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


def measure(table: Table, options: argparse.Namespace) -> None:
    """Round after round, in each every row once: so what disturbs the machine hits all alike. A row that failed is not tried again."""
    for i in range(options.repeat):
        print(f"{table.case.name}: round {i + 1} of {options.repeat}", file=sys.stderr, flush=True)
        for row in table.rows:
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
        parser.add_argument(option, type=chosen(kind, names), default=names, metavar="A,B", help=f"of {', '.join(names)}; all")
    parser.add_argument("--python", action="append", metavar="PATH", help="an interpreter, may be given several times; this one")
    parser.add_argument("--go", metavar="PATH", help="a Go compiler, 1.25 or later; else GOSCHED_GO, `go`, or the one in ~/.cache/gosched")
    parser.add_argument("--repeat", type=int, metavar="N", help="rounds; 5, with --quick 1")
    parser.add_argument("--gc", action="store_true", help="leave Python's collector on")
    parser.add_argument("--quick", action="store_true", help="small sizes, one round: a smoke test")
    parser.add_argument("--timeout", type=float, default=300.0, metavar="S", help="for one cell; 300 s")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all raw figures")


def chosen(kind: str, names: list[str]) -> Callable[[str], list[str]]:
    """Reads a list with commas; the order is the suite's own."""

    def read(text: str) -> list[str]:
        asked = text.split(",")
        unknown = [name for name in asked if name not in names]
        if unknown:
            raise argparse.ArgumentTypeError(f"no such {kind}: {', '.join(unknown)}; there are {', '.join(names)}")
        return [name for name in names if name in asked]

    return read
