"""The end of a program, and the end that comes too early: a deadlock.

begin_ending    main is over. Every other goroutine is resumed with Goexit: the parked ones from here, the queued ones when their turn comes,
                the running ones when they next yield (execute.end, execute.settle)
begin_exit      nothing is left to run, or nobody waits any longer: the threads leave as they come by

A thread that polls is awake, and so there is no deadlock. But what it polls for may go while it does: who waited for a descriptor gave up, a timer
was stopped. So whoever becomes the last idle one but for the poller sends it back to look again; and who goes to poll looks, under the same
lock, if it is alone (findrun.rest). Either the former sees that somebody polls, or the latter sees that all others are idle. Both look at the timers
after the lock: whoever stopped one did so before it fell asleep, and to look once too often does no harm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .events import E_PHASE, OUTSIDE
from .park import claim, ready_elsewhere
from .states import ALIVE, ENDING, EXITING
from .timers import any_timer
from .wake import rouse

if TYPE_CHECKING:
    from .m import M
    from .sched import Scheduler


ALL_ASLEEP, IN_VAIN = 1, 2


def check_dead(s: Scheduler) -> int:
    """Lock held, when a thread has just become idle, or ended. ALL_ASLEEP: none is left that could make a goroutine runnable. IN_VAIN: only one, and
    it polls for timers alone, if there are any. 0: there is hope."""
    if s.global_size() != 0:
        return 0
    if s.threads == s.idle_threads + s.idle_locked:
        return ALL_ASLEEP
    return IN_VAIN if s.last_poll() == 0 and polls_in_vain(s) else 0


def polls_in_vain(s: Scheduler) -> bool:
    """Lock held: all threads but one are idle, and nobody waits for a descriptor."""
    return s.threads == s.idle_threads + s.idle_locked + 1 and s.net_waiters() == 0


def tell_dead(s: Scheduler, verdict: int) -> None:
    """What check_dead has found, without the lock."""
    if verdict == ALL_ASLEEP:
        s.host.all_asleep()
    elif verdict == IN_VAIN and not any_timer(s):
        s.host.poll_wake()  # race: it went to poll while there was something to wait for


def still_dead(s: Scheduler) -> bool:
    """The same, asked from outside some time later."""
    s.acquire()
    dead = check_dead(s) == ALL_ASLEEP
    s.release()
    return dead


def fast_asleep(s: Scheduler) -> bool:
    """The same, and each thread does sleep: none still runs Python on its way there, a finaliser perhaps that is about to wake somebody."""
    ms = list(s.allm)
    n = 0
    s.acquire()
    dead = check_dead(s) == ALL_ASLEEP
    for m in ms:
        if m.naps():
            n += 1
    dead = dead and n == s.threads  # who came since the list was made is missing in n
    s.release()
    return dead


def begin_ending(s: Scheduler) -> bool:
    """True for the first caller."""
    s.acquire()
    first = s.phase() == ALIVE
    if first:
        if s.trail is not None:
            s.trail.tell1(OUTSIDE, E_PHASE, ENDING)
        s.set_phase(ENDING)
    s.release()
    if first:
        for g in s.goroutines():
            if g.win():
                g.waker = 0
                if claim(g):
                    ready_elsewhere(s, g)
        if s.live_count() == 0:
            s.host.all_gone()
    return first


def begin_exit(s: Scheduler) -> None:
    """The idle Ms are woken to leave; those that run leave when they come by."""
    s.acquire()
    if s.trail is not None:
        s.trail.tell1(OUTSIDE, E_PHASE, EXITING)
    s.set_phase(EXITING)
    told = s.idle_m
    s.idle_m = None
    s.idle_threads = 0
    s.release()
    while told is not None:
        m: M = told
        told = m.link
        m.link = None
        rouse(m)
    for sleeper in list(s.allm):
        if sleeper.waits != 0:
            rouse(sleeper)
    s.host.poll_wake()
    s.end_watch()


def cut_off(s: Scheduler) -> None:
    """In a forked child, where the thread that forked is the only one: it held no lock, and who did does not exist here."""
    s.free_locks()
    s.set_phase(EXITING)
