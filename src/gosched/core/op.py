"""Awaitables of operations: send, receive, lock, wait, sleep.

A compiled object is cheaper than a generator. It does nothing until it is awaited, may be given to go(), and is reported in debug mode if it is
dropped. Most have no value to give back; RecvOp (chan.py) has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from .g import Goroutine
from .native import Awaitable, ThreadWords, current_m
from .park import arrived, words_of
from .signals import Parked, Woken

if TYPE_CHECKING:
    from .m import M


class Op(Awaitable):
    """One execution of an operation. Subclasses say what begins it, what leaves nothing behind, and what an answer means."""

    def what(self) -> str:
        raise NotImplementedError

    def begin(self, who: ThreadWords) -> object:
        """For the goroutine that runs there: the answer, or Parked."""
        raise NotImplementedError

    def leave(self, g: Goroutine) -> None:
        """The wait was ended by something else."""
        raise NotImplementedError

    def judge(self, answer: object) -> None:
        """What the answer to a wait, or an answer other than None without one, means: raises, or takes over."""

    def step(self, answer: object) -> bool:
        """True: yield. False: done."""
        if self.waiting and answer is not Woken:
            self.judge(answer)
            return False
        self.waiting = False
        m = arrived(self)
        if m is None:
            return True
        answer = self.begin(m)
        if answer is Parked:
            self.waiting = True
            return True
        if answer is not None:
            self.judge(answer)
        return False

    # ---- for the spellings with a deadline, and the plain one (spelling.py) ----

    def name(self) -> str:
        """For messages of either spelling."""
        return self.what()

    def start(self, g: Goroutine) -> object:
        answer = self.begin(words_of(g))
        self.waiting = answer is Parked
        return answer

    def withdraw(self, g: Goroutine) -> None:
        self.leave(g)

    def finish(self, answer: object) -> None:
        if self.waiting or answer is not None:
            self.judge(answer)

    # ---- as a coroutine ----

    def give_up(self) -> None:
        if self.waiting:
            m: M = current_m()
            self.leave(m.held())

    def __str__(self) -> str:
        return self.what()

    def __await__(self) -> Self:
        return self

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> None:
        if not self.step(None):
            raise StopIteration

    def send(self, answer: Any) -> None:
        if not self.step(answer):
            raise StopIteration

    def throw(self, error: Any, value: Any = None, traceback: Any = None) -> None:
        self.give_up()
        raise error if value is None else value

    def close(self) -> None:
        """It holds nothing that would have to be given back: an operation that waits is thrown into, not closed."""
