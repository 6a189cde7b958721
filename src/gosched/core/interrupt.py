"""Cancellation: what a context is to a waiting operation.

An operation with `ctx=` puts its WakeTimer here before it yields and takes it out afterwards. `cancel` finishes all that are inside, and those that
come later at once. The lock is a leaf; waiters are finished after it, one by one.
"""

from __future__ import annotations

from .native import WaitQueue
from .signals import Interrupted
from .timers import WakeTimer


class Cancellation(WaitQueue):
    """The part of a context that operations see. `error`: what they raise, or None while it is not cancelled."""

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def cancel_waits(self, error: BaseException) -> bool:
        """True for the first caller."""
        self.acquire()
        first = self.error is None
        if first:
            self.error = error
        self.release()
        if first:
            w = self.next_watch()
            while w is not None:
                w.finish(Interrupted(error))
                w = self.next_watch()
        return first

    def next_watch(self) -> WakeTimer | None:
        self.acquire()
        w: WakeTimer | None = self.take_waiter()
        self.release()
        return w

    def watch(self, w: WakeTimer) -> None:
        self.acquire()
        error = self.error
        late = error is not None
        if not late:
            self.put_waiter(w)
        self.release()
        if late:  # race: it was cancelled before it could see us
            w.finish(Interrupted(error))  # type: ignore[arg-type]

    def unwatch(self, w: WakeTimer) -> None:
        self.acquire()
        self.drop_waiter(w)
        self.release()
