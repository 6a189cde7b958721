"""Calls that block and that nobody marked: the thread is seen to be away, or late, and its P goes to the others.

Each blocks in foreign code until main, which needs the only P for it, lets it go.
"""

from __future__ import annotations

import os
import queue
import socket
import subprocess
import threading
import time
from collections.abc import Callable

import pytest

import gosched
from gosched import Chan, Goroutine, Runtime, WaitGroup, ayield_now, blocking, go, run
from tests.builds import COMPILED

from .waiting import PATIENCE, Deadline, spin, taken, until, until_slowly

# What blocks, and what ends it.
Call = tuple[Callable[[], object], Callable[[], object]]


def sleeping() -> Call:
    over: list[int] = []

    def naps() -> str:
        while not over:
            time.sleep(0.01)
        return "woken"

    return naps, lambda: over.append(1)


def receiving() -> Call:
    here, there = socket.socketpair()

    def receives() -> str:
        with here:
            return here.recv(10).decode()

    def sends() -> None:
        with there:
            there.sendall(b"woken")

    return receives, sends


def accepting() -> Call:
    server = socket.create_server(("127.0.0.1", 0))

    def accepts() -> str:
        with server, server.accept()[0] as client:
            return client.recv(10).decode()

    def connects() -> None:
        with socket.create_connection(server.getsockname()) as client:
            client.sendall(b"woken")

    return accepts, connects


def reading() -> Call:
    read, write = os.pipe()

    def reads() -> str:
        text = os.read(read, 10).decode()
        os.close(read)
        return text

    def writes() -> None:
        os.write(write, b"woken")
        os.close(write)

    return reads, writes


def getting() -> Call:
    q: queue.Queue[str] = queue.Queue()
    return lambda: q.get(timeout=PATIENCE), lambda: q.put("woken")


def waiting() -> Call:
    event = threading.Event()
    return lambda: "woken" if event.wait(PATIENCE) else "late", event.set


def locking() -> Call:
    lock = threading.Lock()
    lock.acquire()

    def locks() -> str:
        with lock:
            return "woken"

    return locks, lock.release


def joining() -> Call:
    event = threading.Event()
    thread = threading.Thread(target=event.wait, args=(PATIENCE,))
    thread.start()

    def joins() -> str:
        thread.join()
        return "woken"

    return joins, event.set


def executing() -> Call:
    read, write = os.pipe()

    def executes() -> str:
        try:
            return subprocess.run(["cat"], stdin=read, capture_output=True, check=True, text=True).stdout
        finally:
            os.close(read)

    def ends() -> None:
        os.write(write, b"woken")
        os.close(write)

    return executes, ends


CALLS = [sleeping, receiving, accepting, reading, getting, waiting, locking, joining, executing]


@pytest.mark.parametrize("asynchronous", [False, True], ids=["plain", "async"])
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
def test_others_go_on(call: Callable[[], Call], asynchronous: bool) -> None:
    blocks, lets_go = call()
    results: list[object] = []
    started: list[int] = []

    def plainly() -> None:
        started.append(1)
        results.append(blocks())

    async def awaited() -> None:
        started.append(1)
        results.append(blocks())

    async def main() -> int:
        wg = WaitGroup()
        wg.go(awaited if asynchronous else plainly)
        await until(lambda: started, "the call to begin")
        for i in range(10):
            wg.go(started.append, i)
        await until(lambda: len(started) == 11, "others to go on")
        lets_go()
        await wg
        return taken() + gosched.stats().preemptions

    assert run(main, gomaxprocs=1) >= 1
    assert results == ["woken"]


def test_very_many_sleep_at_once() -> None:
    """Two hundred in time.sleep, on one P, and another goes on."""
    n = 200 if COMPILED else 30
    asleep: list[int] = []
    over: list[int] = []

    def sleeps(i: int) -> None:
        asleep.append(i)
        while not over:
            time.sleep(0.2)

    async def main() -> int:
        wg = WaitGroup()
        for i in range(n):
            wg.go(sleeps, i)
        await until_slowly(lambda: len(asleep) == n, "all to be asleep at once")
        threads = gosched.stats().threads
        over.append(1)
        await wg
        return threads

    assert run(main, gomaxprocs=1) >= n
    assert sorted(asleep) == list(range(n))


def test_they_wait_for_one_another() -> None:
    """A barrier of the standard library: none comes out before all are in."""
    n = 30 if COMPILED else 10
    barrier = threading.Barrier(n)
    through: list[int] = []

    def meets() -> None:
        through.append(barrier.wait(PATIENCE))

    async def main() -> None:
        wg = WaitGroup()
        for _ in range(n):
            wg.go(meets)
        await wg

    run(main, gomaxprocs=1)
    assert sorted(through) == list(range(n))


@pytest.mark.skipif(not COMPILED, reason="Python cannot see whether another thread is in the interpreter")
def test_the_state_and_the_figures() -> None:
    """On a busy machine the thread may not have come to its call for two slices, and lose its P by force: then once more."""

    async def main() -> tuple[str, gosched.RuntimeStats, str]:
        gate, wg = threading.Event(), WaitGroup()
        g = wg.go(gate.wait, PATIENCE)
        await until(lambda: g.state == "syscall" or gosched.stats().ps[0].forced, "the call to be seen")
        text, during = repr(g), gosched.stats()
        gate.set()
        await wg
        await until(g.is_dead, "its end")
        return text, during, g.state

    deadline = Deadline("a call that was seen in time")
    text, during, after = run(main, gomaxprocs=1)
    while during.ps[0].forced:
        deadline.check()
        text, during, after = run(main, gomaxprocs=1)
    assert text.endswith("[syscall]>")
    assert during.by_state == {"running": 1, "syscall": 1}
    assert during.ps[0].blocks >= 1
    assert during.ps[0].retakes >= during.ps[0].blocks
    assert (during.blocking_calls, during.ps[0].forced, after) == (0, 0, "dead")


@pytest.mark.skipif(not COMPILED, reason="Python cannot see whether another thread is in the interpreter")
def test_a_call_that_came_back_is_running_again() -> None:
    """As soon as it has been in the runtime."""

    async def main() -> str:
        gate, seen, over = threading.Event(), Chan[Goroutine](), threading.Event()

        def waits() -> None:
            gate.wait(PATIENCE)
            seen.send(gosched.current())
            over.wait(PATIENCE)

        wg = WaitGroup()
        g = wg.go(waits)
        await until(taken, "the call to be seen")
        gate.set()
        assert await seen.arecv() is g
        await until(lambda: g.state in ("running", "syscall"), "it to go on")
        over.set()
        await wg
        await until(g.is_dead, "its end")
        return g.state

    assert run(main, gomaxprocs=1) == "dead"


def test_operations_after_a_call_without_a_p() -> None:
    """Whatever comes next works: go, a send, a plain wait, a yield, a lock, the end."""
    log: list[str] = []

    async def main() -> None:
        ch: Chan[str] = Chan()
        wg, mutex = WaitGroup(), gosched.Mutex()

        def locks() -> None:
            with mutex:
                pass

        nexts: dict[str, Callable[[], object]] = {
            "go": lambda: wg.go(log.append, "started"),
            "send": lambda: ch.send("sent"),
            "sleep": lambda: gosched.sleep(0.001),
            "yield": gosched.yield_now,
            "lock": locks,
            "end": lambda: None,
        }

        def calls(name: str, gate: threading.Event) -> None:
            gate.wait(PATIENCE)
            nexts[name]()
            log.append(name)

        gate = threading.Event()
        for name in nexts:
            wg.go(calls, name, gate)
        wg.go(spin, log)
        await until_slowly(lambda: taken() >= len(nexts), "all to be in their calls")
        gate.set()
        log.append(await ch.arecv())
        await wg

    run(main, gomaxprocs=1)
    assert sorted(log) == ["end", "go", "lock", "send", "sent", "sleep", "started", "yield"]


def test_no_deadlock_is_reported_while_a_call_may_return() -> None:
    """All others are asleep, and the one in a call wakes them later."""

    async def main() -> str:
        ch: Chan[str] = Chan()

        def calls() -> None:
            time.sleep(0.1)
            ch.send("late")

        go(calls)
        return await ch.arecv()

    assert run(main, gomaxprocs=1) == "late"


def test_a_call_beside_hogs() -> None:
    """A short call, then a turn: the hogs do not keep who comes back from the P for ever."""

    async def main() -> int:
        stop: list[int] = []
        wg, done = WaitGroup(), list[int]()

        def calls() -> None:
            deadline = Deadline("a turn")
            for i in range(5):
                time.sleep(0.001)
                gosched.yield_now()
                deadline.check()
                done.append(i)

        wg.go(spin, stop)
        wg.go(spin, stop)
        wg.go(calls)
        await until_slowly(lambda: len(done) == 5, "all calls")
        stop.append(1)
        await wg
        return len(done)

    assert run(main, gomaxprocs=1) == 5


def test_the_runtime_is_used_from_a_thread_while_all_block() -> None:
    """rt.go from outside finds a P although the goroutine that had it is in a call."""
    gate = threading.Event()

    async def main() -> bool:
        return gate.wait(PATIENCE)

    with Runtime(gomaxprocs=1) as rt:
        future = rt.submit(main)
        rt.go(gate.set)
        assert future.result(PATIENCE)


def test_gomaxprocs_while_calls_block() -> None:
    async def main() -> int:
        gate, wg = threading.Event(), WaitGroup()
        for _ in range(4):
            wg.go(gate.wait, PATIENCE)
        for n in (4, 1, 3, 2):
            gosched.gomaxprocs(n)
            await ayield_now()
        await until_slowly(lambda: gosched.stats().threads >= 5, "a thread for each")
        gate.set()
        await wg
        return gosched.gomaxprocs()

    assert run(main, gomaxprocs=2) == 2


@pytest.mark.skipif(COMPILED, reason="the time is part of the compiled code")
def test_threads_that_are_not_needed_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a burst of calls as many threads as there are Ps stay; the next burst gets new ones."""
    monkeypatch.setattr("gosched.core.mloop.IDLE_NS", 20_000_000)

    async def main() -> list[int]:
        found = []
        for _ in range(2):
            gate, wg = threading.Event(), WaitGroup()
            for _ in range(8):
                wg.go(blocking, gate.wait, PATIENCE)
            await until_slowly(lambda: gosched.stats().threads >= 9, "a thread for each")
            found.append(gosched.stats().threads)
            gate.set()
            await wg
            await until_slowly(lambda: gosched.stats().threads <= 3, "the others to end")
        return found

    assert min(run(main, gomaxprocs=1)) >= 9
