"""Channels: Go's chansend, chanrecv and closechan.

The channel's lock guards its buffer, its closed flag and its two queues. A queue holds goroutines that wait for this channel alone, and the cases of selects
(select.py). Whoever takes one out wins its wait first (g.py), still under the lock, and passes over those it does not win: a select that another
channel has won, a goroutine whose time is over. The winner fills the inbox, gives up the lock, and then readies the goroutine.

    receivers wait     only while the buffer is empty and nobody sends
    senders wait       only while the buffer is full and nobody receives; the value of a waiting goroutine is in its inbox
    closed             nobody waits to send, and values that are left can be received

The answer in the inbox: for a receiver the value, or Closed; for a sender None, or Closed; for a select its case.

`…_for` do the work for any goroutine, or for the stand-in of a thread.
A channel belongs to no scheduler: park.ready brings each waiter back to its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gosched.errors import ClosedChannelError

from .g import Goroutine
from .native import ChannelWords, Waiter
from .op import Op
from .park import awaiting, begin_wait, ready
from .signals import Closed, Nothing, Parked
from .states import W_RECV, W_SEND

if TYPE_CHECKING:
    from .timers import Timer


class Case(Waiter):
    """What stands for a select in a channel's queue. `kind` says what the channel's answer is made into."""

    channel: Channel
    kind: int
    index: int
    value: Any
    closed: bool
    g: Goroutine
    won_over: Waiter | None


class Channel(ChannelWords):
    """The hot part of gosched.Chan. `timer`: this is a timer's channel. `nil`: select leaves it out."""

    def __init__(self, capacity: int = 0) -> None:
        if type(capacity) is not int:
            raise TypeError(f"Chan(): capacity must be an int, not {type(capacity).__name__}")
        if capacity < 0:
            raise ValueError(f"Chan(): capacity must be 0 or more, not {capacity}")
        self.open_buffer(capacity)
        self.nil = False
        self.timer: Timer | None = None

    # ---- what Python calls: thin, because a compiled method that Python can call looks for an override first ----

    def asend(self, value: Any, timeout: float | None = None, ctx: Any = None) -> Any:
        """`send`, awaited."""
        if timeout is None and ctx is None:
            return send_op(self, value)
        return self.asend_until(value, timeout, ctx)  # type: ignore[attr-defined]  # gosched.Chan has it

    def start_recv(self) -> object:
        """For the goroutine that runs here. The value. Closed, and drained. Parked: yield."""
        return self.recv_here()

    def send_as(self, g: Goroutine, value: Any) -> object:
        return self.send_for(g, value)

    def recv_as(self, g: Goroutine) -> object:
        return self.recv_for(g)

    def send_now(self, value: Any) -> object:
        return self.send_if_ready(value)

    def recv_now(self) -> object:
        return self.recv_if_ready()

    def withdraw(self, g: Goroutine) -> None:
        self.leave(g)

    def shut(self) -> bool:
        return self.close_now()

    def is_shut(self) -> bool:
        return self.is_closed()

    def held_values(self) -> int:
        return self.buffered()

    def blocked(self) -> None:
        """A receiver waits on this channel of a timer."""
        if self.timer is not None:
            self.timer.block()

    def unblocked(self) -> None:
        if self.timer is not None:
            self.timer.unblock()

    # ---- operations ----

    def recv_here(self) -> object:
        g = awaiting("ch.arecv()")
        return Parked if g is None else self.recv_for(g)

    def send_for(self, g: Goroutine, value: Any) -> object:
        self.acquire()
        answer = self.send_or_keep(value)
        if answer is Nothing:
            begin_wait(g, W_SEND)
            g.set_inbox(value)
            self.put_sender(g)
            self.release()
            return Parked
        return answer

    def recv_for(self, g: Goroutine) -> object:
        if self.timer is not None:
            self.timer.run_late()
        self.acquire()
        answer = self.recv_or_keep()
        if answer is Nothing:
            begin_wait(g, W_RECV)
            self.put_receiver(g)
            self.release()
            return Parked
        return answer

    def send_if_ready(self, value: Any) -> object:
        """None: sent; Nothing: it would block; Closed."""
        self.acquire()
        answer = self.send_or_keep(value)
        if answer is Nothing:
            self.release()
        return answer

    def recv_if_ready(self) -> object:
        """The value; Nothing: it would block; Closed."""
        if self.timer is not None:
            self.timer.run_late()
        self.acquire()
        answer = self.recv_or_keep()
        if answer is Nothing:
            self.release()
        return answer

    def leave(self, g: Goroutine) -> None:
        """g was woken by something else than this channel: nothing of it stays behind."""
        self.acquire()
        if not self.drop_receiver(g):
            self.drop_sender(g)
        self.release()
        g.take_inbox()

    def close_now(self) -> bool:
        """Closes it and wakes all who wait, the newest first, so that the oldest runs first. False: it was closed."""
        self.acquire()
        first = not self.is_closed()
        self.set_closed()
        self.release()
        if first:
            while self.wake_closed():
                pass
        return first

    def wake_closed(self) -> bool:
        self.acquire()
        w = self.take_last_sender()
        if w is None:
            w = self.take_last_receiver()
        won = w is not None and goroutine_of(w).win()
        if won:
            hand_over(w, Closed)
        self.release()
        if won:
            ready(goroutine_of(w))
        return w is not None

    # ---- under the lock ----

    def send_or_keep(self, value: Any) -> object:
        """Lock held. None: sent, and Closed: the lock is given up. Nothing: it is kept."""
        got = self.give(value)
        if got is Nothing:
            return got
        self.release()
        if got is None or got is Closed:
            return got
        ready(goroutine_of(got))
        return None

    def recv_or_keep(self) -> object:
        """Lock held. A value, and Closed: the lock is given up. Nothing: it is kept."""
        got = self.take()
        if got is Nothing:
            return got
        value = self.take_out()
        self.release()
        if got is None:
            return value
        if got is Closed:
            return got
        ready(goroutine_of(got))
        return value

    def give(self, value: Any) -> Any:
        """Lock held. The waiter that got the value and is to be readied; None: it is in the buffer; Closed; Nothing: there is no room."""
        if self.is_closed():
            return Closed
        w = self.next_receiver()
        if w is not None:
            hand_over(w, value)
            return w
        if self.buffered() < self.limit:
            self.buffer_put(value)
            return None
        return Nothing

    def take(self) -> Any:
        """Lock held. As `give`: the waiter whose value is out (take_out) or in the buffer now, None if nobody waited, Closed, Nothing."""
        if self.buffered() != 0:
            self.put_out(self.buffer_take())
            w = self.next_sender()
            if w is not None:
                self.buffer_put(sent_by(w))
            return w
        w = self.next_sender()
        if w is not None:
            self.put_out(sent_by(w))
            return w
        return Closed if self.is_closed() else Nothing

    def drain(self) -> bool:
        """Takes back what is in the buffer of a timer's channel."""
        self.acquire()
        full = self.buffered() != 0
        if full:
            self.put_out(self.buffer_take())
        value = self.take_out()
        self.release()
        return full or value is not None

    def next_receiver(self) -> Waiter | None:
        """The receiver that came first, of those whose wait is won here."""
        while True:
            w: Waiter | None = self.take_receiver()
            if w is None or goroutine_of(w).win():  # race: a select that another channel has won, or a wait whose time is over
                return w

    def next_sender(self) -> Waiter | None:
        while True:
            w: Waiter | None = self.take_sender()
            if w is None or goroutine_of(w).win():  # race: the same on the other side
                return w


class SendOp(Op):
    """One `asend`."""

    channel: Channel
    value: Any

    def what(self) -> str:
        return "ch.asend()"

    def begin(self, g: Goroutine) -> object:
        return self.channel.send_for(g, self.value)

    def leave(self, g: Goroutine) -> None:
        self.channel.leave(g)

    def judge(self, answer: object) -> None:
        if answer is Closed:
            raise ClosedChannelError("send on closed channel", self.channel)


def send_op(channel: Channel, value: Any) -> SendOp:
    op = SendOp.__new__(SendOp)
    op.channel = channel
    op.value = value
    op.waiting = False
    return op


def new_case(channel: Channel, kind: int, index: int, value: Any) -> Case:
    case = Case.__new__(Case)
    case.channel = channel
    case.kind = kind
    case.index = index
    case.value = value
    case.closed = False
    case.won_over = None
    return case


def goroutine_of(w: Waiter) -> Goroutine:
    if isinstance(w, Goroutine):
        return w
    case: Case = w  # type: ignore[assignment]
    return case.g


def hand_over(w: Waiter, value: object) -> None:
    """To a waiter whose wait was won: the value of a send, or Closed."""
    g = goroutine_of(w)
    if g is w:
        g.take_inbox()
        g.set_inbox(value)
    else:
        case: Case = w  # type: ignore[assignment]
        if value is Closed:
            case.closed = True
        else:
            case.value = value
        g.set_inbox(case)


def sent_by(w: Waiter) -> object:
    """The value of a sender whose wait was won; its answer is filled in."""
    g = goroutine_of(w)
    if g is w:
        return g.take_inbox()
    case: Case = w  # type: ignore[assignment]
    g.set_inbox(case)
    return case.value
