"""One program, every spelling and every place to run it.

A program is written once, as async functions that get a World and spell their operations `await w.send(ch, 1)`. What that becomes is the world's:

    awaited             goroutines, the twins
    plain               goroutines that are plain functions, the plain spelling
    plain in async      async goroutines, the plain spelling inside
    threads             plain threads and no runtime at all, the plain spelling
    virtual …           the first three in virtual time, with a seed; only there can a program ask until all others are blocked

In a plain world no operation ever yields, so a function drives the program's coroutines by one `send`.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import gosched
from gosched import WaitGroup
from gosched.testing import virtual_run, wait_all_blocked

Program = Callable[..., Coroutine[Any, Any, Any]]
PATIENCE = 30.0


def drive(fn: Program, *args: Any) -> Any:
    """Runs a program that never yields."""
    steps = fn(*args)
    try:
        steps.send(None)
    except StopIteration as stop:
        return stop.value
    steps.close()
    raise AssertionError("a plain program has yielded")


class World:
    """`driven`: a goroutine is a plain function that drives the program. In virtual time main is always async: it can wait until all are blocked."""

    def __init__(self, name: str, plain: bool, driven: bool = False, procs: int = 2, virtual: bool = False) -> None:
        self.name = name
        self.plain = plain
        self.driven = driven
        self.procs = procs
        self.virtual = virtual

    def __repr__(self) -> str:
        return self.name

    # ---- operations ----

    async def send(self, ch: Any, value: Any, **limits: Any) -> None:
        if self.plain:
            ch.send(value, **limits)
        else:
            await ch.asend(value, **limits)

    async def recv(self, ch: Any, **limits: Any) -> Any:
        return ch.recv(**limits) if self.plain else await ch.arecv(**limits)

    async def recv_ok(self, ch: Any, **limits: Any) -> Any:
        return ch.recv_ok(**limits) if self.plain else await ch.arecv_ok(**limits)

    async def select(self, *cases: Any, **limits: Any) -> Any:
        return gosched.select(*cases, **limits) if self.plain else await gosched.aselect(*cases, **limits)

    async def values(self, ch: Any) -> AsyncIterator[Any]:
        if self.plain:
            for value in ch:
                yield value
        else:
            async for value in ch:
                yield value

    async def sleep(self, seconds: float, **limits: Any) -> None:
        if self.plain:
            gosched.sleep(seconds, **limits)
        else:
            await gosched.asleep(seconds, **limits)

    async def yield_now(self) -> None:
        if self.plain:
            gosched.yield_now()
        else:
            await gosched.ayield_now()

    async def wait(self, wg: WaitGroup) -> None:
        if self.plain:
            wg.wait()
        else:
            await wg

    async def all_blocked(self) -> None:
        """For main, in virtual time."""
        await wait_all_blocked()

    # ---- running ----

    def go(self, fn: Program, *args: Any) -> Any:
        return gosched.go(drive, fn, *args) if self.driven else gosched.go(fn, *args)

    def run(self, main: Program, *args: Any, seed: int = 0) -> Any:
        """main runs in this world, and its result comes back. What else it started ends with it."""
        if self.virtual:
            return virtual_run(main, self, *args, gomaxprocs=self.procs, seed=seed)
        if self.driven:
            return gosched.run(drive, main, self, *args, gomaxprocs=self.procs)
        return gosched.run(main, self, *args, gomaxprocs=self.procs)


class Threads(World):
    """Nobody ends a thread: what main started must come to its end too."""

    def __init__(self) -> None:
        super().__init__("threads", plain=True)
        self.failures: list[BaseException] = []
        self.threads: list[threading.Thread] = []

    def go(self, fn: Program, *args: Any) -> threading.Thread:
        thread = threading.Thread(target=self.guarded, args=(fn, *args), daemon=True)
        self.threads.append(thread)
        thread.start()
        return thread

    def guarded(self, fn: Program, *args: Any) -> None:
        try:
            drive(fn, *args)
        except BaseException as error:
            self.failures.append(error)

    def run(self, main: Program, *args: Any, seed: int = 0) -> Any:
        self.failures, self.threads = [], []
        result: list[Any] = []

        async def keeps() -> None:
            result.append(await main(self, *args))

        first = self.go(keeps)
        first.join(PATIENCE)
        while not self.failures and (threads := [t for t in self.threads if t.is_alive()]):
            threads[0].join(PATIENCE)
            assert not threads[0].is_alive(), "a thread hangs"
        if self.failures:
            raise self.failures[0]
        return result[0]


REAL = [
    World("awaited", plain=False),
    World("awaited, 1 P", plain=False, procs=1),
    World("plain", plain=True, driven=True),
    World("plain in async", plain=True, procs=1),
]
EVERYWHERE = [*REAL, Threads()]
VIRTUAL = [
    World("virtual awaited", plain=False, virtual=True),
    World("virtual plain", plain=True, driven=True, virtual=True),
    World("virtual plain in async", plain=True, virtual=True),
]


def started_and_done(w: World, wg: WaitGroup, fn: Program, *args: Any) -> None:
    """Starts fn and counts it."""
    wg.add(1)

    async def counted() -> None:
        try:
            await fn(*args)
        finally:
            wg.done()

    w.go(counted)
