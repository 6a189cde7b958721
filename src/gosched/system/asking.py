"""How to make a thread come to `preempt.suspend` at its next bytecode.

Free-threaded    Each M has leashes, objects that were made on its own thread. Who asks drops the last reference to one, and CPython leaves the
                 object's end to its owner, which runs the finaliser at its next check of the eval breaker: on the right thread, between two
                 bytecodes. The finaliser suspends. A run of the collector may finalise it elsewhere: then nothing was asked, and there is another.
3.12 and later   sys.monitoring events on the code of the asked thread's innermost frames: backward jumps, and calls and returns for recursion and
                 for loops inside C functions. The callback suspends, if it runs on the thread that was asked. The events are on only while somebody
                 is asked. A tool id is taken for the first question, and given back with the last runtime; debuggers, coverage and profilers
                 have their own.
3.11             The thread is traced, by a trace function in C, until its next line, call or return: which suspends. Not if a debugger or a
                 coverage tool traces it already; nor in a pure build, which cannot switch on the tracing of another thread.
Who cannot be asked loses its P to sysmon. At the end of the program it gets Goexit as an asynchronous exception.
"""

from __future__ import annotations

import contextlib
import sys
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, Protocol

from gosched.core.callers import in_core
from gosched.core.interp import raise_in
from gosched.core.preempt import Watchpoint, doom, new_leashes, trace
from gosched.errors import Goexit

if TYPE_CHECKING:
    from gosched.core.m import M
    from gosched.core.sched import Scheduler

# Frames, counted from the innermost, whose code is watched for the next bytecode.
DEPTH = 6


class Asker(Protocol):
    cheap: bool

    def ready(self, m: M) -> None:
        """On m's own thread."""

    def ask(self, m: M) -> bool:
        """False: it cannot be asked."""

    def end(self, m: M) -> None:
        """Asks what runs on m to end with Goexit: the program is over."""

    def close(self, sched: Scheduler) -> None:
        """That runtime has ended."""


class LeashAsker:
    cheap = True

    def ready(self, m: M) -> None:
        new_leashes(m)

    def ask(self, m: M) -> bool:
        try:
            m.leashes.pop()
        except IndexError:  # collections took them all, and the goroutine has not come by since
            return False
        return True

    def end(self, m: M) -> None:
        if not m.asked:
            m.asked = True
            if not self.ask(m):
                strike(m)

    def close(self, sched: Scheduler) -> None:
        """A leash goes with its thread."""


class MonitoringAsker:
    """One for the process: codes and tool ids are the interpreter's. Used with the GIL held, which is its lock."""

    cheap = False

    def __init__(self) -> None:
        self.tool = -1
        self.watchpoint = Watchpoint(self.forget)
        self.watched: dict[int, tuple[M, list[CodeType]]] = {}

    def ready(self, m: M) -> None:
        """A thread needs nothing to be asked."""

    def ask(self, m: M) -> bool:
        self.tidy()
        frame = sys._current_frames().get(m.ident)
        codes = user_codes(frame)
        if not codes or not self.take_tool():
            return False
        self.forget(m)
        self.watched[m.ident] = (m, codes)
        for code in codes:
            MONITORING.set_local_events(self.tool, code, sum(EVENTS))
        return True

    def end(self, m: M) -> None:
        m.asked = True
        if not self.ask(m):
            strike(m)

    def take_tool(self) -> bool:
        if self.tool >= 0:
            return True
        for tool in (4, 3, 5, 2, 1, 0):
            if MONITORING.get_tool(tool) is None:
                with contextlib.suppress(ValueError):  # taken in this moment
                    MONITORING.use_tool_id(tool, "gosched")
                    self.tool = tool
                    for event in EVENTS:
                        MONITORING.register_callback(tool, event, self.watchpoint)
                    return True
        return False

    def forget(self, m: M) -> None:
        """m is not asked any more: events that nobody else wants are off."""
        _, codes = self.watched.pop(m.ident, (m, []))
        wanted = [code for _, others in self.watched.values() for code in others]
        for code in codes:
            if code not in wanted:
                MONITORING.set_local_events(self.tool, code, 0)

    def tidy(self) -> None:
        """Who was asked may have ended its turn without coming by."""
        for m, _ in list(self.watched.values()):
            if not m.asked or m.state == "gone":
                self.forget(m)

    def close(self, sched: Scheduler) -> None:
        for m, _ in list(self.watched.values()):
            if m.sched is sched:
                self.forget(m)
        if self.tool >= 0 and not self.watched:
            for event in EVENTS:
                MONITORING.register_callback(self.tool, event, None)
            MONITORING.free_tool_id(self.tool)
            self.tool = -1


class TraceAsker:
    cheap = False

    def ready(self, m: M) -> None:
        """A thread needs nothing to be asked."""

    def ask(self, m: M) -> bool:
        return trace(m)

    def end(self, m: M) -> None:
        m.asked = True
        if not self.ask(m):
            strike(m)

    def close(self, sched: Scheduler) -> None:
        """A thread that is traced comes by once more."""


def strike(m: M) -> None:
    """Goexit as an asynchronous exception, for a goroutine that cannot be asked. It is between two bytecodes, or in a call."""
    if doom(m, sys._current_frames().get(m.ident)):
        raise_in(m.ident, Goexit)


def user_codes(frame: FrameType | None) -> list[CodeType]:
    """Of the innermost frames, each once; not the runtime's own, which a pure build has."""
    codes: list[CodeType] = []
    for _ in range(8 * DEPTH):
        if frame is None or len(codes) == DEPTH:
            break
        if not in_core(frame) and frame.f_code not in codes:
            codes.append(frame.f_code)
        frame = frame.f_back
    return codes


def free_threaded() -> bool:
    return not getattr(sys, "_is_gil_enabled", lambda: True)()


MONITORING: Any = getattr(sys, "monitoring", None)
EVENT_NAMES = ("JUMP", "PY_START", "PY_RETURN", "PY_RESUME", "PY_YIELD")
EVENTS: list[int] = [getattr(MONITORING.events, name) for name in EVENT_NAMES] if MONITORING else []
monitoring_asker = MonitoringAsker()


def lag() -> float:
    """How many seconds pass before sysmon can act on a thread that burns CPU: it must wait for the GIL."""
    return 0.0 if free_threaded() else min(sys.getswitchinterval(), 0.005)


def new_asker() -> Asker:
    if free_threaded():
        return LeashAsker()
    return monitoring_asker if MONITORING else TraceAsker()
