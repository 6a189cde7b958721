"""WaitGroup: waits for a collection of goroutines to finish.

The counter is one atomic word; the queue's lock guards the waiters. A waiter leaves the queue by the goroutine that brings the counter to zero, or
by itself when it is ended or timed out. Who comes to wait queues first and reads the counter then; who counts down reads the queue afterwards: one
of them sees the other. Goroutines are readied with no lock held.

Misuse is what Go calls so: counting below zero; counting up from zero while goroutines still wait; counting up before those that were released have
returned from the wait.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from gosched.errors import Goexit, SyncError, no_runtime

from .g import Goroutine, Watcher
from .native import ThreadWords, current_m
from .op import Op
from .park import begin_wait
from .queues import Queue
from .signals import Parked
from .spawn import spawn
from .states import RETURNED, RUNNING, W_WAITGROUP

if TYPE_CHECKING:
    from .m import M


class GroupCounter(Watcher):
    """The hot part of gosched.WaitGroup."""

    def __init__(self) -> None:
        self.queue = Queue()

    def add(self, delta: int = 1) -> None:
        """Adds delta, which may be negative, to the counter. At zero every waiter goes on; below it: SyncError."""
        if type(delta) is not int:
            raise TypeError(f"WaitGroup.add(): delta must be an int, not {type(delta).__name__}")
        self.count(delta)

    def count(self, delta: int) -> None:
        counter = self.queue.add_count(delta)
        if counter == 0:
            if self.queue.waiting() != 0:
                self.wake_all()
        elif counter < 0:
            self.queue.add_count(-delta)
            raise SyncError("sync: negative WaitGroup counter")
        elif counter == delta and self.queue.waiting() != 0:
            raise SyncError("sync: WaitGroup misuse: Add called concurrently with Wait")

    def done(self) -> None:
        """One of them is finished."""
        self.count(-1)

    def go(self, fn: Callable[..., object] | Coroutine[Any, Any, object], /, *args: Any) -> Goroutine:
        """Starts a goroutine that counts: add(1) now, done() when it returns."""
        m: M | None = current_m()
        if m is None:
            raise no_runtime("WaitGroup.go()", "run(main)")
        return spawn(m, fn, args, None, self)

    def note_start(self) -> None:
        self.queue.add_count(1)

    def note_end(self, g: Goroutine, outcome: int, value: Any) -> None:
        """As in Go, a goroutine that ends by an exception does not count as done: the program ends. One that ends by Goexit does."""
        if outcome == RETURNED or isinstance(value, Goexit):
            self.count(-1)
        else:
            m: M = current_m()
            m.sched.host.failed(g, value)

    def wake_all(self) -> None:
        self.queue.acquire()
        if self.queue.count() == 0:  # race: we brought it to zero long ago; since then there were an add() and a wait
            self.queue.win_all()
        self.queue.release()
        self.queue.ready_won()

    def __await__(self) -> GroupWait:
        return self.new_wait()

    def new_wait(self) -> GroupWait:
        op = GroupWait.__new__(GroupWait)
        op.group = self
        op.waiting = False
        return op

    def wait_as(self, g: Goroutine) -> object:
        if self.queue.count() == 0:
            return None
        begin_wait(g, W_WAITGROUP, self)
        self.queue.acquire()
        self.queue.put_waiter(g)
        self.queue.release()
        if self.queue.count() == 0 and self.take_out(g):  # race: the last done() came before it could see us in the queue
            g.set_state(RUNNING)
            return None
        return Parked

    def take_out(self, g: Goroutine) -> bool:
        """False: a waker has taken g out already."""
        self.queue.acquire()
        left = self.queue.drop_waiter(g) and g.win()
        self.queue.release()
        return left

    def withdraw(self, g: Goroutine) -> None:
        """g was woken by something else: it does not stay in the queue."""
        self.queue.withdraw(g)

    def through(self) -> None:
        """A waiter returns."""
        if self.queue.count() != 0:
            raise SyncError("sync: WaitGroup is reused before previous Wait has returned")

    def __repr__(self) -> str:
        return f"<WaitGroup counter={self.queue.count()} waiters={self.queue.waiting()}>"


class GroupWait(Op):
    """One wait for a group."""

    group: GroupCounter

    def what(self) -> str:
        return "wg"

    def name(self) -> str:
        return "WaitGroup.wait"

    def begin(self, who: ThreadWords) -> object:
        return self.group.wait_as(who.held())

    def leave(self, g: Goroutine) -> None:
        self.group.withdraw(g)

    def judge(self, answer: object) -> None:
        self.group.through()
