"""The interleaving explorer: small programs, thousands of schedules.

Every thread of the program (each M, and threads outside of the runtime) is a greenlet, and all of them share one OS thread. At every shared word of
the pure `native`, the explorer decides by a seeded random choice who goes on; a thread that waits for a mutex or a note is out of the draw until what
it waits for is there. So a schedule is a function of its seed, and a failure replays.

What counts as a failure:
    stuck       nobody can go on, and the program has not ended: a lost wake-up
    livelock    more steps than any honest schedule of such a program takes
    broken      an assertion of the program, or an exception out of the scheduler

The choice is biased: mostly the same thread goes on, with a random number of forced switches. Few switches at odd places find more than many
switches everywhere.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

try:
    from greenlet import GreenletExit, getcurrent, greenlet
except ImportError as error:  # pragma: no cover - said in words
    raise ImportError("the interleaving explorer needs greenlet: pip install greenlet") from error


# How often time passes although somebody could still go on: a deadline is as good as over whenever a thread waits for it.
EARLY = 0.1


class Stuck(AssertionError):
    """Nobody can go on."""


class Livelock(AssertionError):
    """Too many steps."""


@dataclass(frozen=True)
class Failure:
    """A schedule that went wrong. `replay` runs it again."""

    seed: int
    error: BaseException

    def __str__(self) -> str:
        return f"seed {self.seed}: {type(self.error).__name__}: {self.error}"


class Thread:
    """One thread of a schedule."""

    def __init__(self, name: str, fn: Callable[[], object]) -> None:
        self.name = name
        self.local = SimpleNamespace()
        self.ready: Callable[[], bool] | None = None
        self.timed = False
        self.timed_out = False
        self.done = False
        self.fn = fn
        self.greenlet: Any = None


class Hub:
    """One schedule: the threads, and the choice of who goes on. Set as `purepoints.explorer` while it runs."""

    def __init__(self, seed: int, max_steps: int = 20_000) -> None:
        self.random = random.Random(seed)
        self.switch_chance = self.random.choice((0.02, 0.05, 0.1, 0.3, 0.6))
        self.max_steps = max_steps
        self.threads: list[Thread] = []
        self.current: Thread | None = None
        self.steps = 0
        self.error: BaseException | None = None
        self.abandoned = False
        self.main = getcurrent()

    # ---- what native asks ----

    def point(self) -> None:
        self.steps += 1
        if self.abandoned:
            raise GreenletExit
        if self.current is None:
            return
        if self.steps > self.max_steps or self.random.random() < self.switch_chance:
            self._leave(self.current)

    def wait(self, ready: Callable[[], bool], timed: bool) -> bool:
        thread = self.current
        assert thread is not None
        if self.abandoned:
            raise GreenletExit
        self.steps += 1
        thread.ready = ready
        thread.timed = timed
        thread.timed_out = False
        self._leave(thread)
        thread.ready = None
        return not thread.timed_out

    def _leave(self, thread: Thread) -> None:
        """The thread goes on where it is now: it may be on a stack of its own making."""
        thread.greenlet = getcurrent()
        self.main.switch()

    def local(self) -> SimpleNamespace:
        return self.outside if self.current is None else self.current.local

    outside = SimpleNamespace()

    # ---- running ----

    def spawn(self, name: str, fn: Callable[[], object]) -> None:
        thread = Thread(name, fn)
        thread.greenlet = greenlet(self._body(thread), self.main)
        self.threads.append(thread)

    def _body(self, thread: Thread) -> Callable[[], None]:
        def body() -> None:
            try:
                thread.fn()
            except BaseException as error:  # an exception in any thread is this schedule's failure
                if self.error is None:
                    self.error = error
            thread.done = True

        return body

    def run(self) -> None:
        """Until every thread is done."""
        while self.error is None:
            living = [t for t in self.threads if not t.done]
            if not living:
                return
            if self.steps > self.max_steps:
                raise Livelock(f"{self.steps} steps: {self.describe()}")
            self._switch_to(self._choose(living))
        raise self.error

    def _choose(self, living: list[Thread]) -> Thread:
        able = [t for t in living if t.ready is None or t.ready()]
        late = [t for t in living if t.ready is not None and t.timed and t not in able]
        if able and not (late and self.random.random() < EARLY):
            return self.random.choice(able)
        if not late:
            raise Stuck(self.describe())
        thread = self.random.choice(late)
        thread.timed_out = True
        return thread

    def _switch_to(self, thread: Thread) -> None:
        self.current = thread
        thread.greenlet.switch()
        self.current = None

    def describe(self) -> str:
        return ", ".join(f"{t.name} {'done' if t.done else 'waits' if t.ready else 'runs'}" for t in self.threads)

    def abandon(self) -> None:
        """Unwinds what a failed schedule left: from now on every shared word ends the thread that touches it."""
        self.abandoned = True
        for thread in self.threads:
            if not thread.done:
                self.current = thread
                thread.greenlet.throw()


class Wreck:
    """After a schedule that failed. Coroutines of it are closed whenever they are collected, and their finally blocks would wait for ever for a lock
    that nobody gives back."""

    def point(self) -> None:
        """Nobody else is there."""

    def wait(self, ready: Callable[[], bool], timed: bool) -> bool:
        raise GeneratorExit

    def local(self) -> SimpleNamespace:
        return Hub.outside


Program = Callable[[Hub, Any], Callable[[], None] | None]


def replay(program: Program, core: Any, seed: int, max_steps: int = 20_000) -> Failure | None:
    """One schedule. `program(hub, core)` spawns the threads; what it returns, if it is a function, checks the end."""
    hub = Hub(seed, max_steps)
    after: Wreck | None = None
    core.purepoints.explorer = hub
    try:
        check = program(hub, core)
        hub.run()
        if check is not None:
            check()
    except Exception as error:  # whatever went wrong is the finding
        hub.abandon()
        after = Wreck()
        return Failure(seed, error)
    finally:
        core.purepoints.explorer = after
    return None


def explore(program: Program, core: Any, seeds: Iterable[int], max_steps: int = 20_000) -> Failure | None:
    """The first schedule that goes wrong, or None."""
    for seed in seeds:
        failure = replay(program, core, seed, max_steps)
        if failure is not None:
            return failure
    return None
