"""G: a goroutine.

The state word and who may change it:

    RUNNABLE -> RUNNING     the M that took it from a queue
    RUNNING  -> PARKING     the goroutine itself, in an operation, before its waiter becomes visible
    PARKING  -> PARKED      the M that ran it, after the coroutine has yielded and its context is left
    PARKING  -> NOTIFIED    a waker that came before that; the M then makes it runnable itself
    PARKED   -> RUNNABLE    a waker; from this swap on the goroutine is the waker's to queue
    RUNNING  -> RUNNABLE    the goroutine itself, when it yields its turn; its M queues it
    RUNNING  -> RETRY       the goroutine itself, in an operation that needs a P and found none; its M queues it globally
    RUNNING  -> DEAD        its M

A wait has one end. `open_wait` opens it for one winner, and whoever wants to wake the goroutine (the other side of a channel, a timer, a
cancellation, the end of the program) must `win` it first, under the lock of the thing where it found the goroutine: the goroutine takes that lock
to leave before it waits again, so a late waker cannot win the next wait. The winner alone may fill the inbox, whose content the operation gets as
the answer, and calls park.ready. PARKING comes before open_wait: who wins finds a state that it can claim.

`home` is the thread that the goroutine cannot leave while it waits: an M whose stack it keeps (locked.py), or for the stand-in of a thread that is no
goroutine, that thread's words (plain.py).

`waker` is the goroutine that has won the wait, 0 for what is none: written by the winner, if what happens is written down (trail.py).

`scope` is its current context, None for the background, and `struck` says that the wait was won by that one's end (interrupt.py).

The runtime holds one reference to every living goroutine (own, disown). Queues, `m.running` and the state word carry it without counting: whoever
owns the state may queue the goroutine, and there is exactly one owner at any time. Two threads in one coroutine crash CPython before 3.15.

The class is what users see as gosched.Goroutine. The collector never finds a living one to be garbage: the runtime's reference comes from no object
that it knows. A dead one refers to nothing that could lead back to it.
"""

from __future__ import annotations

from types import CodeType
from typing import Any

from .native import StateWord, ThreadWords, Waiter, list_of
from .states import DEAD, PARKED, PARKING, PREEMPTED, RUNNABLE, RUNNING, STATE_NAMES, SYSCALL, WAIT_REASONS


class Watcher:
    """Is told when a goroutine has ended: by returning (RETURNED, value) or by an exception (RAISED, error).

    A class in Python overrides goroutine_done, a compiled one note_start and note_end: core calls these without looking for an override."""

    def goroutine_done(self, g: Goroutine, outcome: int, value: Any) -> None:
        raise NotImplementedError

    def note_start(self) -> None:
        """Just before it can run; nothing can fail after this."""

    def note_end(self, g: Goroutine, outcome: int, value: Any) -> None:
        self.goroutine_done(g, outcome, value)


class Goroutine(StateWord):
    """A goroutine, as returned by :func:`gosched.go`.

    >>> import gosched
    >>> async def main():
    ...     return gosched.current().id, gosched.current().state
    >>> gosched.run(main)
    (1, 'running')
    """

    id: int
    body: Any
    args: Any
    context: Any
    creator: int
    given_name: str | None
    watcher: Watcher | None
    reason: int
    since: int
    guarded: bool
    phase: int
    system: bool
    told: bool
    locks: int
    home: ThreadWords | None
    scope: Waiter | None
    struck: bool
    want: int
    waker: int

    @property
    def name(self) -> str:
        """What `go(..., name=)` gave, or the function's qualified name."""
        if self.given_name is not None:
            return self.given_name
        body = self.body
        return getattr(body, "__qualname__", None) or (f"goroutine {self.id}" if body is None else repr(body))

    @property
    def state(self) -> str:
        """runnable, running, waiting, preempted (suspended in the middle of its code), syscall (in a blocking call) or dead."""
        where = list_of(self)
        return self.state_given(set() if where is None else where.owner.blocked_goroutines())

    def state_given(self, blocked: set[int]) -> str:
        """The same, for who asks of many: with the ids of those that sysmon has found in a call that blocks."""
        return state_word(self.state_now(), self.phase, self.id in blocked)

    @property
    def wait_reason(self) -> str | None:
        """Why it waits, in Go's words, or None."""
        state = self.state_now()
        return WAIT_REASONS[self.reason] if state == PARKED or state == PARKING else None

    @property
    def created_by(self) -> str | None:
        """The function, goroutine and line that started it; None for what was started from outside of any Python frame."""
        code = self.caller_code()
        if code is None:
            return None
        where = f" in goroutine {self.creator}" if self.creator else ""
        return f"{code.co_qualname}{where} at {code.co_filename}:{line_of(code, self.caller_lasti())}"

    def reset(self) -> None:
        """Drops all that a dead goroutine no longer needs. In user code: the objects' finalisers may run here."""
        self.body = None
        self.args = None
        self.context = None
        self.watcher = None
        self.take_inbox()

    def is_dead(self) -> bool:
        return self.state_now() == DEAD

    def __repr__(self) -> str:
        reason = self.wait_reason
        return f"<Goroutine {self.id} {self.name!r} [{self.state if reason is None else reason}]>"


def state_word(state: int, phase: int, blocks: bool) -> str:
    if state == RUNNABLE and phase == PREEMPTED:
        return "preempted"
    if state == RUNNING and (phase == SYSCALL or blocks):
        return "syscall"
    return STATE_NAMES[state]


def line_of(code: CodeType, lasti: int) -> int:
    """The source line of the instruction at byte offset lasti."""
    for start, end, line in code.co_lines():
        if start <= lasti < end and line is not None:
            return line
    return code.co_firstlineno
