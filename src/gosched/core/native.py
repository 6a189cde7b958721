"""The words that threads share, in Python: the twin of native.pyx.

It serves two readers. Without a compiler (or with GOSCHED_PURE=1) it is what runs: every method that C does with one atomic instruction is one
critical section of the object's own lock here. And it is the text that the interleaving explorer checks: with `explorer` set, each of these methods
first asks it who goes on, and waits become its decision. So the ring below is written as C has it, with head, tail, slots and a compare-and-swap,
although a deque would do: its races are the real ones.

Nothing here is policy. A goroutine in a queue stands for the runtime's one reference to it; Python counts for itself, so own and disown are empty.

Limit of this build: a `__del__` that the collector runs in the middle of one of these methods, and that uses the very object whose lock is held,
waits for itself. The compiled build runs no Python there.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Any, Protocol, Self

from .callers import outside_frame
from .purebodies import call, copy_context, is_coroutine, is_coroutine_function, new_context, resume, throw

# What user code needs is in modules of its own; the compiled twin has it all in one.
__all__ = ["call", "copy_context", "is_coroutine", "is_coroutine_function", "new_context", "resume", "throw"]
MASK = 0xFFFFFFFF


class Explorer(Protocol):
    """Decides who goes on at every shared word."""

    def point(self) -> None: ...
    def wait(self, ready: Any, timed: bool) -> bool: ...
    def local(self) -> Any: ...


explorer: Explorer | None = None


def point() -> None:
    if explorer is not None:
        explorer.point()


class Guarded:
    __slots__ = ("_atom", "_mutex")

    def __init__(self) -> None:
        self._atom = threading.Lock()
        self._mutex = threading.Lock()

    def acquire(self) -> None:
        if explorer is None:
            self._mutex.acquire()
            return
        explorer.point()
        while not self._mutex.acquire(blocking=False):
            explorer.wait(lambda: not self._mutex.locked(), False)

    def release(self) -> None:
        self._mutex.release()
        point()


class StateWord:
    """Made by __new__ alone, as the compiled one is: a goroutine is filled in field by field."""

    _atom: threading.Lock
    _word: int
    _list: GoroutineList | None

    def __new__(cls) -> Self:
        self = super().__new__(cls)
        self._atom = threading.Lock()
        self._word = 0
        self._list = None
        return self

    def state_now(self) -> int:
        point()
        return self._word

    def set_state(self, value: int) -> None:
        point()
        with self._atom:
            self._word = value

    def swap_state(self, old: int, new: int) -> bool:
        point()
        with self._atom:
            if self._word != old:
                return False
            self._word = new
            return True


class GoroutineList(Guarded):
    __slots__ = ("_members", "owner")

    def __init__(self) -> None:
        super().__init__()
        self._members: dict[StateWord, None] = {}
        self.owner: Any = None

    def add(self, g: StateWord) -> None:
        self.acquire()
        g._list = self
        self._members[g] = None
        self.release()

    def remove(self, g: StateWord) -> None:
        self.acquire()
        del self._members[g]
        self.release()

    def count(self) -> int:
        return len(self._members)

    def snapshot(self) -> list[Any]:
        self.acquire()
        members = list(self._members)
        self.release()
        return members


class Waiter:
    __slots__ = ("_queue",)

    def __init__(self) -> None:
        self._queue: WaitQueue | None = None


class WaitQueue(Guarded):
    """Waiters in order of arrival. Every method but `waiting` needs the lock."""

    __slots__ = ("_waiters",)

    def __init__(self) -> None:
        super().__init__()
        self._waiters: dict[Waiter, None] = {}

    def waiting(self) -> int:
        point()
        return len(self._waiters)

    def put_waiter(self, w: Any) -> None:
        w._queue = self
        self._waiters[w] = None

    def take_waiter(self) -> Any:
        if not self._waiters:
            return None
        w = next(iter(self._waiters))
        return self.drop_waiter(w)

    def drop_waiter(self, w: Any) -> Any:
        if w._queue is not self:
            return None
        w._queue = None
        del self._waiters[w]
        return w


class CountedQueue(WaitQueue):
    """Waiters for a count."""

    __slots__ = ("_total",)

    def __init__(self) -> None:
        super().__init__()
        self._total = 0

    def add_count(self, delta: int) -> int:
        point()
        with self._atom:
            self._total += delta
            return self._total

    def count(self) -> int:
        point()
        return self._total


class RunQueue:
    """A P's queue: tail and slots belong to the owner, head moves by compare-and-swap, next is swapped."""

    __slots__ = ("_atom", "_capacity", "_head", "_next", "_slots", "_tail", "last_stolen")

    def __init__(self) -> None:
        self._atom = threading.Lock()
        self._head = self._tail = self._capacity = 0
        self._slots: list[Any] = []
        self._next: Any = None
        self.last_stolen = 0

    def open_ring(self, capacity: int) -> None:
        if capacity < 2 or capacity & (capacity - 1):
            raise ValueError(f"ring capacity must be a power of two, 2 or more, not {capacity}")
        self._capacity = capacity
        self._slots = [None] * capacity

    def push(self, g: Any) -> bool:
        point()
        tail = self._tail
        if (tail - self._head) & MASK >= self._capacity:
            return False
        self._slots[tail & (self._capacity - 1)] = g
        point()
        self._tail = (tail + 1) & MASK
        return True

    def _advance(self, head: int, n: int) -> bool:
        point()
        with self._atom:
            if self._head != head:
                return False
            self._head = (head + n) & MASK
            return True

    def pop(self) -> Any:
        while True:
            point()
            head = self._head
            if head == self._tail:
                return None
            g = self._slots[head & (self._capacity - 1)]
            if self._advance(head, 1):  # race: a thief took this slot between the read of head and now
                return g

    def swap_next(self, g: Any) -> Any:
        point()
        with self._atom:
            old, self._next = self._next, g
            return old

    def take_next(self) -> Any:
        point()
        g = self._next
        if g is None:
            return None
        point()
        with self._atom:
            if self._next is not g:  # race: the owner and a thief both saw this goroutine in next
                return None
            self._next = None
            return g

    def has_next(self) -> bool:
        point()
        return self._next is not None

    def ring_size(self) -> int:
        while True:
            point()
            head = self._head
            point()
            size = (self._tail - head) & MASK
            if size <= self._capacity:
                return size

    def queue_empty(self) -> bool:
        while True:
            point()
            head = self._head
            point()
            tail = self._tail
            point()
            following = self._next
            point()
            if tail == self._tail:  # race: a kick-out moved a goroutine from next to the tail between our two reads
                return head == tail and following is None

    def steal_from(self, victim: RunQueue) -> Any:
        self.last_stolen = 0
        while True:
            point()
            head = victim._head
            point()
            n = (victim._tail - head) & MASK
            n -= n // 2
            if n == 0:
                return None
            if n > victim._capacity // 2:
                continue
            tail = self._tail
            mask = self._capacity - 1
            for i in range(n):
                self._slots[(tail + i) & mask] = victim._slots[(head + i) & (victim._capacity - 1)]
            if not victim._advance(head, n):  # race: the owner or another thief has some of these by now
                continue
            self.last_stolen = n
            g = self._slots[(tail + n - 1) & mask]
            point()
            self._tail = (tail + n - 1) & MASK
            return g

    def spill_half(self, s: SchedulerWords, g: Any) -> bool:
        point()
        head = self._head
        if (self._tail - head) & MASK < self._capacity:
            return False
        half = self._capacity // 2
        batch = [self._slots[(head + i) & (self._capacity - 1)] for i in range(half)]
        if not self._advance(head, half):  # race: a thief took from the full ring, so it has room again
            return False
        s.acquire()
        s._global.extend(batch)
        s._global.append(g)
        s.release()
        return True

    def drain_to_front(self, s: SchedulerWords) -> None:
        waiting = [self.take_next()]
        while (g := self.pop()) is not None:
            waiting.append(g)
        for g in reversed(waiting):
            if g is not None:
                s.global_put_front(g)

    def spare_take(self) -> Any:
        return None

    def spare_put(self, g: Any) -> bool:
        return False


class SchedulerWords(Guarded):
    __slots__ = ("_global", "_idle_ps", "_last_poll", "_need_spinning", "_phase", "_poll_until", "_spinning")

    def __init__(self) -> None:
        super().__init__()
        self._global: deque[Any] = deque()
        self._spinning = self._idle_ps = self._phase = self._last_poll = self._poll_until = 0
        self._need_spinning = False

    def spinning(self) -> int:
        point()
        return self._spinning

    def add_spinning(self, delta: int) -> int:
        point()
        with self._atom:
            self._spinning += delta
            return self._spinning

    def claim_spinning(self) -> bool:
        point()
        with self._atom:
            if self._spinning:
                return False
            self._spinning = 1
            return True

    def idle_ps(self) -> int:
        point()
        return self._idle_ps

    def add_idle_ps(self, delta: int) -> int:
        point()
        with self._atom:
            self._idle_ps += delta
            return self._idle_ps

    def need_spinning(self) -> bool:
        point()
        return self._need_spinning

    def set_need_spinning(self, value: bool) -> None:
        point()
        self._need_spinning = value

    def phase(self) -> int:
        point()
        return self._phase

    def set_phase(self, value: int) -> None:
        point()
        self._phase = value

    def swap_last_poll(self, value: int) -> int:
        point()
        with self._atom:
            old, self._last_poll = self._last_poll, value
            return old

    def last_poll(self) -> int:
        point()
        return self._last_poll

    def set_poll_until(self, value: int) -> None:
        point()
        self._poll_until = value

    def poll_until(self) -> int:
        point()
        return self._poll_until

    def global_size(self) -> int:
        point()
        return len(self._global)

    def global_put(self, g: Any) -> None:
        self._global.append(g)

    def global_put_front(self, g: Any) -> None:
        self._global.appendleft(g)

    def global_take(self) -> Any:
        return self._global.popleft() if self._global else None

    def global_refill(self, p: RunQueue, n: int) -> None:
        while n > 0 and self._global:
            g = self._global.popleft()
            if not p.push(g):
                self._global.appendleft(g)
                return
            n -= 1


class Note:
    """One-shot event of one sleeper."""

    __slots__ = ("_bell", "_woken")

    def __init__(self) -> None:
        self._bell = threading.Condition(threading.Lock())
        self._woken = False

    def clear(self) -> None:
        point()
        self._woken = False

    def wake(self) -> None:
        point()
        with self._bell:
            self._woken = True
            self._bell.notify()

    def sleep(self, until: int) -> bool:
        if explorer is not None:
            return explorer.wait(lambda: self._woken, until >= 0)
        with self._bell:
            if until < 0:
                self._bell.wait_for(lambda: self._woken)
            else:
                self._bell.wait_for(lambda: self._woken, max(0, until - now()) / 1e9)
            return self._woken


class ThreadWords:
    __slots__ = ("_atom", "_late", "_note", "_running", "_userp", "lasti", "outcome")

    def __init__(self) -> None:
        self._atom = threading.Lock()
        self._userp: Any = None
        self._running: Any = None
        self._note = Note()
        self._late: deque[Any] = deque()
        self.outcome = 0
        self.lasti = -1

    def publish_p(self, p: RunQueue) -> None:
        point()
        self._userp = p

    def take_back_p(self) -> bool:
        point()
        with self._atom:
            had, self._userp = self._userp, None
            return had is not None

    def retake_p(self, p: RunQueue) -> bool:
        point()
        with self._atom:
            if self._userp is not p:  # race: its M came back into the runtime, and has its P in hand
                return False
            self._userp = None
            return True

    def hold(self, g: Any) -> None:
        self._running = g

    def let_go(self) -> None:
        self._running = None

    def busy(self) -> bool:
        return self._running is not None

    def held(self) -> Any:
        return self._running

    def clear_note(self) -> None:
        self._note.clear()

    def wake_note(self) -> None:
        self._note.wake()

    def sleep_note(self, until: int) -> bool:
        return self._note.sleep(until)

    def late_put(self, g: Any) -> None:
        self._late.append(g)

    def late_take(self) -> Any:
        return self._late.popleft() if self._late else None

    def any_late(self) -> bool:
        return bool(self._late)


_thread = threading.local()


def current_m() -> Any:
    return getattr(_thread if explorer is None else explorer.local(), "m", None)


def set_current_m(m: Any) -> None:
    """Makes m this thread's M; the caller keeps m alive as long as it is set."""
    (_thread if explorer is None else explorer.local()).m = m


def own(g: StateWord) -> None:
    pass


def disown(g: StateWord) -> None:
    pass


def shared(g: StateWord) -> bool:
    return True


def unlink(g: StateWord) -> None:
    """Takes g out of the list of all goroutines that it is in."""
    if g._list is not None:
        g._list.remove(g)


def list_of(g: StateWord) -> Any:
    return g._list


def caller(m: ThreadWords) -> Any:
    """The code of the Python frame that called, and in m.lasti the place in it."""
    frame = outside_frame()
    m.lasti = -1 if frame is None else frame.f_lasti
    return None if frame is None else frame.f_code


def now() -> int:
    return time.monotonic_ns()


def nap(ns: int) -> None:
    if explorer is None:
        time.sleep(ns / 1e9)
    else:
        explorer.point()
