"""Time: sleep, after, Timer, Ticker, after_func, now.

Durations are seconds. The clock is the runtime's: monotonic, and virtual in tests.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from types import TracebackType
from typing import Any

from gosched.channels import Chan, RecvChan, nil
from gosched.core.afterfunc import FuncTimer
from gosched.core.g import Goroutine
from gosched.core.interrupt import Cancellation
from gosched.core.native import current_m
from gosched.core.park import begin_wait
from gosched.core.sched import Scheduler
from gosched.core.select import cases_are
from gosched.core.signals import Closed, Parked
from gosched.core.states import RECV, W_SLEEP
from gosched.core.timechan import ChanTimer
from gosched.core.timers import clock
from gosched.errors import no_runtime
from gosched.spelling import Guard, after_ns, block, nanoseconds, twin, wait


def now() -> float:
    """The runtime's monotonic clock in seconds; virtual in tests. Timer values and deadlines use it.

    >>> import gosched
    >>> async def main():
    ...     begin = gosched.now()
    ...     await gosched.asleep(0.001)
    ...     return gosched.now() - begin >= 0.001
    >>> gosched.run(main)
    True
    """
    m = current_m()
    return time.monotonic() if m is None else clock(m.sched) / 1e9


def sleep(seconds: float, ctx: Cancellation | None = None) -> None:
    """Waits; 0 or less returns at once. In a thread that is no goroutine it is time.sleep, but for the context.

    >>> import gosched
    >>> gosched.run(gosched.sleep, 0.001)
    """
    if nanoseconds(seconds, "sleep(): seconds") > 0:
        block("sleep", begin_sleep, end_sleep, Guard(seconds, ctx, quiet=True))


@twin
def asleep(seconds: float, ctx: Cancellation | None = None) -> Generator[Any, Any, None]:
    """`sleep`, awaited.

    >>> import gosched
    >>> gosched.run(gosched.asleep, 0.001)
    """
    if nanoseconds(seconds, "asleep(): seconds") > 0:
        yield from wait("sleep", begin_sleep, end_sleep, Guard(seconds, ctx, quiet=True))  # type: ignore[misc]


def begin_sleep(g: Goroutine) -> object:
    begin_wait(g, W_SLEEP, None)
    return Parked


def end_sleep(g: Goroutine) -> None:
    """A sleeper stands in no queue."""


class TimerChan(Chan[float]):
    """The channel of a Timer or Ticker: it reports no buffer, and wakes its timer only while somebody waits."""

    __slots__ = ()

    @property
    def capacity(self) -> int:
        return 0

    def __len__(self) -> int:
        return 0

    def recv(self, timeout: float | None = None, ctx: Cancellation | None = None) -> float:
        visit = Visit(self)
        try:
            return self.received(block("receive", visit.start, self.withdraw, Guard(timeout, ctx)))
        finally:
            visit.end()

    @twin
    def arecv(self, timeout: float | None = None, ctx: Cancellation | None = None) -> Generator[Any, Any, float]:
        visit = Visit(self)
        try:
            return self.received((yield from wait("receive", visit.start, self.withdraw, Guard(timeout, ctx))))  # type: ignore[misc]
        finally:
            visit.end()

    @twin
    def __anext__(self) -> Generator[Any, Any, float]:
        return (yield from self.arecv())  # type: ignore[misc, no-any-return]

    def received(self, answer: Any) -> float:
        if answer is Closed:
            raise self.recv_error()
        return answer  # type: ignore[no-any-return]


class Visit:
    """One receive from a timer's channel: the timer knows while it waits."""

    def __init__(self, channel: TimerChan) -> None:
        self.channel = channel
        self.blocks = False

    def start(self, g: Goroutine) -> object:
        answer = self.channel.recv_as(g)
        if answer is Parked:
            self.blocks = True
            self.channel.blocked()
        return answer

    def end(self) -> None:
        if self.blocks:
            self.channel.unblocked()


cases_are({TimerChan.recv: RECV})


def _scheduler(what: str) -> Scheduler:
    m = current_m()
    if m is None:
        raise no_runtime(what, "run(main)")
    return m.sched  # type: ignore[no-any-return]


class Timer:
    """Sends the time on its channel `c` once, when it is due. Go's semantics since 1.23: after stop or reset no stale value can come.

    >>> import gosched
    >>> async def main():
    ...     timer = gosched.Timer(60)
    ...     return timer.stop(), timer.stop()
    >>> gosched.run(main)
    (True, False)
    """

    def __init__(self, seconds: float) -> None:
        delay = nanoseconds(seconds, "Timer(): seconds")
        sched = _scheduler("Timer()")
        self._channel = TimerChan(1)
        self._timer = ChanTimer(sched, self._channel)
        self._timer.restart(after_ns(clock(sched), delay), 0)

    @property
    def c(self) -> RecvChan[float]:
        """Where the time is received, as :func:`now` would have said when it was due."""
        return self._channel

    def stop(self) -> bool:
        """True: it had not fired, or nobody had received what it sent; now nothing comes."""
        return bool(self._timer.halt())

    def reset(self, seconds: float) -> bool:
        """Starts it anew; the result is as for `stop`."""
        delay = nanoseconds(seconds, "Timer.reset(): seconds")
        return bool(self._timer.restart(after_ns(clock(self._timer.sched), delay), 0))


def after(seconds: float) -> RecvChan[float]:
    """A channel that receives the time once, so much later.

    >>> import gosched
    >>> async def main():
    ...     ch = gosched.Chan[int]()
    ...     return await gosched.aselect(ch.recv, gosched.after(0.001).recv)
    >>> gosched.run(main)[0]
    1
    """
    return Timer(seconds).c


class FunctionTimer(Timer):
    """What :func:`after_func` returns: a Timer whose channel is nil."""

    def __init__(self, timer: FuncTimer) -> None:
        self._start = timer

    @property
    def c(self) -> RecvChan[float]:
        return nil

    def stop(self) -> bool:
        """True: the goroutine had not been started, and now will not be."""
        return bool(self._start.clear_time())

    def reset(self, seconds: float) -> bool:
        """Starts it (again) so much later. True: it had still been pending."""
        delay = nanoseconds(seconds, "Timer.reset(): seconds")
        return bool(self._start.set_time(after_ns(clock(self._start.sched), delay), 0))


def after_func(seconds: float, fn: Callable[..., Any], /, *args: Any) -> Timer:
    """Starts fn(*args) in a goroutine of its own, so much later.

    >>> import gosched
    >>> async def main():
    ...     ch = gosched.Chan[str]()
    ...     gosched.after_func(0.001, ch.asend, "now")
    ...     return await ch.arecv()
    >>> gosched.run(main)
    'now'
    """
    delay = nanoseconds(seconds, "after_func(): seconds")
    sched = _scheduler("after_func()")
    if not callable(fn):
        raise TypeError(f"after_func(): needs a function, not {type(fn).__name__}")
    timer = FuncTimer(sched, fn, args)
    timer.set_time(after_ns(clock(sched), delay), 0)
    return FunctionTimer(timer)


class Ticker:
    """Sends the time on its channel `c` again and again. Who is late misses ticks, and the phase stays. `with` stops it.

    >>> import gosched
    >>> async def main():
    ...     with gosched.Ticker(0.001) as ticker:
    ...         first = await ticker.c.arecv()
    ...         return await ticker.c.arecv() > first
    >>> gosched.run(main)
    True
    """

    def __init__(self, seconds: float) -> None:
        period = _period(seconds, "Ticker()")
        sched = _scheduler("Ticker()")
        self._channel = TimerChan(1)
        self._timer = ChanTimer(sched, self._channel)
        self._timer.restart(after_ns(clock(sched), period), period)

    @property
    def c(self) -> RecvChan[float]:
        """Where the time is received."""
        return self._channel

    def stop(self) -> None:
        """No more ticks. The channel stays open."""
        self._timer.halt()

    def reset(self, seconds: float) -> None:
        """Another period; the next tick comes after it."""
        period = _period(seconds, "Ticker.reset()")
        self._timer.restart(after_ns(clock(self._timer.sched), period), period)

    def __enter__(self) -> Ticker:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.stop()


def _period(seconds: float, what: str) -> int:
    period = nanoseconds(seconds, f"{what}: seconds")
    if period <= 0:
        raise ValueError(f"non-positive interval for {what}: {seconds!r}; a period of more than 0 s would do")
    return period
