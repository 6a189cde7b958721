"""What a scenario is: a small program, an essay that is played paragraph by paragraph, a question, and the answer that running it gives."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any

from gosched.policy import GO, Policy

Frame = dict[str, Any]


@dataclass(frozen=True)
class Mark:
    """A moment of a run: the nth event of a name (core/events.py), about a goroutine of that name, with these words in its sentence."""

    event: str
    nth: int = 1
    of: str = ""
    says: str = ""

    def packed(self) -> dict[str, Any]:
        return {"event": self.event, "nth": self.nth, "of": self.of, "says": self.says}


@dataclass(frozen=True)
class Paragraph:
    """`until`: the run is played so far while it is read."""

    text: str
    until: Mark | None = None


@dataclass(frozen=True)
class Bend:
    """A switch to try: what it is called, and what is then to be seen."""

    label: str
    policy: dict[str, Any]
    see: str


@dataclass(frozen=True)
class Scenario:
    """`facts`: figures of a run, for the answer, which is true by whatever rules it was run; None if what was asked about did not happen. `real`: at
    gomaxprocs 1 and without preemption its order is that of the real runtime, for it has no call that blocks, and no network."""

    id: str
    title: str
    program: Callable[[], Coroutine[Any, Any, Any]]
    procs: int
    paragraphs: tuple[Paragraph, ...]
    question: str
    answer: str
    facts: Callable[[Story], dict[str, Any] | None]
    bends: tuple[Bend, ...] = ()
    policy: Policy = GO
    real: bool = True
    shows: Mark | None = None
    """Where the answer can be seen."""

    def answered(self, story: Story) -> str | None:
        """By a run to its end."""
        facts = self.facts(story)
        return None if facts is None else self.answer.format(**facts)

    def packed(self) -> dict[str, Any]:
        """For the page."""
        return {
            "id": self.id,
            "title": self.title,
            "procs": self.procs,
            "policy": self.policy.changes(),
            "paragraphs": [[p.text, None if p.until is None else p.until.packed()] for p in self.paragraphs],
            "question": self.question,
            "answer": self.answer,
            "shows": None if self.shows is None else self.shows.packed(),
            "bends": [[bend.label, bend.policy, bend.see] for bend in self.bends],
        }


class Story:
    """A run to its end, to be asked. Frames are those of the page (web/film.py)."""

    def __init__(self, frames: Iterable[Frame], over: str) -> None:
        self.frames = list(frames)
        self.over = over
        self.names: dict[int, str] = {}
        for frame in self.frames:
            for row in frame["rows"]:
                self.names[row[0]] = row[4]

    def name(self, frame: Frame) -> str:
        """Of the goroutine that it is about."""
        return self.names.get(frame["event"][4], "")

    def all(self, event: str, of: str = "", says: str = "") -> list[Frame]:
        return [
            frame
            for frame in self.frames
            if frame["name"] == event and (not of or self.name(frame) == of) and (not says or says in frame["event"][3])
        ]

    def first(self, event: str, of: str = "", says: str = "") -> Frame | None:
        found = self.all(event, of, says)
        return found[0] if found else None

    def find(self, mark: Mark) -> Frame | None:
        found = self.all(mark.event, mark.of, mark.says)
        return found[mark.nth - 1] if len(found) >= mark.nth else None

    def last(self, event: str, of: str = "") -> Frame | None:
        found = self.all(event, of)
        return found[-1] if found else None

    def between(self, begin: Frame, end: Frame | None, event: str, of: str = "") -> list[Frame]:
        """After the one and before the other, or to the end."""
        until = len(self.frames) + 1 if end is None else end["event"][0]
        return [frame for frame in self.all(event, of) if begin["event"][0] < frame["event"][0] < until]

    def proc_before(self, frame: Frame, p: int) -> list[Any] | None:
        """How that P stood just before, as a row of the page (web/snapshot.py)."""
        before = reversed(self.frames[: frame["event"][0] - 1])
        return next((row for other in before for row in other["ps"] if row[0] == p), None)

    def end(self) -> float:
        """When main was over, or else the last event, in s."""
        over = self.first("PHASE")
        return float((over or self.frames[-1])["t"])


def ms(seconds: float) -> str:
    """For answers."""
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"
