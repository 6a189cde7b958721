"""Programs to be recorded: each does a lot of one thing. Every one of them is run on real threads and, where it can be, in virtual time."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from typing import Any

import gosched
from gosched import trace


async def pong(a: gosched.Chan[int], b: gosched.Chan[int]) -> None:
    async for value in a:
        await b.asend(value)


async def pairs() -> None:
    """Ping-pong, awaited: block, unblock, start, over and over."""
    wg = gosched.WaitGroup()

    async def ping() -> None:
        a, b = gosched.Chan[int](), gosched.Chan[int]()
        gosched.go(pong, a, b)
        for i in range(100):
            await a.asend(i)
            await b.arecv()
        a.close()

    for _ in range(6):
        wg.go(ping)
    await wg


async def plains() -> None:
    """The plain spelling, from plain and async goroutines: stacks set aside, or threads that sleep with them."""
    wg = gosched.WaitGroup()
    ch = gosched.Chan[int]()

    def sends() -> None:
        for i in range(30):
            ch.send(i)

    async def receives() -> None:
        for _ in range(30):
            ch.recv()

    for _ in range(4):
        wg.go(sends)
        wg.go(receives)
    await wg


async def yields() -> None:
    wg = gosched.WaitGroup()

    async def worker() -> None:
        for _ in range(30):
            await gosched.ayield_now()

    def plain() -> None:
        for _ in range(30):
            gosched.yield_now()

    for _ in range(5):
        wg.go(worker)
        wg.go(plain)
    await wg


async def locks() -> None:
    """Mutexes, selects, timers, contexts that end."""
    wg, mutex, quit_ = gosched.WaitGroup(), gosched.Mutex(), gosched.Chan[None]()

    async def fights() -> None:
        for _ in range(15):
            async with mutex:
                await gosched.ayield_now()

    async def selects() -> None:
        await gosched.aselect(quit_.recv_ok, gosched.Chan[int]().recv)

    async def runs_out() -> None:
        try:
            with gosched.with_timeout(0.001):
                await gosched.Chan[int]().arecv()
        except gosched.DeadlineExceeded:
            pass

    for _ in range(4):
        wg.go(fights)
        wg.go(selects)
        wg.go(runs_out)
    await gosched.asleep(0.002)
    quit_.close()
    await wg


async def annotated() -> None:
    with trace.task("whole") as task:
        task.log("kind", "test")
        wg = gosched.WaitGroup()

        async def part() -> None:
            with trace.region("outer"), trace.region("inner"):
                await gosched.ayield_now()
            trace.log("part", "done")

        for _ in range(3):
            wg.go(part)
        await wg


async def left_over() -> None:
    """Goroutines that are ended when main returns: waiting ones, queued ones, and such that never began."""

    async def waits() -> None:
        try:
            await gosched.Chan[int]().arecv()
        finally:
            with trace.region("farewell"):
                pass

    for _ in range(10):
        gosched.go(waits)
    await gosched.ayield_now()
    for _ in range(10):
        gosched.go(waits)


async def stalls() -> None:
    """Hogs, blocking calls, marked and not, locked threads, threads outside, resizing, collections: what needs real threads."""
    wg = gosched.WaitGroup()
    before = gosched.gomaxprocs()

    async def hog() -> None:
        until = time.monotonic() + 0.03
        while time.monotonic() < until:
            pass

    def blocks() -> None:
        time.sleep(0.015)

    def marked() -> None:
        gosched.blocking(time.sleep, 0.003)

    def locked() -> None:
        gosched.lock_os_thread()
        for _ in range(3):
            gosched.sleep(0.0005)

    for round_ in range(4):
        out = gosched.Chan[int]()
        outside = threading.Thread(target=lambda out=out: [out.send(i) for i in range(10)])
        outside.start()
        for fn in (hog, blocks, marked, locked):
            wg.go(fn)
        for _ in range(10):
            await out.arecv()
        gosched.gomaxprocs(1 + round_ % 3)
        gc.collect()
        outside.join()
    await wg
    gosched.gomaxprocs(before)


Workload = Callable[[], Any]
EVERYWHERE: tuple[Workload, ...] = (pairs, plains, yields, locks, annotated, left_over)
REAL: tuple[Workload, ...] = (*EVERYWHERE, stalls)
