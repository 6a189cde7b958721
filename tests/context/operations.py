"""Every operation that can park, in virtual time: how it is made to block, what lets it go on, and how one sees that nothing of a waiter is left.

A waiter is spelled `await way.do(b.thing, b.op, *b.args)`, and started by `way.go`: the twin, the plain operation inside of an async goroutine, and a
plain function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import pytest

import gosched
from gosched import Chan, Cond, Event, Group, Mutex, Once, RWMutex, Semaphore, Ticker, Timer, WaitGroup, go, nil
from tests.channels.worlds import drive
from tests.sync.spelled import awaited, plain


class Way:
    """A spelling, and what it is spelled in."""

    def __init__(self, name: str, do: Callable[..., Any], driven: bool = False) -> None:
        self.name = name
        self.do = do
        self.driven = driven

    def go(self, fn: Callable[..., Any], *args: Any) -> None:
        if self.driven:
            go(drive, fn, *args)
        else:
            go(fn, *args)


ways = pytest.mark.parametrize(
    "way", [Way("awaited", awaited), Way("plain in async", plain), Way("plain", plain, driven=True)], ids=lambda way: way.name
)


@dataclass
class Op:
    """`let` lets it through; `after` gives back what it got; `probe`: once `let`, nothing of a waiter that gave up is left."""

    thing: Any
    op: str
    args: tuple[Any, ...] = ()
    let: Callable[[], object] = lambda: None
    after: Callable[[], object] = lambda: None
    probe: Callable[[], object] = lambda: True


class Pair:
    """An operation that is no method, in both spellings."""

    def __init__(self, call: Callable[..., Any], acall: Callable[..., Any]) -> None:
        self.call = call
        self.acall = acall


# ---- channels ----


def send() -> Op:
    ch = Chan[str](1)
    ch.send("old")
    return Op(ch, "send", ("mine",), ch.recv, ch.recv, lambda: not ch.try_recv()[1])


def send_unbuffered() -> Op:
    ch, got = Chan[str](), list[tuple[Any, bool]]()
    return Op(ch, "send", ("mine",), lambda: got.append(ch.try_recv()), probe=lambda: got == [(None, False)])


def recv() -> Op:
    ch = Chan[str](1)
    return Op(ch, "recv", (), lambda: ch.send("later"), probe=lambda: ch.try_recv() == ("later", True))


def recv_ok() -> Op:
    ch = Chan[str](1)
    return Op(ch, "recv_ok", (), lambda: ch.send("later"), probe=lambda: ch.try_recv() == ("later", True))


def recv_unbuffered() -> Op:
    ch, sent = Chan[str](), list[bool]()
    return Op(ch, "recv", (), lambda: sent.append(ch.try_send("later")), probe=lambda: sent == [False])


def iteration() -> Op:
    ch = Chan[str](1)

    def call() -> str:
        return next(iter(ch))

    async def acall() -> str:
        return await anext(aiter(ch))

    return Op(Pair(call, acall), "call", (), lambda: ch.send("later"), probe=lambda: ch.try_recv() == ("later", True))


def nil_recv() -> Op:
    return Op(nil, "recv")


def nil_recv_ok() -> Op:
    return Op(nil, "recv_ok")


def nil_send() -> Op:
    return Op(nil, "send", (1,))


# ---- select ----


def select() -> Op:
    a, b = Chan[str](1), Chan[str](1)
    b.send("old")

    def untouched() -> bool:
        return a.try_recv() == ("later", True) and b.recv() == "old" and not b.try_recv()[1]

    return Op(gosched, "select", (a.recv, (b.send, "mine")), lambda: a.send("later"), probe=untouched)


def select_one() -> Op:
    ch = Chan[str](1)
    return Op(gosched, "select", (ch.recv,), lambda: ch.send("later"), probe=lambda: ch.try_recv() == ("later", True))


def select_none() -> Op:
    return Op(gosched, "select")


def select_with_timeout() -> Op:
    ch = Chan[str](1)
    pair = Pair(lambda **options: gosched.select(ch.recv, timeout=9, **options), lambda **options: gosched.aselect(ch.recv, timeout=9, **options))
    return Op(pair, "call", (), lambda: ch.send("later"), probe=lambda: ch.try_recv() == ("later", True))


# ---- time ----


def sleep() -> Op:
    return Op(gosched, "sleep", (60,))


def timer() -> Op:
    t = Timer(60)
    return Op(t.c, "recv", (), lambda: t.reset(0), probe=lambda: t.c.recv() > 0)


def ticker() -> Op:
    t = Ticker(60)
    return Op(t.c, "recv", (), lambda: t.reset(1e-9), t.stop, lambda: t.c.recv() > 0)


# ---- sync ----


def mutex() -> Op:
    m = Mutex()
    m.lock()
    return Op(m, "lock", (), m.unlock, m.unlock, m.try_lock)


def mutex_in_with() -> Op:
    m = Mutex()
    m.lock()

    def call() -> None:
        with m:
            pass

    async def acall() -> None:
        async with m:
            pass

    return Op(Pair(call, acall), "call", (), m.unlock, probe=m.try_lock)


def rwmutex_behind_writer() -> Op:
    m = RWMutex()
    m.lock()
    return Op(m, "lock", (), m.unlock, m.unlock, m.try_lock)


def rwmutex_behind_reader() -> Op:
    m = RWMutex()
    m.rlock()
    return Op(m, "lock", (), m.runlock, m.unlock, m.try_lock)


def rwmutex_reader() -> Op:
    m = RWMutex()
    m.lock()
    return Op(m, "rlock", (), m.unlock, m.runlock, m.try_lock)


def cond() -> Op:
    """Whoever waits has the mutex afterwards: `probe` could not unlock it otherwise."""
    m = Mutex()
    c = Cond(m)
    m.lock()
    return Op(c, "wait", (), c.notify, probe=lambda: m.unlock() is None and m.try_lock())


def cond_for() -> Op:
    m, happened = Mutex(), list[int]()
    c = Cond(m)
    m.lock()

    def let() -> None:
        happened.append(1)
        c.notify_all()

    return Op(c, "wait_for", (lambda: happened,), let, probe=lambda: m.unlock() is None and m.try_lock())


def wait_group() -> Op:
    wg = WaitGroup()
    wg.add(1)
    return Op(wg, "wait", (), wg.done, probe=lambda: repr(wg) == "<WaitGroup counter=0 waiters=0>")


def semaphore() -> Op:
    s = Semaphore(3)
    s.acquire(2)
    return Op(s, "acquire", (3,), lambda: s.release(2), lambda: s.release(3), lambda: s.try_acquire(3))


def event() -> Op:
    e = Event()
    return Op(e, "wait", (), e.set, probe=e.is_set)


def once() -> Op:
    """Somebody else is at it."""
    o, begun, over = Once(), Event(), Event()

    async def first() -> None:
        begun.set()
        await over

    go(o.ado, first)
    begun.wait()
    return Op(o, "do", (lambda: None,), over.set)


def task() -> Op:
    """Of a group that is none of the waiter's contexts."""
    over, tasks = Event(), Chan[Any](1)

    async def keeps() -> None:
        async with Group() as group:
            tasks.send(group.go(over.await_))

    go(keeps)
    t = tasks.recv()
    return Op(t, "wait", (), over.set, probe=lambda: t.wait() is None)


Make = Callable[[], Op]
ALL: list[Make] = [
    *(send, send_unbuffered, recv, recv_ok, recv_unbuffered, iteration, nil_recv, nil_recv_ok, nil_send),
    *(select, select_one, select_none, select_with_timeout, sleep, timer, ticker),
    *(mutex, mutex_in_with, rwmutex_behind_writer, rwmutex_behind_reader, rwmutex_reader, cond, cond_for, wait_group, semaphore, event, once, task),
]
# Nothing lets these through.
FOR_EVER: list[Make] = [nil_recv, nil_recv_ok, nil_send, select_none, sleep]
# They take no ctx=, no timeout=.
NO_CTX: list[Make] = [iteration, mutex_in_with, once]
NO_TIMEOUT: list[Make] = [*NO_CTX, sleep, select_with_timeout]
# To let them through means something only while somebody waits.
FOR_WAITERS: list[Make] = [send_unbuffered, recv_unbuffered, cond, ticker]


def all_but(*without: Iterable[Make]) -> pytest.MarkDecorator:
    others = [make for some in without for make in some]
    return pytest.mark.parametrize("make", [make for make in ALL if make not in others], ids=lambda make: make.__name__)
