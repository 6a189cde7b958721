"""The plain spelling inside an async goroutine as an error that names the twin; and nothing is left behind by it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched import Chan, Cond, Event, Mutex, RWMutex, Semaphore, WaitGroup, ayield_now, go, net, nil, run, select, sleep, yield_now
from gosched.testing import forbid_plain_in_async, virtual_run

pytest.importorskip("greenlet")


def held(lock: Any) -> Any:
    lock.lock()
    return lock


def counted() -> WaitGroup:
    wg = WaitGroup()
    wg.add(1)
    return wg


def waits_for_a_condition() -> None:
    cond = Cond(Mutex())
    with cond.mutex:
        cond.wait()


CASES: list[tuple[Callable[[], Any], str]] = [
    (lambda: Chan().recv(), "ch.recv() … await ch.arecv(), or async for"),
    (lambda: list(Chan()), "ch.recv() … await ch.arecv(), or async for"),
    (lambda: Chan().recv(timeout=9), "ch.recv() … await ch.arecv(), or async for"),
    (lambda: Chan().send(1), "ch.send() … await ch.asend()"),
    (lambda: nil.recv(), "nil.recv() … await nil.arecv()"),
    (lambda: nil.send(1), "nil.send() … await nil.asend()"),
    (lambda: select(Chan().recv), "select() … await aselect()"),
    (lambda: select(), "select() … await aselect()"),
    (lambda: sleep(1), "sleep() … await asleep()"),
    (lambda: counted().wait(), "wg.wait() … await wg"),
    (waits_for_a_condition, "cond.wait() … await cond"),
    (lambda: held(Mutex()).lock(), "mutex.lock() … await mutex.alock(), or async with"),
    (lambda: held(RWMutex()).rlock(), "mutex.rlock() … await mutex.arlock(), or async with"),
    (lambda: held(RWMutex()).lock(), "mutex.lock() … await mutex.alock(), or async with"),
    (lambda: Semaphore(1).acquire(1) or Semaphore(0).acquire(), "semaphore.acquire() … await semaphore.aacquire(), or async with"),
    (lambda: Event().wait(), "event.wait() … await event"),
    (yield_now, "yield_now() … await ayield_now()"),
]
FORBIDDEN = " in an async goroutine waits with its stack, which is forbidden here: "


@pytest.mark.parametrize(("waits", "text"), CASES)
def test_the_message_names_the_twin(waits: Callable[[], Any], text: str) -> None:
    async def main() -> None:
        waits()

    with pytest.raises(RuntimeError) as caught:
        virtual_run(main, plain_in_async="error")
    assert str(caught.value) == text.replace(" … ", FORBIDDEN)
    with forbid_plain_in_async(), pytest.raises(RuntimeError) as caught:
        run(main)
    assert str(caught.value) == text.replace(" … ", FORBIDDEN)


def test_the_network() -> None:
    async def main() -> None:
        one, two = socket.socketpair()
        with one, two:
            net.wait_readable(one)

    with forbid_plain_in_async(), pytest.raises(RuntimeError) as caught:
        run(main)
    assert str(caught.value) == f"reading, writing, accepting, dialling{FORBIDDEN}await the twin: aread(), awrite(), aaccept(), adial()"


def test_what_does_not_wait_is_no_error() -> None:
    async def main() -> int:
        ch: Chan[int] = Chan(1)
        ch.send(1)
        with Mutex():
            return ch.recv()

    assert virtual_run(main, plain_in_async="error") == 1


def test_plain_goroutines_may_wait() -> None:
    async def main() -> int:
        ch: Chan[int] = Chan()
        go(ch.send, 3)
        go(lambda: sleep(1))
        return await ch.arecv()

    assert virtual_run(main, plain_in_async="error") == 3
    with forbid_plain_in_async():
        assert run(main) == 3


def test_nothing_stays_in_a_queue() -> None:
    """The goroutine goes on, and the next who comes finds nobody before it."""

    async def main() -> Any:
        ch, lock = Chan[int](), Mutex()
        for op in (ch.recv, lambda: ch.send(1), lambda: select(ch.recv, (ch.send, 2)), lambda: ch.recv(timeout=5)):
            with pytest.raises(RuntimeError, match="forbidden here"):
                op()
        assert ch.try_send(1) is False
        assert ch.try_recv() == (None, False)
        await lock.alock()
        with pytest.raises(RuntimeError, match="forbidden here"):
            lock.lock()
        lock.unlock()
        await ayield_now()
        assert lock.try_lock()
        go(ch.asend, 7)
        return await ch.arecv(), gosched.stats().plain_parks

    assert virtual_run(main, plain_in_async="error") == (7, 0)


def test_the_block_ends() -> None:
    async def main() -> str:
        sleep(0.001)
        return "waited"

    with forbid_plain_in_async(), forbid_plain_in_async():
        pass
    assert run(main) == "waited"
    assert virtual_run(main) == "waited"
    with pytest.raises(RuntimeError):
        virtual_run(main, plain_in_async="error")
    assert virtual_run(main) == "waited"
