"""Poll descriptors: who waits for a descriptor to become readable or writable, until when, and who closes it.

A PollDesc has two directions. For each, under one lock (the ChannelWords': readers are its receivers, writers its senders):

    ready      an edge came since the owner last tried: the slot's pdReady
    waiters    the owner, parked until an edge; behind it others that wait for their turn
    busy       one operation owns the direction at a time, from begin_by to finish, over all its tries and waits: Go's fdMutex
    expired    its deadline has passed; `when` is the deadline, 0 for none
and for both: closed, and `users`, the operations under way. The descriptor itself is closed by who is the last: no operation ever touches a number
that the kernel has given to somebody else. The poller's table refers to a PollDesc, which knows nothing of the connection that it belongs to: who
drops that without closing it can be told.

An operation is: begin_by; try; on EAGAIN wait_by and, woken, all over again; finish. The interleavings:

    edge between try and wait   it is kept in `ready`: wait_by says begin again
    edge and nobody there       the same: begin_by clears it before the first try, which sees what the edge told of
    deadline or close           sets its mark, then wakes everybody; whoever comes later sees the mark before it waits
    a deadline set anew         a timer that fires late does not know its time any more, and does nothing
    an old event, a new file    the tag of a descriptor has a sequence number. Where it slips through it is an edge too many: one try for nothing
    its turn, but it left       who was woken for its turn and leaves without taking it wakes the next

Everybody is woken with Woken, and looks for itself. Lock order: timer before descriptor; timers are set, and goroutines readied, with no lock held.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .chan import wake_waiter
from .entry import end_rest
from .kernel import Epoll, Events
from .native import ChannelWords, ThreadWords, Waiter, current_m
from .signals import Woken
from .states import EXITING, NET_CLOSED, NET_EXPIRED, NET_OK, NET_OVER, NET_WAITS, NEVER, NOBODY, READ, W_IO, WRITE
from .timers import Timer, clock
from .wake import wake_poller

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M
    from .sched import Scheduler


class PollDesc(ChannelWords):
    """`shuts` is called when the descriptor can be closed: nobody uses it, nor will. Once."""

    def __init__(self, sched: Scheduler, fd: int, shuts: Callable[[PollDesc], object]) -> None:
        self.open_buffer(0)
        self.shuts = shuts
        self.sched = sched
        self.fd = fd
        self.tag = 0
        self.users = 0
        self.sent = 0
        self.reader: Goroutine | None = None
        self.writer: Goroutine | None = None
        self.armer: Any = None
        self.ready = 0
        self.busy = 0
        self.expired = 0
        self.read_when = 0
        self.write_when = 0
        self.read_timer: DeadlineTimer | None = None
        self.write_timer: DeadlineTimer = None  # type: ignore[assignment]  # they come together

    @property
    def closed(self) -> bool:
        return self.is_closed()

    # ---- operations ----

    def begin_by(self, who: ThreadWords, mode: int) -> int:
        """For the goroutine that runs there: NET_OK, the direction is its own, or still is: try; NET_WAITS, it waits for its turn; NET_CLOSED;
        NET_EXPIRED."""
        self.acquire()
        code = self.verdict(mode)
        if code == NET_OK:
            if self.busy & mode == 0:
                self.own(who, mode)
                self.ready &= ~mode
            elif self.owns(who, mode):
                self.ready &= ~mode
            else:
                self.seat(who, mode)
                code = NET_WAITS
        self.release()
        if code == NET_WAITS:
            self.seek_poller(mode)
        return code

    def wait_by(self, who: ThreadWords, mode: int) -> int:
        """The owner's try came to nothing: NET_WAITS, or NET_OK, begin again."""
        code = NET_OK
        self.acquire()
        if self.verdict(mode) == NET_OK and self.ready & mode == 0:  # race: the edge came after the try, or a deadline, or the end
            self.seat(who, mode)
            code = NET_WAITS
        self.release()
        if code == NET_WAITS:
            self.seek_poller(mode)
        return code

    def finish(self, g: Goroutine, mode: int) -> None:
        """g is done, or does not wait any more: the next has its turn. The last one closes what was to be closed."""
        self.acquire()
        dropped = self.drop_receiver(g) if mode == READ else self.drop_sender(g)
        if dropped:
            self.sched.add_net_waiters(-1)
        shut = self.disown(g, mode) and self.users == 0 and self.is_closed()
        w = self.next_waiter(mode) if self.busy & mode == 0 else None  # race: its turn came when it was on its way out
        self.release()
        if w is not None:
            wake_waiter(w)
        if shut:
            self.shuts(self)

    def withdraw(self, g: Goroutine, mode: int) -> None:
        """The same for one that something else has woken; what we woke it with, if we did as well, is of no use to it."""
        self.finish(g, mode)
        g.take_inbox()

    def borrow(self) -> bool:
        """For a call that does not wait, in either direction: the descriptor is not closed before `restore`. False: it is closed already."""
        self.acquire()
        open_ = not self.is_closed()
        if open_:
            self.users += 1  # race: who closes meanwhile would give the number back under the call
        self.release()
        return open_

    def restore(self) -> None:
        self.acquire()
        self.users -= 1
        shut = self.users == 0 and self.is_closed()
        self.release()
        if shut:
            self.shuts(self)

    # ---- what wakes ----

    def arrive(self, modes: int) -> None:
        """An edge."""
        self.acquire()
        self.ready |= modes
        self.release()
        self.wake_all(modes)

    def expire(self, when: int) -> None:
        """The time of a timer of ours has come: of the directions that have it as their deadline still."""
        self.acquire()
        modes = (READ if self.read_when == when else 0) | (WRITE if self.write_when == when else 0)  # race: the deadline was moved meanwhile
        self.expired |= modes
        self.release()
        self.wake_all(modes)

    def close_desc(self) -> bool:
        """False: it was closed already."""
        self.acquire()
        first = not self.is_closed()
        self.set_closed()
        shut = first and self.users == 0
        self.release()
        if first:
            self.wake_all(READ | WRITE)
            self.move_deadline(READ | WRITE, 0, False)
        if shut:
            self.shuts(self)
        return first

    def wake_all(self, modes: int) -> None:
        """Those that wait now; who comes back meanwhile has seen why it was woken."""
        if modes & READ:
            self.wake_some(READ, self.receivers_waiting())
        if modes & WRITE:
            self.wake_some(WRITE, self.senders_waiting())

    def wake_some(self, mode: int, n: int) -> None:
        while n > 0:
            n -= 1
            self.acquire()
            w = self.next_waiter(mode)
            self.release()
            if w is None:
                break
            wake_waiter(w)

    # ---- deadlines ----

    def move_deadline(self, modes: int, when: int, past: bool) -> None:
        """when: of the runtime's clock; 0: none. May be changed while somebody waits."""
        self.acquire()
        if modes & READ:
            self.read_when = when
        if modes & WRITE:
            self.write_when = when
        self.expired = self.expired | modes if past else self.expired & ~modes
        self.release()
        if past:
            self.wake_all(modes)
        self.set_timers()

    def set_timers(self) -> None:
        """Equal deadlines share a timer. Others may set them at the same time: who is last must have set what stands."""
        same = False
        while not same:
            self.acquire()
            read = self.read_when
            write = self.write_when
            self.release()
            if read != 0 or write != 0:
                self.make_timers()
            if self.read_timer is not None:
                set_timer(self.read_timer, read)
                set_timer(self.write_timer, 0 if write == read else write)
            self.acquire()
            same = read == self.read_when and write == self.write_when  # race: another one set a deadline, and was quicker with its timers
            self.release()

    def make_timers(self) -> None:
        """With the first deadline."""
        if self.read_timer is None:
            read = DeadlineTimer(self.sched, self)
            write = DeadlineTimer(self.sched, self)
            self.acquire()
            if self.read_timer is None:  # else another one has set its first deadline meanwhile: a pair is enough
                self.write_timer = write
                self.read_timer = read
            self.release()

    # ---- under the lock ----

    def verdict(self, mode: int) -> int:
        if self.is_closed():
            return NET_CLOSED
        if self.sched.phase() == EXITING:  # nobody polls any more
            return NET_OVER
        return NET_EXPIRED if self.expired & mode else NET_OK

    def own(self, who: ThreadWords, mode: int) -> None:
        self.busy |= mode
        self.users += 1
        if mode == READ:
            self.reader = who.held()
        else:
            self.writer = who.held()
            self.sent = 0

    def owns(self, who: ThreadWords, mode: int) -> bool:
        return who.holds(self.reader if mode == READ else self.writer)

    def disown(self, g: Goroutine, mode: int) -> bool:
        """False: it was not g's."""
        if g is not (self.reader if mode == READ else self.writer):
            return False
        if mode == READ:
            self.reader = None
        else:
            self.writer = None
        self.busy &= ~mode
        self.users -= 1
        return True

    def seat(self, who: ThreadWords, mode: int) -> None:
        who.begin_wait(W_IO, None)
        if mode == READ:
            self.put_receiver(who.held())
        else:
            self.put_sender(who.held())
        self.sched.add_net_waiters(1)

    def next_waiter(self, mode: int) -> Waiter | None:
        """To be readied when the lock is given up."""
        while True:
            w: Waiter | None = self.take_receiver() if mode == READ else self.take_sender()
            if w is None:
                return None
            self.sched.add_net_waiters(-1)
            if w.win_wait():  # race: its time is over, and it is on its way out
                w.hand(Woken)
                return w

    def seek_poller(self, mode: int) -> None:
        """Somebody waits. If it is no goroutine of this runtime, perhaps nobody there goes to sleep after it, to poll."""
        armer = self.armer
        if armer is not None:
            armer.arm(self, mode)
        m: M | None = current_m()
        if m is None or m.sched is not self.sched:
            wake_poller(self.sched, NEVER)


def set_timer(timer: Timer, when: int) -> None:
    if when != 0:
        timer.set_time(when, 0)
    else:
        timer.clear_time()


class DeadlineTimer(Timer):
    def __init__(self, sched: Scheduler, desc: PollDesc) -> None:
        super().__init__(sched)
        self.desc = desc

    def fire(self, when: int, seq: int) -> None:
        self.desc.expire(when)


class EpollPoller:
    """Where the last idle M of a runtime waits, once it has descriptors. Others only look, one at a time (claim_net)."""

    def __init__(self, sched: Scheduler) -> None:
        self.sched = sched
        self.epoll = Epoll()
        self.found = Events()
        self.seen = Events()
        self.table: dict[int, PollDesc] = {}
        self.serial = 0

    def attach(self, desc: PollDesc) -> int:
        """0, or an errno."""
        self.serial += 1
        desc.tag = (self.serial & 0x7FFF_FFFF) << 32 | desc.fd
        self.table[desc.fd] = desc
        error: int = self.epoll.add(desc.fd, desc.tag)
        if error:
            self.table.pop(desc.fd, None)
        return error

    def detach(self, desc: PollDesc) -> None:
        """Before the descriptor is closed."""
        self.table.pop(desc.fd, None)
        self.epoll.remove(desc.fd)

    def deadline(self) -> int:
        return NEVER if self.sched.net_waiters() != 0 else NOBODY

    def wait(self, until: int) -> None:
        delay = -1 if until == NEVER else max(0, until - clock(self.sched))
        n = self.epoll.wait(self.found, delay)
        end_rest()
        self.deliver(self.found, n)

    def look(self) -> None:
        if self.sched.claim_net():
            try:
                self.deliver(self.seen, self.epoll.look(self.seen))
            finally:
                self.sched.unclaim_net()

    def deliver(self, events: Events, n: int) -> None:
        for i in range(n):
            tag = events.tag(i)
            desc = self.table.get(tag & 0xFFFF_FFFF)
            if desc is not None and desc.tag == tag:
                desc.arrive((READ if events.reads(i) else 0) | (WRITE if events.writes(i) else 0))

    def wake(self) -> None:
        self.epoll.wake()

    def give_up(self) -> None:
        """Nobody polls any more: threads of the program that wait are told."""
        for desc in list(self.table.values()):
            desc.wake_all(READ | WRITE)

    def close(self) -> None:
        self.epoll.close()


# ---- for the portable poller ----


def anybody_waits(s: Scheduler) -> bool:
    return s.net_waiters() != 0


def claim_look(s: Scheduler) -> bool:
    return s.claim_net()


def end_look(s: Scheduler) -> None:
    s.unclaim_net()
