"""gosched run [--view] [--trace FILE | --flight SECONDS] PROGRAM …: a program as it is, with what it does shown or written down.

The program runs in this process, as `python PROGRAM …` would run it. What it starts itself, in processes of its own, is left alone: the wishes are
kept in this process, not in the environment.
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys

from gosched import runtime, web
from gosched.errors import GoschedError
from gosched.trace.record import wish


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("run", help="run a program, and show or write down what its scheduler does")
    parser.add_argument("--view", action="store_true", help="serve a page that shows live what its scheduler does, and print its address")
    parser.add_argument("--trace", metavar="FILE", help="write a trace to this file")
    parser.add_argument("--flight", type=seconds, metavar="SECONDS", help="keep the last seconds, and write them when something goes wrong")
    parser.add_argument("program", metavar="PROGRAM", help="a Python file")
    parser.add_argument("args", nargs=argparse.REMAINDER, metavar="…", help="its arguments")


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not value > 0:
        raise argparse.ArgumentTypeError(f"must be a positive number, not {text!r}")
    return value


def run(options: argparse.Namespace) -> int:
    """What cannot be begun is said in a line; what a program raises is its own."""
    try:
        prepare(options)
    except GoschedError as error:
        print(f"gosched run: {error}", file=sys.stderr)
        return 1
    sys.argv = [options.program, *options.args]
    sys.path.insert(0, os.path.dirname(os.path.abspath(options.program)))
    runpy.run_path(options.program, run_name="__main__")
    return 0


def prepare(options: argparse.Namespace) -> None:
    if not os.path.isfile(options.program):
        raise GoschedError(f"{options.program}: there is no such file")
    if options.trace is not None and options.flight is not None:
        raise GoschedError("--trace or --flight, not both")
    if options.view:
        web.check()
    runtime.VIEW.wanted = options.view
    if options.trace is not None:
        wish(os.path.abspath(options.trace))
    elif options.flight is not None:
        wish(f"flight:{options.flight:g}")
