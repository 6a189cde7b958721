"""The netpoller over `selectors`, for systems without epoll.

What selectors tell is a level and not an edge: a descriptor is watched only while somebody waits for it, direction by direction (`arm`), and no
longer when it was told once. Only the thread that waits or looks touches the selector; the others leave word in `wishes` and wake it.

Lock: `_lock` guards the selector and the wishes. Who waits in the selector does not hold it; who looks meanwhile (claim_net) leaves it to that one.
A descriptor that is closed is only noted, in `_gone`, and without the lock: the collector may close one anywhere, also on a thread that holds it. The
next poll forgets it before it hears of another one with the same number.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import threading
from collections import deque
from typing import TYPE_CHECKING

from gosched.core.entry import end_rest
from gosched.core.netpoll import anybody_waits, claim_look, end_look
from gosched.core.states import NEVER, NOBODY, READ, WRITE
from gosched.core.timers import clock

if TYPE_CHECKING:
    from gosched.core.netpoll import PollDesc
    from gosched.core.sched import Scheduler


class SelectorPoller:
    def __init__(self, sched: Scheduler) -> None:
        self.sched = sched
        self._selector = selectors.DefaultSelector()
        self._ear, self._mouth = os.pipe()
        os.set_blocking(self._ear, False)
        os.set_blocking(self._mouth, False)
        self._selector.register(self._ear, selectors.EVENT_READ)
        self._lock = threading.Lock()
        self._watched: dict[int, tuple[PollDesc, int]] = {}
        self._wishes: list[tuple[PollDesc, int]] = []
        self._gone: deque[PollDesc] = deque()
        self._waiting = False

    def attach(self, desc: PollDesc) -> int:
        """Whether it can be waited for shows when somebody does."""
        desc.armer = self
        return 0

    def detach(self, desc: PollDesc) -> None:
        desc.armer = None
        self._gone.append(desc)

    def arm(self, desc: PollDesc, mode: int) -> None:
        """Somebody waits for desc."""
        with self._lock:
            self._wishes.append((desc, mode))
            waiting = self._waiting
        if waiting:
            self.wake()

    def deadline(self) -> int:
        return NEVER if anybody_waits(self.sched) else NOBODY

    def wait(self, until: int) -> None:
        self.poll(None if until == NEVER else min(max(1, until - clock(self.sched)) / 1e9, 1e6))

    def look(self) -> None:
        if claim_look(self.sched):
            try:
                self.poll(0)
            finally:
                end_look(self.sched)

    def poll(self, seconds: float | None) -> None:
        if not self._lock.acquire(blocking=seconds != 0):  # who looks has a P, or is sysmon: the holder may wait for just that
            return
        try:
            if self._waiting:
                return
            self._waiting = True
            wishes, self._wishes = self._wishes, []
            self.forget_gone()
            broken = [wish for wish in wishes if wish[0].armer is self and not self.watch(*wish)]
        finally:
            self._lock.release()
        found = []
        try:
            found = self._selector.select(0 if broken else seconds)
        finally:
            with self._lock:
                self._waiting = False
                told = [self.told(key.fd, events) for key, events in found if key.fd != self._ear]
        if seconds != 0 and any(key.fd == self._ear for key, _ in found):
            self.hear()
        end_rest()
        for desc, mode in broken + [pair for pair in told if pair is not None]:
            desc.arrive(mode)

    def forget_gone(self) -> None:
        """Lock held."""
        while self._gone:
            desc = self._gone.popleft()
            if self._watched.get(desc.fd, (None, 0))[0] is desc:
                del self._watched[desc.fd]
                with contextlib.suppress(KeyError, ValueError, OSError):  # its number is closed, or somebody else's
                    self._selector.unregister(desc.fd)

    def watch(self, desc: PollDesc, mode: int) -> bool:
        """Lock held. False: it cannot be watched, and who waits is to find out why."""
        known, modes = self._watched.get(desc.fd, (None, 0))
        modes = mode | modes if known is desc else mode
        try:
            if known is None:
                self._selector.register(desc.fd, events_of(modes))
            else:
                self._selector.modify(desc.fd, events_of(modes))
        except (ValueError, KeyError, OSError):
            return False
        self._watched[desc.fd] = (desc, modes)
        return True

    def told(self, fd: int, events: int) -> tuple[PollDesc, int] | None:
        """Lock held. Who waits for fd; it is not watched any more in that direction."""
        desc, wanted = self._watched.get(fd, (None, 0))
        if desc is None:
            return None
        modes = (READ if events & selectors.EVENT_READ else 0) | (WRITE if events & selectors.EVENT_WRITE else 0)
        left = wanted & ~modes
        try:
            if left:
                self._watched[fd] = (desc, left)
                self._selector.modify(fd, events_of(left))
            else:
                del self._watched[fd]
                self._selector.unregister(fd)
        except (KeyError, ValueError, OSError):
            pass  # it was closed behind our back
        return desc, modes

    def hear(self) -> None:
        """By who waited: a wake-up that one who merely looks took away would be lost."""
        try:
            while os.read(self._ear, 512):
                pass
        except BlockingIOError:
            pass

    def wake(self) -> None:
        with contextlib.suppress(BlockingIOError, OSError):
            os.write(self._mouth, b"!")

    def give_up(self) -> None:
        with self._lock:
            waited_for = [desc for desc, _ in self._wishes] + [desc for desc, _ in self._watched.values()]
        for desc in waited_for:
            desc.wake_all(READ | WRITE)

    def close(self) -> None:
        self._selector.close()
        os.close(self._ear)
        os.close(self._mouth)


def events_of(modes: int) -> int:
    return (selectors.EVENT_READ if modes & READ else 0) | (selectors.EVENT_WRITE if modes & WRITE else 0)
