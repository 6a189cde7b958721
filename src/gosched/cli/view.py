"""gosched view FILE: a recorded trace in the page that `gosched run --view` serves live."""

from __future__ import annotations

import argparse
import os
import sys

from gosched import web
from gosched.cli.serving import serve
from gosched.errors import GoschedError
from gosched.trace.files import TraceFileError
from gosched.trace.replay import IllegalTrace


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    show = commands.add_parser("view", help="look through a recorded trace in the browser")
    show.add_argument("file", metavar="FILE", help="the trace")


def run(options: argparse.Namespace) -> int:
    """What cannot be begun is said in a line."""
    try:
        if not os.path.isfile(options.file):
            raise GoschedError(f"{options.file}: there is no such file")
        return serve(lambda: web.open_recording(options.file))
    except (GoschedError, TraceFileError, IllegalTrace, OSError) as error:
        print(f"gosched view: {error}", file=sys.stderr)
        return 1
