"""Deadlocks: reported when nothing can wake anybody, with who waits on what, and never while something could."""

from __future__ import annotations

import threading

import pytest

from gosched import Chan, DeadlockError, Goexit, Runtime, WaitGroup, go, run
from gosched.system.threads import outsiders

from .calm import without_sysmon
from .conftest import Script


def test_simple_deadlock() -> None:
    """Go's TestSimpleDeadlock."""

    async def other(wg: WaitGroup) -> None:
        await wg

    async def main() -> None:
        wg = WaitGroup()
        wg.add(1)
        go(other, wg, name="the other")
        await wg

    with pytest.raises(DeadlockError) as caught, without_sysmon(Runtime(gomaxprocs=1)) as rt:
        rt.run(main)
    first = test_simple_deadlock.__code__.co_firstlineno
    assert str(caught.value) == "\n".join(
        [
            "all goroutines are asleep - deadlock!",
            "",
            "goroutine 1 [sync.WaitGroup.Wait]:",
            f"{__name__}.test_simple_deadlock.<locals>.main(...)",
            f"\t{__file__}:{first + 10}",
            f"created by {__name__}.test_simple_deadlock",
            f"\t{__file__}:{first + 13}",
            "",
            'goroutine 2 [sync.WaitGroup.Wait] {name: "the other"}:',
            f"{__name__}.test_simple_deadlock.<locals>.other(...)",
            f"\t{__file__}:{first + 4}",
            f"created by {__name__}.test_simple_deadlock.<locals>.main in goroutine 1",
            f"\t{__file__}:{first + 9}",
        ]
    )


def test_goexit_deadlock() -> None:
    """Go's TestGoexitDeadlock: main is gone by Goexit and so are all the others."""

    async def other() -> None:
        pass

    async def main() -> None:
        go(other)
        raise Goexit

    with pytest.raises(DeadlockError, match=r"^no goroutines \(main called Goexit\) - deadlock!$"):
        run(main)


def test_main_may_leave_by_goexit_while_others_work() -> None:
    async def other() -> None:
        raise KeyError("the others went on")

    async def main() -> None:
        go(other)
        raise Goexit

    with pytest.raises(KeyError, match="the others went on"):
        run(main, gomaxprocs=1)


def test_no_report_while_a_thread_outside_lives() -> None:
    release = threading.Event()
    wg = WaitGroup()
    wg.add(1)

    def outside() -> None:
        release.wait(30)
        wg.done()

    thread = threading.Thread(target=outside)
    thread.start()

    async def main() -> str:
        release.set()
        await wg
        return "woken from outside"

    assert run(main) == "woken from outside"
    thread.join()


def test_report_after_the_last_thread_outside_has_ended() -> None:
    wg = WaitGroup()
    wg.add(1)
    asleep = threading.Event()

    class Watching(Runtime):
        def all_asleep(self) -> None:
            super().all_asleep()
            asleep.set()

    thread = threading.Thread(target=lambda: asleep.wait(30))
    thread.start()

    async def main() -> None:
        await wg

    with pytest.raises(DeadlockError), Watching() as rt:
        rt.run(main)
    thread.join()


def test_deadlock_false_waits_on(script: Script) -> None:
    """Without detection the program sleeps until it is interrupted."""
    done = script(
        """
        import os, signal, sys, gosched
        class Quiet(gosched.Runtime):
            def all_asleep(self):
                super().all_asleep()
                os.kill(os.getpid(), signal.SIGINT)
        async def main():
            wg = gosched.WaitGroup()
            wg.add(1)
            await wg
        try:
            with Quiet(deadlock=False) as rt:
                rt.run(main)
        except KeyboardInterrupt:
            print("interrupted")
        """
    )
    assert done.stdout == "interrupted\n", done.stderr


def test_a_deadlock_ends_the_program_with_its_finally_blocks() -> None:
    log = []

    async def main() -> None:
        wg = WaitGroup()
        wg.add(1)
        try:
            await wg
        finally:
            log.append("main unwound")

    with pytest.raises(DeadlockError):
        run(main)
    assert log == ["main unwound"]


def test_no_report_for_a_program_that_ends_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread in run() was told that all are asleep, and main ends while it looks whether that is still so."""
    looking, finished = threading.Event(), threading.Event()

    class Watched(Runtime):
        def all_gone(self) -> None:
            super().all_gone()
            finished.set()

    def slow_look(sched: object) -> bool:
        looking.set()
        return finished.wait(30)

    monkeypatch.setattr("gosched.runtime.still_dead", slow_look)
    monkeypatch.setattr("gosched.runtime.fast_asleep", slow_look)

    async def main(rt: Runtime) -> str:
        rt.all_asleep()
        looking.wait(30)
        return "ended"

    with Watched(gomaxprocs=1) as rt:
        assert rt._run(main, (rt,), ends=True) == "ended"


def test_a_thread_of_ours_that_threading_knows_suppresses_no_report() -> None:
    """Before 3.13 `threading` keeps what current_thread() made up for a thread, and calls it alive."""

    async def knows() -> str:
        return threading.current_thread().name

    before = set(outsiders())
    assert run(knows)
    assert not set(outsiders()) - before


def test_no_report_when_the_last_thread_outside_sends_and_ends_while_we_look(monkeypatch: pytest.MonkeyPatch) -> None:
    ch: Chan[int] = Chan()
    asked = []

    def outsiders() -> bool:
        asked.append(ch.try_send(1))
        return False

    monkeypatch.setattr("gosched.runtime.outsiders", outsiders)

    async def main() -> int:
        return await ch.arecv()

    assert run(main) == 1
    assert asked == [True]
