"""The part of the pure native that things to wait for are made of: a lock, queues of waiters, a channel's buffer, a heap's array.

A queue counts no reference to its waiters: a goroutine that waits is held by the runtime, and the case of a select by the select. Every method needs
the lock but those that only read a number. As in the compiled twin, `__new__` alone makes an object fit for use.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Any, Self

from . import purepoints
from .purepoints import current_m, point
from .states import FREE, LOCKED


class Guarded:
    _atom: threading.Lock
    _mutex: threading.Lock

    def __new__(cls, *_: Any, **__: Any) -> Self:
        self = super().__new__(cls)
        self._atom = threading.Lock()
        self._mutex = threading.Lock()
        return self

    def acquire(self) -> None:
        if purepoints.explorer is None:
            self._mutex.acquire()
            return
        purepoints.explorer.point()
        while not self._mutex.acquire(blocking=False):
            purepoints.explorer.wait(lambda: not self._mutex.locked(), False)

    def release(self) -> None:
        self._mutex.release()
        point()


class Waiter:
    """What can stand in one queue at a time."""

    _queue: dict[Waiter, None] | None

    def __new__(cls, *_: Any, **__: Any) -> Self:
        self = super().__new__(cls)
        self._queue = None
        return self

    def win_wait(self) -> bool:
        """Lock of the queue held: True if whoever waits is the caller's to wake."""
        raise NotImplementedError

    def hand(self, value: Any) -> None:
        """To one whose wait was won: the answer."""
        raise NotImplementedError

    def sent(self) -> Any:
        """The value of a sender whose wait was won."""
        raise NotImplementedError


class LockedWaiter(Guarded, Waiter):
    """A waiter with a lock of its own."""


def _put(queue: dict[Waiter, None], w: Waiter) -> None:
    w._queue = queue
    queue[w] = None


def _take(queue: dict[Waiter, None], last: bool) -> Any:
    if not queue:
        return None
    w = next(reversed(queue) if last else iter(queue))
    _drop(queue, w)
    return w


def _drop(queue: dict[Waiter, None], w: Waiter) -> bool:
    if w._queue is not queue:
        return False
    w._queue = None
    del queue[w]
    return True


class WaitQueue(Guarded):
    """Waiters in order of arrival."""

    _waiters: dict[Waiter, None]
    _won: dict[Waiter, None]
    holder = 0

    def __new__(cls, *_: Any, **__: Any) -> Self:
        self = super().__new__(cls)
        self._waiters = {}
        self._won = {}
        return self

    def note_holder(self) -> None:
        """The goroutine that runs here has it."""
        m = current_m()
        self.holder = m.realm + m.goid if m is not None and m.busy() else 0

    def drop_holder(self) -> None:
        self.holder = 0

    def waiting(self) -> int:
        point()
        return len(self._waiters)

    def put_waiter(self, w: Any) -> None:
        _put(self._waiters, w)

    def put_waiter_front(self, w: Any) -> None:
        others = list(self._waiters)
        self._waiters.clear()
        _put(self._waiters, w)
        self._waiters.update(dict.fromkeys(others))

    def first_waiter(self) -> Any:
        return next(iter(self._waiters), None)

    def take_waiter(self) -> Any:
        return _take(self._waiters, last=False)

    def drop_waiter(self, w: Any) -> bool:
        return _drop(self._waiters, w)

    def put_won(self, w: Any) -> None:
        """A second queue: of those whose wait was won all at once, and who are to be readied one by one."""
        _put(self._won, w)

    def take_won(self) -> Any:
        return _take(self._won, last=False)


class CountedQueue(WaitQueue):
    """Waiters for a count."""

    _total = 0

    def add_count(self, delta: int) -> int:
        point()
        with self._atom:
            self._total += delta
            return self._total

    def count(self) -> int:
        point()
        return self._total


class LockQueue(WaitQueue):
    """Waiters for a lock, and its word."""

    _lock = 0

    def lock_word(self) -> int:
        point()
        return self._lock

    def set_lock_word(self, value: int) -> None:
        point()
        self._lock = value

    def swap_lock_word(self, old: int, new: int) -> bool:
        point()
        with self._atom:
            if self._lock != old:
                return False
            self._lock = new
            if new & LOCKED > old & LOCKED:
                self.holder = 0  # who had it last does not have it now; who has will say so
            return True

    def lock_free(self) -> bool:
        if not self.swap_lock_word(FREE, LOCKED):
            return False
        self.note_holder()
        return True


class ChannelWords(Guarded):
    """A channel's buffer and its two queues."""

    limit: int
    _buffer: deque[Any]
    _receivers: dict[Waiter, None]
    _senders: dict[Waiter, None]
    _closed = False
    _out: Any = None

    def open_buffer(self, limit: int) -> None:
        self.limit = limit
        self._buffer = deque()
        self._receivers = {}
        self._senders = {}

    def is_closed(self) -> bool:
        point()
        return self._closed

    def set_closed(self) -> None:
        self._closed = True

    def buffered(self) -> int:
        return len(self._buffer)

    def buffer_put(self, value: Any) -> None:
        self._buffer.append(value)

    def buffer_take(self) -> Any:
        return self._buffer.popleft()

    def put_out(self, value: Any) -> None:
        """A value on its way from the buffer, or from a sender, to who holds the lock."""
        self._out = value

    def take_out(self) -> Any:
        value, self._out = self._out, None
        return value

    def receivers_waiting(self) -> int:
        return len(self._receivers)

    def senders_waiting(self) -> int:
        return len(self._senders)

    def seat_receiver(self, who: Any) -> None:
        """The goroutine that runs on a thread."""
        _put(self._receivers, who.held())

    def seat_sender(self, who: Any, value: Any) -> None:
        who.held().set_inbox(value)
        _put(self._senders, who.held())

    def put_receiver(self, w: Any) -> None:
        _put(self._receivers, w)

    def put_sender(self, w: Any) -> None:
        _put(self._senders, w)

    def take_receiver(self) -> Any:
        return _take(self._receivers, last=False)

    def take_sender(self) -> Any:
        return _take(self._senders, last=False)

    def take_last_receiver(self) -> Any:
        return _take(self._receivers, last=True)

    def take_last_sender(self) -> Any:
        return _take(self._senders, last=True)

    def drop_receiver(self, w: Any) -> bool:
        return _drop(self._receivers, w)

    def drop_sender(self, w: Any) -> bool:
        return _drop(self._senders, w)


class TimerArray(Guarded):
    """The entries of a heap: when, number, timer."""

    _entries: list[list[Any]]
    _grave: list[Any]
    _numbers = 0
    _first = 0
    _modified = 0
    _zombies = 0

    def __new__(cls, *_: Any, **__: Any) -> Self:
        self = super().__new__(cls)
        self._entries = []
        self._grave = []
        return self

    def size(self) -> int:
        return len(self._entries)

    def when_at(self, i: int) -> int:
        return int(self._entries[i][0])

    def set_when(self, i: int, when: int) -> None:
        self._entries[i][0] = when

    def timer_at(self, i: int) -> Any:
        return self._entries[i][2]

    def before(self, i: int, j: int) -> bool:
        return bool(self._entries[i][:2] < self._entries[j][:2])

    def swap(self, i: int, j: int) -> None:
        self._entries[i], self._entries[j] = self._entries[j], self._entries[i]

    def push_entry(self, when: int, timer: Any) -> None:
        self._numbers += 1
        self._entries.append([when, self._numbers, timer])

    def pop_entry(self) -> Any:
        return self._entries.pop()[2]

    def bury_last(self) -> None:
        """The last leaves the heap; its reference is kept until it can be dropped without the lock."""
        self._grave.append(self.pop_entry())

    def take_buried(self) -> Any:
        return self._grave.pop(0) if self._grave else None

    def any_buried(self) -> bool:
        return bool(self._grave)

    def first(self) -> int:
        point()
        return self._first

    def set_first(self, when: int) -> None:
        point()
        self._first = when

    def modified(self) -> int:
        point()
        return self._modified

    def set_modified(self, when: int) -> None:
        point()
        self._modified = when

    def swap_modified(self, old: int, when: int) -> bool:
        point()
        with self._atom:
            if self._modified != old:
                return False
            self._modified = when
            return True

    def wake_time(self) -> int:
        """When somebody must run the heap, or 0. `modified` is read first: who clears it has made `first` cover it before."""
        modified = self.modified()
        first = self.first()
        if modified == 0 or (first != 0 and first < modified):
            return first
        return modified

    def zombies(self) -> int:
        return self._zombies

    def add_zombies(self, delta: int) -> None:
        point()
        with self._atom:
            self._zombies += delta
