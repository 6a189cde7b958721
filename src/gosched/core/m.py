"""M: a thread of the runtime.

Its own thread alone writes to it, but for
    nextp, spinning    written by the M that wakes it, before the note (startm)
    inherits           the same, when a P is handed to the goroutine that sleeps with it (locked.py): the slice goes with it
    link               the idle list, under the scheduler's lock
    userp              published by itself when it enters user code, swapped out by itself or by a retaker (entry.py)
    asked              set by sysmon (preempt.py), cleared by itself
    blocked_in, blocked_since  by sysmon: the goroutine in a call that has cost the P; cleared by itself
    leashes            what the host asks it by (system/asking.py): made by itself, taken away one by one by who asks
`in_runtime` and `resting` are for its own thread only: what a finaliser that runs there may do (entry.py). `naps` is read by who suspects a deadlock
(ending.fast_asleep): the thread is in the kernel, or about to be, and runs no Python.
`shaky`: the host explores, and decides at each way back into the runtime if the P is lost (entry.py).
`doomed`: Goexit is on its way to the goroutine that runs here, as an asynchronous exception (preempt.py).
`stack` is what its loop runs on, if that can be set aside; `pool` has spare ones, `aside` counts those with a goroutine on them. `pending` is what
the loop runs next: found by a goroutine that left its stack. `waits`, `polling` and the guests are guarded by the scheduler's lock (guests.py).
`locks` counts the goroutines that have locked it; while it is not zero, nothing runs here that is not bound to it (locked.py). One that ended without
unlocking stays counted: the thread is `spoilt`.
`reluctance` and `skips`: linger.py.
`trail` is where it writes down what happens, as `who`, if anybody wants to know; `names` are the numbers of strings that it has named there.
An M is created on its own thread, where counting references to it is cheapest on a free-threaded build.
"""

from __future__ import annotations

from _thread import get_ident
from typing import TYPE_CHECKING, Any

from .events import E_M_START, FIRST_M
from .native import ThreadWords

if TYPE_CHECKING:
    from .g import Goroutine
    from .p import P
    from .sched import Scheduler
    from .trail import Trail


class M(ThreadWords):
    def __init__(self, sched: Scheduler, number: int) -> None:
        super().__init__()
        self.id = number
        self.sched = sched
        self.set_owner(sched)
        self.realm = sched.realm
        self.p: P = None  # type: ignore[assignment]  # None while it has no P; who may meet that asks
        self.nextp: P | None = None
        self.oldp: P | None = None
        self.link: M | None = None
        self.spinning = False
        self.in_runtime = True
        self.resting = False
        self.inherits = False
        self.shaky = sched.shaky
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
        self.reluctance = 0
        self.skips = 0
        self.locks = 0
        self.spoilt = False
        self.ident = get_ident()
        self.leashes: list[Any] = []
        self.stack: Any = None
        self.root: Any = None
        self.fresh: Any = None
        self.pool: list[Any] = []
        self.aside = 0
        self.waits = 0
        self.polling = False
        self.pending: Goroutine | None = None
        self.guests_first = False
        self.state = "starting"
        self.who = FIRST_M + number
        self.names: dict[str, int] = {}
        self.trail: Trail | None = None if sched.trails is None else sched.trails.open()
        if self.trail is not None:
            self.trail.tell(self.who, E_M_START)
