"""A channel's operations in the plain spelling, by a goroutine and without limits: the short way. With a timeout or a context, and for threads, the
methods named …_until (channels.py).

They are functions, which gosched.Chan has as its methods, and not those of a class between it and Channel: an await of a channel is 4 % slower with
one more class to look through.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .chan import Channel
from .interrupt import ending
from .plain import caller, goroutine_m, park_here
from .signals import Closed, Ended, Parked

if TYPE_CHECKING:
    from .m import M


def send(self: Any, value: Any, timeout: float | None = None, ctx: Any = None) -> None:
    """Sends, and waits until a receiver or the buffer has the value. On a closed channel: ClosedChannelError."""
    m = goroutine_m()
    if m is None or timeout is not None or ctx is not None:
        self.send_until(value, timeout, ctx)
    else:
        answer = send_here(self, m, value)
        if answer is Closed:
            raise self.send_error()


def recv(self: Any, timeout: float | None = None, ctx: Any = None) -> Any:
    """The next value. On a channel that is closed and drained: EndOfChannel."""
    m = goroutine_m()
    if m is None or timeout is not None or ctx is not None:
        return self.recv_until(timeout, ctx)
    answer = recv_here(self, m)
    if answer is Closed:
        raise self.recv_error()
    return answer


def recv_ok(self: Any, timeout: float | None = None, ctx: Any = None) -> tuple[Any, bool]:
    """Go's comma-ok: (value, True), or (None, False) when the channel is closed and drained."""
    m = goroutine_m()
    if m is None or timeout is not None or ctx is not None or has_own_recv(self):
        return self.recv_ok_until(timeout, ctx)  # type: ignore[no-any-return]
    answer = recv_here(self, m)
    return (None, False) if answer is Closed else (answer, True)


def send_here(ch: Channel, m: M, value: Any) -> object:
    answer = ch.send_by(m, value)
    return wait_here(ch, m) if answer is Parked else answer


def recv_here(ch: Channel, m: M) -> Any:
    answer = ch.recv_by(m)
    return wait_here(ch, m) if answer is Parked else answer


def has_own_recv(ch: Channel) -> bool:
    return ch.nil or ch.timer is not None


def wait_here(ch: Channel, m: M) -> object:
    try:
        answer = park_here(m)
    except BaseException:
        ch.leave(caller())
        raise
    if answer is Ended:
        g = caller()
        ch.leave(g)
        raise ending(g)
    return answer
