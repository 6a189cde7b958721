"""Real threads for a scheduler's Ms.

The threads are started below `threading`, with an empty contextvars context, and are not joined at interpreter exit: the runtime ends them itself
and counts them out. `gone` is set when the last has left; it is a note, so that the thread in run() can wait for it with a deadline.
"""

from __future__ import annotations

import _thread
import os
import sys
import threading
import weakref
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING, Any

from gosched.core.mloop import run_m
from gosched.core.native import current_m, nap, now
from gosched.core.states import COURTESY_NS
from gosched.core.sysmon import run_sysmon
from gosched.core.wake import unstart_m
from gosched.debug import WATCHDOG, track_origins
from gosched.errors import ThreadLimitError

from .asking import new_asker
from .poller import NotePoller, Poller
from .template import Template
from .watchdog import report_blocked, report_stall

if TYPE_CHECKING:
    from gosched.core.g import Goroutine
    from gosched.core.m import M
    from gosched.core.p import P
    from gosched.core.sched import Scheduler

# Threads of every runtime in this process, by ident.
OURS: set[int] = set()

# What `threading` made up for threads of ours that asked for current_thread(): before 3.13 such a one seems to live for ever.
GHOSTS: weakref.WeakSet[threading.Thread] = weakref.WeakSet()

AsyncGenHook = Callable[[AsyncGenerator[Any, Any]], None]


class ThreadHost:
    """The Host of production. `events` is told what the scheduler has to report; the runtime above decides."""

    def __init__(self, events: Any, poller: Poller | None = None) -> None:
        self.events = events
        self.poller = NotePoller() if poller is None else poller
        self.sched: Scheduler | None = None
        self.pid = os.getpid()
        self.asyncgen_hooks: tuple[AsyncGenHook | None, AsyncGenHook | None] = (None, None)
        self.asker = new_asker()
        self.template = Template()
        self.watching = False
        self._first = _thread.allocate_lock()

    def start_m(self, number: int, p: P, spinning: bool) -> None:
        sched = self.sched
        assert sched is not None
        try:
            if self._first.acquire(blocking=False):
                _thread.start_new_thread(self._sysmon_main, (sched,))
            if sched.threads > sched.max_threads:
                raise ThreadLimitError(sched.max_threads)
        except RuntimeError as error:
            self._not_started(sched, p, spinning, error)
            return
        m = current_m()
        if m is None or m.locks == 0:
            self._start(sched, number, p, spinning)
        else:
            self.template.order(self._start, sched, number, p, spinning)

    def _start(self, sched: Scheduler, number: int, p: P, spinning: bool) -> None:
        try:
            _thread.start_new_thread(self._thread_main, (sched, number, p, spinning))
        except RuntimeError as error:
            self._not_started(sched, p, spinning, error)

    def _not_started(self, sched: Scheduler, p: P, spinning: bool, error: RuntimeError) -> None:
        unstart_m(sched, p, spinning)
        self.events.fatal(error)

    def _thread_main(self, sched: Scheduler, number: int, p: P, spinning: bool) -> None:
        ident = _thread.get_ident()
        OURS.add(ident)
        try:
            sys.set_asyncgen_hooks(*self.asyncgen_hooks)
            track_origins()
            run_m(sched, number, p, spinning)
        except BaseException as error:  # a defect of the scheduler itself: it must not pass for a thread that has nothing to do
            self.events.fatal(error)
        finally:
            GHOSTS.update(t for t in threading.enumerate() if t.ident == ident)
            OURS.discard(ident)
            self.events.thread_gone()
            if in_forked_child(self.pid):
                end_of_fork()

    def _sysmon_main(self, sched: Scheduler) -> None:
        ident = _thread.get_ident()
        OURS.add(ident)
        self.watching = True
        try:
            run_sysmon(sched)
        except BaseException as error:
            self.events.fatal(error)
        finally:
            OURS.discard(ident)
            self.watching = False
            self.events.thread_gone()

    def ready(self, m: M) -> None:
        self.asker.ready(m)

    def ask(self, m: M) -> bool:
        return self.asker.ask(m)

    def cheap_to_ask(self) -> bool:
        return self.asker.cheap

    def stalled(self, m: M, ns: int, blocked: bool) -> None:
        if WATCHDOG:
            report_stall(m, ns, blocked)

    def tick(self) -> None:
        if self.sched is not None:
            report_blocked(self.sched.allm, self.now())

    def will_lock(self) -> None:
        self.template.prepare()

    def end_hogs(self) -> None:
        """The program is over: whatever still runs user code is to end with Goexit."""
        assert self.sched is not None
        for m in list(self.sched.allm):
            if m.goid and not m.in_runtime and m.state == "running":
                self.asker.end(m)

    def close(self) -> None:
        assert self.sched is not None
        self.asker.close(self.sched)
        self.template.close()

    def courtesy(self) -> None:
        nap(COURTESY_NS)

    def now(self) -> int:
        return now()

    def sleep_m(self, m: M) -> None:
        m.sleep_note(-1)

    def poll(self, until: int) -> None:
        self.poller.wait(until)

    def poll_wake(self) -> None:
        self.poller.wake()

    def deadline(self) -> int:
        return self.poller.deadline()

    def failed(self, g: Goroutine, error: BaseException) -> None:
        self.events.failed(g, error)

    def all_asleep(self) -> None:
        self.events.all_asleep()

    def all_gone(self) -> None:
        self.events.all_gone()


def outsiders() -> list[threading.Thread]:
    """Living threads that are neither gosched's nor the caller's: one of them may still wake a goroutine."""
    mine = threading.get_ident()
    return [t for t in threading.enumerate() if t.ident not in OURS and t not in GHOSTS and t.ident != mine and t.is_alive()]


def in_forked_child(pid: int) -> bool:
    return os.getpid() != pid


def end_of_fork() -> None:
    """The goroutine that forked has ended in the child, whose only thread this is: there is no program to go back to."""
    print("gosched: in a forked child, the goroutine that forked has ended; end the child with os._exit() or os.exec*()", file=sys.stderr)
    sys.stderr.flush()
    os._exit(70)
