"""Python runs on a thread's way to sleep: the host's own, and with it finalisers. What those wake has its turn, and is seen by the deadlock check."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from gosched import Chan, Runtime, WaitGroup, go


def once(finaliser: Callable[[], object], then: Callable[..., Any]) -> Callable[..., Any]:
    """`then`, which the scheduler calls on its way to sleep, preceded by a finaliser the first time."""
    left = [finaliser]

    def called(*args: Any) -> Any:
        if left:
            left.pop()()
        return then(*args)

    return called


def test_no_report_while_a_finaliser_runs_on_a_thread_that_is_about_to_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is on the idle list already, and the thread in run() looks twice before the finaliser wakes somebody."""
    ch: Chan[int] = Chan()
    looked = threading.Event()
    looks: list[int] = []

    def outsiders() -> list[threading.Thread]:
        looks.append(1)
        if len(looks) == 2:
            looked.set()
        return []

    class Watching(Runtime):
        def all_asleep(self) -> None:
            super().all_asleep()
            looked.wait(30)
            ch.try_send(1)

        def fatal(self, error: BaseException) -> None:
            super().fatal(error)
            looked.set()

    monkeypatch.setattr("gosched.runtime.outsiders", outsiders)

    async def main() -> int:
        return await ch.arecv()

    with Watching() as rt:
        assert rt.run(main) == 1


def test_a_goroutine_that_a_finaliser_wakes_on_the_thread_that_sleeps_for_it() -> None:
    """Its thread is its stack, and falls asleep just then."""
    ch: Chan[int] = Chan()

    def main() -> int:
        return ch.recv()

    with Runtime(stacks="thread") as rt:
        rt._host.sleep_m = once(lambda: ch.try_send(1), rt._host.sleep_m)  # type: ignore[method-assign]
        assert rt.run(main) == 1


@pytest.mark.parametrize("poller", ["note", "net"])
def test_a_goroutine_that_a_finaliser_wakes_on_the_thread_that_polls(poller: str) -> None:
    """It does not wait for what the thread polls for: main has gone on before."""
    ch: Chan[int] = Chan()
    started = WaitGroup()
    went_on = threading.Event()
    in_time = []

    async def main() -> None:
        started.add(1)
        await ch.arecv(timeout=10)
        await started
        went_on.set()

    with Runtime(gomaxprocs=1) as rt:
        if poller == "net":
            rt._host.net()
        poll = rt._host.poll

        def polls(until: int) -> None:
            first = not in_time
            if first:
                in_time.append(False)
                go(started.done)
                ch.try_send(1)
            poll(until)
            if first:
                in_time.append(went_on.is_set())

        rt._host.poll = polls  # type: ignore[method-assign]
        rt.run(main)
    assert in_time == [False, True]


def test_a_goroutine_that_a_finaliser_starts_on_a_thread_that_ends() -> None:
    """It was for one goroutine that had locked it, and leaves with that one."""
    ran = WaitGroup()
    ran.add(1)

    async def main() -> None:
        go(int, thread=True)
        await ran

    with Runtime(gomaxprocs=1) as rt:
        host = rt._host
        enter = host.enter

        def enter_and_leave(m: Any) -> None:
            enter(m)
            if m.locks:
                go(ran.done)

        host.enter = enter_and_leave  # type: ignore[method-assign]
        rt.run(main)
