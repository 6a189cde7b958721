"""Sync objects: WaitGroup, Mutex, RWMutex, Cond, Semaphore, Event. Once and Pool are in once.py and pool.py.

Thin: core does the work. Misuse raises SyncError in Go's words.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from gosched.core.g import Goroutine
from gosched.core.interrupt import Cancellation, Shielded
from gosched.core.mutex import MutexCore
from gosched.core.queues import CondCore, EventCore, RWCore, SemaphoreCore
from gosched.core.signals import Parked
from gosched.core.waitgroup import GroupCounter
from gosched.errors import Goexit, SyncError
from gosched.spelling import Guard, block, block_op, iterate, returns_op, twin, wait, wait_op

Kind = type[BaseException] | None
Error = BaseException | None


class WaitGroup(GroupCounter):
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

    __slots__ = ()

    def wait(self, timeout: float | None = None, ctx: Cancellation | None = None) -> None:
        """Waits until the counter is zero."""
        block_op(self.new_wait(), Guard(timeout, ctx))

    @returns_op
    def await_(self, timeout: float | None = None, ctx: Cancellation | None = None) -> Any:
        """`wait`, awaited; `await wg` is short for it."""
        return self.new_wait() if timeout is None and ctx is None else wait_op(self.new_wait(), Guard(timeout, ctx))

    if TYPE_CHECKING:

        def __await__(self) -> Generator[Any, Any, None]: ...  # type: ignore[override]


class Locker(Protocol):
    """What a Cond needs of its mutex."""

    def lock(self) -> None: ...
    def alock(self) -> Coroutine[Any, Any, None]: ...
    def try_lock(self) -> bool: ...
    def unlock(self) -> None: ...


class Mutex(MutexCore):
    """Go's sync.Mutex, with its normal and its starvation mode. It has no owner: any goroutine may unlock it.

    >>> import gosched
    >>> async def main():
    ...     mutex, n = gosched.Mutex(), 0
    ...     async with mutex:
    ...         n += 1
    ...     return n, mutex.try_lock(), mutex.try_lock()
    >>> gosched.run(main)
    (1, True, False)
    """

    __slots__ = ()

    if TYPE_CHECKING:

        async def __aenter__(self) -> None: ...
        async def __aexit__(self, kind: Kind, error: Error, traceback: TracebackType | None) -> None: ...  # type: ignore[override]

    def lock(self, timeout: float | None = None, ctx: Cancellation | None = None) -> None:
        """Locks it; waits while it is locked."""
        guard = Guard(timeout, ctx)
        if not self.lock_at_once():
            block_op(self.new_lock(), guard)

    @returns_op
    def alock(self, timeout: float | None = None, ctx: Cancellation | None = None) -> Any:
        """`lock`, awaited."""
        return self.new_lock() if timeout is None and ctx is None else wait_op(self.new_lock(), Guard(timeout, ctx))

    def __enter__(self) -> None:
        self.lock()

    def __exit__(self, kind: Kind, error: Error, traceback: TracebackType | None) -> None:
        self.unlock()


class Held:
    """`with` and `async with` for what has lock, alock and unlock."""

    __slots__ = ()

    def __enter__(self: Locker) -> None:
        self.lock()

    def __exit__(self: Locker, kind: Kind, error: Error, traceback: TracebackType | None) -> None:
        self.unlock()

    async def __aenter__(self: Locker) -> None:
        await self.alock()

    async def __aexit__(self: Locker, kind: Kind, error: Error, traceback: TracebackType | None) -> None:
        self.unlock()


class RWMutex(RWCore, Held):
    """Go's sync.RWMutex: many readers or one writer. A writer that waits keeps new readers out; an unlocking one lets in all who queued.

    >>> import gosched
    >>> async def main():
    ...     m = gosched.RWMutex()
    ...     async with m.reader():
    ...         return m.try_rlock(), m.try_lock()
    >>> gosched.run(main)
    (True, False)
    """

    __slots__ = ("_writers",)

    def __init__(self) -> None:
        super().__init__()
        self._writers = Mutex()

    def lock(self, timeout: float | None = None, ctx: Cancellation | None = None) -> None:
        """For writing."""
        guard = Guard(timeout, ctx)
        block_op(self._writers.new_lock(), guard)
        try:
            block("RWMutex.lock", self.write_for, self.write_left, guard)
        except BaseException:
            self._writers.unlock()
            raise

    @twin
    def alock(self, timeout: float | None = None, ctx: Cancellation | None = None) -> Generator[Any, Any, None]:
        """`lock`, awaited."""
        guard = Guard(timeout, ctx)
        yield from wait_op(self._writers.new_lock(), guard)  # type: ignore[misc]
        try:
            yield from wait("RWMutex.lock", self.write_for, self.write_left, guard)  # type: ignore[misc]
        except BaseException:
            self._writers.unlock()
            raise

    def try_lock(self) -> bool:
        """For writing, if nobody reads or writes."""
        if not self._writers.try_lock():
            return False
        if self.write_now():
            return True
        self._writers.unlock()
        return False

    def unlock(self) -> None:
        """After writing: the readers that queue go first, then the next writer."""
        self.write_done()
        self._writers.unlock()

    def rlock(self, timeout: float | None = None, ctx: Cancellation | None = None) -> None:
        """For reading."""
        block("RWMutex.rlock", self.read_for, self.withdraw, Guard(timeout, ctx))

    @twin
    def arlock(self, timeout: float | None = None, ctx: Cancellation | None = None) -> Generator[Any, Any, None]:
        """`rlock`, awaited."""
        yield from wait("RWMutex.rlock", self.read_for, self.withdraw, Guard(timeout, ctx))  # type: ignore[misc]

    def try_rlock(self) -> bool:
        """For reading, if no writer has it or waits for it."""
        return bool(self.read_now())

    def runlock(self) -> None:
        """After reading."""
        self.read_done()

    def reader(self) -> Reader:
        """The read lock as an object with `lock`, `alock`, `unlock`, for `with` and for a Cond: Go's RLocker."""
        return Reader(self)


class Reader(Held):
    """What RWMutex.reader() returns."""

    __slots__ = ("alock", "lock", "try_lock", "unlock")

    def __init__(self, m: RWMutex) -> None:
        self.lock = m.rlock
        self.alock = m.arlock
        self.try_lock = m.try_rlock
        self.unlock = m.runlock


class Cond(CondCore):
    """Go's sync.Cond: goroutines that hold a mutex wait for a condition to change.

    >>> import gosched
    >>> async def main():
    ...     mutex, ready = gosched.Mutex(), []
    ...     cond = gosched.Cond(mutex)
    ...     async def set_it():
    ...         async with mutex:
    ...             ready.append(1)
    ...         cond.notify()
    ...     gosched.go(set_it)
    ...     async with mutex:
    ...         await cond.await_for(lambda: ready)
    ...     return ready
    >>> gosched.run(main)
    [1]
    """

    __slots__ = ("mutex",)

    def __init__(self, mutex: Locker) -> None:
        if not all(hasattr(mutex, name) for name in ("lock", "alock", "try_lock", "unlock")):
            raise TypeError(f"Cond() needs a Mutex, an RWMutex or its reader(), not {type(mutex).__name__}")
        self.mutex = mutex

    def wait(self, timeout: float | None = None, ctx: Cancellation | None = None) -> None:
        """Unlocks the mutex, waits for a notification, and locks it again, also before it raises (at the program's end only if it is free)."""
        self._wait(Guard(timeout, ctx))

    def _wait(self, guard: Guard) -> None:
        try:
            block("Cond.wait", self._start, self.withdraw, guard)
        except SyncError:
            raise
        except Goexit:
            self.mutex.try_lock()
            raise
        except BaseException:
            self._relock()
            raise
        self._relock()

    def _relock(self) -> None:
        """Whatever becomes of the wait, and of the goroutine's context: who waits on a Cond has the mutex afterwards."""
        if not self.mutex.try_lock():
            with Shielded():
                self.mutex.lock()

    @twin
    def await_(self, timeout: float | None = None, ctx: Cancellation | None = None) -> Generator[Any, Any, None]:
        """`wait`, awaited; `await cond` is short for it."""
        yield from self._await(Guard(timeout, ctx))  # type: ignore[misc]

    @twin
    def _await(self, guard: Guard) -> Generator[Any, Any, None]:
        try:
            yield from wait("Cond.wait", self._start, self.withdraw, guard)  # type: ignore[misc]
        except SyncError:
            raise
        except Goexit:
            self.mutex.try_lock()
            raise
        except BaseException:
            yield from self._alock_again()  # type: ignore[misc]
            raise
        yield from self._alock_again()  # type: ignore[misc]

    @twin
    def _alock_again(self) -> Generator[Any, Any, None]:
        if not self.mutex.try_lock():
            with Shielded():
                yield from self.mutex.alock()  # type: ignore[misc]

    def __await__(self) -> Generator[Any, Any, None]:
        return iterate(self.await_())

    def _start(self, g: Goroutine) -> object:
        self.enlist(g)
        try:
            self.mutex.unlock()
        except BaseException:
            self.strike(g)
            raise
        return Parked

    def wait_for(self, predicate: Callable[[], Any], timeout: float | None = None, ctx: Cancellation | None = None) -> Any:
        """Waits until predicate() is true, and returns what it gave."""
        guard = Guard(timeout, ctx)
        result = predicate()
        while not result:
            self._wait(guard)
            result = predicate()
        return result

    @twin
    def await_for(self, predicate: Callable[[], Any], timeout: float | None = None, ctx: Cancellation | None = None) -> Generator[Any, Any, Any]:
        """`wait_for`, awaited."""
        guard = Guard(timeout, ctx)
        result = predicate()
        while not result:
            yield from self._await(guard)  # type: ignore[misc]
            result = predicate()
        return result

    def notify(self, n: int = 1) -> None:
        """Wakes the goroutine that waits longest, or the first n. The mutex need not be held."""
        if not isinstance(n, int) or n < 0:
            raise ValueError(f"Cond.notify(): n must be an int, 0 or more, not {n!r}")
        self.notify_first(n)

    def notify_all(self) -> None:
        """Wakes all that wait now."""
        self.notify_first(-1)


class Semaphore:
    """A weighted semaphore, first come first served. `with` takes one.

    >>> import gosched
    >>> async def main():
    ...     sem = gosched.Semaphore(2)
    ...     async with sem:
    ...         return sem.try_acquire(), sem.try_acquire()
    >>> gosched.run(main)
    (True, False)
    """

    __slots__ = ("__weakref__", "_core")

    def __init__(self, n: int) -> None:
        self._core = SemaphoreCore(n)

    def acquire(self, n: int = 1, timeout: float | None = None, ctx: Cancellation | None = None) -> None:
        """Takes n, and waits until there are that many."""
        n = self._checked(n)
        block("Semaphore.acquire", lambda g: self._core.acquire_for(g, n), self._core.leave, Guard(timeout, ctx))

    @twin
    def aacquire(self, n: int = 1, timeout: float | None = None, ctx: Cancellation | None = None) -> Generator[Any, Any, None]:
        """`acquire`, awaited."""
        n = self._checked(n)
        guard = Guard(timeout, ctx)
        if not self._core.take_now(n):
            yield from wait("Semaphore.acquire", lambda g: self._core.acquire_for(g, n), self._core.leave, guard)  # type: ignore[misc]

    def try_acquire(self, n: int = 1) -> bool:
        """Takes n if they are there and nobody waits."""
        return bool(self._core.take_now(self._checked(n)))

    def release(self, n: int = 1) -> None:
        """Gives n back. More than are taken: SyncError."""
        self._core.give_back(self._checked(n))

    def _checked(self, n: int) -> int:
        if not isinstance(n, int) or isinstance(n, bool):
            raise TypeError(f"Semaphore: n must be an int, not {type(n).__name__}")
        if n < 0:
            raise ValueError(f"Semaphore: n must be 0 or more, not {n}")
        return n

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, kind: Kind, error: Error, traceback: TracebackType | None) -> None:
        self.release()

    async def __aenter__(self) -> None:
        await self.aacquire()

    async def __aexit__(self, kind: Kind, error: Error, traceback: TracebackType | None) -> None:
        self.release()


class Event(EventCore):
    """Something that happens once. Who waits goes on when it does, or at once if it has.

    >>> import gosched
    >>> async def main():
    ...     event = gosched.Event()
    ...     gosched.go(event.set)
    ...     await event
    ...     return event.is_set()
    >>> gosched.run(main)
    True
    """

    __slots__ = ()

    def wait(self, timeout: float | None = None, ctx: Cancellation | None = None) -> None:
        """Waits until it has happened."""
        block("Event.wait", self.wait_for_it, self.withdraw, Guard(timeout, ctx))

    @twin
    def await_(self, timeout: float | None = None, ctx: Cancellation | None = None) -> Generator[Any, Any, None]:
        """`wait`, awaited; `await event` is short for it."""
        yield from wait("Event.wait", self.wait_for_it, self.withdraw, Guard(timeout, ctx))  # type: ignore[misc]

    def __await__(self) -> Generator[Any, Any, None]:
        return iterate(self.await_())
