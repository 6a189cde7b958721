"""Where Goexit strikes code that it should not, or does not reach: what asynchronous exceptions are dangerous for, when the program ends."""

from __future__ import annotations

import threading

import pytest

from gosched import AbandonedThreadWarning, Goroutine, Runtime, go, run

from .waiting import FREE_THREADED, NEVER_TOLD, PATIENCE, begun, spin, work


@NEVER_TOLD
def test_an_abandoned_goroutine_still_comes_to_its_end(stop: list[int]) -> None:
    log: list[str] = []
    more: list[int] = []
    lock = threading.Lock()

    def slow() -> None:
        log.append("begins")
        with lock:
            try:
                spin(stop)
            finally:
                spin(more)

    async def main() -> None:
        go(slow)
        await begun(log)

    with pytest.warns(AbandonedThreadWarning):
        run(main, gomaxprocs=1, grace=0.1)
    more.append(1)
    assert lock.acquire(timeout=0.5), "nobody can ever take this lock again"


@NEVER_TOLD
def test_a_wait_of_the_standard_library_is_left_in_order() -> None:
    log: list[str] = []
    gate = threading.Event()

    def waits() -> None:
        log.append("begins")
        try:
            gate.wait(0.05)
        finally:
            log.append("finally")

    async def main() -> None:
        go(waits)
        await begun(log)

    run(main, gomaxprocs=1)
    assert log == ["begins", "finally"]
    gate.set()


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


@pytest.mark.skipif(not FREE_THREADED, reason="nobody is on a leash")
def test_a_hog_without_a_leash_is_told_to_end(stop: list[int]) -> None:
    log: list[str] = []
    kept: list[object] = []

    def hog() -> None:
        log.append("begins")
        try:
            spin(stop)
        finally:
            log.append("finally")

    async def main() -> None:
        g = go(hog)
        await begun(log)
        (m,) = [m for m in Runtime.current().sched.allm if m.goid == g.id]
        kept.extend(m.leashes)
        m.leashes.clear()

    run(main, gomaxprocs=2, grace=0.3)
    assert log == ["begins", "finally"]
