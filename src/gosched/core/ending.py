"""The end of a program, and the end that comes too early: a deadlock.

begin_ending    main is over. Every other goroutine is resumed with Goexit: the parked ones from here, the queued ones when their turn comes,
                the running ones when they next yield (execute.end, execute.settle)
begin_exit      nothing is left to run, or nobody waits any longer: the threads leave as they come by
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .park import claim
from .states import ALIVE, ENDING, EXITING
from .wake import submit_global

if TYPE_CHECKING:
    from .m import M
    from .sched import Scheduler


def check_dead(s: Scheduler) -> bool:
    """Lock held, when an M has just become idle: is no thread left that could make a goroutine runnable?"""
    return s.threads == s.idle_threads + s.idle_locked and s.global_size() == 0


def still_dead(s: Scheduler) -> bool:
    """The same, asked from outside some time later."""
    s.acquire()
    dead = check_dead(s)
    s.release()
    return dead


def begin_ending(s: Scheduler) -> bool:
    """True for the first caller."""
    s.acquire()
    first = s.phase() == ALIVE
    if first:
        s.set_phase(ENDING)
    s.release()
    if first:
        for g in s.goroutines():
            if g.win() and claim(g):
                submit_global(s, g)
        if s.live_count() == 0:
            s.host.all_gone()
    return first


def begin_exit(s: Scheduler) -> None:
    """The idle Ms are woken to leave; those that run leave when they come by."""
    s.acquire()
    s.set_phase(EXITING)
    told = s.idle_m
    s.idle_m = None
    s.idle_threads = 0
    s.release()
    while told is not None:
        m: M = told
        told = m.link
        m.link = None
        m.wake_note()
    for sleeper in list(s.allm):
        if sleeper.asleep:
            sleeper.wake_note()
    s.host.poll_wake()
    s.end_watch()


def cut_off(s: Scheduler) -> None:
    """In a forked child: no lock is taken, its holder may not exist here."""
    s.set_phase(EXITING)
