"""Virtual time: one thread plays every M, the clock jumps, and a seed decides whose turn it is.

The scheduler is the production one, compiled or pure: only the host differs. An M's turn is one step of its loop (find a goroutine and run it until
it yields), so user code is never interrupted, and the same seed gives the same trace, on every build.

A goroutine that waits by the plain spelling keeps its M's stack. Then each M has a stack of its own here, a greenlet; without greenlet only the
awaited spelling works in virtual time.
"""

from __future__ import annotations

import random
from typing import Any

from gosched.core.ending import begin_ending, begin_exit, still_dead
from gosched.core.execute import step
from gosched.core.findrun import after_poll, expire_slice
from gosched.core.m import M
from gosched.core.mloop import forget_m, new_m, submit_late_global, woken
from gosched.core.native import current_m, set_current_m
from gosched.core.p import P
from gosched.core.sched import Scheduler
from gosched.core.spawn import spawn_outside
from gosched.core.states import EXIT, NOBODY, PARK, POLL, RING
from gosched.core.waitgroup import GroupCounter
from gosched.program import Main, OnUncaught, Program, deadlock

try:
    from greenlet import getcurrent, greenlet
except ImportError:  # pragma: no cover - said in words by sleep_m
    greenlet = None

# Virtual time begins here: a time of 0 would mean that a timer is not set.
EPOCH = 1_000_000_000
# What an M sleeps for, beside PARK and POLL: its note, with a goroutine on its stack.
LOCKED = 10
# Turns that a chain of `next` goroutines takes on one slice: about as many as fit into Go's 10 ms.
SLICE_TURNS = 32_768
Event = tuple[int, int, int, int, int]


class VirtualRuntime(Program):
    """A program in virtual time. `trace` has an event per turn: (time, M, P or -1, goroutine or 0, verdict)."""

    def __init__(
        self,
        gomaxprocs: int = 1,
        seed: int = 0,
        on_uncaught: OnUncaught | None = None,
        ring: int = RING,
    ) -> None:
        super().__init__(on_uncaught)
        self.random = random.Random(seed)
        self.clock = EPOCH
        self.trace: list[Event] = []
        self.ms: list[M] = []
        self.asleep_ms: dict[M, int] = {}
        self.until: int = NOBODY
        self.poked = False
        self.slices: dict[int, tuple[int, int]] = {}
        self.stacks: dict[M, Any] = {}
        self.loop: Any = None
        self.blocked_waiters: list[GroupCounter] = []
        self.sched = Scheduler(self, gomaxprocs, seed, ring)

    # ---- the Host ----

    def start_m(self, number: int, p: P, spinning: bool) -> None:
        self.ms.append(new_m(self.sched, number, p, spinning))

    def courtesy(self) -> None:
        """The wait before `next` is stolen is no time at all here."""

    def now(self) -> int:
        return self.clock

    def poll(self, until: int) -> None:
        raise NotImplementedError("turns are taken by _turn")

    def poll_wake(self) -> None:
        self.poked = True

    def sleep_m(self, m: M) -> None:
        """m's goroutine waits on m's stack: the loop goes on, on its own."""
        if self.loop is None:
            raise RuntimeError("the plain spelling inside a goroutine needs greenlet in virtual time: pip install greenlet, or await the twin")
        while not m.sleep_note(0):
            set_current_m(None)
            self.loop.switch(LOCKED)
            set_current_m(m)

    def deadline(self) -> int:
        return self.until

    def ready(self, m: M) -> None:
        """Nobody asks: user code is never interrupted here."""

    def will_lock(self) -> None:
        """There is one thread."""

    def changed(self) -> None:
        """Nobody waits elsewhere: the loop looks after each turn."""

    # ---- the loop ----

    def run(self, main: Any, /, *args: Any) -> Any:
        """Runs main to its end, ends the others, and returns its result."""
        if current_m() is not None:
            raise RuntimeError("virtual_run() inside a goroutine: use go(fn), or await the coroutine")
        watcher = Main(self, ends=True)
        spawn_outside(self.sched, main, args, None, watcher, False)
        while not watcher.done and self.error is None:
            if not self._turn():
                self._all_blocked()
        begin_ending(self.sched)
        while self._turn():
            if self.gone:
                begin_exit(self.sched)
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

    def _step(self, m: M) -> int:
        """One step of m's loop, or the rest of one that slept."""
        if greenlet is None:
            return _one_step(m)
        self.loop = getcurrent()
        stack = self.stacks.get(m)
        if stack is None or stack.dead:
            stack = self.stacks[m] = greenlet(_steps)
        verdict: int = stack.switch(m, self.loop)
        if verdict == EXIT:
            del self.stacks[m]
            stack.throw()
        return verdict

    def _end_slice(self, m: M) -> None:
        """The time of a slice is measured in turns: sysmon does not look at a clock that stands still."""
        p = m.p
        if p is not None:
            begun, turns = self.slices.get(p.id, (0, 0))
            turns = turns + 1 if begun == p.schedtick else 0
            self.slices[p.id] = (p.schedtick, turns)
            if turns >= SLICE_TURNS:
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
        return True

    def _all_blocked(self) -> None:
        if self.blocked_waiters:
            waiters, self.blocked_waiters = self.blocked_waiters, []
            for wg in waiters:
                wg.done()
            return
        assert still_dead(self.sched), "an M sleeps although there is work: a lost wake-up"
        self.fatal(deadlock(self.sched))


def _one_step(m: M) -> int:
    set_current_m(m)
    try:
        return step(m)
    finally:
        set_current_m(None)


def _steps(m: M, loop: Any) -> None:
    """The stack of one M: step after step, each followed by the loop's choice of who goes on."""
    while True:
        loop.switch(_one_step(m))
