"""A script, played for a page: frames on demand, and why there are no more.

Nothing of a session needs to be remembered: the same script gives the same frames. The one that was played last is kept, so that who asks for more
of it goes on where it stands.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from gosched.errors import DeadlockError
from gosched.lab.clockwork import Clockwork
from gosched.lab.scenarios import SCENARIOS, Scenario, Story
from gosched.lab.script import Script, ScriptError, main
from gosched.lab.virtual import apart
from gosched.program import Main
from gosched.trace.record import VirtualRecorder
from gosched.trace.replay import IllegalTrace

from .film import Film, Frame

# So many frames at most: what goes on for ever is cut off there. Turns without a frame, likewise: sysmon looks, and nothing follows from it.
FRAMES = 20_000
TURNS = 400_000
SESSIONS = 4


class Session:
    """`over`: "" while it goes on; then end, idle, deadlock, cut, or what went wrong."""

    def __init__(self, script: Script) -> None:
        self.scenario = scenario_of(script)
        self.context = apart()
        recorder = VirtualRecorder(queues=True)
        self.run = Clockwork(script.procs, script.seed, script.policy, recorder=recorder)
        self.film = Film(self.run, recorder)
        self.watcher = Main(self.run, ends=True)
        self.over = ""
        self.turns = 0
        if self.scenario is not None:
            self.turn: Generator[None, None, None] = self.run.played(self.watcher, self.scenario.program, ())
        else:
            self.run.listens = True
            self.turn = self.run.played(self.watcher, main, (script.actions,))
        self.ahead: list[Frame] = []
        self.seen: list[Frame] = []  # of a scenario, which is to answer its question

    def more(self, n: int) -> list[Frame]:
        """The next n frames, or as many as there are."""
        self.context.run(self.play, n)
        found, self.ahead = self.ahead[:n], self.ahead[n:]
        if self.scenario is not None:
            self.seen += found
        return found

    def play(self, n: int) -> None:
        while len(self.ahead) < n and not self.over:
            self.advance()

    def answer(self) -> str | None:
        """To the scenario's question, when all of it was seen; None: what was asked about did not happen."""
        return None if self.scenario is None else self.scenario.answered(Story(self.seen, self.over))

    def advance(self) -> None:
        try:
            next(self.turn)
            self.turns += 1
        except StopIteration:
            self.over = self.why()
        except Exception as error:  # a policy, or the scheduler itself, went wrong: said on the page
            self.over = wrong(error)
        self.read()
        if isinstance(self.run.error, DeadlockError) and not self.over:
            self.over = "deadlock"
            self.ahead.append(self.film.remark("deadlock", str(self.run.error).split("\n", 1)[0]))
            self.turn.close()
        if not self.over and (self.film.frames >= FRAMES or self.turns >= TURNS):
            self.over = "cut"

    def read(self) -> None:
        try:
            self.ahead += self.film.read()
        except IllegalTrace as error:
            self.over = wrong(error)

    def close(self) -> None:
        """Its goroutines are ended."""
        self.context.run(self.turn.close)

    def why(self) -> str:
        error = self.run.error or self.watcher.error
        if error is not None:
            return wrong(error)
        return "end" if self.watcher.done else "idle"


def wrong(error: BaseException) -> str:
    return f"error: {type(error).__name__}: {error}"


def scenario_of(script: Script) -> Scenario | None:
    found = SCENARIOS.get(script.scenario)
    if script.scenario and found is None:
        raise ScriptError(f"scenario must be one of {', '.join(SCENARIOS)}, not {script.scenario!r}")
    return found


class Sessions:
    """The last ones, by their scripts' texts."""

    def __init__(self) -> None:
        self.kept: dict[str, tuple[Session, int]] = {}

    def close(self) -> None:
        """Goroutines that live on would be ended with the interpreter, one by one and too late."""
        while self.kept:
            self.kept.popitem()[1][0].close()

    def frames(self, text: str, data: object, first: int, n: int) -> dict[str, Any]:
        """n frames of a script, from the one with that number on (0 is the first)."""
        session, at = self.kept.pop(text, (None, 0))
        if session is not None and at > first:
            session.close()
            session = None
        if session is None:
            session, at = Session(Script.of(data)), 0
        if at < first:
            session.more(first - at)
        found = session.more(n)
        self.kept[text] = (session, first + len(found))
        while len(self.kept) > SESSIONS:
            self.kept.pop(next(iter(self.kept)))[0].close()
        over = "" if session.ahead else session.over
        return {"frames": found, "over": over, "summary": session.film.summary() if over else None, "answer": session.answer() if over else None}
