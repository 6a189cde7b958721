"""Signals: who watches which, and the handlers that stand for them.

A handler runs in the main thread, between any two bytecodes: what it interrupted may hold any lock, so it takes none. It puts the signal into a
queue whose `put` may be interrupted by another one, and a thread of ours hands it on. Handlers can be set by the main thread alone: who has changed
the table lets it call `settle` (errands.py), which makes them agree.

    table      signal -> its watches. Replaced under the lock, never changed: handlers read it without
    before     signal -> the handler that stood there. The main thread's alone
    arrivals   the thread's queue, while any handler of ours stands. The main thread's alone, too

What is in the queue when a watch is dropped reaches it: a `Mark` goes through first. A signal that nobody watches any more takes the way it had
before: its old handler is put back, and it is raised again. A handler that somebody else has set in the meantime stays.
"""

from __future__ import annotations

import _thread
import os
import signal
import threading
from collections.abc import Callable, Iterable
from queue import SimpleQueue
from types import FrameType
from typing import Any, NamedTuple

from .threads import OURS


class Watch(NamedTuple):
    """`tell(number)` is called for each signal, never by two threads at once. `target` is what it is for, `owner` the runtime that it ends with."""

    target: object
    owner: object
    tell: Callable[[int], object]


class Mark:
    """Passes through the queue behind all that has arrived."""

    def __init__(self) -> None:
        self.passed = _thread.allocate_lock()
        self.passed.acquire()

    def wait(self) -> None:
        self.passed.acquire()


class Handlers:
    def __init__(self) -> None:
        self.lock = threading.RLock()  # a watch may be dropped while it is told
        self.table: dict[int, tuple[Watch, ...]] = {}
        self.before: dict[int, Any] = {}
        self.arrivals: SimpleQueue[int | Mark | None] | None = None

    def add(self, watch: Watch, numbers: Iterable[int]) -> None:
        """Twice is once. Call `settle` afterwards."""
        with self.lock:
            table = dict(self.table)
            for number in numbers:
                watches = table.get(number, ())
                if not any((w.target, w.owner) == (watch.target, watch.owner) for w in watches):
                    table[number] = (*watches, watch)
            self.table = table

    def remove(self, gone: Callable[[Watch], bool]) -> None:
        """From here on those watches are told nothing. Call `settle` afterwards."""
        with self.lock:
            self.table = {number: left for number, all_ in self.table.items() if (left := tuple(w for w in all_ if not gone(w)))}

    def drop_owner(self, owner: object) -> None:
        """A runtime closes. Where that is not done by the main thread, handlers are put back by the next signal, or by who settles next."""
        here = bool(self.before) and in_main_thread()
        if here:
            mark = Mark()
            self.send(mark)
            mark.wait()
        self.remove(lambda watch: watch.owner is owner)
        if here:
            self.settle()

    def watched(self, target: object = None) -> bool:
        """A signal could still wake somebody, or is watched for that target."""
        return any(target is None or watch.target is target for watches in self.table.values() for watch in watches)

    # ---- in the main thread ----

    def settle(self) -> None:
        table = self.table
        for number in list(self.before):
            if number not in table:
                self.put_back(number)
        for number in table:
            if number not in self.before:
                self.put_up(number)
        if not self.before and self.arrivals is not None:
            self.arrivals.put(None)  # behind the last: no handler of ours stands any more
            self.arrivals = None

    def send(self, mark: Mark) -> None:
        """Behind all whose handler has run: this thread ran it."""
        if self.arrivals is None:
            mark.passed.release()
        else:
            self.arrivals.put(mark)

    def put_up(self, number: int) -> None:
        before = signal.getsignal(number)
        if before is None:
            raise RuntimeError(f"notify(): {name_of(number)} has a handler that Python did not set, and could not put back")
        if self.arrivals is None:
            self.arrivals = SimpleQueue()
            _thread.start_new_thread(self.hand_on, (self.arrivals,))
        self.before[number] = before
        signal.signal(number, self.arrived)

    def put_back(self, number: int) -> None:
        """It may be interrupted, anywhere, by a signal whose handler does the same."""
        before = self.before.get(number)
        if signal.getsignal(number) == self.arrived:
            signal.signal(number, before)
        self.before.pop(number, None)

    def arrived(self, number: int, frame: FrameType | None) -> None:
        """The handler."""
        if number in self.table and self.arrivals is not None:
            self.arrivals.put(number)
        elif number in self.before:
            self.put_back(number)
            signal.raise_signal(number)

    # ---- the thread ----

    def hand_on(self, arrivals: SimpleQueue[int | Mark | None]) -> None:
        ident = _thread.get_ident()
        OURS.add(ident)
        while (arrival := arrivals.get()) is not None:
            if isinstance(arrival, Mark):
                arrival.passed.release()
            else:
                self.tell(arrival)
        OURS.discard(ident)

    def tell(self, number: int) -> None:
        with self.lock:
            watches = self.table.get(number, ())
            for watch in watches:
                watch.tell(number)
        if not watches:
            os.kill(os.getpid(), number)

    # ---- fork ----

    def forget_parent(self) -> None:
        """In a forked child, whose only thread is the main one: nobody watches here."""
        self.lock = threading.RLock()
        self.table = {}
        self.arrivals = None
        self.settle()


def named(number: int) -> int:
    """As signal.Signals, if it has a name there: SIGRTMIN + 1 has none."""
    return next(known for known in signal.valid_signals() if known == number)


def name_of(number: int) -> str:
    known = named(number)
    return known.name if isinstance(known, signal.Signals) else f"signal {number}"


def in_main_thread() -> bool:
    return threading.get_ident() == threading.main_thread().ident


HANDLERS = Handlers()
os.register_at_fork(after_in_child=HANDLERS.forget_parent)
