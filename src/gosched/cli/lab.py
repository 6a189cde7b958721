"""gosched lab: the laboratory's page. gosched lab run FILE: experiments without a page. gosched lab export DIR: a page that needs no server."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import threading
from pathlib import Path

from gosched import web
from gosched.errors import GoschedError


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    lab = commands.add_parser("lab", help="Go's scheduler to play with, in virtual time: a page, experiments, a site")
    acts = lab.add_subparsers(dest="act", metavar="ACT")
    serve = acts.add_parser("serve", help="serve the page (this is what `gosched lab` alone does)")
    serve.set_defaults(act="serve")
    sweep = acts.add_parser("run", help="run the workloads of a file over numbers of Ps and policies; table, plots, report")
    sweep.add_argument("file", metavar="FILE", help="a Python file: every public async function that needs no arguments is a workload")
    sweep.add_argument("--procs", type=numbers, default=[1, 2, 4, 8], metavar="N,…", help="numbers of Ps (default 1,2,4,8; up to 1,024)")
    sweep.add_argument("--policies", type=names, default=["go"], metavar="NAME,…", help="go, no-steal, central, lifo, … or a Policy of the file")
    sweep.add_argument("--workloads", type=names, metavar="NAME,…", help="only these")
    sweep.add_argument("--seeds", type=seeds, default=[1], metavar="N", help="how many runs of each, with other seeds (default 1)")
    sweep.add_argument("--jobs", type=jobs, default=os.cpu_count() or 1, metavar="N", help="processes at once (default: the CPUs)")
    sweep.add_argument("--out", type=Path, default=Path("lab-report"), metavar="DIR", help="where report and plots go (default lab-report)")


def numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be numbers such as 1,2,4, not {text!r}") from None


def names(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def seeds(text: str) -> list[int]:
    return list(range(1, jobs(text) + 1))


def jobs(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"must be a number from 1 to 1,000, not {text!r}")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """What cannot be begun is said in a line; what a workload raises is its own."""
    try:
        return experiment(options) if options.act == "run" else serve()
    except (GoschedError, OSError) as error:
        print(f"gosched lab: {error}", file=sys.stderr)
        return 1


def serve() -> int:
    """Until Ctrl-C."""
    with contextlib.suppress(KeyboardInterrupt):
        server = web.open_laboratory()
        try:
            threading.Event().wait()
        finally:
            server.close()
    return 0


def experiment(options: argparse.Namespace) -> int:
    from gosched.lab import report, sweep

    report.check()
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    cells = sweep.plan(sweep.load(options.file), options.procs, options.policies, options.seeds, options.workloads)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("playing", total=len(cells))

        def done(row: sweep.Row) -> None:
            cell = row.cell
            bar.update(task, advance=1, description=f"{cell.workload}, {cell.procs:,} Ps, {cell.policy}")

        try:
            rows = sweep.run(options.file, cells, min(options.jobs, len(cells)), done)
        except KeyboardInterrupt:
            console.print("gosched lab: interrupted")
            return 130
    Console(width=None if sys.stdout.isatty() else 200).print(report.table(rows))
    for path in report.write(rows, options.out, options.file):
        print(path)
    return 0
