"""One turn of one goroutine, and what becomes of it afterwards.

User code runs with the P published (entry.py) and inside the goroutine's own contextvars context, which is left before the state word moves: after
PARKING -> PARKED the goroutine may already run on another thread, and nothing of it is touched here. What a finished goroutine leaves behind is
dropped while still in user code, because finalisers may run then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gosched.errors import Goexit, foreign_await

from .bodies import call, is_coroutine, is_coroutine_function, resume, throw
from .entry import enter_runtime, leave_runtime
from .events import E_GO_END, E_GO_START, E_GO_UNBLOCK
from .findrun import find_runnable, idle
from .guests import deliver, take_guest
from .interp import switch_stack
from .interrupt import end_scope, ending, is_over
from .locked import give_up_p, lock_to, sleep_locked, take_up
from .native import disown, shared, unlink
from .op import Op
from .preempt import reprieve
from .runq import put_tail
from .states import (
    ALIVE,
    BEHIND,
    DEAD,
    EXIT,
    NOTIFIED,
    OWN_THREAD,
    PARKED,
    PARKING,
    RAISED,
    RETURNED,
    RUNNABLE,
    RUNNING,
    SPENDING,
    STAY,
    STAYED,
    SYSCALL,
    YIELDED,
)
from .telling import tell_block, tell_stop
from .wake import stop_spinning, submit, submit_behind

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M


def step(m: M) -> int:
    """Finds a goroutine and gives it a turn. 0, or the verdict if there is none."""
    if m.locks != 0:
        return step_locked(m)
    if m.p is None:
        idle(m)
        return m.verdict
    g = find_runnable(m) if m.pending is None else take_pending(m)
    if g is None:
        return m.verdict
    if m.spinning:
        stop_spinning(m)
    if g.home is not None:
        return run_bound(m, g)
    return execute(m, g)


def take_pending(m: M) -> Goroutine | None:
    g = m.pending
    m.pending = None
    return g


def step_locked(m: M) -> int:
    """m is for those alone that have locked it, or have a stack here: it runs them, and sleeps in between. When one that had locked it has ended, and
    the last of the others has left, it leaves as well."""
    g = take_guest(m)
    if g is not None and m.p is not None:
        return run_bound(m, g)
    if g is not None:
        submit_behind(m, g)
    give_up_p(m)
    if m.spoilt and m.locks == 1 and m.aside == 0:
        return EXIT
    sleep_locked(m)
    return EXIT if m.p is None else 0


def run_bound(m: M, g: Goroutine) -> int:
    """g can only run on its home: here, or it is taken there."""
    if g.home is not m:
        if not deliver(m, g):
            return 0
        idle(m)
        return m.verdict
    if g.args is None:
        return execute(m, g)
    return go_on(m, g)


def go_on(m: M, g: Goroutine) -> int:
    """g's stack was set aside: m leaves its own, which is kept for reuse, and goes on on that one."""
    m.pool.append(m.stack)
    take_up(m, g)
    switch_stack(m.stack)
    return 0


def schedule(m: M) -> int:
    """Turn after turn, until there is nothing to run: the verdict."""
    verdict = 0
    while verdict == 0:
        verdict = step(m)
    return verdict


def execute(m: M, g: Goroutine) -> int:
    """One turn. 0, or STAY."""
    g.set_state(RUNNING)
    m.hold(g)
    m.goid = g.id
    m.asked = False
    if not m.inherits:
        m.p.begin_slice()
    m.p.begin_turn()
    if m.trail is not None:
        m.trail.tell1(m.who, E_GO_START, g.id)
    leave_runtime(m)
    return carry_on(m, g)


def carry_on(m: M, g: Goroutine) -> int:
    """g's turn, or the rest of it, and what becomes of g. STAY: it goes on later (spending.py)."""
    result = turn(m, g)
    if m.outcome == STAYED:
        return STAY
    if m.outcome != YIELDED:
        g.told = True  # what runs from here on is not its code
    if m.doomed:
        reprieve(m)
    if m.outcome == YIELDED:
        settle(m, g)
    else:
        report(m, g, result)
        result = None
        enter_runtime(m)
        m.let_go()
        if g.locks != 0:  # race: it is another one that has locked m, and lives on
            g.locks = 0
            m.spoilt = True
        bury(m, g)
    return 0


def turn(m: M, g: Goroutine) -> Any:
    """Runs g until it yields to us or ends; m.outcome says which. Whatever else it yields is no operation of ours."""
    if m.sched.phase() != ALIVE and not g.system:
        result = end(m, g)
    elif g.args is not None:
        result = begin(m, g)
    elif g.struck:
        result = strike(m, g)
    else:
        result = resume(g.body, g.take_answer(), g.context, m)
    while m.outcome == YIELDED and (result is not None or g.state_now() == RUNNING):
        if result is None and (g.phase == SPENDING or g.phase == SYSCALL):
            m.outcome = STAYED
            break
        adopt_context(m, g)
        result = throw(g.body, foreign_await(result), g.context, m)
    adopt_context(m, g)
    return result


def adopt_context(m: M, g: Goroutine) -> None:
    """g had no context, and has set a variable: what CPython made for it is its own."""
    if m.has_adopted():
        g.context = m.take_adopted()


def begin(m: M, g: Goroutine) -> Any:
    """The first turn: of an async function, of a plain one (its only turn), or of the coroutine that a plain one returns."""
    args = g.args
    g.args = None
    if g.phase == OWN_THREAD:
        g.phase = 0
        lock_to(m, g)
    if is_coroutine_function(g.body):
        g.body = g.body(*args)
        return resume(g.body, None, g.context, m)
    result = call(g.body, args, g.context, m)
    if m.outcome == RETURNED and (is_coroutine(result) or isinstance(result, Op)):
        g.body = result
        adopt_context(m, g)
        result = resume(result, None, g.context, m)
    return result


def end(m: M, g: Goroutine) -> Any:
    """The program is over: g unwinds with its finally blocks, or never starts."""
    if g.args is not None:
        g.args = None
        m.outcome = RAISED
        return Goexit()
    g.phase = 0
    g.told = True
    g.struck = False
    g.take_inbox()
    return throw(g.body, Goexit(), g.context, m)


def strike(m: M, g: Goroutine) -> Any:
    """g's context is over, and that has ended its wait."""
    g.take_inbox()
    return throw(g.body, ending(g), g.context, m)


def settle(m: M, g: Goroutine) -> None:
    """g has yielded: is it parked, does it wait for another turn, or was it woken already?"""
    enter_runtime(m)
    m.let_go()
    g.since = m.sched.moment()
    if m.trail is not None:
        tell_yield(m, g)
    if g.scope is not None and g.state_now() == PARKING and is_over(g):  # race: its context was cancelled before it waited
        g.struck = True
        g.set_state(RUNNABLE)
        if m.trail is not None:
            m.trail.tell2(m.who, E_GO_UNBLOCK, g.id, 0)
        submit(m, g)
    elif g.state_now() == PARKING and g.swap_state(PARKING, PARKED):
        if m.sched.phase() != ALIVE and g.win() and g.swap_state(PARKED, RUNNABLE):  # race: it parked behind the back of begin_ending
            g.system = False
            if m.trail is not None:
                m.trail.tell2(m.who, E_GO_UNBLOCK, g.id, 0)
            submit_behind(m, g)
    elif g.state_now() == NOTIFIED:
        g.set_state(RUNNABLE)
        if m.trail is not None:
            m.trail.tell2(m.who, E_GO_UNBLOCK, g.id, g.waker)
        submit(m, g)  # race: the waker came first and left g to us
    elif g.phase == BEHIND and m.p is not None:
        g.set_state(RUNNABLE)
        put_tail(m, g)
    else:
        g.set_state(RUNNABLE)
        submit_behind(m, g)


def tell_yield(m: M, g: Goroutine) -> None:
    """Before g can be woken, or taken from a queue: its M's word comes first."""
    state = g.state_now()
    if state == PARKING or state == NOTIFIED:
        tell_block(m, g)
    else:
        tell_stop(m, g)


def report(m: M, g: Goroutine, result: Any) -> None:
    """g has ended: tells whoever wants to know, and lets go of what it had. In user code."""
    if g.given_name is None and shared(g):
        g.given_name = g.name
    if g.watcher is not None:
        g.watcher.note_end(g, m.outcome, result)
    elif m.outcome == RAISED:
        m.sched.host.failed(g, result)
    if g.scope is not None:
        end_scope(g)
    g.reset()


def bury(m: M, g: Goroutine) -> None:
    if m.trail is not None:
        m.trail.tell(m.who, E_GO_END)
    unlink(g)
    g.set_state(DEAD)
    if m.p is None or not m.p.spare_put(g):
        disown(g)
    if m.sched.phase() != ALIVE:
        m.sched.fence()  # two that end at once: each must see the other gone, or itself be seen
        if m.sched.live_count() == 0:
            m.sched.host.all_gone()
