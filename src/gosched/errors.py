"""The exceptions, as a tree.

    BaseException
      Goexit                      ends one goroutine quietly; thrown into the others when main is over
      Canceled                    the context was cancelled; ends a goroutine quietly, too
    Exception
      RuntimeError
        GoschedError
          DeadlockError           all goroutines are asleep
          ClosedChannelError      send on, or close of, a closed channel
            EndOfChannel          receive on a closed channel that has been drained
          SyncError               misuse of a sync object, in Go's words
          ThreadLimitError        more threads than the cap allows
      TimeoutError
        DeadlineExceeded          a `timeout=` was over, a context's deadline, or a connection's
      ConnectionError
        ClosedError               use of a connection, or of a listener, that was closed on this side
    ResourceWarning
      AbandonedThreadWarning      a thread stayed behind in a foreign call

Messages are built here and say what would do. Imports nothing of gosched: every layer may use it.
"""

from __future__ import annotations


class Goexit(BaseException):
    """Ends the goroutine that it passes through, and nothing else. `finally` blocks run; parking in one raises it again.

    >>> import gosched
    >>> async def work():
    ...     raise gosched.Goexit
    >>> async def main():
    ...     wg = gosched.WaitGroup()
    ...     wg.go(work)
    ...     await wg
    ...     return "the others go on"
    >>> gosched.run(main)
    'the others go on'
    """


class Canceled(BaseException):
    """The context was cancelled, and so ended the operation. No `except Exception` swallows it. `__cause__` is the cause, if one was given.

    >>> import gosched
    >>> async def main():
    ...     with gosched.with_cancel() as ctx:
    ...         ctx.cancel(ValueError("enough"))
    ...         try:
    ...             await gosched.Chan().arecv()
    ...         except gosched.Canceled as error:
    ...             return error, error.__cause__
    >>> gosched.run(main)
    (Canceled('context canceled'), ValueError('enough'))
    """


class GoschedError(RuntimeError):
    """What all errors of gosched itself have in common.

    >>> import gosched
    >>> try:
    ...     gosched.nil.close()
    ... except gosched.GoschedError as error:
    ...     print(error)
    close of nil channel
    """


class DeadlockError(GoschedError):
    """Every goroutine sleeps, and nothing can wake one. The text is a dump: who waits on what, since when, where.

    >>> import gosched
    >>> async def main():
    ...     await gosched.Chan().arecv()
    >>> try:
    ...     gosched.run(main)
    ... except gosched.DeadlockError as error:
    ...     print(str(error).splitlines()[0])
    all goroutines are asleep - deadlock!
    """


class SyncError(GoschedError):
    """Misuse of a sync object. The message is Go's.

    >>> import gosched
    >>> try:
    ...     gosched.Mutex().unlock()
    ... except gosched.SyncError as error:
    ...     print(error)
    sync: unlock of unlocked mutex
    """


class ClosedChannelError(GoschedError):
    """What cannot be done with a closed channel. `channel` is the one.

    >>> import gosched
    >>> ch = gosched.Chan[int](1)
    >>> ch.close()
    >>> try:
    ...     ch.send(1)
    ... except gosched.ClosedChannelError as error:
    ...     print(error, error.channel is ch)
    send on closed channel True
    """

    def __init__(self, message: str, channel: object = None) -> None:
        super().__init__(message)
        self.channel = channel


class EndOfChannel(ClosedChannelError):
    """The channel is closed and every value has been received. `index` is the case, if a select found out.

    >>> import gosched
    >>> ch = gosched.Chan[int](1)
    >>> ch.close()
    >>> try:
    ...     gosched.select(ch.recv)
    ... except gosched.EndOfChannel as error:
    ...     print(error, error.index)
    receive on closed channel 0
    """

    def __init__(self, message: str = "receive on closed channel", channel: object = None, index: int | None = None) -> None:
        super().__init__(message, channel)
        self.index = index


class DeadlineExceeded(TimeoutError):
    """The operation did not go through in time, and has left nothing behind.

    >>> import gosched
    >>> try:
    ...     gosched.Chan[int]().recv(timeout=0.001)
    ... except TimeoutError as error:
    ...     print(type(error).__name__)
    DeadlineExceeded
    """


class ClosedError(ConnectionError):
    """Use of a connection, or of a listener, that was closed on this side.

    >>> import gosched
    >>> from gosched import net
    >>> async def main():
    ...     listener = net.listen("127.0.0.1:0")
    ...     listener.close()
    ...     try:
    ...         await listener.aaccept()
    ...     except net.ClosedError:
    ...         return "closed"
    >>> gosched.run(main)
    'closed'
    """


class ThreadLimitError(GoschedError):
    """The program needs more threads than its cap allows.

    >>> import gosched
    >>> print(gosched.ThreadLimitError(4))
    program exceeds 4-thread limit: each goroutine that blocks its thread needs one; let fewer block at once, or raise Runtime(max_threads=…)
    """

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"program exceeds {limit}-thread limit: each goroutine that blocks its thread needs one; "
            "let fewer block at once, or raise Runtime(max_threads=…)"
        )


class AbandonedThreadWarning(ResourceWarning):
    """run() did not wait any longer for a thread in a foreign call.

    >>> import gosched
    >>> import threading
    >>> import warnings
    >>> inside, gate = gosched.Event(), threading.Event()
    >>> def stuck():
    ...     inside.set()
    ...     gate.wait()
    >>> async def main():
    ...     gosched.go(stuck)
    ...     await inside
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     gosched.run(main, grace=0.01)
    >>> gate.set()
    >>> caught[0].category.__name__
    'AbandonedThreadWarning'
    """


def no_runtime(what: str, instead: str) -> RuntimeError:
    return RuntimeError(f"{what} outside of a goroutine: use it inside {instead}")


def not_a_goroutine_body(fn: object) -> TypeError:
    return TypeError(f"go() needs a function, an async function or a coroutine, not {type(fn).__name__}: {fn!r}")


def inside_scheduler() -> RuntimeError:
    return RuntimeError("this would block inside the scheduler (a finaliser that runs there?): use try_send, try_recv or go(fn)")


PLAIN = {
    "chan receive": ("ch.recv()", "await ch.arecv(), or async for"),
    "chan receive (nil chan)": ("nil.recv()", "await nil.arecv()"),
    "chan send": ("ch.send()", "await ch.asend()"),
    "chan send (nil chan)": ("nil.send()", "await nil.asend()"),
    "select": ("select()", "await aselect()"),
    "select (no cases)": ("select()", "await aselect()"),
    "sleep": ("sleep()", "await asleep()"),
    "sync.WaitGroup.Wait": ("wg.wait()", "await wg"),
    "sync.Cond.Wait": ("cond.wait()", "await cond"),
    "sync.Mutex.Lock": ("mutex.lock()", "await mutex.alock(), or async with"),
    "sync.RWMutex.RLock": ("mutex.rlock()", "await mutex.arlock(), or async with"),
    "sync.RWMutex.Lock": ("mutex.lock()", "await mutex.alock(), or async with"),
    "semacquire": ("semaphore.acquire()", "await semaphore.aacquire(), or async with"),
    "event wait": ("event.wait()", "await event"),
    "IO wait": ("reading, writing, accepting, dialling", "await the twin: aread(), awrite(), aaccept(), adial()"),
    "yield": ("yield_now()", "await ayield_now()"),
}


def plain_in_async(reason: str) -> RuntimeError:
    """`reason` is why it waits, in Go's words."""
    plain, twin = PLAIN.get(reason, (f"the plain spelling ({reason})", "await the twin"))
    return RuntimeError(f"{plain} in an async goroutine waits with its stack, which is forbidden here: {twin}")


def bad_case(case: object, index: int) -> TypeError:
    return TypeError(f"select: case {index} must be ch.recv, ch.recv_ok, (ch.send, value), a Context or default, not {case!r}")


def bad_policy(what: str, wanted: str, answer: object) -> TypeError:
    return TypeError(f"Policy.{what}() must return {wanted}, not {answer!r}")


def foreign_await(value: object) -> TypeError:
    """What a goroutine yielded that no operation of gosched yields."""
    library = type(value).__module__.partition(".")[0].lstrip("_")
    if value is None:
        return TypeError("a goroutine awaited something that is not gosched's and that yields nothing (asyncio.sleep(0)?): use gosched.ayield_now()")
    hint = {
        "asyncio": "run it with asyncio.run() in a thread of its own, or use gosched's own operation",
        "trio": "run it with trio.run() in a thread of its own, or use gosched's own operation",
    }.get(library, "use gosched's own operation")
    return TypeError(f"a goroutine cannot await a {type(value).__module__}.{type(value).__qualname__}: {hint}")
