"""In and out of the runtime: user code is a system call.

While an M runs user code its P stands in m.userp, and anybody may take it away with one compare-and-swap (retake). Every way back into the runtime
swaps it out again. The interleavings of the M's swap and a retaker's:

    M first         the retaker's compare fails: the M is in the runtime and has its P in hand
    retaker first   the M finds nothing: the P is somebody else's. It asks for its old P if that is idle, for any idle one, and else goes on
                    without: what it makes runnable goes to the global queue, and when its goroutine yields or ends, the M rests

The token is in the M, not in the P: a P that was retaken, given to another M and is in user code again does not look like ours.

in_runtime is true in between, for the thread itself only: a finaliser may call into the runtime while it is inside. Such a call takes no P and no
lock; what it makes runnable waits in m.late until the M leaves.

resting: the M is on its way to sleep or to poll, has nothing in hand and will not leave the runtime soon. Python still runs on the way (the host's,
and with it finalisers): what those make runnable then goes to the global queue at once, as from a thread outside. Who waits in m.late would wait as
long as the M sleeps, perhaps for it. From begin_rest on m.late stays empty, until the M is awake, or a poller readies whom it found (end_rest).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .events import E_PROC_LOST, E_PROC_STEAL, E_PROC_STOP, SYSMON
from .native import current_m
from .wake import acquire_p, hand_off_p, submit, submit_global

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M
    from .p import P
    from .sched import Scheduler


def enter_runtime(m: M) -> bool:
    """Out of user code. False: the P was retaken, and there is no other."""
    m.in_runtime = True
    if m.take_back_p():
        return True
    return exit_syscall(m)


def leave_runtime(m: M) -> None:
    """Into user code."""
    if m.any_late():
        submit_late(m)
    m.in_runtime = False
    if m.p is not None and not m.shaky:
        m.publish_p()


def exit_syscall(m: M) -> bool:
    """The P that m had in user code is gone: the old one, an idle one, or none."""
    if m.shaky and m.p is not None:
        return survives(m)
    if m.p is not None:
        m.oldp = m.p
        m.p = None  # type: ignore[assignment]
        m.blocked_in = 0
        if m.trail is not None:
            m.trail.tell(m.who, E_PROC_LOST)
    m.sched.acquire()
    if m.oldp is not None and m.sched.take_this_p(m.oldp):
        p: P | None = m.oldp
    else:
        p = m.sched.take_idle_p()
    m.sched.release()
    if p is None:
        return False
    acquire_p(m, p)
    p.begin_turn()  # sysmon watches anew: it has done with the turn in which it took the P, and would let this goroutine keep it for ever
    return True


def survives(m: M) -> bool:
    """Under exploration the P is not published: nobody could take it, and every entry comes here. The host decides if it was taken nevertheless, and
    then others come before this operation."""
    if not m.sched.host.shakes():
        return True
    p = m.p
    m.p = None  # type: ignore[assignment]
    if m.trail is not None:
        m.trail.tell(m.who, E_PROC_STOP)
    hand_off_p(m.sched, p)
    return False


def submit_late(m: M) -> None:
    """What finalisers made runnable while m was inside the runtime."""
    while m.any_late():
        g: Goroutine = m.late_take()
        submit(m, g)


def submit_late_global(m: M) -> None:
    """The same, and what a poll found, while m has no P."""
    while m.any_late():
        submit_global(m.sched, m.late_take())


def begin_rest(m: M) -> None:
    """m has no P and is about to sleep, to poll or to end."""
    m.resting = True  # race: a finaliser runs after the next line, and whom it wakes would be left in m.late
    submit_late_global(m)


def end_rest() -> None:
    """By whatever waits in m's place, as soon as it has waited: whom it readies is m's to queue."""
    m: M | None = current_m()
    if m is not None:
        m.resting = False


def retake(s: Scheduler, p: P) -> bool:
    """Takes p from an M that is in user code, and hands it on. False if p is not in user code."""
    m = p.m
    if m is None or not m.retake_p(p):
        return False
    p.retakes += 1
    if s.trail is not None:
        s.trail.tell2(SYSMON, E_PROC_STEAL, p.id, m.id)
    hand_off_p(s, p)
    return True
