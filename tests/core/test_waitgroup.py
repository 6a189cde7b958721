"""WaitGroup's async form: Go's tests that apply, by name."""

from __future__ import annotations

import gc
import weakref

import pytest

import gosched
from gosched import SyncError, WaitGroup, ayield_now, go, run
from gosched.testing import virtual_run


@pytest.mark.parametrize("procs", [1, 4])
def test_wait_group(procs: int) -> None:
    """TestWaitGroup: a barrier, and it can be used again."""

    async def main() -> None:
        first, second = WaitGroup(), WaitGroup()
        for _ in range(8):
            n = 16
            first.add(n)
            second.add(n)
            exited: list[int] = []

            async def worker(exited: list[int] = exited) -> None:
                first.done()
                await second
                exited.append(1)

            for _ in range(n):
                go(worker)
            await first
            for _ in range(n):
                assert not exited, "a worker passed too early"
                second.done()
            while len(exited) < n:
                await ayield_now()

    run(main, gomaxprocs=procs)


def test_wait_group_misuse() -> None:
    """TestWaitGroupMisuse."""

    async def main() -> None:
        wg = WaitGroup()
        wg.add(1)
        wg.done()
        with pytest.raises(SyncError, match=r"^sync: negative WaitGroup counter$"):
            wg.done()
        await wg

    run(main)


def test_wait_group_race() -> None:
    """TestWaitGroupRace: wait does not return before the last done."""

    async def main() -> None:
        for _ in range(300):
            wg, n = WaitGroup(), list[int]()
            wg.add(1)

            def one(wg: WaitGroup = wg, n: list[int] = n) -> None:
                n.append(1)
                wg.done()

            go(one)
            wg.add(1)
            go(one)
            await wg
            assert len(n) == 2

    run(main, gomaxprocs=2)


def test_wait_group_go() -> None:
    """TestWaitGroupGo."""

    async def main() -> int:
        wg, n = WaitGroup(), [0]

        async def counts(by: int) -> None:
            n[0] += by

        for i in range(10):
            wg.go(counts, i)
        await wg.await_()
        return n[0]

    assert run(main, gomaxprocs=1) == 45


def test_issue_76126() -> None:
    """TestIssue76126: an exception in wg.go ends the program; wait never returns."""

    async def bad() -> None:
        raise KeyError("from wg.go")

    async def main() -> None:
        wg = WaitGroup()
        wg.go(bad)
        await wg
        raise AssertionError("wait returned")

    with pytest.raises(KeyError, match=r"from wg\.go"):
        run(main)


def test_goexit_counts_as_done() -> None:
    async def leaves() -> None:
        raise gosched.Goexit

    async def main() -> str:
        wg = WaitGroup()
        wg.go(leaves)
        await wg
        return "went on"

    assert run(main) == "went on"


def test_go_with_a_bad_body_does_not_count() -> None:
    async def main() -> str:
        wg = WaitGroup()
        with pytest.raises(TypeError):
            wg.go(None)  # type: ignore[arg-type]
        await wg
        return repr(wg)

    assert run(main) == "<WaitGroup counter=0 waiters=0>"


def test_await_outside() -> None:
    wg = WaitGroup()
    wg.add(1)
    with pytest.raises(RuntimeError, match=r"^await wg outside of a goroutine: use it inside a goroutine: run\(main\), go\(fn\)$"):
        wg.await_().__next__()
    with pytest.raises(RuntimeError, match=r"^WaitGroup.go\(\) outside of a goroutine: use it inside run\(main\)$"):
        wg.go(print)


def test_an_ended_waiter_leaves_nothing_behind() -> None:
    wg = WaitGroup()
    wg.add(1)

    async def waits() -> None:
        await wg

    async def main() -> int:
        for _ in range(5):
            go(waits)
        for _ in range(3):
            await ayield_now()
        return gosched.num_goroutine()

    assert run(main, gomaxprocs=1) == 6
    assert repr(wg) == "<WaitGroup counter=1 waiters=0>"
    wg.done()


def test_a_dropped_wait_group_is_freed() -> None:
    async def main() -> weakref.ref[WaitGroup]:
        wg = WaitGroup()
        wg.go(lambda: None)
        await wg
        return weakref.ref(wg)

    ref = virtual_run(main)
    gc.collect()
    assert ref() is None
