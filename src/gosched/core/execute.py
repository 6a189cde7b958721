"""One turn of one goroutine, and what becomes of it afterwards.

User code runs with the P published (entry.py) and inside the goroutine's own contextvars context, which is left before the state word moves: after
PARKING -> PARKED the goroutine may already run on another thread, and nothing of it is touched here. What a finished goroutine leaves behind is
dropped while still in user code, because finalisers may run then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gosched.errors import Goexit, foreign_await

from .entry import enter_runtime, leave_runtime
from .findrun import find_runnable, idle
from .locked import give_up_p, lock_to, sleep_locked, start_locked
from .native import call, disown, is_coroutine, is_coroutine_function, resume, shared, throw, unlink
from .op import Op
from .preempt import reprieve
from .runq import put_tail
from .states import ALIVE, BEHIND, DEAD, EXIT, NOTIFIED, OWN_THREAD, PARKED, PARKING, RAISED, RETURNED, RUNNABLE, RUNNING, YIELDED
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
    g = find_runnable(m)
    if g is None:
        return m.verdict
    if m.spinning:
        stop_spinning(m)
    if g.home is not None:
        start_locked(m, g)
        idle(m)
        return m.verdict
    execute(m, g)
    return 0


def step_locked(m: M) -> int:
    """m is one goroutine's alone: waits until that one is to run, as Go's schedule does, or leaves with it."""
    give_up_p(m)
    if m.bound is None:
        return EXIT
    sleep_locked(m)
    if m.p is None:
        return EXIT
    execute(m, m.bound)
    return 0


def schedule(m: M) -> int:
    """Turn after turn, until there is nothing to run: the verdict."""
    verdict = 0
    while verdict == 0:
        verdict = step(m)
    return verdict


def execute(m: M, g: Goroutine) -> None:
    g.set_state(RUNNING)
    m.hold(g)
    m.goid = g.id
    m.asked = False
    if not m.inherits:
        m.p.begin_slice()
    m.p.begin_turn()
    leave_runtime(m)
    result = turn(m, g)
    if m.outcome != YIELDED:
        g.told = True  # what runs from here on is not its code
    if m.doomed:
        reprieve(m)
    if m.outcome == YIELDED:
        enter_runtime(m)
        m.let_go()
        if m.locks != 0:
            m.clear_note()  # race: who takes g from a queue wakes us, perhaps before we sleep; the note must not be of the last time
        settle(m, g)
    else:
        report(m, g, result)
        result = None
        enter_runtime(m)
        m.let_go()
        m.bound = None
        bury(m, g)


def turn(m: M, g: Goroutine) -> Any:
    """Runs g until it yields to us or ends; m.outcome says which. Whatever else it yields is no operation of ours."""
    if m.sched.phase() != ALIVE and not g.system:
        result = end(m, g)
    elif g.args is not None:
        result = begin(m, g)
    else:
        result = resume(g.body, g.take_answer(), g.context, m)
    while m.outcome == YIELDED and (result is not None or g.state_now() == RUNNING):
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
    g.take_inbox()
    return throw(g.body, Goexit(), g.context, m)


def settle(m: M, g: Goroutine) -> None:
    """g has yielded: is it parked, does it wait for another turn, or was it woken already?"""
    if g.state_now() == PARKING and g.swap_state(PARKING, PARKED):
        if m.sched.phase() != ALIVE and g.win() and g.swap_state(PARKED, RUNNABLE):  # race: it parked behind the back of begin_ending
            g.system = False
            submit_behind(m, g)
    elif g.state_now() == NOTIFIED:
        g.set_state(RUNNABLE)
        submit(m, g)  # race: the waker came first and left g to us
    elif g.phase == BEHIND and m.p is not None:
        g.set_state(RUNNABLE)
        put_tail(m, g)
    else:
        g.set_state(RUNNABLE)
        submit_behind(m, g)


def report(m: M, g: Goroutine, result: Any) -> None:
    """g has ended: tells whoever wants to know, and lets go of what it had. In user code."""
    if g.given_name is None and shared(g):
        g.given_name = g.name
    if g.watcher is not None:
        g.watcher.note_end(g, m.outcome, result)
    elif m.outcome == RAISED:
        m.sched.host.failed(g, result)
    g.reset()


def bury(m: M, g: Goroutine) -> None:
    unlink(g)
    g.set_state(DEAD)
    if m.p is None or not m.p.spare_put(g):
        disown(g)
    if m.sched.phase() != ALIVE:
        m.sched.fence()  # two that end at once: each must see the other gone, or itself be seen
        if m.sched.live_count() == 0:
            m.sched.host.all_gone()
