"""gosched demo: what it does, in less than a minute. Every figure it prints is measured while it runs."""

from __future__ import annotations

import argparse
import io
import sys
from typing import Any


def add(commands: Any) -> None:
    parser = commands.add_parser("demo", help="what it does, measured on the spot")
    parser.add_argument("--quick", action="store_true", help="small numbers of everything: some seconds instead of most of a minute")
    parser.add_argument("--only", type=act, action="append", default=[], metavar="N", help="only the act of this number; may be repeated")


def act(text: str) -> int:
    from gosched.demo.show import ACTS

    if not text.isdecimal() or not 1 <= int(text) <= len(ACTS):
        raise argparse.ArgumentTypeError(f"must be the number of an act, from 1 to {len(ACTS)}, not {text!r}")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """The show is imported when it is wanted: it brings asyncio, which other commands do without."""
    try:
        from gosched.cli import about
        from gosched.demo.show import show

        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # a terminal may not know every character that bars are made of
        return show(sys.stdout, about(), options.quick, options.only)
    except KeyboardInterrupt:
        return 130
