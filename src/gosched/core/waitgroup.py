"""WaitGroup: waits for a collection of goroutines to finish.

The counter is one atomic word; the queue's lock guards the waiters. A waiter is made by `await`, queued when the counter is not zero, and leaves
the queue by the goroutine that brings the counter to zero, or by its own when it is ended meanwhile. Who comes to wait queues first and reads the
counter then; who counts down reads the queue afterwards: one of them sees the other. Goroutines are readied with no lock held.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from typing import TYPE_CHECKING, Any

from gosched.errors import Goexit, SyncError, no_runtime

from .entry import enter_runtime, leave_runtime
from .g import Goroutine, Watcher
from .native import CountedQueue, Waiter, current_m
from .park import ready
from .spawn import spawn
from .states import PARKING, RETRY, RETURNED, RUNNING, W_WAITGROUP

if TYPE_CHECKING:
    from .m import M


class WaitGroup(Watcher):
    """Waits for a collection of goroutines to finish, as Go's sync.WaitGroup.

    >>> import gosched
    >>> async def work(results, i):
    ...     results.append(i * i)
    >>> async def main():
    ...     wg, results = gosched.WaitGroup(), []
    ...     for i in range(3):
    ...         wg.go(work, results, i)
    ...     await wg
    ...     return sorted(results)
    >>> gosched.run(main)
    [0, 1, 4]
    """

    def __init__(self) -> None:
        self.queue = CountedQueue()

    def add(self, delta: int = 1) -> None:
        """Adds delta, which may be negative, to the counter. At zero every waiter goes on; below it: SyncError."""
        counter = self.queue.add_count(delta)
        if counter == 0:
            if self.queue.waiting() != 0:
                self.wake_all()
        elif counter < 0:
            self.queue.add_count(-delta)
            raise SyncError("sync: negative WaitGroup counter")

    def done(self) -> None:
        """One of them is finished."""
        self.add(-1)

    def go(self, fn: Callable[..., object] | Coroutine[Any, Any, object], /, *args: Any) -> Goroutine:
        """Starts a goroutine that counts: add(1) now, done() when it returns."""
        m: M | None = current_m()
        if m is None:
            raise no_runtime("WaitGroup.go()", "run(main)")
        return spawn(m, fn, args, None, self)

    def await_(self) -> WaitGroupWait:
        """Waits until the counter is zero: `await wg.await_()`, or `await wg`."""
        return WaitGroupWait(self)

    def __await__(self) -> Generator[Any, Any, None]:
        return WaitGroupWait(self)  # type: ignore[return-value]

    def goroutine_starts(self) -> None:
        self.queue.add_count(1)

    def goroutine_done(self, g: Goroutine, outcome: int, value: Any) -> None:
        """As in Go, a goroutine that ends by an exception does not count as done: the program ends. One that ends by Goexit does."""
        if outcome == RETURNED or isinstance(value, Goexit):
            self.add(-1)
        else:
            m: M = current_m()
            m.sched.host.failed(g, value)

    def wake_all(self) -> None:
        waiter = self.first_waiter()
        while waiter is not None:
            waiter.woken = True
            ready(waiter.g)
            waiter = self.first_waiter()

    def first_waiter(self) -> WaitGroupWait | None:
        waiter: WaitGroupWait | None = None
        self.queue.acquire()
        if self.queue.count() == 0:  # race: we brought it to zero long ago; since then there were an add() and a wait
            waiter = self.queue.take_waiter()
        self.queue.release()
        return waiter

    def __repr__(self) -> str:
        return f"<WaitGroup counter={self.queue.count()} waiters={self.queue.waiting()}>"


class WaitGroupWait(Waiter):
    """One await of a WaitGroup."""

    def __init__(self, group: WaitGroup) -> None:
        super().__init__()
        self.group = group
        self.g: Goroutine = None  # type: ignore[assignment]  # until it waits
        self.woken = False

    def __await__(self) -> Generator[Any, Any, None]:
        return self  # type: ignore[return-value]

    def __iter__(self) -> WaitGroupWait:
        return self

    def __next__(self) -> None:
        if self.woken or not self.wait():
            raise StopIteration

    def wait(self) -> bool:
        """True: the goroutine yields now, queued here, or to try again because it has no P."""
        m: M | None = current_m()
        if m is None:
            raise no_runtime("await wg", "a goroutine: run(main), go(fn)")
        if self.group.queue.count() == 0:
            return False
        have = enter_runtime(m)
        self.g = m.held()
        self.g.set_state(PARKING if have else RETRY)
        if have:
            self.g.reason = W_WAITGROUP
            self.group.queue.acquire()
            self.group.queue.put_waiter(self)
            self.group.queue.release()
            if self.group.queue.count() == 0 and self.leave_queue():  # race: the last done() came before it could see us in the queue
                self.g.set_state(RUNNING)
                leave_runtime(m)
                return False
        leave_runtime(m)
        return True

    def leave_queue(self) -> bool:
        """False: a waker has taken us out already."""
        self.group.queue.acquire()
        left = self.group.queue.drop_waiter(self)
        self.group.queue.release()
        return left is not None

    def throw(self, error: BaseException, /) -> None:
        """The goroutine is ended, or cancelled, while it waits: nothing stays behind in the queue."""
        self.leave_queue()
        raise error
