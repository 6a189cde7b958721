"""Goroutines that are bound to a thread: they keep a stack on it, or have locked it.

A goroutine that waits by the plain spelling keeps its C stack, so only its own thread can go on with it: `g.home`. What becomes of the thread:

    light      (m.stack is not None) The M's loop runs on a stack that can be set aside. The stack with the goroutine on it is set aside, and the M
               goes on: with the goroutine that is next, if that one's stack is aside here as well; else with its loop, on a stack from m.pool. The
               stack is in g.args meanwhile, which has no other use after a goroutine's first turn.
    thread     The M sleeps with the goroutine, its P goes to another: Go's stoplockedm.
lock_os_thread binds a goroutine for longer, and m.locks keeps everything else off that M, but for what is bound to it.

A goroutine is PARKED, and may be woken, before its stack is left: but only this very thread can go on with it, and it is on its way. How it is
brought back to its thread: guests.py. What a goroutine finds that the loop must run (m.pending) is run before anything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .ending import check_dead, tell_dead
from .entry import begin_rest
from .events import E_GO_START, E_GO_UNBLOCK, E_M_PARK, E_M_WAKE, E_PROC_STOP
from .findrun import at_hand
from .guests import send_guests_back
from .interp import switch_stack
from .linger import linger
from .states import ALIVE, EXITING, FOR_ANY, FOR_ONE, PARKED, PARKING, POOL, RUNNABLE, RUNNING
from .telling import tell_block, tell_stop
from .wake import acquire_p, hand_off_p, submit_behind, wake_p

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M


# ---- leaving the processor with a stack ----


def stop_locked(m: M, g: Goroutine) -> None:
    """g, on m's stack, is PARKING: returns when it is woken and m has a P. In the runtime."""
    bind(m, g)
    g.since = m.sched.moment()
    if m.trail is not None:
        tell_block(m, g)
    if g.swap_state(PARKING, PARKED):
        if m.sched.phase() != ALIVE and g.win() and g.swap_state(PARKED, RUNNABLE):  # race: it parked behind the back of begin_ending
            if m.trail is not None:
                m.trail.tell2(m.who, E_GO_UNBLOCK, g.id, 0)
            submit_behind(m, g)
        leave(m)
    elif m.trail is not None:
        m.trail.tell2(m.who, E_GO_UNBLOCK, g.id, g.waker)
    unbind(m, g)


def yield_locked(m: M, g: Goroutine) -> None:
    """g, on m's stack, queues with the others until it is given a P: Gosched in the plain spelling, or the P was lost. In the runtime."""
    bind(m, g)
    queue_up(m, g)
    leave(m)
    unbind(m, g)


def suspend_locked(m: M, g: Goroutine) -> None:
    """The same for a goroutine in the middle of its code: its thread waits with it. Were it set aside, its thread would run others, and an RLock that
    it holds would be theirs as well. But if others wait here, with stacks of their own, and it holds nothing, they are not to wait for it."""
    if m.aside != 0 and m.sched.host.may_set_aside():
        yield_locked(m, g)
    else:
        g.home = m
        queue_up(m, g)
        give_up_p(m)
        sleep_locked(m)
        unbind(m, g)


def queue_up(m: M, g: Goroutine) -> None:
    if m.trail is not None:
        tell_stop(m, g)
    g.set_state(RUNNABLE)
    submit_behind(m, g)
    if m.p is not None:
        m.p.begin_slice()  # who is next does not pay for the slice that g has used up


def bind(m: M, g: Goroutine) -> None:
    """Before g can be woken. There must be a stack to go on on before anything can go wrong."""
    g.home = m
    if m.stack is not None:
        g.args = m.stack
        if not m.pool:
            m.pool.append(m.sched.host.new_stack(m))


def leave(m: M) -> None:
    """Returns when the goroutine on this stack, which is bound to m, has its turn."""
    if m.stack is None:
        give_up_p(m)
        sleep_locked(m)
    else:
        m.aside += 1
        m.let_go()
        g = at_hand(m) if m.locks == 0 and m.p is not None and m.sched.hands_over else None
        if g is not None and g.home is m and g.args is not None:
            mine = m.stack
            take_up(m, g)
            if m.stack is not mine:
                switch_stack(m.stack)
        else:
            m.pending = g
            m.stack = m.pool.pop()
            if m.stack:
                switch_stack(m.stack)
            else:  # it is begun from the root, or it would begin as deep as this one is
                m.fresh = m.stack
                switch_stack(m.root)
        m.aside -= 1
        if len(m.pool) > POOL:
            trim(m, POOL)


def trim(m: M, n: int) -> None:
    """Ends stacks that m has to spare, beyond n."""
    while len(m.pool) > n:
        m.sched.host.end_stack(m, m.pool.pop())


def take_up(m: M, g: Goroutine) -> None:
    """m goes on with g, on the stack that g has here."""
    m.stack = g.args
    m.hold(g)
    m.goid = g.id
    m.asked = False
    if not m.inherits:
        m.p.begin_slice()
    m.p.begin_turn()


def unbind(m: M, g: Goroutine) -> None:
    g.args = None
    if g.locks == 0:  # race: another one has locked m meanwhile, and may end with it
        g.home = None
    g.set_state(RUNNING)
    if m.trail is not None:
        m.trail.tell1(m.who, E_GO_START, g.id)


def give_up_p(m: M) -> None:
    if m.p is not None:
        p = m.p
        m.p = None  # type: ignore[assignment]
        if m.trail is not None:
            m.trail.tell(m.who, E_PROC_STOP)
        hand_off_p(m.sched, p)


def sleep_locked(m: M) -> None:
    """m, without a P, sleeps until it is given one: for the goroutine on its stack, which cannot be left, or for any guest. At the program's exit it
    wakes without: nobody is left to hand one over, and it runs to its end as it is."""
    m.clear_note()
    m.sched.acquire()
    exits = m.sched.phase() == EXITING  # those to be woken for it may have been told already
    if not exits:
        m.waits = FOR_ONE if m.busy() else FOR_ANY
    m.sched.idle_locked += 1
    sent = send_guests_back(m)  # race: who waits here was delivered before it slept, and nobody would bring a P
    dead = check_dead(m.sched)
    m.sched.release()
    if sent:
        wake_p(m.sched)
    if dead != 0:
        tell_dead(m.sched, dead)
    if not exits:
        m.state = "locked"
        if m.trail is not None:
            m.trail.tell(m.who, E_M_PARK)
        begin_rest(m)
        linger(m)
        m.sched.host.sleep_m(m)
        m.resting = False
        m.state = "running"
        if m.trail is not None:
            m.trail.tell(m.who, E_M_WAKE)
        m.waits = 0
    p = m.nextp
    m.nextp = None
    if p is not None:
        acquire_p(m, p)
        if m.busy():
            if not m.inherits:
                m.p.begin_slice()
            m.p.begin_turn()


# ---- lock_os_thread ----


def lock_to(m: M, g: Goroutine) -> None:
    """Go's LockOSThread, on m's own thread: g runs on no other thread, and m runs nothing that is not bound to it. It nests. Another one
    that has a stack here may lock the same thread."""
    if g.locks == 0:
        m.sched.host.will_lock()
        m.locks += 1
        g.home = m
    g.locks += 1


def unlock_from(m: M, g: Goroutine) -> None:
    """The last of as many unlocks as there were locks. One more does nothing."""
    if g.locks > 0:
        g.locks -= 1
        if g.locks == 0:
            m.locks -= 1
            g.home = None
