"""A goroutine that is asked to let others run, in the middle of its code.

Who asks (sysmon, or the end of the program) sets `m.asked` and makes m's thread come to `suspend` at its next bytecode: how, is the host's business
(system/asking.py). There the goroutine does what Gosched does in the plain spelling: it queues in the global queue and its M waits, with the
goroutine on its stack, until another M hands over a P (locked.py). The interleavings:

    it has ended its turn meanwhile     a new turn clears `asked`; if the question comes later still, an innocent goroutine yields once
    it is about to park (not RUNNING)   nothing: it yields anyway, and its state belongs to the wakers
    its P was taken from it             as Go's exitsyscall: the old P, an idle one, else the global queue
    the program ends                    it does not wait: it is told to raise Goexit, also if the end came while it waited
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gosched.errors import Goexit

from .entry import enter_runtime, leave_runtime
from .locked import yield_locked
from .native import current_m, raise_soon
from .states import ALIVE, PREEMPTED, RUNNING

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M


def suspend(m: M) -> bool:
    """On m's own thread, between two bytecodes of user code. True: raise Goexit there."""
    if not m.asked or m.in_runtime or not m.busy():
        return False
    m.asked = False
    g: Goroutine = m.held()
    if g.state_now() != RUNNING:  # race: it is about to park, and a waker may have it already
        return False
    if told_to_end(m, g):
        return True
    lost = m.lost_p()
    if not enter_runtime(m) or not lost:
        m.preemptions += 1
        g.phase = PREEMPTED
        yield_locked(m, g)
        g.phase = 0
    leave_runtime(m)
    return told_to_end(m, g)  # the program may have ended while it waited


def doom(m: M) -> bool:
    """By another thread, with the GIL held: whether the goroutine that runs on m is to be struck by Goexit."""
    if m.in_runtime or m.doomed or not m.busy():
        return False
    g: Goroutine = m.held()
    m.doomed = told_to_end(m, g)
    return m.doomed


def reprieve(m: M) -> None:
    """The turn is over: Goexit that has not struck by now must not strike what runs here next."""
    m.doomed = False
    raise_soon(None)


def told_to_end(m: M, g: Goroutine) -> bool:
    """The program is over, and g has not been told: it is now. Once: it has its finally blocks to run."""
    if m.sched.phase() == ALIVE or g.system or g.told:
        return False
    g.told = True
    return True


class Leash:
    """What an M is asked by on a free-threaded build. Made on m's own thread; whoever drops the last reference to it from another one leaves its end
    to that thread, between two bytecodes. Compiled, so that Goexit, which a finaliser cannot raise, does not strike in the finaliser itself."""

    def __init__(self, m: M) -> None:
        self.m = m

    def __del__(self) -> None:
        if current_m() is self.m and self.m.leash is None:
            self.m.leash = Leash(self.m)
            if suspend(self.m) and not self.m.doomed:
                self.m.doomed = True
                raise_soon(Goexit)
