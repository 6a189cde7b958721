"""Timers: a heap per P, lazily repaired. No thread sleeps for a timer; the M that polls does, until the earliest of all.

A timer has a lock, a heap has a lock; the order is heap before timer. Fields of a timer (when, period, zombie, seq) change under its own lock;
an entry of a heap, and `heap` and `placed` (what the entry says) of a timer, under both.

    start, reset    any thread: sets `when`. In a heap already: only a hint in `modified` if it is to fire earlier than its entry says; the entry is
                    put right when somebody runs the heap. In none: inserted into the heap of the caller's P
    stop            any thread: `when` is 0, the entry a zombie
    run_timers      the owner of the P, or a thief in its last pass: fires what is due, with no lock held; takes zombies from the top, puts entries
                    right that have another `when` than their timer. All entries when `modified` is due or when a quarter are zombies (adjust)

Who adds an entry that is earlier than all before reads afterwards whether somebody polls. Until later: it is woken. Nobody: an M is woken instead,
which looks at all heaps on its way to sleep and, if somebody polls by then, wakes that one (findrun.rest). So a timer that is set between somebody's
look at the heaps and its sleep is not late.

`fire` is called in the runtime, and starts or readies goroutines: they stand in m.late until the M has run the heap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .events import E_TIMERS
from .native import LockedWaiter, TimerArray, current_m, now
from .park import ready
from .signals import TimedOut
from .states import END_OF_TIME, HEAP_ARITY
from .wake import wake_poller

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M
    from .p import P
    from .sched import Scheduler

INSERT, EARLIER = 1, 2


def next_tick(when: int, period: int, at: int) -> int:
    """The first time after `at` in the phase of `when`; missed ticks are left out."""
    missed = (at - when) // period
    if missed >= (END_OF_TIME - when) // period:
        return END_OF_TIME
    return when + period * (1 + missed)


def clock(s: Scheduler) -> int:
    """The runtime's clock, in ns."""
    return int(s.host.now()) if s.virtual else now()


class Timer(LockedWaiter):
    """`when` 0: not set. What it does is the subclass's."""

    def __init__(self, sched: Scheduler | None) -> None:
        self.sched: Scheduler = sched  # type: ignore[assignment]  # None for a thread's wait, which has no time of its own
        self.when = 0
        self.period = 0
        self.seq = 0
        self.placed = 0
        self.in_flight = 0
        self.zombie = False
        self.lazy = False
        self.heap: TimerHeap | None = None

    def fire(self, when: int, seq: int) -> None:
        """It was due at `when`, and has not been set again since `seq`."""
        raise NotImplementedError

    def run_late(self) -> None:
        """Somebody comes to receive from its channel (timechan.py)."""

    def block(self) -> None:
        """Somebody waits on its channel."""

    def unblock(self) -> None:
        """And no longer does."""

    def set_time(self, when: int, period: int) -> bool:
        """(Re)starts it. True: it was pending."""
        self.acquire()
        pending = self.when != 0
        self.when = when
        self.period = period
        self.seq += 1
        todo = self.place()
        self.release()
        self.settle(todo)
        return pending

    def place(self) -> int:
        """Lock held, `when` new: what is left to do without it."""
        if self.lazy:
            return 0
        if self.heap is None:
            return INSERT
        if self.zombie:
            self.zombie = False
            self.heap.add_zombies(-1)
        return EARLIER if self.when < self.placed and self.heap.hint(self.when) else 0

    def settle(self, todo: int) -> None:
        if todo == INSERT:
            heap_here(self.sched).insert(self)
        elif todo == EARLIER:
            wake_poller(self.sched, self.when)

    def clear_time(self) -> bool:
        """Stops it. True: it was pending."""
        self.acquire()
        pending = self.when != 0
        self.when = 0
        self.seq += 1
        self.bury()
        self.release()
        return pending

    def bury(self) -> None:
        """Lock held: its entry, if it has one, is of no use any more."""
        if self.heap is not None and not self.zombie:
            self.zombie = True
            self.heap.add_zombies(1)


class TimerHeap(TimerArray):
    """The timers of a P. `first` is the time of the top entry, `modified` the earliest time that is in no entry yet; 0: none."""

    def crowded(self) -> bool:
        """A quarter are zombies."""
        return 4 * self.zombies() > self.size()

    def hint(self, when: int) -> bool:
        """An entry will be due earlier than it says. True if this is news to who polls."""
        while True:
            old = self.modified()
            if old != 0 and old <= when:
                return False
            if self.swap_modified(old, when):
                return True

    def insert(self, t: Timer) -> None:
        self.acquire()
        if self.crowded():
            self.adjust()
        t.acquire()
        top = False
        when = t.when
        if when != 0 and t.heap is None and not t.lazy:  # race: another thread has inserted it, or stopped it, since it was set
            self.push_entry(when, t)
            t.placed = when
            t.heap = self
            top = self.sift_up(self.size() - 1) == 0
            self.set_first(self.when_at(0))
        t.release()
        self.release()
        self.drop_buried()
        if top:
            wake_poller(t.sched, when)

    def sift_up(self, i: int) -> int:
        """Where it ends up."""
        while i > 0:
            parent = (i - 1) // HEAP_ARITY
            if not self.before(i, parent):
                break
            self.swap(i, parent)
            i = parent
        return i

    def sift_down(self, i: int) -> None:
        n = self.size()
        while True:
            child = i * HEAP_ARITY + 1
            if child >= n:
                return
            best = child
            for c in range(child + 1, min(child + HEAP_ARITY, n)):
                if self.before(c, best):
                    best = c
            if not self.before(best, i):
                return
            self.swap(best, i)
            i = best

    def pop_top(self) -> Timer:
        """The array's reference to it is the caller's."""
        self.swap(0, self.size() - 1)
        t: Timer = self.pop_entry()
        if self.size() != 0:
            self.sift_down(0)
        return t

    def refresh(self) -> None:
        """Lock held: `first` as it is now."""
        self.set_first(0 if self.size() == 0 else self.when_at(0))

    def adjust(self) -> None:
        """Lock held: every entry says what its timer says, zombies are buried."""
        modified = self.modified()
        if modified != 0 and (self.first() == 0 or modified < self.first()):
            self.set_first(modified)
        self.set_modified(0)
        i = 0
        while i < self.size():
            t: Timer = self.timer_at(i)
            t.acquire()
            if t.zombie:
                self.unlink(t)
                self.swap(i, self.size() - 1)
                self.bury_last()
            else:
                if t.when != self.when_at(i):
                    t.placed = t.when
                    self.set_when(i, t.when)
                i += 1
            t.release()
        for j in range((self.size() - 2) // HEAP_ARITY, -1, -1):
            self.sift_down(j)
        self.refresh()

    def tidy(self) -> None:
        self.acquire()
        self.adjust()
        self.release()
        self.drop_buried()

    def drop_buried(self) -> None:
        """Without the lock: the last reference to a timer may go here, and what it refers to."""
        while self.any_buried():
            self.next_buried()

    def next_buried(self) -> Timer | None:
        self.acquire()
        t: Timer | None = self.take_buried()
        self.release()
        return t

    def unlink(self, t: Timer) -> None:
        """Both locks held."""
        t.heap = None
        if t.zombie:
            t.zombie = False
            self.add_zombies(-1)

    def take_any(self) -> Timer | None:
        """Takes one out, whatever its time; None if there is none."""
        t: Timer | None = None
        self.acquire()
        if self.size() != 0:
            t = self.pop_top()
            t.acquire()
            self.unlink(t)
            t.release()
        self.refresh()
        self.release()
        return t

    def run_due(self, at: int) -> bool:
        """Fires what is due at `at`. True if anything was."""
        ran = False
        self.acquire()
        modified = self.modified()
        if (modified != 0 and modified <= at) or self.crowded():
            self.adjust()
        while self.size() != 0:
            t: Timer = self.timer_at(0)
            t.acquire()
            if t.zombie:
                self.unlink(t)
                t.release()
                self.swap(0, self.size() - 1)
                self.bury_last()
                if self.size() != 0:
                    self.sift_down(0)
                continue
            when = t.when
            if when != self.when_at(0):  # race: it was reset since its entry was made
                t.placed = when
                self.set_when(0, when)
                t.release()
                self.sift_down(0)
                continue
            if when > at:
                t.release()
                break
            if t.period > 0:
                t.when = next_tick(when, t.period, at)
                t.placed = t.when
                self.set_when(0, t.when)
                seq = t.seq
                t.in_flight = seq
                t.release()
                self.sift_down(0)
            else:
                t.when = 0
                self.unlink(t)
                seq = t.seq
                t.in_flight = seq
                t.release()
                self.pop_top()
            self.refresh()
            self.release()
            ran = True
            t.fire(when, seq)
            t = None  # type: ignore[assignment]  # this may have been the last reference: not under the lock
            self.acquire()
        self.refresh()
        self.release()
        self.drop_buried()
        return ran


def heap_here(s: Scheduler) -> TimerHeap:
    """The heap of the caller's P, or of any P of s for a caller that has none of its."""
    m: M | None = current_m()
    if m is not None and m.sched is s and m.p is not None and m.p.id < s.nproc:
        return m.p.timers
    p: P = s.allp[0]
    return p.timers


def run_timers(m: M, p: P) -> bool:
    """Fires what is due in p's heap. True if there are new goroutines in m.late."""
    heap: TimerHeap = p.timers
    when = heap.wake_time()
    if when == 0 and not heap.crowded():
        return False
    at = clock(m.sched)
    if when > at and not heap.crowded():
        return False
    if m.trail is not None:
        m.trail.tell1(m.who, E_TIMERS, p.id)
    return heap.run_due(at) and m.any_late()


def move_timers(dead: P, alive: P) -> None:
    """gomaxprocs went down: the timers of a P that is dead go to another."""
    source: TimerHeap = dead.timers
    target: TimerHeap = alive.timers
    t = source.take_any()
    while t is not None:
        target.insert(t)
        t = source.take_any()


def any_timer(s: Scheduler) -> bool:
    """Is one set, of all that are in heaps?"""
    n = 0
    for p in s.allp:
        heap: TimerHeap = p.timers
        n += heap.size() - heap.zombies()
    return n > 0


def bury_zombies(s: Scheduler) -> None:
    """No timer is set: none is left in a heap, for whose time somebody would poll."""
    for p in s.allp:
        heap: TimerHeap = p.timers
        if heap.zombies() != 0:
            heap.tidy()


def earliest(s: Scheduler) -> int:
    """The time of the earliest timer of all Ps, or 0."""
    first = 0
    for p in s.allp:
        when = p.timers.wake_time()
        if when != 0 and (first == 0 or when < first):
            first = when
    return first


class WakeTimer(Timer):
    """Ends one wait of one goroutine: by its time, or by a cancellation that it was put into (interrupt.py)."""

    def __init__(self, sched: Scheduler | None, g: Goroutine) -> None:
        super().__init__(sched)
        self.g = g
        self.armed = True
        self.g.guarded = True

    def fire(self, when: int, seq: int) -> None:
        self.finish(TimedOut)

    def finish(self, answer: object) -> None:
        self.acquire()
        won = self.armed and self.g.win()  # race: the goroutine is through, and has begun another wait
        self.release()
        if won:
            self.g.take_inbox()
            self.g.set_inbox(answer)
            ready(self.g)

    def disarm(self) -> None:
        """By the goroutine, after the wait: from here on it wakes nobody."""
        self.acquire()
        self.armed = False
        self.release()
        self.g.guarded = False
        self.clear_time()
