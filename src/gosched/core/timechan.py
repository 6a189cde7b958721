"""Timers with a channel: Go's semantics since 1.23.

Such a timer stands in a heap only while somebody is blocked on its channel. Otherwise it fires late, when somebody comes to receive, with the time
at which it was due: so one that nobody refers to is garbage like anything else. `halt` and `restart` take back a value that was sent and not
received, and `seq` stops a firing that is under way: afterwards no stale value can come.

Locks: heap, timer, channel, in this order. Sending and taking back happen under the timer's lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .chan import Channel, wake_waiter
from .native import Waiter
from .timers import Timer, clock, next_tick

if TYPE_CHECKING:
    from .sched import Scheduler


class ChanTimer(Timer):
    def __init__(self, sched: Scheduler, channel: Channel) -> None:
        super().__init__(sched)
        self.channel = channel
        self.blocked = 0
        self.lazy = True
        self.channel.timer = self

    def fire(self, when: int, seq: int) -> None:
        w: Waiter | None = None
        self.acquire()
        if self.seq == seq:  # race: stopped or reset since the heap let go of it
            self.in_flight = 0
            w = self.send(when)
        self.release()
        if w is not None:
            wake_waiter(w)

    def send(self, when: int) -> Waiter | None:
        """Lock held: who is to be readied. A value that is still there stays, and this one is dropped."""
        self.channel.acquire()
        w = self.channel.give(when / 1e9)
        self.channel.release()
        return w if isinstance(w, Waiter) else None

    def run_late(self) -> None:
        """Somebody comes to receive: what is due is sent now."""
        w: Waiter | None = None
        at = clock(self.sched)
        self.acquire()
        if (self.heap is None or self.zombie) and self.when != 0 and self.when <= at:
            when = self.when
            if self.period > 0:
                self.when = next_tick(when, self.period, at)
            else:
                self.when = 0
            w = self.send(when)
        self.release()
        if w is not None:
            wake_waiter(w)

    def block(self) -> None:
        """Somebody waits on the channel: the heap has to know."""
        self.acquire()
        self.blocked += 1
        self.lazy = False
        todo = self.place() if self.when != 0 else 0
        self.release()
        self.settle(todo)

    def unblock(self) -> None:
        self.acquire()
        self.blocked -= 1
        if self.blocked == 0:
            self.lazy = True
            self.bury()
        self.release()

    def restart(self, when: int, period: int) -> bool:
        """True: it had not fired, or nobody had received what it sent."""
        self.acquire()
        pending = self.take_back()
        self.when = when
        self.period = period
        todo = self.place()
        self.release()
        self.settle(todo)
        return pending

    def halt(self) -> bool:
        """True as for restart."""
        self.acquire()
        pending = self.take_back()
        self.bury()
        self.release()
        return pending

    def take_back(self) -> bool:
        """Lock held. A firing that is under way, and has not sent, is prevented: that counts as pending."""
        pending = self.when != 0 or (self.seq != 0 and self.in_flight == self.seq)  # race: the heap let go of it, and it has not sent yet
        self.when = 0
        self.seq += 1
        drained = self.channel.drain()
        return pending or drained
