"""The words that threads share, in Python: the twin of native.pyx.

It serves two readers. Without a compiler (or with GOSCHED_PURE=1) it is what runs: every method that C does with one atomic instruction is one
critical section of the object's own lock here. And it is the text that the interleaving explorer checks: with `explorer` set, each of these methods
first asks it who goes on, and waits become its decision. So the ring (purering.py) is written as C has it, with head, tail and compare-and-swap,
although a deque would do: its races are the real ones.

Nothing here is policy. A goroutine in a queue stands for the runtime's one reference to it; Python counts for itself, so own and disown are empty.

Limit of this build: a `__del__` that the collector runs in the middle of one of these methods, and that uses the very object whose lock is held,
waits for itself. The compiled build runs no Python there.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Any, Self

from . import purepoints
from .purepoints import current_m, point, set_current_m
from .purequeues import ChannelWords, CountedQueue, Guarded, LockedWaiter, LockQueue, TimerArray, Waiter, WaitQueue
from .purering import RunQueue
from .purewatch import Pulse, Watch
from .states import PARKED, PARKING

# The ring and the queues of waiters have modules of their own; the compiled twin has it all in one.
__all__ = [
    "ChannelWords",
    "CountedQueue",
    "Guarded",
    "LockQueue",
    "LockedWaiter",
    "RunQueue",
    "TimerArray",
    "WaitQueue",
    "Waiter",
    "current_m",
    "set_current_m",
]

GLANCE = 500_000_000


class StateWord(Waiter):
    """Made by __new__ alone, as the compiled one is: a goroutine is filled in field by field."""

    _atom: threading.Lock
    _word: int
    _list: GoroutineList | None
    _code: Any
    _lasti: int
    _open: bool
    _inbox: Any
    _fetches: bool
    since: int
    _on: Any
    guarded: bool

    def __new__(cls, *_: Any, **__: Any) -> Self:
        self = super().__new__(cls)
        self._atom = threading.Lock()
        self._word = 0
        self._list = None
        self._code = None
        self._lasti = -1
        self._open = False
        self._inbox = None
        self._fetches = False
        self.since = 0
        self._on = None
        self.guarded = False
        return self

    def open_wait(self) -> None:
        self._open = True

    def win(self) -> bool:
        point()
        with self._atom:
            if not self._open:  # race: somebody else has woken this goroutine, or it gave up
                return False
            self._open = False
            self._on = None
            return True

    def wait_on(self, on: Any) -> None:
        """What it waits on; let go with the wait."""
        self._on = on

    def waits_on(self) -> Any:
        return self._on

    def sleeps(self) -> bool:
        """It waits, and nobody has won its wait."""
        return self._word == PARKED and self._open

    def win_wait(self) -> bool:
        return self.win()

    def hand(self, value: Any) -> None:
        self._inbox = value

    def sent(self) -> Any:
        return self.take_inbox()

    def set_inbox(self, value: Any) -> None:
        self._inbox = value

    def take_inbox(self) -> Any:
        value, self._inbox = self._inbox, None
        return value

    def take_answer(self) -> Any:
        """What to resume with: None if who waits fetches it."""
        return None if self._fetches else self.take_inbox()

    def fetch_later(self) -> None:
        self._fetches = True

    def fetch(self) -> Any:
        self._fetches = False
        return self.take_inbox()

    def take_caller(self, m: ThreadWords) -> None:
        """Where this goroutine is started from, as look_at_caller saw it."""
        self._code, self._lasti = m.code, m.lasti

    def listed(self) -> bool:
        """A goroutine of a scheduler; not the stand-in of a thread."""
        return self._list is not None

    def belongs_to(self, m: ThreadWords) -> bool:
        """A goroutine of m's scheduler."""
        return self._list is not None and self._list.owner is m.owner

    def caller_code(self) -> Any:
        return self._code

    def caller_lasti(self) -> int:
        return self._lasti

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


class SchedulerWords(Guarded, Watch):
    def __init__(self) -> None:
        Guarded.__init__(self)
        Watch.__init__(self, Note())
        self._global: deque[Any] = deque()
        self._spinning = self._idle_ps = self._phase = self._last_poll = self._poll_until = self._net_waiters = 0
        self._net_claimed = False
        self._need_spinning = self._resizing = False

    def free_locks(self) -> None:
        """In a forked child: who held them does not exist here."""
        self._atom, self._mutex = threading.Lock(), threading.Lock()

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

    def fence(self) -> None:
        point()

    def try_resizing(self) -> bool:
        point()
        with self._atom:
            if self._resizing:
                return False
            self._resizing = True
            return True

    def end_resizing(self) -> None:
        point()
        self._resizing = False

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

    def move_last_poll(self, old: int, new: int) -> bool:
        point()
        with self._atom:
            if self._last_poll != old:
                return False
            self._last_poll = new
            return True

    def add_net_waiters(self, n: int) -> None:
        point()
        with self._atom:
            self._net_waiters += n

    def net_waiters(self) -> int:
        point()
        return self._net_waiters

    def claim_net(self) -> bool:
        """To look at the netpoller: one at a time."""
        point()
        with self._atom:
            claimed, self._net_claimed = self._net_claimed, True
            return not claimed

    def unclaim_net(self) -> None:
        point()
        self._net_claimed = False

    def set_poll_until(self, value: int) -> None:
        point()
        self._poll_until = value

    def poll_until(self) -> int:
        point()
        return self._poll_until

    def global_size(self) -> int:
        point()
        return len(self._global)

    def global_at(self, i: int) -> Any:
        try:
            return self._global[i]
        except IndexError:
            return None

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
        if purepoints.explorer is not None:
            return purepoints.explorer.wait(lambda: self._woken, until >= 0)
        with self._bell:
            if until < 0:
                self._bell.wait_for(lambda: self._woken)
            else:
                self._bell.wait_for(lambda: self._woken, max(0, until - now()) / 1e9)
            return self._woken


class ThreadWords(Pulse):
    def __init__(self) -> None:
        super().__init__()
        self._atom = threading.Lock()
        self._running: Any = None
        self._note = Note()
        self._napping = False
        self._late: deque[Any] = deque()
        self._guests: deque[Any] = deque()
        self._token: Any = None
        self.outcome = 0
        self.goid = self.realm = 0
        self.code: Any = None
        self.lasti = -1
        self.adopted: Any = None
        self.owner: Any = None

    def set_owner(self, owner: Any) -> None:
        """The scheduler, to be compared without counting a reference that all threads share."""
        self.owner = owner

    def set_token(self, p: RunQueue) -> None:
        self._token = p

    def publish_p(self) -> None:
        point()
        self._userp = self._token

    def take_back_p(self) -> bool:
        point()
        with self._atom:
            had, self._userp = self._userp, None  # race: from here on a retaker finds nothing
            return had is not None

    def retake_p(self, p: RunQueue) -> bool:
        point()
        with self._atom:
            if self._userp is not p:  # race: its M came back into the runtime, and has its P in hand
                return False
            self._userp = None
            return True

    def lost_p(self) -> bool:
        return self._userp is None

    def hold(self, g: Any) -> None:
        self._running = g

    def begin_wait(self, reason: int, on: Any) -> None:
        """The goroutine that runs here can be woken, as soon as a waker can find it: park.begin_wait without counting a reference."""
        self._running.reason = reason
        self._running.wait_on(on)
        self._running.set_state(PARKING)
        self._running.open_wait()

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

    def watch_note(self, ns: int) -> bool:
        """For at most ns, without the kernel: Python's own locks leave no choice."""
        return False

    def sleep_note(self, until: int) -> bool:
        self._napping = True
        woken = self._note.sleep(until)
        self._napping = False
        return woken

    def naps(self) -> bool:
        """In sleep_note, where no Python runs but that of the wait itself."""
        return self._napping

    def doze(self, until: int) -> bool:
        """As sleep_note, on a thread that is not the runtime's. A signal that arrives just before it falls asleep is handled when it wakes: it does,
        from time to time."""
        while purepoints.explorer is None and (until < 0 or until - now() > GLANCE):
            if self._note.sleep(now() + GLANCE):
                return True
        return self._note.sleep(until)

    def holds(self, g: Any) -> bool:
        return self._running is g

    def guest_put(self, g: Any) -> None:
        self._guests.append(g)

    def guest_take(self) -> Any:
        return self._guests.popleft() if self._guests else None

    def any_guests(self) -> bool:
        point()
        return bool(self._guests)

    def late_put(self, g: Any) -> None:
        self._late.append(g)

    def late_take(self) -> Any:
        return self._late.popleft() if self._late else None

    def has_adopted(self) -> bool:
        return self.adopted is not None

    def take_adopted(self) -> Any:
        context, self.adopted = self.adopted, None
        return context

    def any_late(self) -> bool:
        return bool(self._late)


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


def now() -> int:
    return time.monotonic_ns()


def nap(ns: int) -> None:
    if purepoints.explorer is None:
        time.sleep(ns / 1e9)
    else:
        purepoints.explorer.point()


def address(x: object) -> int:
    """What puts objects into one order for all threads."""
    return id(x)


def method_function(method: Any) -> Any:
    """The function of a bound method; None for anything else."""
    return getattr(method, "__func__", None)


def method_self(method: Any) -> Any:
    return method.__self__


def immortal(x: Any) -> Any:
    """x, which all threads may use from now on without counting."""
    return x


class Awaitable:
    """What an operation that is awaited has: what it is done to, a value. Compiled, it can be reused, and end with a value (native.pyx)."""

    waiting: bool
    iterates: bool
    _parts: tuple[Any, Any]

    def fill(self, subject: Any, value: Any) -> None:
        self.waiting = False
        self._parts = subject, value

    def subject(self) -> Any:
        return self._parts[0]

    def value(self) -> Any:
        return self._parts[1]


def pooled(kind: type, number: int) -> None:
    """In Python each is made anew."""


def spare_op(kind: int) -> Any:
    return None


def drop_spares() -> None:
    pass


def ends_with_value(kind: type, waits: object) -> None:
    """In Python a raise does it."""


def share_anext(child: type, parent: type) -> None:
    """In Python it is looked up."""
