"""Virtual time that a goroutine spends: the laboratory's processor work and calls.

A turn takes no time where one thread plays all Ms. So a goroutine that is to be busy for a while says so (begin_spending, begin_call) and yields, and
its M keeps it: the turn is not over (STAY), the M is in user code, its P published. From here on everything is as on a real thread: sysmon may take
the P, or ask. When the time is over the host goes on with it (go_on_here), or stops it in the middle to let others run (stop_here).

A coroutine that is stopped holds no stack. So it may go on on any M, as a preempted goroutine of Go's does, while one on a real thread of Python's
stays with its thread (preempt.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .blockcall import enter_call, leave_call
from .execute import carry_on, settle
from .native import current_m
from .netpoll import PollDesc
from .park import regain_p
from .signals import Again
from .states import NET_OK, NET_WAITS, PREEMPTED, READ, RETRY, RUNNABLE, SPENDING

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M


def begin_spending() -> None:
    """By a goroutine that yields next: it is busy until the host says otherwise."""
    m: M = current_m()
    g: Goroutine = m.held()
    g.phase = SPENDING


def begin_call(hands_over: bool) -> None:
    """The same, in a call that blocks its thread. `hands_over`: the P goes to whoever waits for one before the call, as Go's entersyscallblock has
    it; else it stays until sysmon takes it, as entersyscall has it."""
    enter_call(current_m(), hands_over)


def drop_call() -> None:
    """By the same goroutine, if an exception ends it: the program is over."""
    leave_call(current_m())


def end_call() -> bool:
    """By the same goroutine, when it goes on: Go's exitsyscall. False: there is no P for it, and it yields once more, to queue for one."""
    m: M = current_m()
    leave_call(m)
    if m.lost_p() and not regain_p(m):
        g: Goroutine = m.held()
        g.set_inbox(Again)
        g.set_state(RETRY)
        return False
    return True


def end_spending() -> None:
    """By a goroutine that has spent all, or was stopped in the middle."""
    m: M = current_m()
    g: Goroutine = m.held()
    g.phase = 0


def begin_io(desc: PollDesc) -> bool:
    """By a goroutine: it waits for the network, and yields next, unless what it waits for is there already (False)."""
    m: M = current_m()
    return desc.begin_by(m, READ) == NET_OK and desc.wait_by(m, READ) == NET_WAITS


def end_io(desc: PollDesc) -> None:
    """By the same one, when it goes on, for whatever reason."""
    m: M = current_m()
    g: Goroutine = m.held()
    desc.finish(g, READ)


def go_on_here(m: M) -> int:
    """By the host: the goroutine that m keeps has its M again, or rather still. 0, or STAY."""
    g: Goroutine = m.held()
    return carry_on(m, g)


def stop_here(m: M) -> None:
    """By the host: the same one was asked to let others run."""
    g: Goroutine = m.held()
    m.asked = False
    m.preemptions += 1
    g.phase = PREEMPTED
    g.set_state(RUNNABLE)
    settle(m, g)
    if m.p is not None:
        m.p.begin_slice()  # who is next does not pay for the slice that g has used up
