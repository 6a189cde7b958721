"""A connected socket: bytes in, bytes out, by the short way of either spelling. With a timeout or a context, and for threads, the methods named
…_until (net/conn.py). Who waits and who closes: netpoll.py.

What was read and not asked for yet is in `buffer`, which belongs to who owns the direction, as `sent`, the progress of a write, does.
"""

from __future__ import annotations

from errno import EAGAIN
from typing import TYPE_CHECKING, Any

from .interrupt import ending
from .kernel import recv_some, send_some
from .native import ThreadWords, current_m, ends_with_value
from .netpoll import PollDesc
from .op import Op
from .park import arrived
from .plain import caller, park_here
from .signals import Ended, Parked
from .states import NET_OK, NET_WAITS, READ, WRITE

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M

CHUNK = 65_536
# What one read takes at most: who asks for more than there may ever be gets no memory for it.
MOST = 1 << 20


class Stream:
    """`desc` says who waits, and who closes."""

    def __init__(self, desc: PollDesc) -> None:
        self.desc = desc
        self.buffer = bytearray()

    # ---- for the goroutine that runs there: the answer, Parked, or an int: a NET_… code, or minus an errno ----

    def read_by(self, who: ThreadWords, n: int) -> Any:
        """What is there, up to n bytes; b"" at the end."""
        while True:
            code = self.desc.begin_by(who, READ)
            if code == NET_WAITS:
                return Parked
            if code != NET_OK:
                return self.done(who, READ, code)
            if self.buffer:
                return self.done(who, READ, self.take_buffered(n))
            data = self.receive(who, min(n, MOST))
            if type(data) is bytes or data != -EAGAIN:
                return self.done(who, READ, data)
            if self.desc.wait_by(who, READ) == NET_WAITS:
                return Parked

    def gather_by(self, who: ThreadWords, n: int, line: bool) -> Any:
        """n bytes; or all up to a newline, None if none is among the first n. Fewer at the end, which stay in the buffer if n were asked for."""
        while True:
            code = self.desc.begin_by(who, READ)
            if code == NET_WAITS:
                return Parked
            if code != NET_OK:
                return self.done(who, READ, code)
            at = self.buffer.find(b"\n", 0, n) + 1 if line else 0
            if at or len(self.buffer) >= n + line:
                return self.done(who, READ, None if line and not at else self.take_buffered(at or n))
            data = self.receive(who, CHUNK)
            if type(data) is bytes:
                if not data:
                    return self.done(who, READ, self.take_buffered(n) if line else b"")
                self.buffer += data
            elif data != -EAGAIN:
                return self.done(who, READ, data)
            elif self.desc.wait_by(who, READ) == NET_WAITS:
                return Parked

    def write_by(self, who: ThreadWords, data: Any) -> Any:
        """All of it: None."""
        while True:
            code = self.desc.begin_by(who, WRITE)
            if code == NET_WAITS:
                return Parked
            if code != NET_OK:
                return self.done(who, WRITE, code)
            n = send_some(self.desc.fd, data, self.desc.sent)
            if n >= 0:
                self.desc.sent += n
                if self.desc.sent >= len(data):
                    return self.done(who, WRITE, None)
            elif n != -EAGAIN:
                return self.done(who, WRITE, n)
            elif self.desc.wait_by(who, WRITE) == NET_WAITS:
                return Parked

    def receive(self, who: ThreadWords, n: int) -> Any:
        try:
            return recv_some(self.desc.fd, n)
        except BaseException:  # no memory
            self.desc.finish(who.held(), READ)
            raise

    def take_buffered(self, n: int) -> bytes:
        data = bytes(self.buffer[:n])
        del self.buffer[:n]
        return data

    def done(self, who: ThreadWords, mode: int, answer: Any) -> Any:
        self.desc.finish(who.held(), mode)
        return answer

    # ---- the two spellings ----

    def read_here(self, m: M, n: int) -> bytes:
        """The plain spelling, by a goroutine."""
        answer = self.read_by(m, n)
        while answer is Parked:
            self.wait_here(m, READ)
            answer = self.read_by(m, n)
        if type(answer) is int:
            raise self.fault("read", answer)
        return answer  # type: ignore[no-any-return]

    def write_here(self, m: M, data: Any) -> None:
        answer = self.write_by(m, data)
        while answer is Parked:
            self.wait_here(m, WRITE)
            answer = self.write_by(m, data)
        if answer is not None:
            give_back(data)
            raise self.fault("write", answer)

    def wait_here(self, m: M, mode: int) -> None:
        try:
            answer = park_here(m)
        except BaseException:
            self.desc.finish(caller(), mode)
            raise
        if answer is Ended:
            g = caller()
            self.desc.finish(g, mode)
            raise ending(g)

    def fault(self, what: str, code: int) -> BaseException:
        """What to raise for an answer that is an int."""
        raise NotImplementedError


class ReadOp(Op):
    """One `aread` of up to `value` bytes from the stream `subject`."""

    def what(self) -> str:
        return "conn.aread()"

    def leave(self, g: Goroutine) -> None:
        g.fetch()
        leave(self.subject(), g, READ)

    def advance(self) -> Any:
        if self.waiting:
            self.fetch()  # Woken
        return self.ask()

    def ask(self) -> Any:
        m = arrived(self)
        if m is None:
            return Parked
        stream: Stream = self.subject()
        answer = stream.read_by(m, self.value())
        if answer is Parked:
            self.waiting = True
            g: Goroutine = m.held()
            g.fetch_later()
        elif type(answer) is int:
            raise stream.fault("read", answer)
        return answer

    def fetch(self) -> None:
        m: M = current_m()
        g: Goroutine = m.held()
        self.waiting = False
        g.fetch()

    def __next__(self) -> None:
        answer = self.advance()
        if answer is not Parked:
            raise StopIteration(answer)

    def send(self, answer: Any) -> None:
        self.__next__()


class WriteOp(Op):
    """One `awrite` of `value` to the stream `subject`."""

    def what(self) -> str:
        return "conn.awrite()"

    def begin(self, who: ThreadWords) -> Any:
        return write_by(self.subject(), who, self.value())

    def leave(self, g: Goroutine) -> None:
        leave(self.subject(), g, WRITE)

    def judge(self, answer: object) -> None:
        if type(answer) is int:
            give_back(self.value())
            raise fault_of(self.subject(), "write", answer)


ends_with_value(ReadOp, Parked)


def write_by(stream: Stream, who: ThreadWords, data: Any) -> Any:
    return stream.write_by(who, data)


def leave(stream: Stream, g: Goroutine, mode: int) -> None:
    stream.desc.finish(g, mode)


def fault_of(stream: Stream, what: str, code: int) -> BaseException:
    return stream.fault(what, code)


def give_back(data: Any) -> None:
    """The caller's buffer is its own again also while an error keeps frames alive that know our view of it."""
    if type(data) is memoryview:
        data.release()


def read_op(stream: Stream, n: int) -> ReadOp:
    op = ReadOp.__new__(ReadOp)
    op.fill(stream, n)
    return op


def write_op(stream: Stream, data: Any) -> WriteOp:
    op = WriteOp.__new__(WriteOp)
    op.fill(stream, data)
    return op
