"""select: Go's selectgo.

    a look    few cases, no default: each tried by itself, in a random order (quick_look)
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

from .chan import Case, Channel, new_case, wake_waiter
from .interrupt import Cancellation
from .native import ThreadWords, address, current_m, method_function, method_self, now
from .park import arrived, words_of
from .signals import Closed, Nothing, Parked
from .states import CONTEXT, FEW, IN_ORDER, LAST, RECV_OK, SELECT_CASES, SEND, W_SELECT, W_SELECT_NONE

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M

# The plain methods of channels, which cases are written with, and what they mean.
KINDS: dict[Any, int] = {}


def cases_are(kinds: dict[Any, int]) -> None:
    """channels.py tells its methods."""
    KINDS.update(kinds)


class Default:
    """The case that is taken when no other can go on at once.

    >>> import gosched
    >>> ch = gosched.Chan[int]()
    >>> gosched.select(ch.recv, gosched.default)
    (1, None)
    """

    def __call__(self) -> None:
        raise TypeError("default is a case for select(): select(ch.recv, default)")

    def __repr__(self) -> str:
        return "default"


default = Default()


def begin_select(cases: tuple[Any, ...]) -> Any:
    """For the goroutine that runs here: (index, value) if a case could go on at once; else the Selection, and its `start` has said Parked."""
    answer = quick_look(cases, len(cases)) if len(cases) <= FEW else Nothing
    if answer is not Nothing:
        return answer
    selection = Selection(cases)
    answer = selection.start()
    return selection if answer is Parked else answer


def quick_look(cases: tuple[Any, ...], n: int) -> Any:
    """Each of a few cases by itself, in a random order, without a Case or all locks: mostly one can go on. Not with `default`.

    The order is n numbers of four bits each."""
    m: M | None = current_m()
    if m is None or m.p is None or m.lost_p():
        return Nothing
    kinds = 0
    for i in range(n):
        kind = kind_of(cases[i], i)
        if kind == 0:
            return Nothing
        kinds |= kind << (4 * i)
    left = n
    order = IN_ORDER
    while left > 0:
        at = 4 * (m.p.random() % left)
        left -= 1
        i = (order >> at) & 15
        order = (order & ~(LAST << at)) | (((order >> (4 * left)) & 15) << at)
        answer = try_case(cases[i], (kinds >> (4 * i)) & 15, i)
        if answer is not Nothing:
            return answer
    return Nothing


def kind_of(case: Any, index: int) -> int:
    """0 for default; what is no case at all is an error."""
    if case is default:
        return 0
    kind = KINDS.get(method_function(case), 0)
    if kind == 0 and isinstance(case, Cancellation):
        return CONTEXT
    if kind == 0 and type(case) is tuple and len(case) == 2:
        kind = KINDS.get(method_function(case[0]), 0)
        if kind != SEND:
            raise bad_case(case, index)
    elif kind == 0 or kind == SEND:
        raise bad_case(case, index)
    return kind


def try_case(case: Any, kind: int, index: int) -> Any:
    """(index, value) if this one can go on now, else Nothing."""
    if kind == CONTEXT:
        return (index, case.error) if case.error is not None else Nothing
    channel: Channel = method_self(case[0] if kind == SEND else case)
    if channel.nil:
        return Nothing
    answer = channel.send_if_ready(case[1]) if kind == SEND else channel.recv_if_ready()
    if answer is Nothing:
        return Nothing
    if kind == RECV_OK:
        return (index, (None, False) if answer is Closed else (answer, True))
    if answer is Closed:
        raise closed_error(kind, channel, index)
    return (index, answer)


def closed_error(kind: int, channel: Channel, index: int) -> ClosedChannelError:
    if kind == SEND:
        return ClosedChannelError("send on closed channel", channel)
    return EndOfChannel("receive on closed channel", channel, index)


class Selection:
    """One execution of one select."""

    def __init__(self, cases: tuple[Any, ...]) -> None:
        self.default = -1
        self.parked = False
        self.cases: list[Case] = []
        self.order: list[Case] = self.cases
        self.contexts: dict[int, Cancellation] | None = None
        if len(cases) > SELECT_CASES:
            raise ValueError(f"select takes up to {SELECT_CASES} cases, not {len(cases)}")
        for index, case in enumerate(cases):
            self.parse(case, index)

    def parse(self, case: Any, index: int) -> None:
        kind = kind_of(case, index)
        if kind == 0:
            if self.default >= 0:
                raise ValueError(f"select: case {index}: a second default; one is enough")
            self.default = index
        elif kind == CONTEXT:
            if not case.endless:
                if self.contexts is None:
                    self.contexts = {}
                self.contexts[index] = case
                self.cases.append(new_case(case.done_channel(), CONTEXT, index, None))
        else:
            channel: Channel = method_self(case[0] if kind == SEND else case)
            if not channel.nil:
                self.cases.append(new_case(channel, kind, index, case[1] if kind == SEND else None))

    def start(self) -> Any:
        """(index, value), or Parked: yield, and ask `result` with what comes back."""
        m = arrived("aselect()")
        return Parked if m is None else self.start_by(m)

    def start_as(self, g: Goroutine) -> Any:
        return self.start_by(words_of(g))

    def start_by(self, who: ThreadWords) -> Any:
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
                wake_waiter(chosen.won_over)
                chosen.won_over = None
            return self.result(chosen)
        if self.default >= 0:
            self.unlock_all(n)
            return (self.default, None)
        self.parked = True
        who.begin_wait(W_SELECT if n else W_SELECT_NONE, self)
        for i in range(n):
            case = self.order[i]
            case.g = who.held()
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

    def channels(self) -> list[Channel]:
        """Those it waits on, in the order of its cases."""
        found: list[Channel] = []
        for case in sorted(self.cases, key=case_index):
            found.append(case.channel)
        return found

    def has_default(self) -> bool:
        return self.default >= 0

    def result(self, case: Case) -> tuple[int, Any]:
        if case.kind == RECV_OK:
            return (case.index, (None, False) if case.closed else (case.value, True))
        if case.kind == CONTEXT:
            return (case.index, self.contexts[case.index].seen_error())  # type: ignore[index]
        if case.closed:
            raise closed_error(case.kind, case.channel, case.index)
        return (case.index, None if case.kind == SEND else case.value)

    def shuffle(self, n: int) -> None:
        """`cases` in a random order; `order` by address, those of one channel in the random order too. By insertion: most selects are short."""
        m: M | None = current_m()
        for i in range(n - 1, 0, -1):
            chance = now() // 61 if m is None or m.p is None else m.p.random()
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


def case_index(case: Case) -> int:
    return case.index
