"""One operation, two spellings.

An operation of core is `start(g) -> answer`, where the answer Parked means that g, goroutine or stand-in of a thread, waits now, and `withdraw(g)`,
which leaves nothing behind when the wait was ended by something else. `block` is the plain spelling of any of them, `wait` the awaited one. Twins
that are called millions of times a second are written out where they are (Chan.asend, Chan.arecv), without a deadline; with one they come here too.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Coroutine, Generator
from typing import Any, ParamSpec, TypeVar

from gosched.core.g import Goroutine
from gosched.core.interrupt import Cancellation, copy_of, ending, shield, unshield
from gosched.core.native import current_m, now
from gosched.core.op import Op
from gosched.core.park import awaiting
from gosched.core.plain import caller, is_thread, park_caller
from gosched.core.signals import Ended, Interrupted, Parked, TimedOut, Woken
from gosched.core.states import END_OF_TIME
from gosched.core.timers import WakeTimer, clock
from gosched.debug import DEBUG
from gosched.errors import DeadlineExceeded

P = ParamSpec("P")
T = TypeVar("T")
Start = Callable[[Goroutine], Any]
Withdraw = Callable[[Goroutine], object]


def twin(fn: Callable[P, Generator[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """A generator function as an awaitable operation."""
    step: Any = types.coroutine(fn)
    return watched(step) if DEBUG else step


def watched(op: Callable[P, Any], name: str | None = None) -> Callable[P, Coroutine[Any, Any, Any]]:
    """In debug mode: an operation as a native coroutine, of which CPython reports, by its name, that it was dropped."""

    @functools.wraps(op)
    async def operation(*args: P.args, **kwargs: P.kwargs) -> Any:
        return await op(*args, **kwargs)

    if name is not None:
        operation.__qualname__ = name
    return operation


def returns_op(fn: Callable[P, Any]) -> Callable[P, Coroutine[Any, Any, None]]:
    """A function that returns an awaitable operation of core."""
    return watched(fn) if DEBUG else fn


def iterate(op: Coroutine[Any, Any, T]) -> Generator[Any, Any, T]:
    """What `__await__` returns for a twin."""
    return (yield from (op if isinstance(op, types.GeneratorType) else op.__await__()))


def nanoseconds(seconds: float, what: str = "timeout") -> int:
    """Checked; negative: the time is over already."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise TypeError(f"{what} must be seconds, an int or a float, not {type(seconds).__name__}")
    if seconds != seconds:
        raise ValueError(f"{what} must be seconds, not nan")
    if abs(seconds) > 9e9:
        return END_OF_TIME // 2 if seconds > 0 else -1
    return round(seconds * 1e9)


def after_ns(at: int, delay: int) -> int:
    """A time that a timer can have: not 0, and not beyond the end of time."""
    return max(1, min(END_OF_TIME, at + delay))


class Guard:
    """What else can end a wait, or several that make up one operation: a time, a context. `quiet`: to be over is an answer and not an error."""

    def __init__(self, timeout: float | None, ctx: Cancellation | None, quiet: bool = False) -> None:
        self.delay = None if timeout is None else nanoseconds(timeout)
        if ctx is not None and not isinstance(ctx, Cancellation):
            raise TypeError(f"ctx must be a Context, not {type(ctx).__name__}")
        self.timeout = timeout
        self.ctx = ctx
        self.quiet = quiet
        self.until = 0
        self.timer: WakeTimer | None = None

    def arm(self, g: Goroutine) -> int:
        """g waits now. Returns until when a thread, which has no timers, is to sleep."""
        m = None if is_thread(g) else current_m()
        if self.delay is not None and self.until == 0:
            self.until = after_ns(now() if m is None else clock(m.sched), self.delay)
        over = self.delay is not None and self.delay <= 0
        if self.watches() or over or (self.delay is not None and m is not None):
            self.timer = WakeTimer(None if m is None else m.sched, g)
            if self.watches():
                self.ctx.watch(self.timer)  # type: ignore[union-attr]
            if over:
                self.timer.finish(TimedOut)
            elif self.delay is not None and m is not None:
                self.timer.set_time(self.until, 0)
        return self.until if self.delay is not None and m is None else -1

    def left(self) -> float | None:
        """Seconds, for an operation of several waits. None: it has all the time."""
        if self.delay is None:
            return None
        m = current_m()
        at = now() if m is None else clock(m.sched)
        if self.until == 0:
            self.until = after_ns(at, self.delay)
        return (self.until - at) / 1e9

    def disarm(self) -> None:
        if self.timer is not None:
            self.timer.disarm()
            if self.watches():
                self.ctx.unwatch(self.timer)  # type: ignore[union-attr]

    def watches(self) -> bool:
        return self.ctx is not None and not self.ctx.endless

    def judge(self, what: str, answer: Any) -> Any:
        if answer is TimedOut and not self.quiet:
            raise DeadlineExceeded(f"{what}: nothing came of it within {self.timeout} s")
        if type(answer) is Interrupted:
            raise copy_of(answer.error)
        return answer


def block(what: str, start: Start, withdraw: Withdraw, guard: Guard) -> Any:
    """The plain spelling. A signal's handler may raise anywhere in here: whatever does, the caller does not stay in a queue."""
    g = caller()
    scope = shield(g) if guard.ctx is not None else None
    try:
        answer = start(g)
        while answer is Parked:
            try:
                answer = park_caller(g, guard.arm(g))
            finally:
                guard.disarm()
            if answer is Ended:
                raise ending(g)
            answer = start(g) if answer is Woken else guard.judge(what, answer)
            if answer is TimedOut:
                withdraw(g)
    except BaseException:
        withdraw(g)
        raise
    finally:
        if scope is not None:
            unshield(g, scope)
    return answer


@twin
def wait(what: str, start: Start, withdraw: Withdraw, guard: Guard) -> Generator[Any, Any, Any]:
    """The awaited spelling."""
    g = awaiting(what)
    while g is None:
        yield
        g = awaiting(what)
    scope = shield(g) if guard.ctx is not None else None
    try:
        answer = start(g)
        while answer is Parked:
            try:
                guard.arm(g)
                answer = yield
            finally:
                guard.disarm()
            answer = start(g) if answer is Woken else guard.judge(what, answer)
            if answer is TimedOut:
                withdraw(g)
    except BaseException:
        withdraw(g)
        raise
    finally:
        if scope is not None:
            unshield(g, scope)
    return answer


def block_op(op: Op, guard: Guard) -> None:
    op.finish(block(op.name(), op.start, op.withdraw, guard))


@twin
def wait_op(op: Op, guard: Guard) -> Generator[Any, Any, None]:
    op.finish((yield from wait(op.name(), op.start, op.withdraw, guard)))  # type: ignore[misc]
