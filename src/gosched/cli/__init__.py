"""The command line: gosched demo, gosched version."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence

import gosched
from gosched.cli import demo
from gosched.system.cpus import gil_enabled


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="gosched", description="Go's scheduler for Python")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    show = commands.add_parser("demo", help="what it does, measured on the spot")
    show.add_argument("--goroutines", type=positive, default=200_000, metavar="N", help="how many to start (default 200,000)")
    commands.add_parser("version", help="version, build and interpreter")
    options = parser.parse_args(argv)
    if options.command == "version":
        print(about())
        return 0
    return demo.show(options.goroutines)


def about() -> str:
    lock = "with the GIL" if gil_enabled() else "free-threaded"
    return f"gosched {gosched.__version__} ({gosched.__build__}), Python {platform.python_version()} {lock}"


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a positive number, not {text!r}")
    return int(text)
