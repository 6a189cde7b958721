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

from gosched.core.mloop import loop, loop_here, run_m
from gosched.core.native import current_m, nap, now
from gosched.core.states import COURTESY_NS, SLICE_NS
from gosched.core.sysmon import run_sysmon
from gosched.core.wake import unstart_m
from gosched.debug import WATCHDOG, WISHES, track_origins
from gosched.errors import ThreadLimitError
from gosched.stacks.light import LightStacks

from .asking import new_asker
from .cpus import gil_enabled, num_cpu
from .helpers import Helpers
from .holding import holds_nothing
from .poller import NetPoller, NotePoller, Poller, new_net_poller
from .schedtrace import Schedtrace
from .template import Template
from .ticks import Ticks
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

    def __init__(self, events: Any, poller: Poller | None = None, light: bool = False) -> None:
        self.events = events
        self.poller: Poller = NotePoller() if poller is None else poller
        self._net: NetPoller | None = None
        self._opening = _thread.allocate_lock()
        self.sched: Scheduler | None = None
        self.pid = os.getpid()
        self.asyncgen_hooks: tuple[AsyncGenHook | None, AsyncGenHook | None] = (None, None)
        self.asker = new_asker()
        self.stacks = LightStacks(loop_here) if light else None
        self.helpers = Helpers(OURS)
        self.template = Template()
        self.watching = False
        self.ticks = Ticks()
        if WATCHDOG:
            self.ticks.every(SLICE_NS // 2, self._report_blocked)
        if WISHES.schedtrace:
            self.schedtrace = Schedtrace(WISHES.scheddetail)
            self.ticks.every(WISHES.schedtrace * 1_000_000, self._print_schedtrace)
        self._first = _thread.allocate_lock()

    def drive(self, sched: Scheduler) -> Scheduler:
        """Its Ms will be threads of this host, in real time."""
        self.sched = sched
        sched.virtual = False
        sched.lingers = num_cpu() > 1 and not gil_enabled()
        return sched

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

    def call_elsewhere(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.helpers.call(fn, args, kwargs)

    def enter(self, m: M) -> None:
        if self.stacks is None:
            loop(m)
        else:
            self.stacks.enter(m)

    def new_stack(self, m: M) -> Any:
        assert self.stacks is not None
        return self.stacks.new(m)

    def end_stack(self, m: M, stack: Any) -> None:
        assert self.stacks is not None
        self.stacks.end(m, stack)

    def ready(self, m: M) -> None:
        self.asker.ready(m)

    def ask(self, m: M) -> bool:
        return self.asker.ask(m)

    def cheap_to_ask(self) -> bool:
        return self.asker.cheap

    def stalled(self, m: M, ns: int, blocked: bool) -> None:
        if WATCHDOG:
            report_stall(m, ns, blocked)

    def stuck(self, ns: int) -> None:
        self.events.stuck(ns / 1e9)

    def tick(self) -> None:
        self.ticks.tick(self.now())

    def _report_blocked(self, now: int) -> None:
        assert self.sched is not None
        report_blocked(self.sched.allm, now)

    def _print_schedtrace(self, now: int) -> None:
        assert self.sched is not None
        self.schedtrace.print(self.sched, now)

    def may_set_aside(self) -> bool:
        return holds_nothing(sys._getframe())

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
        self.helpers.close()
        if self._net is not None:
            self._net.give_up()
        if self.sched.threads == 0:  # else somebody stayed behind, perhaps in there
            self.poller.close()

    def courtesy(self) -> None:
        nap(COURTESY_NS)

    def now(self) -> int:
        return now()

    def sleep_m(self, m: M) -> None:
        m.sleep_note(-1)

    def poll(self, until: int) -> None:
        self.poller.wait(until)

    def look(self) -> None:
        self.poller.look()

    def poll_wake(self) -> None:
        self.poller.wake()

    def net(self) -> NetPoller:
        """The poller for descriptors. It takes the note's place with the first of them; who waits at the note is woken, and waits there instead."""
        if self._net is not None:
            return self._net
        with self._opening:
            if self._net is None:
                assert self.sched is not None
                note = self.poller
                self.poller = self._net = new_net_poller(self.sched)
                note.wake()
            return self._net

    def deadline(self) -> int:
        return self.poller.deadline()

    def failed(self, g: Goroutine, error: BaseException) -> None:
        self.events.failed(g, error)

    def fatal(self, error: BaseException) -> None:
        self.events.fatal(error)

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
