"""A channel belongs to no runtime: threads that run no goroutine and goroutines of several runtimes meet on it."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import pytest

import gosched
from gosched import Chan, ClosedChannelError, EndOfChannel, Runtime, default, nil, select

from ..conftest import Script
from .worlds import REAL, Threads, World, drive

Failures = list[BaseException]


class Helper:
    """Threads whose failures are the test's."""

    def __init__(self) -> None:
        self.world = Threads()

    def start(self, fn: Any, *args: Any) -> threading.Thread:
        async def body() -> None:
            fn(*args)

        return self.world.go(body)

    def join(self) -> None:
        for thread in self.world.threads:
            thread.join(30)
            assert not thread.is_alive(), "a thread hangs"
        if self.world.failures:
            raise self.world.failures[0]


@pytest.fixture
def threads() -> Helper:
    return Helper()


@pytest.mark.parametrize("capacity", [0, 1, 16])
@pytest.mark.parametrize("w", REAL, ids=repr)
def test_a_thread_feeds_a_goroutine(w: World, capacity: int, threads: Helper) -> None:
    ch = Chan[int](capacity)

    def feeds() -> None:
        for i in range(200):
            ch.send(i)
        ch.close()

    async def main(w: World) -> list[int]:
        threads.start(feeds)
        return [v async for v in w.values(ch)]

    assert w.run(main) == list(range(200))
    threads.join()


@pytest.mark.parametrize("capacity", [0, 1, 16])
@pytest.mark.parametrize("w", REAL, ids=repr)
def test_a_goroutine_feeds_a_thread(w: World, capacity: int, threads: Helper) -> None:
    ch, got = Chan[int](capacity), list[int]()

    async def main(w: World) -> None:
        threads.start(lambda: got.extend(ch))
        for i in range(200):
            await w.send(ch, i)
        ch.close()

    w.run(main)
    threads.join()
    assert got == list(range(200))


@pytest.mark.parametrize("w", REAL, ids=repr)
def test_ping_pong_with_a_thread(w: World, threads: Helper) -> None:
    there, back = Chan[int](), Chan[int]()

    def plays() -> None:
        for v in there:
            back.send(v + 1)

    async def main(w: World) -> int:
        threads.start(plays)
        v = 0
        for _ in range(100):
            await w.send(there, v)
            v = await w.recv(back)
        there.close()
        return v

    assert w.run(main) == 100
    threads.join()


@pytest.mark.parametrize("w", REAL, ids=repr)
def test_selects_on_both_sides(w: World, threads: Helper) -> None:
    a, b, quit_ = Chan[int](), Chan[int](), Chan[int]()
    n = 200
    got: list[int] = []

    def selects() -> None:
        while True:
            index, value = select(a.recv, quit_.recv_ok, b.recv)
            if index == 1:
                return
            got.append(value)

    async def main(w: World) -> None:
        threads.start(selects)
        for i in range(n):
            await w.select((a.send, i), nil.recv, (b.send, i))
        quit_.close()

    w.run(main)
    threads.join()
    assert got == list(range(n))


@pytest.mark.parametrize("w", REAL, ids=repr)
def test_close_from_a_thread_wakes_goroutines(w: World, threads: Helper) -> None:
    ch, waiting, ended = Chan[int](), Chan[int](10), Chan[str](10)

    def closes() -> None:
        for _ in range(4):
            waiting.recv()
        ch.close()

    async def main(w: World) -> list[str]:
        async def receives() -> None:
            await w.send(waiting, 1)
            with pytest.raises(EndOfChannel):
                await w.recv(ch)
            await w.send(ended, "end")

        async def selects() -> None:
            await w.send(waiting, 1)
            await w.send(ended, str(await w.select(ch.recv_ok)))

        threads.start(closes)
        for body in (receives, selects, receives, selects):
            w.go(body)
        return sorted([await w.recv(ended) for _ in range(4)])

    assert w.run(main) == ["(0, (None, False))"] * 2 + ["end"] * 2
    threads.join()


@pytest.mark.parametrize("w", REAL, ids=repr)
def test_close_from_a_goroutine_wakes_threads(w: World, threads: Helper) -> None:
    """Receivers of one channel, senders of another."""
    for_receivers, for_senders, errors = Chan[int](), Chan[int](), Chan[str](10)

    def receives() -> None:
        with pytest.raises(EndOfChannel):
            for_receivers.recv()
        errors.send("receiver")

    def sends() -> None:
        with pytest.raises(ClosedChannelError, match="send on closed channel"):
            for_senders.send(1)
        errors.send("sender")

    async def main(w: World) -> list[str]:
        for _ in range(3):
            threads.start(receives)
            threads.start(sends)
        for_receivers.close()
        for_senders.close()
        return sorted([await w.recv(errors) for _ in range(6)])

    assert w.run(main) == ["receiver"] * 3 + ["sender"] * 3
    threads.join()


@pytest.mark.parametrize("capacity", [0, 4])
def test_everybody_on_one_channel(capacity: int, threads: Helper) -> None:
    """Threads, awaited and plain goroutines of two runtimes, all of them senders and receivers of one channel."""
    ch, n = Chan[int](capacity), 60
    results: Chan[Counter[int]] = Chan(100)

    async def sends(w: World) -> None:
        for i in range(n):
            await w.send(ch, i)

    async def receives(w: World) -> None:
        got = Counter[int]()
        for _ in range(n):
            got[await w.recv(ch)] += 1
        results.send(got)

    async def play(w: World) -> None:
        bodies = [w.go(body, w) for body in (sends, receives, sends, receives)]
        while any(g.state != "dead" for g in bodies):
            await w.yield_now()

    worlds = [REAL[0], REAL[2]]
    for w in worlds:
        threads.start(w.run, play)
    for _ in range(2):
        threads.start(drive, sends, threads.world)
        threads.start(drive, receives, threads.world)
    threads.join()
    total = Counter[int]()
    for _ in range(2 * len(worlds) + 2):
        total += results.recv()
    assert total == Counter({i: 2 * len(worlds) + 2 for i in range(n)})


def test_a_channel_joins_two_runtimes(threads: Helper) -> None:
    """Two `Runtime`s in two threads: a pipeline through both and back."""
    there, back, ready = Chan[int](), Chan[int](2), Chan[int]()

    async def squares() -> str:
        await ready.asend(1)
        async for v in there:
            await back.asend(v * v)
        back.close()
        return "second is done"

    def second() -> None:
        with Runtime(gomaxprocs=2) as rt:
            assert rt.run(squares) == "second is done"

    async def feeds() -> None:
        for i in range(100):
            await there.asend(i)
        there.close()

    async def main() -> list[int]:
        await ready.arecv()
        gosched.go(feeds)
        return [v async for v in back]

    threads.start(second)
    with Runtime(gomaxprocs=2) as rt:
        assert rt.run(main) == [i * i for i in range(100)]
    threads.join()


@pytest.mark.parametrize("spelling", ["awaited", "plain"])
def test_selects_of_two_runtimes_meet(spelling: str, threads: Helper) -> None:
    a, b, n = Chan[int](), Chan[int](), 150

    async def sends() -> None:
        for i in range(n):
            if spelling == "plain":
                select((a.send, i), (b.send, i))
            else:
                await gosched.aselect((b.send, i), (a.send, i))

    async def receives() -> list[int]:
        if spelling == "plain":
            return [select(a.recv, b.recv)[1] for _ in range(n)]
        return [(await gosched.aselect(a.recv, b.recv))[1] for _ in range(n)]

    threads.start(gosched.run, sends)
    assert gosched.run(receives) == list(range(n))
    threads.join()


def test_a_runtime_nobody_runs_may_still_wake_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second runtime has no thread in run(): its goroutines were started from here. While one of them works the first is not deadlocked."""
    ch, looked = Chan[str](), threading.Event()
    outsiders = gosched.runtime.outsiders

    def look() -> Any:
        found = outsiders()
        looked.set()
        return found

    monkeypatch.setattr("gosched.runtime.outsiders", look)

    async def works() -> None:
        looked.wait(30)
        await ch.asend("from the other runtime")

    async def main() -> str:
        return await ch.arecv()

    with Runtime() as first, Runtime() as second:
        second.go(works)
        assert first.run(main) == "from the other runtime"


def test_the_end_of_one_runtime_leaves_the_other_alone(threads: Helper) -> None:
    """Its waiters are out of the channel; who waits behind them, elsewhere, gets the value."""
    ch, there = Chan[int](), Chan[int]()

    async def waits() -> None:
        await ch.arecv()

    async def first() -> None:
        goroutines = [gosched.go(waits) for _ in range(3)]
        while any(g.state != "waiting" for g in goroutines):
            await gosched.ayield_now()

    def second() -> None:
        async def main() -> int:
            await there.asend(1)
            return await ch.arecv()

        assert gosched.run(main) == 42

    threads.start(second)
    there.recv()
    gosched.run(first)
    ch.send(42)
    threads.join()


def test_threads_need_no_runtime(threads: Helper) -> None:
    """A whole program of threads: workers, results, a stop channel."""
    jobs, results, stop = Chan[int](4), Chan[int](), Chan[int]()

    def works() -> None:
        while True:
            index, job = select(jobs.recv_ok, stop.recv_ok)
            if index == 1 or not job[1]:
                return
            results.send(job[0] * 2)

    def feeds() -> None:
        for i in range(100):
            jobs.send(i)

    for _ in range(4):
        threads.start(works)
    threads.start(feeds)
    assert sorted(results.recv() for _ in range(100)) == [2 * i for i in range(100)]
    stop.close()
    threads.join()


def test_the_main_thread_tries() -> None:
    ch = Chan[int](1)
    assert ch.try_send(1)
    assert not ch.try_send(2)
    assert select(ch.recv, default) == (0, 1)
    assert select(ch.recv, default) == (1, None)


# ---- Ctrl-C ----

INTERRUPTED = """
    import gc, sys
    import gosched
    from gosched import Chan, select, spelling

    files = {spelling.__file__, gosched.channels.__file__, gosched.selecting.__file__}
    seen = at = 0

    def moment():
        global seen
        seen += 1
        if seen == at:
            raise KeyboardInterrupt

    class Interruptible(Chan):
        # CPython looks for signals when a call of compiled code returns ...
        def recv_as(self, g):
            answer = super().recv_as(g)
            moment()
            return answer

        def send_as(self, g, value):
            answer = super().send_as(g, value)
            moment()
            return answer

    def calls(frame, event, arg):
        # ... and when a Python function begins
        if frame.f_code.co_filename in files:
            moment()

    while True:
        at += 1
        seen = 0
        ch = Interruptible()
        interrupted = False
        sys.settrace(calls)
        try:
            match sys.argv[1]:
                case "recv":
                    ch.recv(timeout=0)
                case "recv_ok":
                    ch.recv_ok(timeout=0)
                case "send":
                    ch.send(1, timeout=0)
                case "select":
                    select(ch.recv, (ch.send, 1), timeout=0)
        except KeyboardInterrupt:
            interrupted = True
        except gosched.DeadlineExceeded:
            pass
        finally:
            sys.settrace(None)
        gc.collect()
        if ch.try_send(1) or ch.try_recv()[1]:
            print("left behind at moment", at)
            break
        if not interrupted:
            print("nothing left behind")
            break
"""


@pytest.mark.parametrize("operation", ["recv", "recv_ok", "send", "select"])
def test_ctrl_c_leaves_nothing_behind(script: Script, operation: str) -> None:
    """Whenever the signal comes to a thread that is about to wait, or has waited. In its own process: what stays behind is freed memory."""
    done = script(INTERRUPTED, operation)
    assert (done.returncode, done.stdout) == (0, "nothing left behind\n"), done.stderr[:2000]


def test_ctrl_c_ends_the_wait_of_the_main_thread(script: Script) -> None:
    """A real one: the wait ends, and the channels are as before."""
    done = script(
        """
        import signal, threading
        import gosched

        ch, other, seen = gosched.Chan(), gosched.Chan(), threading.Event()
        main = threading.main_thread().ident

        def interrupts():
            while not seen.wait(0.01):  # again, should it have come in the moment before main fell asleep
                signal.pthread_kill(main, signal.SIGINT)

        def on_sigint(*_):
            if not seen.is_set():
                seen.set()
                raise KeyboardInterrupt

        signal.signal(signal.SIGINT, on_sigint)
        try:
            threading.Thread(target=interrupts).start()
            gosched.select(ch.recv, other.recv)
        except KeyboardInterrupt:
            print("interrupted", ch.try_send(1), other.try_send(1))
        """
    )
    assert done.stdout == "interrupted False False\n", done.stderr
