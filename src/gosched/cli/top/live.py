"""The live screen of `gosched top`: asks again and again, and paints.

The program is asked from a thread of its own, which rings when the answer is there: a program that does not answer, or does so late, keeps no key
waiting. Between two questions nothing goes on in the program.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console, Group
from rich.live import Live

from gosched.system.asker import Gone, NoAnswer, check, withdraw

from .keys import Keys
from .model import History, View, ask, uptime
from .screen import ASCII, UNICODE, Looks, render
from .text import plain

# So soon a new size of the terminal is seen.
GLANCE = 0.25
# How long an answer that is under way is waited for at the end.
FAREWELL = 0.5


class Session:
    """One program under observation."""

    def __init__(self, pid: int, looks: Looks, keys: Keys) -> None:
        self.pid = pid
        self.looks = looks
        self.keys = keys
        self.history = History()
        self.view: View = self.history.add(ask(pid), uptime(pid))
        self.next_at = time.monotonic() + looks.interval
        self.asking: threading.Thread | None = None
        self.outcome: Any = None

    def step(self) -> bool:
        """Takes what has come, asks if it is time to, and waits for a key. False: to quit. Gone is raised when the program has ended."""
        self.take()
        now = time.monotonic()
        if self.looks.paused:
            check(self.pid)  # whether it lives can be seen without asking it
        elif self.asking is None and now >= self.next_at:
            self.next_at = now + self.looks.interval
            self.asking = threading.Thread(target=self.ask, daemon=True)
            self.asking.start()
        rest = GLANCE if self.asking is not None or self.looks.paused else min(GLANCE, self.next_at - now)
        return all(self.looks.key(key) for key in self.keys.wait(rest))

    def ask(self) -> None:
        try:
            self.outcome = ask(self.pid)
        except Exception as error:
            self.outcome = error
        self.keys.ring()

    def take(self) -> None:
        outcome = self.outcome
        if outcome is None:
            return
        self.outcome = self.asking = None
        if isinstance(outcome, NoAnswer) and not isinstance(outcome, Gone):
            self.looks.note = str(outcome)
        elif isinstance(outcome, Exception):
            raise outcome
        elif not self.looks.paused:
            self.looks.note = ""
            self.view = self.history.add(outcome, uptime(self.pid))

    def close(self) -> None:
        """A question that is still open is withdrawn: nothing stays on the disk."""
        if self.asking is not None:
            self.asking.join(FAREWELL)
            if self.asking.is_alive():
                withdraw(self.pid, "stats")


def watch(pid: int, interval: float) -> int:
    console = Console()
    looks = Looks(interval, glyphs=UNICODE if console.encoding.startswith("utf") else ASCII)
    with Keys(sys.stdin.fileno()) as keys:
        try:
            session = Session(pid, looks, keys)
        except KeyboardInterrupt:
            return 128 + signal.SIGINT
        with signals_ring(keys) as came:
            try:
                with Live(console=console, screen=True, auto_refresh=False) as live:
                    going = True
                    while going and not came:
                        live.update(Group(*render(session.view, looks, *console.size)), refresh=True)
                        going = session.step()
            except Gone as why:
                sys.stdout.write(f"{plain(session.view)}\n{why}: these were the last figures\n")
            finally:
                session.close()
    return 128 + came[0] if came else 0


@contextmanager
def signals_ring(keys: Keys) -> Iterator[list[int]]:
    """Those that came. They end the session when it next looks, not in the middle of painting: the terminal is to be as it was before."""
    came: list[int] = []

    def note(number: int, _: object) -> None:
        came.append(number)
        keys.ring()

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
