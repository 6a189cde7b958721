"""What goroutines of the laboratory do with their time, awaited.

All else is gosched's own: channels, locks, timers, go(). In a real program they take real time: a workload is the same in both.
"""

from __future__ import annotations

import math
import time
import types
from collections.abc import Awaitable, Generator
from typing import Any

from gosched.core.native import current_m
from gosched.core.netpoll import PollDesc
from gosched.core.spending import begin_call, begin_io, begin_spending, drop_call, end_call, end_io, end_spending
from gosched.errors import no_runtime
from gosched.runtime import blocking
from gosched.timing import asleep

from .clockwork import Clockwork, Spell


@types.coroutine
def cpu(seconds: float) -> Generator[Any, Any, None]:
    """Works for so many seconds of processor time. It can be stopped in the middle, to let others run.

    >>> from gosched.lab import cpu, measure
    >>> measure(cpu, 0.1).makespan >= 0.1
    True
    """
    ns = checked("cpu", seconds)
    host = laboratory("cpu")
    if host is None:
        burn(ns)
        return
    spell = Spell(ns, asks=True)
    while spell.left > 0:
        begin_spending()
        host.stay(current_m(), spell)
        try:
            yield
        finally:
            end_spending()


def syscall(seconds: float) -> Awaitable[None]:
    """Is in a system call for so long: its thread is blocked, and keeps its P until sysmon takes that away.

    >>> from gosched.lab import measure, syscall
    >>> measure(syscall, 0.1).makespan >= 0.1
    True
    """
    return _call("syscall", seconds, False)


def call(seconds: float) -> Awaitable[None]:
    """Is in a call that is known to block, as `gosched.blocking`: its P goes to whoever waits for one.

    >>> from gosched.lab import call, measure
    >>> measure(call, 0.1).makespan >= 0.1
    True
    """
    return _call("call", seconds, True)


@types.coroutine
def _call(what: str, seconds: float, hands_over: bool) -> Generator[Any, Any, None]:
    ns = checked(what, seconds)
    host = laboratory(what)
    if host is None:
        blocking(time.sleep, seconds)
        return
    begin_call(hands_over)
    host.stay(current_m(), Spell(ns, asks=False))
    try:
        yield
    except BaseException:
        drop_call()
        raise
    if not end_call():
        yield


@types.coroutine
def io(seconds: float) -> Generator[Any, Any, None]:
    """Waits so long for the network: it is parked, and its thread is free.

    >>> from gosched.lab import io, measure
    >>> measure(io, 0.1).makespan >= 0.1
    True
    """
    ns = checked("io", seconds)
    host = laboratory("io")
    if host is None:
        yield from asleep(seconds)
        return
    desc = connection(host)
    host.arrives(desc, ns)
    yield from arrival(desc)


def connection(host: Clockwork) -> PollDesc:
    return PollDesc(host.sched, 0, lambda _: None)


@types.coroutine
def arrival(desc: PollDesc) -> Generator[Any, Any, None]:
    """Waits until there is something to read."""
    waits = begin_io(desc)
    try:
        if waits:
            yield
    finally:
        end_io(desc)


def laboratory(what: str) -> Clockwork | None:
    """None: time is real."""
    m = current_m()
    if m is None:
        raise no_runtime(f"{what}()", "a goroutine of the laboratory, or of run()")
    host = m.sched.host
    return host if isinstance(host, Clockwork) else None


def checked(what: str, seconds: float) -> int:
    if not isinstance(seconds, int | float) or isinstance(seconds, bool):
        raise TypeError(f"{what}(): seconds must be a number, not {seconds!r}")
    if not 0 <= seconds <= 1e6 or math.isnan(seconds):
        raise ValueError(f"{what}(): seconds must be from 0 to 1,000,000, not {seconds!r}")
    return round(seconds * 1e9)


def burn(ns: int) -> None:
    until = time.monotonic_ns() + ns
    while time.monotonic_ns() < until:
        pass
