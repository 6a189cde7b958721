"""The scheduler, bent: other rules than Go's for where goroutines are queued, and a word to the tracer about each place.

The rules are fields of the scheduler (gosched.Policy sets them, before the first M):

    runnext    False: who becomes runnable goes to the tail, and nobody is next
    central    everybody goes to the global queue
    lifo       of a P's queue the newest comes first
    share      what a steal takes of a ring, in parts of WHOLE;  steals: False, nothing, but timers that are due are still run
    inherits   False: who is next has a slice of its own
    place, first, order    a user's functions, which only choose: where a goroutine goes, whether the global queue comes first, whom to rob in which
                           order. They are called inside the runtime, without its locks. What one raises, or an answer that is none, ends the
                           program; the rule is Go's from then on
    journal    QUEUE, SPILL, REFILL, DRAIN, EXPIRE and SPIN are told (Trails.queues): with them a reader knows every queue at every event. In virtual
               time only

No rule can lose a goroutine: each is put into one queue, and only into one, whatever a policy says. With several threads they are as safe as Go's.
`bent` says that putting is not the short way of runq.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gosched.errors import bad_policy

from .events import AT_GLOBAL, AT_NEXT, AT_TAIL, E_DRAIN, E_EXPIRE, E_QUEUE, E_REFILL, E_SPILL, E_SPIN, OUTSIDE

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M
    from .p import P
    from .sched import Scheduler


# ---- putting ----


def put_bent(m: M, g: Goroutine) -> None:
    """Who became runnable."""
    where = AT_NEXT
    if m.sched.place is not None:
        where = ask_place(m, g)
    elif m.sched.central:
        where = AT_GLOBAL
    elif not m.sched.runnext:
        where = AT_TAIL
    if where == AT_NEXT:
        kicked = m.p.swap_next(g)
        tell_queue(m, g, AT_NEXT)
        if kicked is not None:
            push_or_spill(m, kicked)
    elif where == AT_TAIL:
        push_or_spill(m, g)
    else:
        put_common(m, g)


def put_tail_bent(m: M, g: Goroutine) -> None:
    if m.sched.central:
        put_common(m, g)
    else:
        push_or_spill(m, g)


def push_or_spill(m: M, g: Goroutine) -> None:
    pushed: bool = m.p.push(g)
    while not pushed and not m.p.spill_half(m.sched, g):
        pushed = m.p.push(g)  # a thief made room between the two
    if pushed:
        tell_queue(m, g, AT_TAIL)
    elif m.sched.journal:
        m.trail.tell2(m.who, E_SPILL, m.p.id, m.sched.ring // 2)  # type: ignore[union-attr]
        tell_global(m.sched, g)


def put_common(m: M, g: Goroutine) -> None:
    m.sched.acquire()
    m.sched.global_put(g)
    if m.sched.journal:
        tell_global(m.sched, g)
    m.sched.release()


# ---- taking ----


def pop_newest(m: M) -> Goroutine | None:
    """Each of the older ones goes round once. Thieves may take some meanwhile: then another one is the newest."""
    for _ in range(1, m.p.ring_size()):
        g: Goroutine | None = m.p.pop()
        if g is None:
            return None
        if not m.p.push(g):
            return g
    newest: Goroutine | None = m.p.pop()
    return newest


# ---- telling ----


def tell_queue(m: M, g: Goroutine, where: int) -> None:
    if m.sched.journal:
        m.trail.tell3(m.who, E_QUEUE, g.id, where, m.p.id)  # type: ignore[union-attr]


def tell_global(s: Scheduler, g: Goroutine) -> None:
    s.trail.tell3(OUTSIDE, E_QUEUE, g.id, AT_GLOBAL, 0)  # type: ignore[union-attr]


def tell_refill(m: M, n: int) -> None:
    m.trail.tell2(m.who, E_REFILL, m.p.id, n)  # type: ignore[union-attr]


def tell_spin(m: M) -> None:
    """m looks for work elsewhere."""
    if m.sched.journal:
        m.trail.tell(m.who, E_SPIN)  # type: ignore[union-attr]


def tell_expire(m: M) -> None:
    m.trail.tell1(m.who, E_EXPIRE, m.p.id)  # type: ignore[union-attr]


def tell_drain(s: Scheduler, p: P) -> None:
    s.trail.tell1(OUTSIDE, E_DRAIN, p.id)  # type: ignore[union-attr]


# ---- asking a policy ----


def ask_place(m: M, g: Goroutine) -> int:
    try:
        where = m.sched.place(g, m.p.id, m.p.ring_size())
        if where not in (AT_NEXT, AT_TAIL, AT_GLOBAL) or isinstance(where, bool):
            raise bad_policy("place", "NEXT, TAIL or GLOBAL", where)
    except BaseException as error:  # it ends the program, not the thread that asked
        m.sched.place = None
        m.sched.host.fatal(error)
        return AT_NEXT
    return where  # type: ignore[no-any-return]


def asks_global(m: M) -> bool:
    try:
        yes = m.sched.first(m.p.id, m.p.slices(), m.p.ring_size(), m.sched.global_size())
        if not isinstance(yes, bool):
            raise bad_policy("global_first", "True or False", yes)
    except BaseException as error:
        m.sched.first = None
        m.sched.host.fatal(error)
        return False
    return yes


def ask_order(m: M, thief: P, n: int) -> Any:
    try:
        numbers = list(m.sched.order(thief.id, n))
        for number in numbers:
            if not isinstance(number, int) or not 0 <= number < n:
                raise bad_policy("victims", f"numbers of Ps, from 0 to {n - 1}", number)
    except BaseException as error:
        m.sched.order = None
        m.sched.host.fatal(error)
        return range(n)
    return numbers


def may_rob(m: M, thief: P, number: int) -> bool:
    """Who is never visited is no reason to go on searching: that P's own thread has its work."""
    return m.sched.order is None or number in ask_order(m, thief, m.sched.nproc)
