"""Channels: Go's chansend, chanrecv and closechan.

The channel's lock guards its buffer, its closed flag and its two queues. A queue holds goroutines that wait for this channel alone, and the cases
of selects (select.py). Whoever takes one out wins its wait first (g.py), still under the lock, and passes over those it does not win: a select that
another channel has won, a goroutine whose time is over. The winner fills the inbox, gives up the lock, and then readies the goroutine.

    receivers wait     only while the buffer is empty and nobody sends
    senders wait       only while the buffer is full and nobody receives; the value of a waiting goroutine is in its inbox
    closed             values that are left can be received, and nothing is taken any more from who waits to send: they are being woken, one by one

The answer in the inbox: for a receiver the value, or Closed; for a sender None, or Closed; for a select its case.

`…_by` do the work for the goroutine that runs on a thread, or for the stand-in of a thread that runs none; they count no reference to it.
A channel belongs to no scheduler: park.ready brings each waiter back to its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gosched.errors import ClosedChannelError, EndOfChannel

from .g import Goroutine
from .native import ChannelWords, ThreadWords, Waiter, current_m, ends_with_value, pooled, spare_op
from .op import Op
from .park import arrived, ready, words_of
from .signals import Closed, Nothing, Parked
from .states import CAPACITY, W_RECV, W_SEND

if TYPE_CHECKING:
    from .m import M
    from .timers import Timer


SENDS, RECEIVES = 0, 1


class Case(Waiter):
    """What stands for a select in a channel's queue. `kind` says what the channel's answer is made into."""

    channel: Channel
    kind: int
    index: int
    value: Any
    closed: bool
    g: Goroutine
    won_over: Waiter | None

    def win_wait(self) -> bool:
        return self.g.win()

    def hand(self, value: object) -> None:
        if value is Closed:
            self.closed = True
        else:
            self.value = value
        self.g.set_inbox(self)

    def sent(self) -> object:
        self.g.set_inbox(self)
        return self.value


class Channel(ChannelWords):
    """The hot part of gosched.Chan. `timer`: this is a timer's channel. `nil`: select leaves it out."""

    def __init__(self, capacity: int = 0) -> None:
        if type(capacity) is not int:
            raise TypeError(f"Chan(): capacity must be an int, not {type(capacity).__name__}")
        if capacity < 0:
            raise ValueError(f"Chan(): capacity must be 0 or more, not {capacity}")
        if capacity > CAPACITY:
            raise ValueError(f"Chan(): capacity must be {CAPACITY} or less, not {capacity}")
        self.open_buffer(capacity)
        self.nil = False
        self.timer: Timer | None = None

    # ---- what Python calls: thin, because a compiled method that Python can call looks for an override first ----

    def asend(self, value: Any, timeout: float | None = None, ctx: Any = None) -> Any:
        """`send`, awaited."""
        if timeout is None and ctx is None:
            return send_op(self, value)
        return self.asend_until(value, timeout, ctx)  # type: ignore[attr-defined]  # gosched.Chan has it

    def arecv(self, timeout: float | None = None, ctx: Any = None) -> Any:
        """`recv`, awaited."""
        if timeout is None and ctx is None:
            return recv_op(self, False)
        return self.arecv_until(timeout, ctx)  # type: ignore[attr-defined]

    def __aiter__(self) -> Any:
        return self

    def __anext__(self) -> Any:
        return recv_op(self, True)

    def send_as(self, g: Goroutine, value: Any) -> object:
        return self.send_by(words_of(g), value)

    def recv_as(self, g: Goroutine) -> object:
        return self.recv_by(words_of(g))

    def send_now(self, value: Any) -> object:
        return self.send_if_ready(value)

    def recv_now(self) -> Any:
        return self.recv_if_ready()

    def withdraw(self, g: Any) -> None:
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

    def send_by(self, who: ThreadWords, value: Any) -> object:
        """For the goroutine that runs there: None, Closed or Parked."""
        self.acquire()
        if self.buffered() < self.limit and self.receivers_waiting() == 0 and not self.is_closed():  # as `give` does it, for half the instructions
            self.buffer_put(value)
            self.release()
            return None
        answer = self.send_or_keep(value)
        if answer is Nothing:
            who.begin_wait(W_SEND, self)
            self.seat_sender(who, value)
            self.release()
            return Parked
        return answer

    def recv_by(self, who: ThreadWords) -> object:
        """For the goroutine that runs there: a value, Closed or Parked."""
        if self.timer is not None:
            self.timer.run_late()
        self.acquire()
        if self.buffered() != 0 and self.senders_waiting() == 0:  # as `take` does it, the same
            answer = self.buffer_take()
            self.release()
            return answer
        answer = self.recv_or_keep()
        if answer is Nothing:
            who.begin_wait(W_RECV, self)
            self.seat_receiver(who)
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
        won = w is not None and w.win_wait()
        if won:
            w.hand(Closed)
        self.release()
        if won:
            wake_waiter(w)
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
        wake_waiter(got)
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
        wake_waiter(got)
        return value

    def give(self, value: Any) -> Any:
        """Lock held. The waiter that got the value and is to be readied; None: it is in the buffer; Closed; Nothing: there is no room."""
        if self.is_closed():
            return Closed
        w = self.next_receiver()
        if w is not None:
            w.hand(value)
            return w
        if self.buffered() < self.limit:
            self.buffer_put(value)
            return None
        return Nothing

    def take(self) -> Any:
        """Lock held. As `give`: the waiter whose value is out (take_out) or in the buffer now, None if nobody waited, Closed, Nothing."""
        closed = self.is_closed()
        if self.buffered() != 0:
            self.put_out(self.buffer_take())
            w = None if closed else self.next_sender()
            if w is not None:
                self.buffer_put(w.sent())
            return w
        if closed:
            return Closed
        w = self.next_sender()
        if w is None:
            return Nothing
        self.put_out(w.sent())
        return w

    def drain(self) -> bool:
        """Takes back what is in the buffer of a timer's channel."""
        self.acquire()
        value = self.buffer_take() if self.buffered() != 0 else Nothing
        self.release()
        return value is not Nothing

    def next_receiver(self) -> Waiter | None:
        """The receiver that came first, of those whose wait is won here."""
        while True:
            w: Waiter | None = self.take_receiver()
            if w is None or w.win_wait():  # race: a select that another channel has won, or a wait whose time is over
                return w

    def next_sender(self) -> Waiter | None:
        while True:
            w: Waiter | None = self.take_sender()
            if w is None or w.win_wait():  # race: the same on the other side
                return w


class SendOp(Op):
    """One `asend` of `value` to the channel `subject`."""

    def what(self) -> str:
        return "ch.asend()"

    def begin(self, who: ThreadWords) -> object:
        return send_by(self.subject(), who, self.value())

    def leave(self, g: Goroutine) -> None:
        leave(self.subject(), g)

    def judge(self, answer: object) -> None:
        if answer is Closed:
            raise ClosedChannelError("send on closed channel", self.subject())


class RecvOp(Op):
    """One `arecv` of the channel `subject`, or one turn of `async for`."""

    def what(self) -> str:
        return "ch.arecv()"

    def leave(self, g: Goroutine) -> None:
        g.fetch()
        leave(self.subject(), g)

    def advance(self) -> Any:
        """The value, or Parked: yield. It fetches its answer itself: to be sent one costs a method call of the interpreter."""
        answer = self.fetch() if self.waiting else self.ask()
        if answer is Closed:
            if self.iterates:
                raise StopAsyncIteration
            raise EndOfChannel("receive on closed channel", self.subject())
        return answer

    def ask(self) -> Any:
        m = arrived(self)
        if m is None:
            return Parked
        channel: Channel = self.subject()
        answer = channel.recv_by(m)
        if answer is Parked:
            self.waiting = True
            g: Goroutine = m.held()
            g.fetch_later()
        return answer

    def fetch(self) -> Any:
        m: M = current_m()
        g: Goroutine = m.held()
        self.waiting = False
        return g.fetch()

    def __next__(self) -> None:
        answer = self.advance()
        if answer is not Parked:
            raise StopIteration(answer)

    def send(self, answer: Any) -> None:
        self.__next__()


ends_with_value(RecvOp, Parked)
pooled(SendOp, SENDS)
pooled(RecvOp, RECEIVES)


def send_by(channel: Channel, who: ThreadWords, value: Any) -> object:
    return channel.send_by(who, value)


def leave(channel: Channel, g: Goroutine) -> None:
    channel.leave(g)


def send_op(channel: Channel, value: Any) -> SendOp:
    op: SendOp | None = spare_op(SENDS)
    if op is None:
        op = SendOp.__new__(SendOp)
    op.fill(channel, value)
    return op


def recv_op(channel: Channel, iterates: bool) -> RecvOp:
    op: RecvOp | None = spare_op(RECEIVES)
    if op is None:
        op = RecvOp.__new__(RecvOp)
    op.fill(channel, None)
    op.iterates = iterates
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


def wake_waiter(w: Waiter) -> None:
    """By who has won its wait."""
    if isinstance(w, Goroutine):
        ready(w)
    else:
        case: Case = w  # type: ignore[assignment]
        ready(case.g)
