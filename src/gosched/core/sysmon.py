"""Sysmon: a thread without a P that takes Ps from who does not give them up.

It looks without the GIL (watch.h) and comes here only to act. What it finds, and does:

    blocked     in a call, seen detached on two looks, or marked: the P is taken if somebody could use it, or after a slice in any case
    late        in one turn for a slice: asked to let others run (preempt.py); where that cannot be done the P is taken
    very late   two slices: it is in a long C call, or we were late ourselves. It is asked, and the P is taken by force; the question stays
A P that is taken goes on with another M (entry.retake, wake.hand_off_p). Whose P is gone runs on without one until it next enters the runtime; where
asking is cheap, or if it was late, or others are bound to its thread, a blocked one is asked as well, so that it queues for a P as soon as its call
returns. It may not have been blocked at all: with a GIL, who waits for that looks alike.

The goroutine may have gone on between the look and the act. The turn is compared once more; if it still slips through, `retake` fails if the M is in
the runtime, and else takes the P of a goroutine that has just begun: a waste, no harm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .entry import retake
from .events import E_ASK, E_BLOCKED, SYSMON
from .states import AGAIN, ALIVE, LATE, NEWS, OVER, POLL_NOW, POLL_NS, TRACE

if TYPE_CHECKING:
    from .m import M
    from .p import P
    from .sched import Scheduler


def run_sysmon(s: Scheduler) -> None:
    """The whole of the thread."""
    found = s.keep_watch()
    while found != OVER:
        if found == TRACE:
            s.host.tick()
        elif found == POLL_NOW:
            look_at_net(s)
        elif found == NEWS:
            attend(s)
        elif found == AGAIN:
            ask_again(s)
        found = s.keep_watch()


def glance(s: Scheduler, now: int) -> int:
    """Virtual time: one look, and what follows from it. In how many ns the next one is due; 0: when a P is taken, now all are idle."""
    if s.look_once(now):
        attend(s)
    if s.net_waiters() != 0 and s.last_poll() != 0 and s.last_poll() + POLL_NS < now:
        look_at_net(s)
    return s.next_look() if any_busy(s) else 0


def any_busy(s: Scheduler) -> bool:
    """There is a P to look at."""
    return s.idle_ps() < s.nproc


def attend(s: Scheduler) -> None:
    """To every P of which there is news."""
    for i in range(len(s.allp)):
        p: P = s.allp[i]
        stage = p.take_stage()
        if stage != 0 and p.same_turn():
            tend(s, p, stage)


def look_at_net(s: Scheduler) -> None:
    """All Ms are busy, and none has looked for long: what can go on goes to the global queue."""
    last = s.last_poll()
    if last != 0 and s.move_last_poll(last, s.host.now()):  # race: an M begins to wait there, and one wait at a time
        s.host.look()


def tend(s: Scheduler, p: P, stage: int) -> None:
    m: M | None = p.m
    if m is None:
        pass  # it gave p up in this moment
    elif p.seen_detached():
        if stage >= LATE or needed(s, p):
            take_blocked(s, p, m, stage)
    elif wanted(s, p, m) and (not ask_hog(s, p, m) or stage > LATE):
        take_by_force(s, p, m)
    if m is not None and stage == LATE and not m.marked():
        s.host.stalled(m, stood_for(s, p), p.seen_detached())
    if m is not None and stage >= LATE and not p.seen_detached():
        s.host.stuck(stood_for(s, p))


def needed(s: Scheduler, p: P) -> bool:
    """Go's rule for a P in a system call: there is work in its queue, or nobody else looks for work."""
    return not p.queue_empty() or s.spinning() + s.idle_ps() == 0


def wanted(s: Scheduler, p: P, m: M) -> bool:
    """Somebody waits for a turn, or may at any moment. If not, a hog is left alone for another slice."""
    if not p.queue_empty() or m.any_guests() or s.global_size() != 0 or p.timers.size() != 0 or s.phase() != ALIVE or s.host.deadline() != -2:
        return True
    p.look_anew()
    return False


def take_blocked(s: Scheduler, p: P, m: M, stage: int) -> None:
    if retake(s, p):
        m.blocked_since = p.stands_since()
        m.blocked_in = m.goid
        p.blocks += 1
        if s.trail is not None:
            s.trail.tell3(SYSMON, E_BLOCKED, m.id, m.goid, stood_for(s, p))
        s.watch_quickly()
        if (stage >= LATE or m.aside != 0 or s.host.cheap_to_ask()) and ask(s, m):
            s.remind(True)


def take_by_force(s: Scheduler, p: P, m: M) -> None:
    if retake(s, p):
        p.forced += 1
        s.watch_quickly()
        if m.asked:
            s.remind(True)
    else:
        p.look_anew()


def stood_for(s: Scheduler, p: P) -> int:
    """In ns. What is told is never negative, whatever the clocks say."""
    ns: int = s.host.now() - p.stands_since()
    return max(0, ns)


def ask_hog(s: Scheduler, p: P, m: M) -> bool:
    if s.trail is not None:
        s.trail.tell3(SYSMON, E_ASK, m.id, m.goid, stood_for(s, p))
    return ask(s, m)


def ask(s: Scheduler, m: M) -> bool:
    """False: it cannot be asked."""
    m.asked = True
    if s.host.ask(m):
        return True
    m.asked = False
    return False


def ask_again(s: Scheduler) -> None:
    """Who was asked and has lost its P. The frame whose events were switched on may have ended without one, or the trace function got lost."""
    anybody = False
    for m in list(s.allm):
        if m.asked and m.busy() and not m.in_runtime and m.lost_p():
            s.host.ask(m)  # if that cannot be done, the question before may still arrive
            anybody = True
    if anybody:
        s.remind(False)
