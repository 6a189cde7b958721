"""gosched top PID: the scheduler of a running program, live, or once as text or JSON.

The program needs no preparation (system/asker.py). The live screen needs rich, an extra that nothing else imports.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib.util import find_spec

from gosched.system.asker import NoAnswer

from .model import History, ask, uptime
from .text import plain

SHORTEST = 0.1


def show(pid: int, interval: float = 1.0, once: bool = False, as_json: bool = False) -> int:
    try:
        if as_json:
            print(json.dumps(ask(pid), indent=2))
        elif once:
            sys.stdout.write(plain(History().add(ask(pid), uptime(pid))))
        elif find_spec("rich") is None:
            return fail("the live screen needs rich: pip install 'gosched[top]', or use --once")
        elif not sys.stdout.isatty():
            return fail("the live screen needs a terminal: use --once or --json")
        else:
            from .live import watch

            return watch(pid, interval)
    except NoAnswer as why:
        return fail(str(why))
    return 0


def fail(why: str) -> int:
    print(f"gosched top: {why}", file=sys.stderr)
    return 1


def seconds(text: str) -> float:
    """For --interval."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not SHORTEST <= value < 86400:
        raise argparse.ArgumentTypeError(f"must be seconds, {SHORTEST} or more, not {text!r}")
    return value
