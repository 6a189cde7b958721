"""The end of a program whose goroutines wait by the plain spelling: each unwinds on its own stack."""

from __future__ import annotations

import contextlib
import gc
import signal
import threading
import warnings
from typing import Any

import pytest

from gosched import AbandonedThreadWarning, Chan, DeadlockError, Event, Goexit, Mutex, Runtime, WaitGroup, ayield_now, blocking, go, sleep, yield_now
from tests.builds import COMPILED
from tests.conftest import Script
from tests.stalls.waiting import PATIENCE, until

from .places import Place, beside, ended, parked, wait_for


def test_finally_blocks_run(place: Place) -> None:
    log: list[Any] = []

    def waits(i: int) -> None:
        try:
            Event().wait()
        except Exception:
            log.append("an Exception")
        except BaseException as error:
            log.append(type(error))
            raise
        finally:
            log.append(i)

    def main() -> str:
        parked([go(waits, i) for i in range(10)])
        return "over"

    assert place.run(main) == "over"
    assert [entry for entry in log if isinstance(entry, type)] == [Goexit] * 10
    assert sorted(entry for entry in log if isinstance(entry, int)) == list(range(10))


def test_what_a_finally_block_may_do(place: Place) -> None:
    """Channel operations that need not wait, yields, spawns that never run; what would wait raises Goexit again."""
    log: list[Any] = []

    def waits(i: int, results: Chan[int]) -> None:
        try:
            Event().wait()
        finally:
            results.send(i)
            go(log.append, "too late")
            with Mutex():
                log.append("locked")
            with pytest.raises(Goexit):
                Event().wait()
            with contextlib.suppress(Goexit):
                yield_now()
            with contextlib.suppress(Goexit):
                sleep(0.001)
            log.append(i)

    results: Chan[int] = Chan(10)

    def main() -> None:
        parked([go(waits, i, results) for i in range(10)])

    place.run(main)
    assert sorted(entry for entry in log if isinstance(entry, int)) == list(range(10))
    assert log.count("locked") == 10
    assert "too late" not in log
    assert sorted(results.recv() for _ in range(10)) == list(range(10))


def test_nested_finally_blocks_that_wait(place: Place) -> None:
    log: list[int] = []

    def waits() -> None:
        try:
            try:
                try:
                    Event().wait()
                finally:
                    log.append(1)
                    Event().wait()
            finally:
                log.append(2)
                Event().wait()
        finally:
            log.append(3)

    def main() -> None:
        parked([go(waits) for _ in range(5)])

    place.run(main)
    assert sorted(log) == [1] * 5 + [2] * 5 + [3] * 5


def test_goexit_swallowed(place: Place) -> None:
    """It goes on, and is told again at its next wait."""
    log: list[str] = []

    def stubborn() -> None:
        for _ in range(3):
            try:
                Event().wait()
            except Goexit:
                log.append("swallowed")
        log.append("returned")

    def main() -> None:
        parked([go(stubborn) for _ in range(4)])

    place.run(main)
    assert sorted(log) == ["returned"] * 4 + ["swallowed"] * 12


def test_those_that_yield_for_ever_are_told(place: Place) -> None:
    """As those that await ayield_now(): at their next yield. A timer ends them if they are not."""
    log: list[str] = []
    late: list[int] = []
    begun: list[int] = []

    def turns() -> None:
        try:
            begun.append(1)
            while not late:
                yield_now()
            log.append("never told")
        except Goexit:
            log.append("told")
            raise

    def main() -> None:
        for _ in range(4):
            go(turns)
        wait_for(lambda: len(begun) == 4, "all to begin")
        for _ in range(20):
            yield_now()

    timer = threading.Timer(20.0, late.append, [1])
    timer.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AbandonedThreadWarning)
        place.run(main)
    timer.cancel()
    timer.join()
    late.append(1)
    assert log == ["told"] * 4


def test_those_in_the_middle_of_waits_and_wake_ups(place: Place) -> None:
    """Main, plain itself, returns while others send each other values all the time."""
    log: list[int] = []

    def player(i: int, mine: Chan[int], other: Chan[int], played: list[int], enough: Event) -> None:
        try:
            while True:
                other.send(mine.recv())
                played.append(i)
                if len(played) >= 200:
                    enough.set()
        finally:
            log.append(i)

    def main() -> None:
        enough, played = Event(), list[int]()
        for i in range(10):
            one, two = Chan[int](1), Chan[int]()
            one.send(i)
            go(player, 2 * i, one, two, played, enough)
            go(player, 2 * i + 1, two, one, played, enough)
        enough.wait()

    place.run(main)
    assert len(log) == len(set(log)) >= 2


def test_goexit_raised_by_itself_after_a_wait(place: Place) -> None:
    log: list[str] = []

    def leaves() -> None:
        try:
            yield_now()
            raise Goexit
        finally:
            yield_now()
            log.append("left")

    def main() -> str:
        ended([go(leaves) for _ in range(5)])
        return "went on"

    assert place.run(main) == "went on"
    assert log == ["left"] * 5


def test_thousands_at_the_end(light: Place) -> None:
    n = 5000 if COMPILED else 500
    log: list[int] = []

    def waits() -> None:
        try:
            Event().wait()
        finally:
            log.append(1)

    async def mixed() -> None:
        try:
            Event().wait()
        finally:
            log.append(1)

    def main() -> None:
        parked([go(mixed if i % 2 else waits) for i in range(n)])

    light.run(main)
    assert len(log) == n


@pytest.mark.parametrize("how", ["error", "exit", "main"])
def test_an_uncaught_exception_while_others_wait(place: Place, how: str) -> None:
    log: list[int] = []

    def waits(i: int) -> None:
        try:
            Event().wait()
        finally:
            log.append(i)

    def fails() -> None:
        yield_now()
        raise SystemExit(3) if how == "exit" else LookupError("uncaught")

    def main() -> None:
        parked([go(waits, i) for i in range(10)])
        if how == "main":
            fails()
        go(fails)
        Event().wait()

    with pytest.raises((LookupError, SystemExit), match=r"uncaught|3"):
        place.run(main)
    assert sorted(log) == list(range(10))


def test_a_deadlock_names_them(place: Place) -> None:
    log: list[str] = []

    def waits(reason: str) -> None:
        try:
            if reason == "chan":
                Chan[int]().recv()
            elif reason == "mutex":
                mutex = Mutex()
                mutex.lock()
                mutex.lock()
            else:
                wg = WaitGroup()
                wg.add(1)
                wg.wait()
        finally:
            log.append(reason)

    def main() -> None:
        for reason in ("chan", "mutex", "group"):
            go(waits, reason, name=f"waits for {reason}")
        Event().wait()

    with pytest.raises(DeadlockError) as caught:
        place.run(main)
    text = str(caught.value)
    for reason, words in (("chan", "chan receive"), ("mutex", "sync.Mutex.Lock"), ("group", "sync.WaitGroup.Wait")):
        assert f'[{words}] {{name: "waits for {reason}"}}:\n' in text
    assert "goroutine 1 [event wait]:" in text
    assert sorted(log) == ["chan", "group", "mutex"]


def test_a_deadlock_of_async_ones_in_plain_operations(place: Place) -> None:
    async def waits() -> None:
        await ayield_now()
        Event().wait()

    async def main() -> None:
        for _ in range(3):
            go(waits)
        await ayield_now()
        Event().wait()

    with pytest.raises(DeadlockError) as caught:
        place.run(main)
    assert str(caught.value).count("[event wait]") == 4


def test_a_runtime_that_stays(place: Place) -> None:
    """Those that wait live on from one run to the next, and end when it is closed."""
    log: list[Any] = []

    def waits(ch: Chan[int]) -> None:
        try:
            for value in ch:
                log.append(value)  # noqa: PERF402
        finally:
            log.append("closed")

    with Runtime(gomaxprocs=place.procs, stacks=place.stacks) as rt:
        ch: Chan[int] = Chan()
        for _ in range(3):
            rt.go(waits, ch)
        for i in range(20):
            rt.run(ch.send, i)
        ch.send(20)  # from a thread outside
        rt.run(wait_for, lambda: len(log) == 21, "all values")
    assert log[21:] == ["closed"] * 3
    assert sorted(log[:21]) == list(range(21))


def test_submitted_from_outside(place: Place) -> None:
    def adds(ch: Chan[int]) -> int:
        return ch.recv() + ch.recv()

    with Runtime(gomaxprocs=place.procs, stacks=place.stacks) as rt:
        ch: Chan[int] = Chan()
        futures = [rt.submit(adds, ch) for _ in range(20)]
        for _ in range(40):
            ch.send(1)
        assert [future.result(PATIENCE) for future in futures] == [2] * 20


def test_many_short_programs(place: Place) -> None:
    """Threads and their stacks come and go."""
    log: list[int] = []

    def waits() -> None:
        try:
            Event().wait()
        finally:
            log.append(1)

    def main() -> None:
        parked([go(waits) for _ in range(5)])

    for _ in range(10):
        place.run(main)
    assert len(log) == 50
    gc.collect()


def test_one_that_is_abandoned(place: Place) -> None:
    """It blocks in a foreign call, perhaps on a thread on which others wait: those are abandoned with it, the others unwind."""
    gate, log = threading.Event(), list[int]()

    def waits(i: int) -> None:
        try:
            Event().wait()
        finally:
            log.append(i)

    def blocks(begun: list[int]) -> None:
        begun.append(1)
        gate.wait(PATIENCE)

    async def main() -> None:
        begun: list[int] = []
        them = [go(waits, i) for i in range(3)]
        await until(lambda: all(g.state == "waiting" for g in them), "them to wait")
        go(blocks, begun)
        await until(lambda: begun, "the call to begin")

    try:
        with pytest.warns(AbandonedThreadWarning):
            place.run(main, grace=0.2)
    finally:
        gate.set()
    assert len(log) == 3 or place.light


def test_a_blocking_call_at_the_end(place: Place) -> None:
    """A marked call that lasts: with light stacks a helper makes it, and nothing has to be abandoned."""
    gate, log = threading.Event(), list[Any]()

    def waits(i: int) -> None:
        try:
            Event().wait()
        finally:
            log.append(i)

    def blocks(begun: threading.Event) -> None:
        def call() -> None:
            begun.set()
            gate.wait(PATIENCE)

        beside(place, Event())
        try:
            blocking(call)
        finally:
            log.append("unwound")

    def main() -> None:
        begun = threading.Event()
        parked([go(waits, i) for i in range(3)])
        go(blocks, begun)
        wait_for(begun.is_set, "the call to begin")

    if place.light:
        place.run(main, grace=PATIENCE / 2)
        assert sorted(map(str, log)) == ["0", "1", "2", "unwound"]
        gate.set()
    else:
        timer = threading.Timer(0.2, gate.set)
        timer.start()
        place.run(main, grace=PATIENCE)
        timer.join()
        assert sorted(map(str, log)) == ["0", "1", "2", "unwound"]


# ---- Ctrl-C ----

INTERRUPTED = """
    import os, signal, sys
    import gosched
    from gosched import Event, Chan, go, run

    log = []

    def waits(i):
        try:
            Event().wait()
        finally:
            log.append(i)

    def main():
        them = [go(waits, i) for i in range(10)]
        while not all(g.state == "waiting" for g in them):
            gosched.yield_now()
        os.kill(os.getpid(), signal.SIGINT)
        Event().wait()

    try:
        run(main, stacks=sys.argv[1], gomaxprocs=int(sys.argv[2]), deadlock=False)
    except KeyboardInterrupt:
        print("interrupted", sorted(log))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGINT"), reason="needs signals")
def test_ctrl_c(place: Place, script: Script) -> None:
    done = script(INTERRUPTED, place.stacks, str(place.procs))
    assert done.stdout == f"interrupted {list(range(10))}\n", done.stderr


LEFT_OPEN = """
    import os, sys
    import gosched
    from gosched import Event, Runtime

    def waits(i):
        try:
            Event().wait()
        finally:
            os.write(1, b"unwound %d\\n" % i)

    rt = Runtime(stacks=sys.argv[1], gomaxprocs=int(sys.argv[2]))
    them = [rt.go(waits, i) for i in range(3)]

    def main():
        while not all(g.state == "waiting" for g in them):
            gosched.yield_now()

    rt.run(main)
    print("end of the program", flush=True)
"""


def test_a_runtime_left_open_at_exit(place: Place, script: Script) -> None:
    done = script(LEFT_OPEN, place.stacks, str(place.procs))
    assert done.returncode == 0, done.stderr
    first, *others = done.stdout.splitlines()
    assert first == "end of the program"
    assert sorted(others) == ["unwound 0", "unwound 1", "unwound 2"]
    assert done.stderr == ""


ABANDONED = """
    import sys, threading, time, warnings
    import gosched
    from gosched import Event, go, run

    warnings.simplefilter("ignore")
    held = threading.Lock()
    held.acquire()

    def waits():
        Event().wait()

    async def main():
        them = [go(waits) for _ in range(5)]
        while not all(g.state == "waiting" for g in them):
            await gosched.ayield_now()
        begun = []
        def blocks():
            begun.append(1)
            held.acquire()
        go(blocks)
        while not begun:
            await gosched.ayield_now()

    for _ in range(3):
        run(main, stacks=sys.argv[1], gomaxprocs=int(sys.argv[2]), grace=0.1)
    print("over", flush=True)
"""


@pytest.mark.slow
def test_the_interpreter_ends_with_stacks_aside_on_abandoned_threads(place: Place, script: Script) -> None:
    done = script(ABANDONED, place.stacks, str(place.procs))
    assert (done.returncode, done.stdout) == (0, "over\n"), done.stderr
