"""The command line: gosched run, view, lab, top, trace, dump, bench, demo, version."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Sequence

import gosched
from gosched.cli import bench, demo, dump, lab, run, top, trace, view
from gosched.system.cpus import gil_enabled


def main(argv: Sequence[str] | None = None) -> int:
    options = parse(argv)
    try:
        return call(options)
    except BrokenPipeError:
        if options.command == "run":  # the program's own
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads on: `gosched … | head`; the interpreter's last flush goes there
        return 1


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="gosched", description="Go's scheduler for Python")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    demo.add(commands)
    ask = commands.add_parser("dump", help="what all goroutines of a running program do; it goes on")
    ask.add_argument("pid", type=positive, metavar="PID", help="the process")
    trace.add(commands)
    run.add(commands)
    live = commands.add_parser("top", help="the scheduler of a running program, live; it goes on")
    live.add_argument("pid", type=positive, metavar="PID", help="the process")
    live.add_argument("--interval", type=top.seconds, default=1.0, metavar="SECONDS", help="between two questions (default 1.0)")
    live.add_argument("--once", action="store_true", help="print one snapshot as text")
    live.add_argument("--json", action="store_true", help="print one answer as JSON")
    view.add(commands)
    lab.add(commands)
    bench.add(commands)
    commands.add_parser("version", help="version, build and interpreter")
    return parser.parse_args(argv)


def call(options: argparse.Namespace) -> int:
    match options.command:
        case "version":
            print(about())
            return 0
        case "dump":
            return dump.show(options.pid)
        case "top":
            return top.show(options.pid, options.interval, options.once, options.json)
        case "run":
            return run.run(options)
        case "view":
            return view.run(options)
        case "lab":
            return lab.run(options)
        case "trace":
            return trace.run(options)
        case "bench":
            return bench.run(options)
        case _:
            return demo.run(options)


def about() -> str:
    lock = "with the GIL" if gil_enabled() else "free-threaded"
    return f"gosched {gosched.__version__} ({gosched.__build__}), Python {platform.python_version()} {lock}"


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a positive number, not {text!r}")
    return int(text)
