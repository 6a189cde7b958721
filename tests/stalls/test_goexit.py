"""Where Goexit strikes code that it should not, or does not reach: what asynchronous exceptions are dangerous for, when the program ends."""

from __future__ import annotations

import gc
import threading

import pytest

from gosched import AbandonedThreadWarning, Chan, Goroutine, Runtime, asleep, go, run, yield_now
from gosched.system.threads import ThreadHost
from tests.builds import FREE_THREADED, NEVER_TOLD

from .waiting import PATIENCE, Deadline, begun, spin, work

MISSED_BY_COLLECTOR = pytest.mark.skipif(
    FREE_THREADED,
    reason="the collector may find the leash that a free-threaded goroutine is asked by, and Goexit is raised in its next callback, and lost",
)


@NEVER_TOLD
def test_an_abandoned_goroutine_still_comes_to_its_end(stop: list[int]) -> None:
    log: list[str] = []
    more: list[int] = []
    lock = threading.Lock()

    def slow() -> None:
        with lock:
            try:
                log.append("begins")
                spin(stop)
            finally:
                spin(more)

    async def main() -> None:
        go(slow)
        await begun(log)

    with pytest.warns(AbandonedThreadWarning):
        run(main, gomaxprocs=1, grace=0.3)
    more.append(1)
    assert lock.acquire(timeout=PATIENCE), "nobody can ever take this lock again"


@NEVER_TOLD
def test_a_wait_of_the_standard_library_is_left_in_order() -> None:
    log: list[str] = []
    gate = threading.Event()

    def waits() -> None:
        try:
            log.append("begins")
            gate.wait(0.05)
        finally:
            log.append("finally")

    async def main() -> None:
        go(waits)
        await begun(log)

    run(main, gomaxprocs=1)
    assert log == ["begins", "finally"]
    gate.set()


@NEVER_TOLD
def test_a_lock_of_the_standard_library_is_left_in_order_by_who_is_suspended_in_it() -> None:
    """The program ends while it waits for its next turn: it is told in its own code, and not in the library's."""
    log: list[str] = []
    over: list[int] = []
    never: list[int] = []
    library = {"__name__": "threading", "log": log, "over": over}
    exec("def waits():\n log.append('begins')\n while not over: pass\n for i in range(1000): pass\n log.append('in order')", library)

    def hog() -> None:
        try:
            library["waits"]()  # type: ignore[operator]
            spin(never)
        finally:
            log.append("finally")

    async def main() -> None:
        go(hog)
        await begun(log)
        over.append(1)

    run(main, gomaxprocs=1)
    assert log == ["begins", "in order", "finally"]


@NEVER_TOLD
@pytest.mark.parametrize("where", ["finaliser", pytest.param("collector", marks=MISSED_BY_COLLECTOR)])
def test_who_is_told_in_a_callback_still_ends(where: str, stop: list[int]) -> None:
    """Half of the time it is in code whose exceptions the interpreter drops."""
    log: list[str] = []

    class Burns:
        def __del__(self) -> None:
            work(60_000)

    def burns(phase: str, info: dict[str, int]) -> None:
        work(60_000)

    def hog() -> None:
        try:
            log.append("begins")
            while not stop:
                if where == "finaliser":
                    Burns()
                else:
                    gc.collect(0)
                work(60_000)
        finally:
            log.append("finally")

    async def main() -> None:
        go(hog)
        await begun(log)

    if where == "collector":
        gc.callbacks.append(burns)
    try:
        run(main, gomaxprocs=1, grace=PATIENCE)
    finally:
        if where == "collector":
            gc.callbacks.remove(burns)
    assert log == ["begins", "finally"]


def test_goexit_does_not_strike_while_mains_end_is_reported() -> None:
    class Slow(Runtime):
        def changed(self) -> None:
            super().changed()
            work()

    async def main() -> str:
        return "main's result"

    with Slow(gomaxprocs=1, grace=PATIENCE) as rt:
        assert rt._run(main, (), ends=True) == "main's result"


def test_goexit_does_not_strike_the_handler_of_uncaught_exceptions() -> None:
    log: list[str] = []

    def handler(g: Goroutine, error: BaseException) -> None:
        log.append("begins")
        work()
        log.append("ends")

    async def bad() -> None:
        raise ValueError("handled")

    async def main() -> str:
        go(bad)
        await begun(log)
        return "main's result"

    assert run(main, gomaxprocs=2, on_uncaught=handler, grace=PATIENCE) == "main's result"
    assert log == ["begins", "ends"]


@pytest.mark.parametrize("wait", ["recv", "yield_now"])
def test_goexit_does_not_strike_what_a_plain_wait_has_to_clean_up(wait: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has raised Goexit once, where the goroutine waited. The clean-up takes until those who do not end were told three more times."""
    tells: list[None] = []
    end_hogs = ThreadHost.end_hogs

    def count(host: ThreadHost) -> None:
        end_hogs(host)
        tells.append(None)

    monkeypatch.setattr(ThreadHost, "end_hogs", count)
    log: list[str] = []
    never: Chan[int] = Chan()

    def plain() -> None:
        try:
            log.append("begins")
            while True:
                never.recv() if wait == "recv" else yield_now()
        finally:
            deadline = Deadline("being told")
            while len(tells) < 3:
                deadline.check()
            log.append("cleaned up")

    async def main() -> None:
        go(plain)
        await begun(log)
        if wait == "recv":
            await asleep(0.001)

    run(main, gomaxprocs=1, grace=PATIENCE)
    assert log == ["begins", "cleaned up"]


@pytest.mark.skipif(not FREE_THREADED, reason="nobody is on a leash")
def test_a_hog_without_a_leash_is_told_to_end(stop: list[int]) -> None:
    log: list[str] = []
    kept: list[object] = []

    def hog() -> None:
        try:
            log.append("begins")
            spin(stop)
        finally:
            log.append("finally")

    async def main() -> None:
        g = go(hog)
        await begun(log)
        (m,) = [m for m in Runtime.current().sched.allm if m.goid == g.id]
        kept.extend(m.leashes)
        m.leashes.clear()

    run(main, gomaxprocs=2, grace=PATIENCE)
    assert log == ["begins", "finally"]
