"""select: Go's selectgo.

    parse     every case becomes a Case; those of a nil channel are left out
    pass 1    all channels locked, in the order of their addresses; the cases are tried in a random order, and the first that can go on does
    pass 2    nothing can: each case stands in its channel's queue, then the locks are given up, and the goroutine yields
    pass 3    the goroutine was woken with the case that won; the others leave their queues, one lock at a time: a waker that finds one of them
              meanwhile does not win it
A goroutine has one wait for all its cases, so of several channels exactly one wins. A select meets only waiters that were there before it locked:
never its own cases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gosched.errors import ClosedChannelError, EndOfChannel, bad_case

from .chan import Case, Channel, goroutine_of, new_case
from .native import address, current_m, method_function, method_self, now
from .park import awaiting, begin_wait, ready
from .signals import Closed, Nothing, Parked
from .states import RECV_OK, SELECT_CASES, SEND, W_SELECT, W_SELECT_NONE

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M

# The plain methods of channels, which cases are written with, and what they mean.
KINDS: dict[Any, int] = {}


def cases_are(kinds: dict[Any, int]) -> None:
    """channels.py tells its methods."""
    KINDS.update(kinds)


class Default:
    """The case that is taken when no other can go on."""

    def __call__(self) -> None:
        raise TypeError("default is a case for select(): select(ch.recv, default)")

    def __repr__(self) -> str:
        return "default"


default = Default()


class Selection:
    """One execution of one select."""

    def __init__(self, cases: tuple[Any, ...]) -> None:
        self.default = -1
        self.parked = False
        self.cases: list[Case] = []
        self.order: list[Case] = self.cases
        if len(cases) > SELECT_CASES:
            raise ValueError(f"select takes up to {SELECT_CASES} cases, not {len(cases)}")
        for index, case in enumerate(cases):
            self.parse(case, index)

    def parse(self, case: Any, index: int) -> None:
        value: Any = None
        method: Any = case
        if case is default:
            if self.default >= 0:
                raise ValueError(f"select: case {index}: a second default; one is enough")
            self.default = index
        else:
            if type(case) is tuple and len(case) == 2:
                method = case[0]
                value = case[1]
            kind = KINDS.get(method_function(method), 0)
            if kind == 0 or (kind == SEND) != (method is not case):
                raise bad_case(case, index)
            channel: Channel = method_self(method)
            if not channel.nil:
                self.cases.append(new_case(channel, kind, index, value))

    def start(self) -> Any:
        """(index, value), or Parked: yield, and `finish` with what comes back."""
        g = awaiting("aselect()")
        return Parked if g is None else self.start_as(g)

    def start_as(self, g: Goroutine) -> Any:
        n = len(self.cases)
        if n > 1:
            self.shuffle(n)
        for i in range(n):
            case = self.cases[i]
            if case.channel.timer is not None and case.kind != SEND:
                case.channel.timer.run_late()
        self.lock_all(n)
        chosen = self.pass_1(n)
        if chosen is not None:
            self.unlock_all(n)
            if chosen.won_over is not None:
                ready(goroutine_of(chosen.won_over))
                chosen.won_over = None
            return self.result(chosen)
        if self.default >= 0:
            self.unlock_all(n)
            return (self.default, None)
        self.parked = True
        begin_wait(g, W_SELECT if n else W_SELECT_NONE)
        for i in range(n):
            case = self.order[i]
            case.g = g
            if case.kind == SEND:
                case.channel.put_sender(case)
            else:
                case.channel.put_receiver(case)
        self.unlock_all(n)
        for i in range(n):
            case = self.order[i]
            if case.channel.timer is not None and case.kind != SEND:
                case.channel.timer.block()
        return Parked

    def pass_1(self, n: int) -> Case | None:
        """All locks held."""
        for i in range(n):
            case = self.cases[i]
            if case.kind == SEND:
                got = case.channel.give(case.value)
            else:
                got = case.channel.take()
                case.value = case.channel.take_out()
            if got is not Nothing:
                if got is Closed:
                    case.closed = True
                elif got is not None:
                    case.won_over = got
                return case
        return None

    def leave(self) -> None:
        """Pass 3, also of a select that was ended or timed out: nothing of it stays behind."""
        n = len(self.order) if self.parked else 0
        self.parked = False
        for i in range(n):
            case = self.order[i]
            case.channel.acquire()
            if case.kind == SEND:
                case.channel.drop_sender(case)
            else:
                case.channel.drop_receiver(case)
            case.channel.release()
            if case.channel.timer is not None and case.kind != SEND:
                case.channel.timer.unblock()

    def has_default(self) -> bool:
        return self.default >= 0

    def result(self, case: Case) -> tuple[int, Any]:
        if case.kind == SEND:
            if case.closed:
                raise ClosedChannelError("send on closed channel", case.channel)
            return (case.index, None)
        if case.kind == RECV_OK:
            return (case.index, (None, False) if case.closed else (case.value, True))
        if case.closed:
            raise EndOfChannel("receive on closed channel", case.channel, case.index)
        return (case.index, case.value)

    def shuffle(self, n: int) -> None:
        """`cases` in a random order; `order` by address, those of one channel in the random order too. By insertion: most selects are short."""
        m: M | None = current_m()
        for i in range(n - 1, 0, -1):
            chance = (now() & 0xFFFFFFFF) * 40_503 >> 8 if m is None or m.p is None else m.p.random()
            at = chance % (i + 1)
            case = self.cases[i]
            self.cases[i] = self.cases[at]
            self.cases[at] = case
        self.order = self.cases.copy()
        for i in range(1, n):
            case = self.order[i]
            at = i
            while at > 0:
                other = self.order[at - 1]
                if address(other.channel) <= address(case.channel):
                    break
                self.order[at] = other
                at -= 1
            self.order[at] = case

    def lock_all(self, n: int) -> None:
        """A channel that stands in several cases is locked once: they follow each other in the order."""
        before: Channel | None = None
        for i in range(n):
            case = self.order[i]
            if case.channel is not before:
                case.channel.acquire()
                before = case.channel

    def unlock_all(self, n: int) -> None:
        before: Channel | None = None
        for i in range(n):
            case = self.order[i]
            if case.channel is not before:
                case.channel.release()
                before = case.channel
