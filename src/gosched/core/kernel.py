"""What the netpoller asks of the kernel, over the standard library: the twin of kernel.pyx. A result below 0 is minus an errno."""

from __future__ import annotations

import errno
import os
import select
from typing import Any

has_epoll = hasattr(select, "epoll") and hasattr(os, "eventfd")
BELL = -1


class Events:
    """What one wait found."""

    def __init__(self) -> None:
        self.list: list[tuple[int, int]] = []

    def tag(self, i: int) -> int:
        return self.list[i][0]

    def reads(self, i: int) -> bool:
        return bool(self.list[i][1] & (select.EPOLLIN | select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR))

    def writes(self, i: int) -> bool:
        return bool(self.list[i][1] & (select.EPOLLOUT | select.EPOLLHUP | select.EPOLLERR))


class Epoll:
    """Edge-triggered, both directions of a descriptor at once. The standard library knows no tags: they are looked up by the descriptor."""

    def __init__(self) -> None:
        self.epoll = select.epoll(flags=select.EPOLL_CLOEXEC)
        self.bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self.tags = {self.bell: BELL}
        self.rung = False
        self.epoll.register(self.bell, select.EPOLLIN)

    def add(self, fd: int, tag: int) -> int:
        """Events of fd come with that tag. 0, or an errno: EPERM if it is of a kind that cannot be waited for."""
        self.tags[fd] = tag
        try:
            self.epoll.register(fd, select.EPOLLIN | select.EPOLLOUT | select.EPOLLRDHUP | select.EPOLLET)
        except OSError as error:
            del self.tags[fd]
            return error.errno or errno.EIO
        return 0

    def remove(self, fd: int) -> int:
        self.tags.pop(fd, None)
        try:
            self.epoll.unregister(fd)
        except ValueError:  # it is closed itself
            return errno.EBADF
        except OSError as error:
            return error.errno or errno.EIO
        return 0

    def look(self, events: Events) -> int:
        """How many there are now. One caller at a time for the same `events`."""
        events.list = self.collect(0)
        return len(events.list)

    def wait(self, events: Events, ns: int) -> int:
        """For so long, or below 0 until there is one, or `wake`. One caller at a time: it alone hears the bell."""
        events.list = self.collect(None if ns < 0 else min(ns / 1e9, 1e6))
        for tag, _ in events.list:
            if tag == BELL:
                os.eventfd_read(self.bell)
                self.rung = False  # behind the drain: who rings in between is heard by the next wait
        return len(events.list)

    def collect(self, seconds: float | None) -> list[tuple[int, int]]:
        try:
            found = self.epoll.poll(seconds, 128)
        except InterruptedError:
            return []
        return [(tag, bits) for fd, bits in found if (tag := self.tags.get(fd)) is not None]

    def wake(self) -> None:
        """By any thread; a wake before the wait is kept."""
        if not self.rung:
            self.rung = True
            os.eventfd_write(self.bell, 1)

    def close(self) -> None:
        if not self.epoll.closed:
            self.epoll.close()
            os.close(self.bell)


def recv_some(fd: int, n: int) -> Any:
    """Bytes, b"" at the end; or an int, minus the errno."""
    try:
        return os.read(fd, n)
    except OSError as error:
        return -(error.errno or errno.EIO)


def send_some(fd: int, data: Any, begin: int) -> int:
    """Of data from there on: how many bytes went, or minus the errno."""
    try:
        with memoryview(data) as view, view.cast("B") as octets:
            return os.write(fd, octets[begin:])
    except OSError as error:
        return -(error.errno or errno.EIO)


def is_ready(fd: int, writes: bool) -> int:
    """Whether a descriptor of any kind could be read, or written, without waiting; or minus the errno."""
    one = select.poll()
    try:
        one.register(fd, select.POLLOUT if writes else select.POLLIN)
        found = one.poll(0)
    except OSError as error:
        return -(error.errno or errno.EIO)
    return -errno.EBADF if found and found[0][1] & select.POLLNVAL else len(found)
