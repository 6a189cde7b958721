"""A goroutine that is asked to let others run, in the middle of its code.

Who asks (sysmon, or the end of the program) sets `m.asked` and makes m's thread come to `suspend` at its next bytecode: how, is the host's business
(system/asking.py). There the goroutine does what Gosched does in the plain spelling: it queues in the global queue and its M waits, with the
goroutine on its stack, until another M hands over a P (locked.py). The interleavings:

    it has ended its turn meanwhile     a new turn clears `asked`; if the question comes later still, an innocent goroutine yields once
    it is about to park (not RUNNING)   nothing: it yields anyway, and its state belongs to the wakers
    its P was taken from it             as Go's exitsyscall: the old P, an idle one, else the global queue; also if others wait for its thread
    the program ends                    it does not wait: it is told to raise Goexit, also if the end came while it waited
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

from gosched.errors import Goexit

from .entry import enter_runtime, leave_runtime
from .interp import innermost_frame, interrupts_core, raise_soon, stop_no_more, stop_soon
from .locked import suspend_locked
from .native import current_m
from .states import ALIVE, EXITING, LEASHES, PREEMPTED, RUNNING

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M


# Code of the standard library that takes locks back in its finally blocks, or that is called by the collector: an exception out of nowhere would
# leave it in disorder, or be lost.
DELICATE = frozenset(
    ("threading", "queue", "logging", "concurrent.futures.thread", "concurrent.futures._base", "importlib._bootstrap", "weakref", "_weakrefset")
)


def suspend(m: M) -> bool:
    """On m's own thread, between two bytecodes of user code. True: raise Goexit there."""
    if not m.asked or m.in_runtime or not m.busy() or m.sched.phase() == EXITING:
        return False  # exiting: nobody would hand it a P again
    m.asked = False
    g: Goroutine = m.held()
    if g.state_now() != RUNNING:  # race: it is about to park, and a waker may have it already
        return False
    if tell(m, g):
        return True
    lost = m.lost_p()
    if not enter_runtime(m) or not lost or m.any_guests():
        m.preemptions += 1
        g.phase = PREEMPTED
        suspend_locked(m, g)
        g.phase = 0
    leave_runtime(m)
    return tell(m, g)  # the program may have ended while it waited


def doom(m: M, frame: Any) -> bool:
    """By another thread, with the GIL held: whether the goroutine that runs on m, in that frame, is to be struck by Goexit."""
    if m.in_runtime or m.doomed or not m.busy() or is_delicate(frame):
        return False
    g: Goroutine = m.held()
    m.doomed = told_to_end(m, g)
    return m.doomed


def reprieve(m: M) -> None:
    """The turn is over: Goexit that has not struck by now must not strike what runs here next."""
    m.doomed = False
    raise_soon(None)


def tell(m: M, g: Goroutine) -> bool:
    """On m's own thread. Not in delicate code: it is asked again."""
    return m.sched.phase() != ALIVE and not is_delicate(innermost_frame()) and told_to_end(m, g)


def is_delicate(frame: Any) -> bool:
    """What is raised in finalisers and in callbacks of the collector is printed and forgotten, and the goroutine below would never end."""
    if frame is None:
        return False
    if frame.f_globals.get("__name__") in DELICATE:
        return True
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__del__":
            return True
        for callback in gc.callbacks:
            if getattr(callback, "__code__", None) is code:
                return True
        frame = frame.f_back
    return False


def told_to_end(m: M, g: Goroutine) -> bool:
    """The program is over, and g has not been told: it is now. Once: it has its finally blocks to run."""
    if m.sched.phase() == ALIVE or g.system or g.told:
        return False
    g.told = True
    return True


def answer(m: M) -> bool:
    """The interpreter calls, on m's own thread, between two bytecodes. Compiled, so that Goexit does not strike before it returns; raising it here
    instead would pass over the handlers of a frame that jumps (3.12, 3.13). True: it could not be done so, and must be raised after all."""
    if m.doomed:
        m.asked = False
    elif suspend(m):
        m.doomed = True
        return not raise_soon(Goexit)
    return False


class Leash:
    """What an M is asked by on a free-threaded build. Made on m's own thread; whoever drops the last reference to it from another one leaves its end
    to that thread, between two bytecodes. A run of the collector may take it there instead: so there are some to spare."""

    def __init__(self, m: M) -> None:
        self.m = m

    def __del__(self) -> None:
        if current_m() is self.m:
            new_leashes(self.m)
            if not interrupts_core():  # it would wait for a P with a lock that others need for theirs; it is asked again
                answer(self.m)


def new_leashes(m: M) -> None:
    while len(m.leashes) < LEASHES:
        m.leashes.append(Leash(m))


class Watchpoint:
    """The callback of a bytecode that somebody was to be stopped at. `forget` is told when it was."""

    def __init__(self, forget: Any) -> None:
        self.forget = forget

    def __call__(self, *_: Any) -> None:
        m: M | None = current_m()
        if m is not None and m.asked and not m.in_runtime:
            self.forget(m)
            if answer(m):
                raise Goexit


class Tracepoint:
    """What a thread of 3.11 calls at its next line."""

    def __call__(self) -> None:
        m: M | None = current_m()
        if m is None or not m.asked:  # the turn was over before the next line
            stop_no_more()
        elif not m.in_runtime:
            stop_no_more()
            if answer(m):
                raise Goexit


tracepoint = Tracepoint()


def trace(m: M) -> bool:
    """By another thread, with the GIL held."""
    return stop_soon(m.ident, tracepoint)
