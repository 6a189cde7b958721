"""Where the last idle M waits for the outside world.

The first poller is a note with a deadline; when the program opens its first descriptor, one that watches descriptors takes its place (threads.py).
One M waits at a time: the scheduler's last_poll word sees to that, so `wait` has one caller.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from gosched.core.kernel import has_epoll
from gosched.core.native import Note
from gosched.core.netpoll import EpollPoller
from gosched.core.states import NEVER as NEVER
from gosched.core.states import NOBODY

from .portable import SelectorPoller

if TYPE_CHECKING:
    from gosched.core.netpoll import PollDesc
    from gosched.core.sched import Scheduler


class Poller(Protocol):
    """What a scheduler's host asks of a poller."""

    def deadline(self) -> int:
        """When `wait` must return at the latest; NEVER if only by wake; NOBODY if there is no reason to wait here."""

    def wait(self, until: int) -> None:
        """Returns at `until`, or after `wake`, or when it has readied somebody."""

    def look(self) -> None:
        """Readies who can go on, without waiting."""

    def wake(self) -> None:
        """From any thread. A wake before the wait is kept."""

    def close(self) -> None:
        """Nobody waits there any more, nor will."""


class NetPoller(Poller, Protocol):
    """One that watches descriptors."""

    def attach(self, desc: PollDesc) -> int:
        """0, or an errno: EPERM if it is of a kind that cannot be waited for."""

    def detach(self, desc: PollDesc) -> None:
        """Before the descriptor is closed."""

    def give_up(self) -> None:
        """The program is over, and nobody polls: threads of the program that wait for a descriptor are told."""


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

    def look(self) -> None:
        """Nobody waits here."""

    def close(self) -> None:
        """There is nothing to give back."""


def new_net_poller(sched: Scheduler) -> NetPoller:
    """GOSCHED_POLLER=selectors takes the portable one also where there is epoll."""
    wish = os.environ.get("GOSCHED_POLLER", "")
    if wish not in ("", "epoll", "selectors"):
        raise ValueError(f"GOSCHED_POLLER must be 'epoll' or 'selectors', or left out, not {wish!r}")
    if wish == "epoll" and not has_epoll:
        raise ValueError("GOSCHED_POLLER is 'epoll', which this system does not have; leave it out")
    return EpollPoller(sched) if has_epoll and wish != "selectors" else SelectorPoller(sched)
