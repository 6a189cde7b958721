"""The looks of sysmon in Python: watch.h has them for the compiled build, with the protocols.

Python cannot see whether another thread is detached from the interpreter: here only a call that is marked counts as blocked, any other loses its P
when it is late. And a look takes the GIL, so looks are rarer.
"""

from __future__ import annotations

import time
from typing import Any

from .purepoints import point
from .states import AGAIN, BLOCKED, FINE, LATE, MOMENT_BITS, NEWS, OVER, POLL_NOW, POLL_NS, TRACE, VERY_LATE

REST_NS = 5_000_000
# Looks are so far apart in virtual time, for so many rounds, and then rarer: as in watch.h.
QUICK_NS, QUICK_ROUNDS, EASY, RARELY = 20_000, 50, 4, 64


class Pulse:
    """What a look sees of an M."""

    def __init__(self) -> None:
        self._userp: Any = None
        self._marked = False

    def mark(self, blocks: bool) -> None:
        """In blocking()."""
        self._marked = blocks

    def marked(self) -> bool:
        return self._marked


class Eye:
    """What a look sees of a P, and its notes."""

    def __init__(self) -> None:
        self.schedtick = self.usertick = 0
        self._over = False
        self._driver: Pulse | None = None
        self._tick = self._slice = -1
        self._since = self._slice_since = 0
        self._stage = FINE
        self._news = False
        self._detached = 0
        self.still = False

    def slices(self) -> int:
        return self.schedtick

    def turns(self) -> int:
        return self.usertick

    def begin_slice(self) -> None:
        self.schedtick += 1
        self._over = False

    def begin_turn(self) -> None:
        self.usertick += 1

    def slice_over(self) -> bool:
        return self._over

    def expire(self) -> None:
        self._over = True

    def renew(self) -> None:
        self._over = False

    def drive(self, m: Pulse) -> None:
        self._driver = m

    def take_stage(self) -> int:
        """How it stands, if that is news since the last time that somebody asked; else 0."""
        news, self._news = self._news, False
        return self._stage if news else FINE

    def seen_detached(self) -> bool:
        return self._detached >= 2

    def same_turn(self) -> bool:
        return self.usertick == self._tick

    def look_anew(self) -> None:
        """It is left alone: the next look begins from the start."""
        self._tick = -1

    def stands_since(self) -> int:
        return self._since

    def look_at(self, now: int, slice_ns: int, late_ns: int) -> bool:
        m = self._driver
        in_user_code = m is not None and m._userp is self
        if self.schedtick != self._slice:
            self._slice, self._slice_since = self.schedtick, now
        elif now - self._slice_since >= slice_ns:
            self._over = True
        if not in_user_code or self.usertick != self._tick:
            self._tick, self._since, self._stage, self._detached = self.usertick, now, FINE, 0
            self.still = False
            return False
        self.still = True
        self._detached = 2 if m is not None and m._marked else 0
        late = now - self._since - late_ns
        stage = VERY_LATE if late >= slice_ns else LATE if late >= 0 else BLOCKED if self._detached else FINE
        worse = stage > self._stage
        if worse:
            self._stage, self._news = stage, True
        return worse


class Watch:
    """What a look sees of a scheduler."""

    def __init__(self, rest: Any) -> None:
        self._eyes: list[Eye] = []
        self._rest = rest
        self._asleep = self._ends = False
        self._procs = self._moment = self._calm = self._delay = 0
        self._slice_ns = self._late_ns = self._cap_ns = self._trace_ns = self._trace_at = 0
        self._again_ns = self._again_at = 0

    def watch_p(self, p: Eye) -> None:
        self._eyes.append(p)

    def moment(self) -> int:
        """The coarse clock."""
        return self._moment

    def stamp(self, now: int) -> None:
        self._moment = now >> MOMENT_BITS

    def watch_procs(self, n: int) -> None:
        self._procs = n

    def watch_quickly(self) -> None:
        self._calm = 0

    def remind(self, first: bool) -> None:
        """By sysmon: somebody who has lost its P was asked for the first time, or again."""
        self._again_ns = self._slice_ns if first else min(2 * self._again_ns, RARELY * self._slice_ns)
        if self._again_at == 0:
            self._again_at = time.monotonic_ns() + self._again_ns

    def set_watch(self, slice_ns: int, late_ns: int, cap_ns: int, trace_ns: int) -> None:
        """How long a slice is, after how long a goroutine is asked to end its own, the longest sleep between looks, the time between lines."""
        self._slice_ns, self._late_ns, self._cap_ns, self._trace_ns = slice_ns, late_ns, cap_ns, trace_ns

    def join_watch(self, m: Pulse) -> None:
        """By m's own thread."""
        self.stamp(time.monotonic_ns())

    def leave_watch(self, m: Pulse) -> None:
        for eye in self._eyes:
            if eye._driver is m:
                eye._driver = None

    def rouse_watch(self) -> None:
        """By who has just taken an idle P."""
        point()
        if self._asleep:
            self.stamp(time.monotonic_ns())
            self._rest.wake()

    def end_watch(self) -> None:
        self._ends = True
        self._rest.wake()

    def net_waiters(self) -> int:
        raise NotImplementedError

    def last_poll(self) -> int:
        raise NotImplementedError

    def idle_ps(self) -> int:
        raise NotImplementedError

    def keep_watch(self) -> int:
        """Looks until there is something to act on: OVER, NEWS, TRACE, POLL_NOW or AGAIN."""
        idle_looks = 0
        while not self._ends:
            self._rest.clear()
            if idle_looks < 2:
                self._rest.sleep(time.monotonic_ns() + REST_NS)
            else:
                point()
                self._asleep = True
                if self.idle_ps() >= self._procs and not self._ends:  # race: a P was taken just before it could be seen that we sleep
                    self._rest.sleep(self._again_at or -1)
                self._asleep = False
            now = time.monotonic_ns()
            if not self._ends and self.look_once(now):
                return NEWS
            if self._again_at != 0 and now >= self._again_at:
                self._again_at = 0
                return AGAIN
            if self.net_waiters() != 0 and self.last_poll() != 0 and self.last_poll() + POLL_NS < now:
                return POLL_NOW
            if self._trace_ns and now >= self._trace_at:
                self._trace_at = now + self._trace_ns
                return TRACE
            idle_looks = 0 if self._trace_ns or self.idle_ps() < self._procs else idle_looks + 1
        return OVER

    def look_once(self, now: int) -> bool:
        """Whether there is anything to act on."""
        self.stamp(now)
        return sum(eye.look_at(now, self._slice_ns, self._late_ns) for eye in self._eyes) != 0

    def next_look(self) -> int:
        """Virtual time: in how many ns the next one is due."""
        cap = self._cap_ns * (1 if any(eye.still for eye in self._eyes) else EASY)
        if self._calm < QUICK_ROUNDS:
            self._calm += 1
            self._delay = QUICK_NS
        else:
            self._delay = min(2 * self._delay, cap)
        return self._delay
