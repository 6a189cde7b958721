"""M: a thread of the runtime.

Its own thread alone writes to it, but for
    nextp, spinning    written by the M that wakes it, before the note (startm)
    inherits           the same, when a P is handed to the goroutine that sleeps with it (locked.py): the slice goes with it
    link               the idle list, under the scheduler's lock
    userp              published by itself when it enters user code, swapped out by itself or by a retaker (entry.py)
    asked              set by sysmon (preempt.py), cleared by itself
    blocked_in, blocked_since  by sysmon: the goroutine in a call that has cost the P; cleared by itself
    leashes            what the host asks it by (system/asking.py): made by itself, taken away one by one by who asks
`doomed`: Goexit is on its way to the goroutine that runs here, as an asynchronous exception (preempt.py).
`locks` counts lock_os_thread; while it is not zero, `bound` is the only goroutine that runs here (locked.py).
An M is created on its own thread, where counting references to it is cheapest on a free-threaded build.
"""

from __future__ import annotations

from _thread import get_ident
from typing import TYPE_CHECKING, Any

from .native import ThreadWords

if TYPE_CHECKING:
    from .g import Goroutine
    from .p import P
    from .sched import Scheduler


class M(ThreadWords):
    def __init__(self, sched: Scheduler, number: int) -> None:
        super().__init__()
        self.id = number
        self.sched = sched
        self.set_owner(sched)
        self.p: P = None  # type: ignore[assignment]  # None while it has no P; who may meet that asks
        self.nextp: P | None = None
        self.oldp: P | None = None
        self.link: M | None = None
        self.spinning = False
        self.in_runtime = True
        self.inherits = False
        self.verdict = 0
        self.poll_until = -1
        self.goid = 0
        self.plain_parks = 0
        self.asked = False
        self.doomed = False
        self.preemptions = 0
        self.blocking_calls = 0
        self.blocked_in = 0
        self.blocked_since = 0
        self.locks = 0
        self.bound: Goroutine | None = None
        self.ident = get_ident()
        self.leashes: list[Any] = []
        self.asleep = False
        self.state = "starting"
