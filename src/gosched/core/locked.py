"""A goroutine that waits with its thread: Go's stoplockedm and startlockedm.

The plain spelling of an operation keeps the goroutine's stack, and with it the M. While it waits the M has no P, is on no idle list, and sleeps on
its note; `g.home` names it. Whoever takes such a goroutine from a queue cannot run it: it gives its own P to that M and goes to sleep itself.

    stop_locked    the M:        home, note clear; PARKING -> PARKED; hands its P on; sleeps
    a waker        any thread:   wins the wait, PARKED -> RUNNABLE, queues the goroutine as any other
    start_locked   another M:    leaves its P in `nextp`, with the slice if that goes on (`inherits`), and wakes the note
The waker may come, and even start_locked, before the M sleeps: the note keeps the wake-up. `idle_locked` counts these sleepers for the deadlock
check; it is counted down by start_locked, perhaps before it was counted up: too low for a moment means one deadlock check too few, and the M that
counts up checks again.

When the program exits, nobody is left to hand a P over: whoever still sleeps is woken without one, and runs to its end as it is.

A goroutine that has called lock_os_thread keeps `home` while it runs, too; its M, told by `m.locks`, then runs nothing else. If it is async and
yields, the M hands its P on and sleeps in step_locked (execute.py). When it ends still locked, the thread ends with it, as in Go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .ending import check_dead
from .states import ALIVE, EXITING, PARKED, PARKING, RUNNABLE, RUNNING
from .wake import acquire_p, hand_off_p, submit_behind

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M


def stop_locked(m: M, g: Goroutine) -> None:
    """g, on m's stack, is PARKING: returns when it is woken and m has a P. In the runtime."""
    bind(m, g)
    if g.swap_state(PARKING, PARKED):
        if m.sched.phase() != ALIVE and g.win() and g.swap_state(PARKED, RUNNABLE):  # race: it parked behind the back of begin_ending
            submit_behind(m, g)
        give_up_p(m)
        sleep_locked(m)
    unbind(m, g)


def yield_locked(m: M, g: Goroutine) -> None:
    """g, on m's stack, queues with the others until it is given a P: Gosched in the plain spelling, or the P was lost. In the runtime."""
    bind(m, g)
    g.set_state(RUNNABLE)
    submit_behind(m, g)
    if m.p is not None:
        m.p.begin_slice()  # who is next does not pay for the slice that g has used up
    give_up_p(m)
    sleep_locked(m)
    unbind(m, g)


def start_locked(m: M, g: Goroutine) -> None:
    """m has taken g from a queue: its P goes to the M that g is on."""
    target: M = g.home  # type: ignore[assignment]
    m.sched.acquire()
    m.sched.idle_locked -= 1
    m.sched.release()
    target.inherits = m.inherits
    target.nextp = m.p
    m.p = None  # type: ignore[assignment]
    target.wake_note()


def bind(m: M, g: Goroutine) -> None:
    m.clear_note()
    g.home = m


def unbind(m: M, g: Goroutine) -> None:
    if m.locks == 0:
        g.home = None
    g.set_state(RUNNING)


def give_up_p(m: M) -> None:
    if m.p is not None:
        p = m.p
        m.p = None  # type: ignore[assignment]
        hand_off_p(m.sched, p)


def sleep_locked(m: M) -> None:
    m.sched.acquire()
    m.sched.idle_locked += 1
    dead = check_dead(m.sched)
    m.asleep = m.sched.phase() != EXITING
    m.sched.release()
    if dead:
        m.sched.host.all_asleep()
    if m.asleep:  # else the program exits: those to be woken for it may have been told already
        m.state = "locked"
        m.sched.host.sleep_m(m)
        m.state = "running"
        m.asleep = False
    p = m.nextp
    m.nextp = None
    if p is not None:
        acquire_p(m, p)
        if not m.inherits:
            m.p.begin_slice()
        m.p.begin_turn()


def lock_to(m: M, g: Goroutine) -> None:
    """Go's LockOSThread, on m's own thread: g runs on no other thread, and m runs nothing else. It nests."""
    if m.locks == 0:
        m.sched.host.will_lock()
    m.locks += 1
    m.bound = g
    g.home = m


def unlock_from(m: M, g: Goroutine) -> None:
    """The last of as many unlocks as there were locks. One more does nothing."""
    if m.locks > 0:
        m.locks -= 1
        if m.locks == 0:
            m.bound = None
            g.home = None
