"""Where the last idle M waits for the outside world.

The first poller is a note with a deadline; nothing waits in it yet but whoever asks for a wake-up at a time. One M polls at a time: the scheduler's
last_poll word sees to that, so `wait` has one caller.
"""

from __future__ import annotations

from typing import Protocol

from gosched.core.native import Note
from gosched.core.states import NEVER as NEVER
from gosched.core.states import NOBODY


class Poller(Protocol):
    """What a scheduler's host asks of a poller."""

    def deadline(self) -> int:
        """When `wait` must return at the latest; NEVER if only by wake; NOBODY if there is no reason to wait here."""

    def wait(self, until: int) -> None:
        """Returns at `until`, or after `wake`."""

    def wake(self) -> None:
        """From any thread. A wake before the wait is kept."""


class NotePoller:
    """A note with a deadline."""

    def __init__(self) -> None:
        self._note = Note()
        self._deadline = NOBODY

    def deadline(self) -> int:
        return self._deadline

    def set_deadline(self, when: int) -> None:
        """The time (ns of the runtime's clock) at which somebody must look, or NOBODY."""
        self._deadline = when
        self._note.wake()

    def wait(self, until: int) -> None:
        self._note.sleep(until)
        self._note.clear()

    def wake(self) -> None:
        self._note.wake()
