"""A thread that is somebody's home lingers before it sleeps in the kernel.

Two plain goroutines on two threads that talk to each other hand the turn from thread to thread, as nobody else can go on with their stacks. To wake a
thread that sleeps on another core takes the kernel ten to fifty times as long as such a turn takes: the answer would be there before the thread is.
So it looks at its note for a while first. It has no P meanwhile, and who wakes it need not know, and makes no system call (native.h).

The while is longer than a wake-up takes: if one of the two has slept, the other still waits for it, and they are back in step. Lingering in vain
costs a core. So it is only for where cores work side by side (`sched.lingers`: more than one, and no GIL), and whoever was not woken in time does
without for its next sleeps: for one, for three, and so on, until it is woken in time again.

Its own thread alone uses `reluctance`, how many sleeps it did without after the last failure, and `skips`, how many of these are left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .states import LINGER_NS, RELUCTANCE

if TYPE_CHECKING:
    from .m import M


def linger(m: M) -> None:
    """m is about to sleep, its note is clear and known to who may wake it."""
    if m.skips != 0:
        m.skips -= 1
    elif m.sched.lingers:
        if m.watch_note(LINGER_NS):
            m.reluctance = 0
        else:
            m.reluctance = min(2 * m.reluctance + 1, RELUCTANCE)
            m.skips = m.reluctance
