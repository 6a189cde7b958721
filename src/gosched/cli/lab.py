"""gosched lab: the laboratory's page. gosched lab run FILE: experiments without a page. gosched lab export DIR: a page that needs no server."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path

from gosched import web
from gosched.cli.serving import serve
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
    site = acts.add_parser("export", help="write the page as a site that needs no server: the scheduler runs in the browser")
    site.add_argument("dir", type=Path, metavar="DIR", help="where it goes: a directory that is not there, or empty")
    python = site.add_mutually_exclusive_group()
    python.add_argument("--pyodide", type=Path, metavar="PATH", help="the npm package pyodide, as a directory or .tgz (default: npm fetches it)")
    python.add_argument("--recorded", action="store_true", help="recorded runs only, without Python in the page")
    site.add_argument("--force", action="store_true", help="replace a site that was exported before")


def numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be numbers such as 1,2,4, not {text!r}") from None


def names(text: str) -> list[str]:
    found = [part.strip() for part in text.split(",") if part.strip()]
    if not found:
        raise argparse.ArgumentTypeError(f"must be names such as go,no-steal, not {text!r}")
    return found


def seeds(text: str) -> list[int]:
    return list(range(1, jobs(text) + 1))


def jobs(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"must be a number from 1 to 1,000, not {text!r}")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """What cannot be begun is said in a line; what a workload raises is its own."""
    try:
        if options.act == "run":
            return experiment(options)
        if options.act == "export":
            return export(options)
        return serve(web.open_laboratory)
    except (GoschedError, OSError) as error:
        print(f"gosched lab: {error}", file=sys.stderr)
        return 1


def experiment(options: argparse.Namespace) -> int:
    from gosched.lab import report, sweep

    report.check()
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    book = sweep.load(options.file)
    cells = sweep.plan(book, options.procs, options.policies, options.seeds, options.workloads)
    folder = report.opened(options.out)
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("playing", total=len(cells))

        def done(row: sweep.Row) -> None:
            bar.update(task, advance=1, description=str(row.cell))

        try:
            rows = sweep.run(book, cells, min(options.jobs, len(cells)), done)
        except KeyboardInterrupt:
            console.print("gosched lab: interrupted")
            return 130
    shown = Console(width=None if sys.stdout.isatty() else 200)
    shown.print(report.fitting(rows, shown))
    for path in report.write(rows, folder, options.file):
        print(path)
    return 0


def export(options: argparse.Namespace) -> int:
    """What goes on is said in one line of a terminal; else in a line for each thing that is done."""
    from gosched.web.export import export as written

    told: list[str] = []

    def say(words: str, so_far: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\x1b[2Kgosched lab: {words}{so_far}", end="", file=sys.stderr, flush=True)
        elif words not in told:
            print(f"gosched lab: {words}", file=sys.stderr, flush=True)
        told.append(words)

    try:
        site = written(options.dir, options.pyodide, options.recorded, options.force, say)
    except KeyboardInterrupt:
        say("interrupted", "")
        return 130
    finally:
        if told and sys.stderr.isatty():
            print(file=sys.stderr, flush=True)
    print(f"{options.dir}: {len(site):,} files, {sum(map(len, site.values())) / 1e6:.1f} MB")
    print(f"open {options.dir / 'index.html'} in a browser, or serve it: python -m http.server -d {shlex.quote(str(options.dir))}")
    return 0
