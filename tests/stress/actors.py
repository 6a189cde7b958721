"""What the stress tests of channels share: threads that are joined and whose errors come out, and who counts what was sent and received."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from gosched import Chan, ClosedChannelError, DeadlineExceeded, EndOfChannel, aselect, asleep, select, sleep


class Crew:
    """Threads of no runtime. The block joins them all, and raises the first error that one of them had."""

    def __init__(self) -> None:
        self.threads: list[threading.Thread] = []
        self.errors: list[BaseException] = []

    def start(self, fn: Callable[..., Any], *args: Any) -> None:
        thread = threading.Thread(target=self._run, args=(fn, args))
        self.threads.append(thread)
        thread.start()

    def _run(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> None:
        try:
            fn(*args)
        except BaseException as error:
            self.errors.append(error)

    def join(self) -> None:
        for thread in self.threads:
            thread.join()
        self.threads.clear()
        if self.errors:
            raise self.errors[0]

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.join()


class Tally:
    """What one actor has sent or received. Only that actor writes it."""

    def __init__(self, number: int = 0) -> None:
        self.number = number
        self.count = 0
        self.total = 0
        self.timeouts = 0

    def next_value(self) -> int:
        """No two of any actors are equal, and their sum tells them apart."""
        return (self.number << 32) + self.count + 1

    def add(self, value: int) -> None:
        self.count += 1
        self.total += value


class Ledger:
    """Everybody's tallies."""

    def __init__(self) -> None:
        self.sent: list[Tally] = []
        self.received: list[Tally] = []

    def sender(self) -> Tally:
        self.sent.append(Tally(len(self.sent) + 1))
        return self.sent[-1]

    def receiver(self) -> Tally:
        self.received.append(Tally(len(self.received) + 1))
        return self.received[-1]

    def counts(self) -> tuple[int, int]:
        return sum(t.count for t in self.sent), sum(t.count for t in self.received)

    def check(self) -> str:
        """Nothing lost, nothing doubled."""
        sent, received = self.counts()
        assert sent == received, f"{sent} sent, {received} received"
        assert sum(t.total for t in self.sent) == sum(t.total for t in self.received)
        timeouts = sum(t.timeouts for t in (*self.sent, *self.received))
        return f"{sent:,} values, {timeouts:,} timeouts"


def some_timeout(rng: random.Random) -> float | None:
    """None, nothing, or so little that it is often over just when the other side comes."""
    return rng.choice((None, None, 0.0, 1e-6, 2e-5, 1e-4, 1e-3))


# ---- actors: each until the time is over (senders), or until its channels are closed and drained (receivers) ----


def plain_sender(ch: Chan[int], tally: Tally, end: float) -> None:
    rng = random.Random(tally.number)
    while time.monotonic() < end:
        value = tally.next_value()
        try:
            if rng.random() < 0.1:
                if not ch.try_send(value):
                    continue
            else:
                ch.send(value, timeout=some_timeout(rng))
        except DeadlineExceeded:
            tally.timeouts += 1
        except ClosedChannelError:
            return
        else:
            tally.add(value)


async def awaited_sender(ch: Chan[int], tally: Tally, end: float) -> None:
    rng = random.Random(tally.number)
    while time.monotonic() < end:
        value = tally.next_value()
        try:
            await ch.asend(value, timeout=some_timeout(rng))
        except DeadlineExceeded:
            tally.timeouts += 1
        except ClosedChannelError:
            return
        else:
            tally.add(value)


def plain_receiver(ch: Chan[int], tally: Tally) -> None:
    rng = random.Random(-tally.number)
    while True:
        try:
            if rng.random() < 0.1:
                value, ok = ch.try_recv()
                if not ok or value is None:
                    continue
            else:
                value = ch.recv(timeout=some_timeout(rng))
        except DeadlineExceeded:
            tally.timeouts += 1
        except EndOfChannel:
            return
        else:
            tally.add(value)


async def awaited_receiver(ch: Chan[int], tally: Tally) -> None:
    rng = random.Random(-tally.number)
    while True:
        try:
            value = await ch.arecv(timeout=some_timeout(rng))
        except DeadlineExceeded:
            tally.timeouts += 1
        except EndOfChannel:
            return
        else:
            tally.add(value)


def selection(rng: random.Random, chs: list[Chan[int]], kind: str, value: int) -> tuple[list[Any], float | None]:
    """Some of the channels, in any order, and a timeout."""
    picked = rng.sample(chs, rng.randint(1, len(chs)))
    timeout = some_timeout(rng)
    if len(picked) < len(chs) and timeout is None:
        timeout = 1e-4  # those that were left out may be the only ones where somebody comes
    return [(ch.send, value) if kind == "send" else getattr(ch, kind) for ch in picked], timeout


def plain_select_sender(chs: list[Chan[int]], tally: Tally, end: float) -> None:
    rng = random.Random(tally.number)
    while time.monotonic() < end:
        value = tally.next_value()
        cases, timeout = selection(rng, chs, "send", value)
        index, _ = select(*cases, timeout=timeout)
        if index is None:
            tally.timeouts += 1
        else:
            tally.add(value)


async def awaited_select_sender(chs: list[Chan[int]], tally: Tally, end: float) -> None:
    rng = random.Random(tally.number)
    while time.monotonic() < end:
        value = tally.next_value()
        cases, timeout = selection(rng, chs, "send", value)
        index, _ = await aselect(*cases, timeout=timeout)
        if index is None:
            tally.timeouts += 1
        else:
            tally.add(value)


def plain_select_receiver(chs: list[Chan[int]], tally: Tally) -> None:
    """All are closed at the same time, and drained: each in its turn."""
    rng, chs = random.Random(-tally.number), list(chs)
    while chs:
        cases, timeout = selection(rng, chs, "recv", 0)
        try:
            index, value = select(*cases, timeout=timeout)
        except EndOfChannel as over:
            chs = [ch for ch in chs if ch is not over.channel]
            continue
        if index is None:
            tally.timeouts += 1
        else:
            tally.add(value)


async def awaited_select_receiver(chs: list[Chan[int]], tally: Tally) -> None:
    rng, chs = random.Random(-tally.number), list(chs)
    while chs:
        cases, timeout = selection(rng, chs, "recv_ok", 0)
        index, answer = await aselect(*cases, timeout=timeout)
        if index is None:
            tally.timeouts += 1
        elif answer[1]:
            tally.add(answer[0])
        else:
            chs = [ch for ch in chs if ch.recv_ok != cases[index]]


def nap(rng: random.Random) -> None:
    sleep(rng.choice((0.0, 1e-6, 1e-5, 1e-4)))


async def anap(rng: random.Random) -> None:
    await asleep(rng.choice((0.0, 1e-6, 1e-5, 1e-4)))
