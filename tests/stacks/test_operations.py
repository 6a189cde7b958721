"""Every operation in the plain spelling, in plain goroutines and in async ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gosched import Chan, Cond, Event, Mutex, RWMutex, Semaphore, WaitGroup, after, go, select, sleep, yield_now

from .places import Place

Waits = Callable[[], Any]


def by_channel() -> Any:
    ch: Chan[int] = Chan()
    go(ch.send, 5)
    return ch.recv()


def by_range() -> Any:
    ch: Chan[int] = Chan()

    def feeds() -> None:
        for i in range(4):
            ch.send(i)
        ch.close()

    go(feeds)
    return list(ch)


def by_select() -> Any:
    ch: Chan[int] = Chan()
    go(ch.send, 6)
    return select(ch.recv, Chan[int]().recv)


def by_mutex() -> Any:
    mutex, gate, log = Mutex(), Event(), list[str]()

    def holds() -> None:
        with mutex:
            gate.set()
            for _ in range(3):
                yield_now()
            log.append("first")

    go(holds)
    gate.wait()
    with mutex:
        log.append("second")
    return log


def by_rwmutex() -> Any:
    mutex, gate, log = RWMutex(), Event(), list[str]()

    def holds() -> None:
        mutex.lock()
        gate.set()
        yield_now()
        log.append("wrote")
        mutex.unlock()

    go(holds)
    gate.wait()
    mutex.rlock()
    log.append("read")
    mutex.runlock()
    return log


def by_waitgroup() -> Any:
    wg, log = WaitGroup(), list[int]()
    for i in range(3):
        wg.go(log.append, i)
    wg.wait()
    return sorted(log)


def by_semaphore() -> Any:
    sem, log = Semaphore(1), list[str]()
    sem.acquire()

    def gives() -> None:
        log.append("given")
        sem.release()

    go(gives)
    sem.acquire()
    return log


def by_cond() -> Any:
    mutex = Mutex()
    cond, ready = Cond(mutex), list[int]()

    def tells() -> None:
        with mutex:
            ready.append(1)
            cond.notify()

    go(tells)
    with mutex:
        while not ready:
            cond.wait()
    return ready


def by_time() -> Any:
    sleep(0.001)
    after(0.001).recv()
    return "slept"


def by_yield() -> Any:
    for _ in range(3):
        yield_now()
    return "yielded"


OPERATIONS: list[tuple[Waits, Any]] = [
    (by_channel, 5),
    (by_range, [0, 1, 2, 3]),
    (by_select, (0, 6)),
    (by_mutex, ["first", "second"]),
    (by_rwmutex, ["wrote", "read"]),
    (by_waitgroup, [0, 1, 2]),
    (by_semaphore, ["given"]),
    (by_cond, [1]),
    (by_time, "slept"),
    (by_yield, "yielded"),
]


@pytest.mark.parametrize(("body", "expected"), OPERATIONS, ids=[body.__name__ for body, _ in OPERATIONS])
def test_every_operation_as_main_and_beside_others(place: Place, body: Waits, expected: Any) -> None:
    def main() -> list[Any]:
        results: Chan[Any] = Chan(5)
        for _ in range(5):
            go(lambda: results.send(body()))
        return [body()] + [results.recv() for _ in range(5)]

    assert place.run(main) == [expected] * 6


@pytest.mark.parametrize(("body", "expected"), OPERATIONS, ids=[body.__name__ for body, _ in OPERATIONS])
def test_every_operation_in_an_async_goroutine(place: Place, body: Waits, expected: Any) -> None:
    async def uses(results: Chan[Any]) -> None:
        got = body()
        await results.asend(got)

    async def main() -> list[Any]:
        results: Chan[Any] = Chan()
        for _ in range(5):
            go(uses, results)
        return [await results.arecv() for _ in range(5)]

    assert place.run(main) == [expected] * 5
