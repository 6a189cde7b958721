"""Runtime: a runtime that stays, several mains, goroutines and futures from other threads, and its end."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from typing import Any

import pytest

import gosched
from gosched import Runtime, WaitGroup, ayield_now, go, run
from gosched.core.ending import begin_ending

from .calm import without_sysmon
from .stalls.waiting import Deadline
from .test_run import forever


def test_a_runtime_runs_several_mains_and_keeps_the_others() -> None:
    log = []

    async def background(wg: WaitGroup) -> None:
        try:
            await wg
            log.append("released")
            await forever()
        finally:
            log.append("ended")

    async def first(wg: WaitGroup) -> int:
        go(background, wg)
        return 1

    async def second(wg: WaitGroup) -> int:
        wg.done()
        while not log:
            await ayield_now()
        return 2

    with Runtime(gomaxprocs=2) as rt:
        wg = WaitGroup()
        wg.add(1)
        assert rt.run(first, wg) == 1
        assert rt.run(second, wg) == 2
    assert log == ["released", "ended"]
    with pytest.raises(RuntimeError, match=r"^run: this runtime is closed; start a new one$"):
        rt.run(first, wg)


def test_submit_from_another_thread() -> None:
    async def square(x: int) -> int:
        await ayield_now()
        return x * x

    async def bad() -> None:
        raise ValueError("to the future")

    with Runtime(gomaxprocs=2) as rt:
        results: list[int] = []
        thread = threading.Thread(target=lambda: results.extend(f.result(60) for f in [rt.submit(square, i) for i in range(20)]))
        thread.start()
        thread.join()
        assert results == [i * i for i in range(20)]
        with pytest.raises(ValueError, match="to the future"):
            rt.submit(bad).result(60)
        never = rt.submit(forever)
    with pytest.raises(gosched.GoschedError, match=r"^goroutine \d+ \(forever\) was ended before it returned$"):
        never.result(0)


def test_submit_of_what_never_started_is_an_error_too() -> None:
    with without_sysmon(Runtime(gomaxprocs=1)) as rt:
        late: list[Any] = []

        def has_the_p() -> None:
            late.append(rt.submit(print, "never printed"))
            begin_ending(rt.sched)

        rt.submit(has_the_p).result(30)
    with pytest.raises(gosched.GoschedError, match="was ended before it returned"):
        late[0].result(0)


def test_an_exception_between_two_runs_surfaces_at_the_next() -> None:
    done = threading.Event()

    async def bad() -> None:
        try:
            raise OSError("in between")
        finally:
            done.set()

    async def main() -> None:
        pass

    with Runtime() as rt:
        rt.go(bad)
        done.wait()
        while rt.error is None:
            pass
        with pytest.raises(OSError, match="in between"):
            rt.run(main)

    with pytest.raises(OSError, match="in between"), Runtime() as rt:
        done.clear()
        rt.go(bad)
        done.wait()
        while rt.error is None:  # else Goexit may strike it in its last lines
            pass


def test_runtime_current() -> None:
    async def main() -> Runtime:
        return Runtime.current()

    with Runtime() as rt:
        assert rt.run(main) is rt
    with pytest.raises(RuntimeError, match=r"^Runtime.current\(\) outside of a goroutine"):
        Runtime.current()


def test_close_inside_is_refused() -> None:
    async def main() -> None:
        Runtime.current().close()

    with pytest.raises(RuntimeError, match=r"^close: a goroutine cannot close the runtime it runs on; return from main instead$"):
        run(main)


def test_a_runtime_leaves_nothing_behind() -> None:
    """Neither threads nor the object itself."""

    async def main() -> None:
        wg = WaitGroup()
        for _ in range(20):
            wg.go(ayield_now_twice)
        await wg
        go(forever)

    async def ayield_now_twice() -> None:
        await ayield_now()
        await ayield_now()

    refs = []
    for _ in range(5):
        with Runtime(gomaxprocs=3) as rt:
            rt.run(main)
        assert rt.sched.threads == 0
        refs.append(weakref.ref(rt))
        del rt
    deadline = Deadline("the runtimes to go")
    while any(ref() for ref in refs):  # a thread that has said good-bye may still be on its last lines
        deadline.check()
        time.sleep(0.001)
        gc.collect()
