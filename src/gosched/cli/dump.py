"""gosched dump PID: the goroutine dump of a program that runs, which goes on."""

from __future__ import annotations

import sys

from gosched.system.asker import NoAnswer, fetch


def show(pid: int) -> int:
    try:
        sys.stdout.write(fetch(pid))
    except NoAnswer as why:
        print(f"gosched dump: {why}", file=sys.stderr)
        return 1
    return 0
