"""Queues that sync objects are made of: for WaitGroup, RWMutex, Cond, Semaphore and Event.

Who wakes several at once wins all their waits under the lock and puts them aside (put_won); they are readied one by one afterwards, in the order of
their arrival: the last of them runs first, then the others in turn, as Go has it. A goroutine that comes to wait meanwhile is not among them.
"""

from __future__ import annotations

from gosched.errors import SyncError

from .g import Goroutine
from .native import CountedQueue
from .park import begin_wait, ready
from .signals import Parked
from .states import RUNNING, W_COND, W_EVENT, W_RLOCK, W_SEMAPHORE, W_WLOCK


class Queue(CountedQueue):
    """What they have in common. The count is a WaitGroup's."""

    def withdraw(self, g: Goroutine) -> None:
        """g was woken by something else."""
        self.acquire()
        self.drop_waiter(g)
        self.release()

    def win_first(self) -> bool:
        """Lock held: the first whose wait is won is put aside."""
        g: Goroutine | None = self.take_waiter()
        while g is not None and not g.win():  # race: its time is over
            g = self.take_waiter()
        if g is not None:
            self.put_won(g)
        return g is not None

    def win_all(self) -> None:
        while self.win_first():
            pass

    def ready_won(self) -> None:
        """After the lock."""
        g = self.next_won()
        while g is not None:
            ready(g)
            g = self.next_won()

    def next_won(self) -> Goroutine | None:
        self.acquire()
        g: Goroutine | None = self.take_won()
        self.release()
        return g


class EventCore(Queue):
    def __init__(self) -> None:
        self.happened = False

    def set(self) -> None:
        """It has happened: all who wait go on, and nobody waits any more."""
        self.acquire()
        self.happened = True
        self.win_all()
        self.release()
        self.ready_won()

    def is_set(self) -> bool:
        return self.happened

    def wait_for_it(self, g: Goroutine) -> object:
        self.acquire()
        if self.happened:
            self.release()
            return None
        begin_wait(g, W_EVENT, self)
        self.put_waiter(g)
        self.release()
        return Parked


class CondCore(Queue):
    """Go's notifyList: the queue is in the order of the tickets."""

    def enlist(self, g: Goroutine) -> object:
        """g waits from now on, and unlocks its mutex afterwards: a notification in between is not lost."""
        begin_wait(g, W_COND, self)
        self.acquire()
        self.put_waiter(g)
        self.release()
        return Parked

    def strike(self, g: Goroutine) -> None:
        """g could not unlock its mutex: it does not wait after all."""
        self.withdraw(g)
        g.win()
        g.set_state(RUNNING)

    def notify_first(self, n: int) -> None:
        """Wakes the n that wait longest; -1: all."""
        self.acquire()
        while n != 0 and self.win_first():
            n -= 1
        self.release()
        self.ready_won()


class SemaphoreCore(Queue):
    """Weighted, first come first served: who wants more than there is blocks those behind it, and so cannot starve."""

    def __init__(self, n: int) -> None:
        if type(n) is not int:
            raise TypeError(f"Semaphore(): n must be an int, not {type(n).__name__}")
        if n < 0:
            raise ValueError(f"Semaphore(): n must be 0 or more, not {n}")
        self.size = n
        self.free = n

    def take(self, n: int) -> bool:
        """Lock held."""
        if self.waiting() != 0 or n > self.free:
            return False
        self.free -= n
        return True

    def take_now(self, n: int) -> bool:
        self.acquire()
        taken = self.take(n)
        self.release()
        return taken

    def acquire_for(self, g: Goroutine, n: int) -> object:
        self.acquire()
        if self.take(n):
            self.release()
            return None
        begin_wait(g, W_SEMAPHORE, self)
        g.want = n
        self.put_waiter(g)
        self.release()
        return Parked

    def give_back(self, n: int) -> None:
        self.acquire()
        free = self.free + n
        if free > self.size:
            self.release()
            raise SyncError("semaphore: released more than held")
        self.free = free
        self.admit()
        self.release()
        self.ready_won()

    def admit(self) -> None:
        """Lock held: as many of the first as there is enough for."""
        g: Goroutine | None = self.first_waiter()
        while g is not None and g.want <= self.free:
            if self.win_first_only():
                self.free -= g.want
            g = self.first_waiter()

    def win_first_only(self) -> bool:
        """Lock held."""
        g: Goroutine = self.take_waiter()
        if not g.win():  # race: its time is over
            return False
        self.put_won(g)
        return True

    def leave(self, g: Goroutine) -> None:
        """g gives up; those behind it may want less."""
        self.acquire()
        self.drop_waiter(g)
        self.admit()
        self.release()
        self.ready_won()


class RWCore(Queue):
    """The part of an RWMutex between readers and the one writer that has the inner mutex. Readers queue while it is pending. It is
    the holder from then on, also while it waits for the readers before it."""

    def __init__(self) -> None:
        self.readers = 0
        self.pending = False
        self.writer: Goroutine | None = None

    def read_now(self) -> bool:
        self.acquire()
        free = not self.pending
        if free:
            self.readers += 1
        self.release()
        return free

    def read_for(self, g: Goroutine) -> object:
        self.acquire()
        if not self.pending:
            self.readers += 1
            self.release()
            return None
        begin_wait(g, W_RLOCK, self)
        self.put_waiter(g)
        self.release()
        return Parked

    def read_done(self) -> None:
        self.acquire()
        if self.readers == 0:
            self.release()
            raise SyncError("sync: RUnlock of unlocked RWMutex")
        self.readers -= 1
        writer = self.writer if self.readers == 0 else None
        won = writer is not None and writer.win()
        if won:
            self.writer = None
        self.release()
        if won:
            ready(writer)  # type: ignore[arg-type]

    def write_now(self) -> bool:
        """By who has the inner mutex."""
        self.acquire()
        free = self.readers == 0
        if free:
            self.pending = True
            self.note_holder()
        self.release()
        return free

    def write_for(self, g: Goroutine) -> object:
        """By who has the inner mutex: waits for the readers that are there."""
        self.acquire()
        self.pending = True
        self.note_holder()
        if self.readers == 0:
            self.release()
            return None
        begin_wait(g, W_WLOCK, self)
        self.writer = g
        self.release()
        return Parked

    def write_left(self, g: Goroutine) -> None:
        """The writer gives up, if it waits: its readers need not wait any longer."""
        self.acquire()
        if self.writer is g:
            self.writer = None
            self.pending = False
            self.drop_holder()
            self.admit()
        self.release()
        self.ready_won()

    def write_done(self) -> None:
        self.acquire()
        if not self.pending or self.readers != 0:
            self.release()
            raise SyncError("sync: Unlock of unlocked RWMutex")
        self.pending = False
        self.drop_holder()
        self.admit()
        self.release()
        self.ready_won()

    def admit(self) -> None:
        """Lock held: all readers that queue."""
        while self.win_first():
            self.readers += 1
