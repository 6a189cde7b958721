"""Where the page's moments come from: a scheduler that runs (live.py), asked again and again, or a recorded trace (recorded.py), which has all."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, Protocol

from .snapshot import Event, Snapshot

# So many events are kept for who comes later.
KEPT = 1_000


class Feed(Protocol):
    title: str
    live: bool
    """It goes on, and is a Moments; if not, it is a Recording."""

    def span(self) -> tuple[float, float]:
        """The times of the first and the last moment, in s."""

    def goroutine(self, number: int) -> dict[str, Any] | None:
        """All that is known about one."""


class Moments(Feed, Protocol):
    """What goes on."""

    def snapshot(self) -> Snapshot:
        """Now."""

    def events(self, cursor: int) -> tuple[int, list[list[Any]]]:
        """Those after the cursor, and where it is then."""

    def waits(self) -> dict[str, Any]:
        """Who waits on what, and for ever (waiting.py). It costs more than a snapshot."""


class Recording(Feed, Protocol):
    """What is over."""

    def frames(self) -> Iterator[dict[str, Any]]:
        """All moments as frames, each built on the one before."""


class Log:
    """The last events, numbered."""

    def __init__(self) -> None:
        self.kept: deque[list[Any]] = deque(maxlen=KEPT)
        self.last = 0

    def add(self, events: list[Event]) -> None:
        for event in events:
            self.last += 1
            self.kept.append(event.packed(self.last))

    def after(self, cursor: int) -> list[list[Any]]:
        missing = min(self.last - cursor, len(self.kept))
        return [self.kept[i] for i in range(len(self.kept) - missing, len(self.kept))] if missing > 0 else []
