"""Virtual time: one thread plays every M, the clock jumps, and a seed decides whose turn it is.

The scheduler is the production one, compiled or pure: only the host differs. An M's turn is one step of its loop (find a goroutine and run it until
it yields), so user code is never interrupted, and the same seed gives the same trace, on every build.

The order is the scheduler's own: with one P there is but one. With `shuffle` the seed also decides who of those that can run goes first, and takes
Ps away from goroutines, as sysmon does from hogs: then others come before their next operation. So whatever order the operations of several
goroutines could have on real threads, some seed has it.

A goroutine that waits by the plain spelling keeps its M's stack. Then each M has a stack of its own here, a greenlet; without greenlet only the
awaited spelling works in virtual time.
"""

from __future__ import annotations

import random
from contextvars import Context, ContextVar, copy_context
from typing import Any

from gosched.core.ending import begin_ending, begin_exit, still_dead
from gosched.core.entry import submit_late_global
from gosched.core.execute import step
from gosched.core.findrun import after_poll, expire_slice
from gosched.core.m import M
from gosched.core.mloop import forget_m, new_m, woken
from gosched.core.mutex import explore_locks
from gosched.core.native import current_m, set_current_m
from gosched.core.p import P
from gosched.core.perturb import mix
from gosched.core.sched import Scheduler
from gosched.core.spawn import spawn_outside
from gosched.core.states import EXIT, NOBODY, PARK, POLL
from gosched.core.waitgroup import GroupCounter
from gosched.policy import GO, Policy
from gosched.program import Main, OnUncaught, Program, deadlock
from gosched.trace.record import VirtualRecorder

from .striking import heeding_ctrl_c

try:
    from greenlet import getcurrent, greenlet  # type: ignore[import-untyped, unused-ignore]
except ImportError:  # pragma: no cover - said in words by sleep_m
    greenlet = None

# Virtual time begins here: a time of 0 would mean that a timer is not set.
EPOCH = 1_000_000_000
# What an M sleeps for, beside PARK and POLL: its note, with a goroutine on its stack.
LOCKED = 10
# Turns that a chain of `next` goroutines takes on one slice: about as many as fit into Go's 10 ms.
SLICE_TURNS = 32_768
# How often a shuffled run leaves the scheduler's order: each has its own rate, for few changes at odd places find more than many everywhere.
UNREST = (0.1, 0.3, 0.6)
Event = tuple[int, int, int, int, int]
INSIDE: ContextVar[bool] = ContextVar("gosched_virtual_time")


def apart() -> Context:
    """A copy of the caller's context to run in, which is not empty. A goroutine that inherits no variable has no context, and empties the thread's
    when it is resumed: an M's thread has none to lose, but here it is the caller's, and may be a task of some event loop."""
    context = copy_context()
    context.run(INSIDE.set, True)
    return context


class VirtualRuntime(Program):
    """A program in virtual time. `trace` has an event per turn: (time, M, P or -1, goroutine or 0, verdict)."""

    def __init__(
        self,
        gomaxprocs: int = 1,
        seed: int = 0,
        on_uncaught: OnUncaught | None = None,
        shuffle: bool = False,
        recorder: VirtualRecorder | None = None,
        policy: Policy = GO,
    ) -> None:
        super().__init__(on_uncaught)
        self.random = random.Random(seed)
        self.mixer = random.Random(f"shuffle {seed}")
        self.unrest = self.mixer.choice(UNREST) if shuffle else 0.0
        self.clock = EPOCH
        self.trace: list[Event] = []
        self.ms: list[M] = []
        self.asleep_ms: dict[M, int] = {}
        self.until: int = NOBODY
        self.poked = False
        self.slices: dict[int, tuple[int, int]] = {}
        self.loop: Any = None
        self.why = "end"
        self.blocked_waiters: list[GroupCounter] = []
        self.sched = Scheduler(self, gomaxprocs, seed, policy.ring)
        policy.bend(self.sched)
        policy.watch(self.sched)
        self.policy = policy
        self.fairness = self.sched.fairness
        self.sched.stamp(self.clock)
        self.sched.hands_over = False  # each turn is a step of its own here
        self.sched.shaky = shuffle
        self.recorder = recorder
        if recorder is not None:
            recorder.open(self.sched, self.clock)

    # ---- the Host ----

    def start_m(self, number: int, p: P, spinning: bool) -> None:
        self.ms.append(new_m(self.sched, number, p, spinning))

    def courtesy(self) -> None:
        """The wait before `next` is stolen is no time at all here."""

    def now(self) -> int:
        return self.clock

    def poll(self, until: int) -> None:
        raise NotImplementedError("turns are taken by _turn")

    def look(self) -> None:
        """There is no network in virtual time."""

    def poll_wake(self) -> None:
        self.poked = True

    def call_elsewhere(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Nothing else can go on meanwhile, here or there."""
        return fn(*args, **kwargs)

    def enter(self, m: M) -> None:
        raise NotImplementedError("turns are taken by _turn")

    def new_stack(self, m: M) -> Any:
        """One of m's: it steps when it is m's turn."""
        return greenlet(lambda: self._steps(m))

    def end_stack(self, m: M, stack: Any) -> None:
        stack.parent = getcurrent()
        stack.throw()

    def roused(self, m: M) -> None:
        """The loop looks for itself who sleeps no more."""

    def sleep_m(self, m: M) -> None:
        """m waits in the middle of a step: the loop goes on, on its own."""
        if self.loop is None:
            raise RuntimeError("the plain spelling inside a goroutine needs greenlet in virtual time: pip install greenlet, or await the twin")
        while not m.sleep_note(0):
            self.loop.switch(LOCKED)

    def deadline(self) -> int:
        return self.until

    def ready(self, m: M) -> None:
        """Nobody asks: user code is never interrupted here."""

    def shakes(self) -> bool:
        return self.mixer.random() < self.unrest

    def may_set_aside(self) -> bool:
        return False

    def will_lock(self) -> None:
        """There is one thread."""

    def changed(self) -> None:
        """Nobody waits elsewhere: the loop looks after each turn."""

    # ---- the loop ----

    def run(self, main: Any, /, *args: Any) -> Any:
        """Runs main to its end, ends the others, and returns its result."""
        if current_m() is not None:
            raise RuntimeError("virtual_run() inside a goroutine: use go(fn), or await the coroutine")
        explore_locks(self.sched.shaky)
        try:
            with heeding_ctrl_c(self):
                return apart().run(self._run, main, args)
        finally:
            explore_locks(-self.sched.shaky)

    def _run(self, main: Any, args: tuple[Any, ...]) -> Any:
        watcher = Main(self, ends=True)
        spawn_outside(self.sched, main, args, None, watcher, False)
        while not watcher.done and self.error is None:
            if not self._turn():
                self._all_blocked()
        self.unrest = 0.0
        begin_ending(self.sched)
        while not self.gone and self._turn():
            pass
        begin_exit(self.sched)
        while self._turn():
            pass
        return self._outcome(watcher)

    def _outcome(self, watcher: Main) -> Any:
        if self.recorder is not None:
            self.recorder.close(self.why)
        if self.error is not None:
            raise self.error
        if watcher.error is not None:
            raise watcher.error
        return watcher.value

    def _turn(self) -> bool:
        """One M's turn. False: nobody can go on."""
        able = [m for m in self.ms if self._awake(m)]
        if not able:
            return not self.blocked_waiters and self._jump()
        m = able[self.random.randrange(len(able))]
        if self.unrest:
            self._mix(m)
        verdict = self._step(m)
        if verdict == LOCKED:
            self.asleep_ms[m] = verdict
            return True
        submit_late_global(m)
        self._end_slice(m)
        self.trace.append((self.clock, m.id, -1 if m.p is None else m.p.id, m.goid if verdict == 0 else 0, verdict))
        if verdict == EXIT:
            self.ms.remove(m)
            forget_m(m)
        elif verdict in (PARK, POLL):
            self.asleep_ms[m] = verdict
        return True

    def _mix(self, m: M) -> None:
        """Before m looks for a goroutine: who comes first is not who came first, and the global queue not the last place to look."""
        chance = self.mixer.random
        self.sched.fairness = 1 if chance() < self.unrest else self.fairness
        if chance() < self.unrest:
            mix(m, chance() < 0.5, self.mixer.randrange(1 << 16), self.mixer.randrange(1 << 16))

    def _step(self, m: M) -> int:
        """One step of m's loop, or the rest of one that slept. A stack that was set aside within it is not m's any more."""
        if greenlet is None:
            return _one_step(m)
        self.loop = getcurrent()
        m.root = self.loop
        if m.stack is None:
            m.stack = self.new_stack(m)
        set_current_m(m)
        verdict: int = m.stack.switch() or 0  # nothing: the step goes on on m.stack, which is new
        set_current_m(None)
        if verdict == EXIT:
            for stack in (m.stack, *m.pool):
                stack.throw()
            m.stack = None
        return verdict

    def _steps(self, m: M) -> None:
        """A stack of m: step after step, each followed by the loop's choice of who goes on."""
        while True:
            self.loop.switch(step(m))

    def _end_slice(self, m: M) -> None:
        """The time of a slice is measured in turns: sysmon does not look at a clock that stands still."""
        p = m.p
        if p is not None:
            begun, turns = self.slices.get(p.id, (0, 0))
            turns = turns + 1 if begun == p.schedtick else 0
            self.slices[p.id] = (p.schedtick, turns)
            if turns >= SLICE_TURNS and self.policy.preempt:
                expire_slice(p)

    def _awake(self, m: M) -> bool:
        verdict = self.asleep_ms.get(m)
        if verdict is None:
            return True
        if verdict == LOCKED:
            if not m.sleep_note(0):
                return False
        elif verdict == PARK:
            if not m.sleep_note(0):
                return False
            woken(m)
        elif not self.poked and (m.poll_until < 0 or m.poll_until > self.clock):
            return False
        else:
            self.poked = False
            self.until = NOBODY
            after_poll(m, max(1, self.clock))
        del self.asleep_ms[m]
        return True

    def _jump(self) -> bool:
        """To the deadline of the M that polls."""
        due = [m.poll_until for m, verdict in self.asleep_ms.items() if verdict == POLL and m.poll_until >= 0]
        if not due:
            return False
        self.clock = max(self.clock, min(due))
        self.sched.stamp(self.clock)
        if self.recorder is not None:
            self.recorder.jump(self.clock)
        return True

    def _all_blocked(self) -> None:
        if self.blocked_waiters:
            waiters, self.blocked_waiters = self.blocked_waiters, []
            for wg in waiters:
                wg.done()
            return
        assert still_dead(self.sched), "an M sleeps although there is work: a lost wake-up"
        self.why = "deadlock"
        self.fatal(deadlock(self.sched))


def _one_step(m: M) -> int:
    set_current_m(m)
    try:
        return step(m)
    finally:
        set_current_m(None)
