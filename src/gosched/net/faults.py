"""What went wrong, in words that name the operation and the addresses."""

from __future__ import annotations

import os

from gosched.core.mutex import is_ending
from gosched.core.states import NET_CLOSED, NET_EXPIRED, NET_OVER
from gosched.errors import ClosedError, DeadlineExceeded, Goexit


def fault(what: str, where: str, code: int) -> BaseException:
    """code: of netpoll, or minus an errno. When the program is over, whatever the end of the others has done to this one is no error."""
    if is_ending():
        return Goexit()
    if code == NET_OVER:
        return RuntimeError(f"{what} {where}: the run() that it belongs to is over")
    if code == NET_CLOSED:
        return ClosedError(f"{what} {where}: use of a connection that was closed")
    if code == NET_EXPIRED:
        return DeadlineExceeded(f"{what} {where}: the deadline has passed")
    return from_errno(what, where, -code)


def from_errno(what: str, where: str, number: int) -> OSError:
    """Of the subclass that belongs to the errno: ConnectionResetError, BrokenPipeError, …"""
    return OSError(number, f"{what} {where}: {os.strerror(number).lower()}")
