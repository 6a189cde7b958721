"""User code is a system call: a test plays sysmon's part and takes Ps away from Ms in user code."""

from __future__ import annotations

import threading

import gosched
from gosched import Runtime, WaitGroup, ayield_now, go
from gosched.core.entry import retake
from tests.calm import without_sysmon


def current_p(rt: Runtime) -> int:
    """The P that the calling goroutine's M has published."""
    me = gosched.current().id
    return next(m.p for m in rt.stats().ms if m.goroutine == me and m.p is not None)


def blocked_call(rt: Runtime, started: WaitGroup, gate: threading.Lock) -> None:
    """What an unmarked blocking call will look like: its P is retaken while the thread waits."""
    p = rt.sched.allp[current_p(rt)]
    started.done()
    assert retake(rt.sched, p)
    with gate:
        pass


def test_blocked_threads_do_not_stop_the_others() -> None:
    async def main(rt: Runtime) -> list[int]:
        gate, started, done = threading.Lock(), WaitGroup(), WaitGroup()
        gate.acquire()
        for _ in range(10):
            started.add(1)
            done.go(blocked_call, rt, started, gate)
        await started
        log: list[int] = []
        wg = WaitGroup()
        for i in range(100):
            wg.go(log.append, i)
        await wg
        gate.release()
        await done
        return log

    with without_sysmon(Runtime(gomaxprocs=1)) as rt:
        assert sorted(rt.run(main, rt)) == list(range(100))
        figures = rt.stats()
    assert figures.ps[0].retakes == 10
    assert figures.ps[0].handoffs == 10
    assert figures.threads >= 11


def test_operations_without_a_p() -> None:
    """The only P is in another thread's hands: go(), yields, waits and ends all work, through the global queue."""

    async def main(rt: Runtime) -> list[str]:
        log: list[str] = []
        others = WaitGroup()

        def hog(stop: list[int], running: WaitGroup) -> None:
            running.done()
            while not stop:
                pass

        async def without(stop: list[int], running: WaitGroup) -> None:
            go(hog, stop, running)
            assert retake(rt.sched, rt.sched.allp[0])
            while len(log) == 0:  # until the hog has our P for sure
                if rt.stats().by_state.get("running", 0) == 2:
                    log.append("the hog runs")
            others.go(log.append, "started without a P")
            stop.append(1)
            await ayield_now()
            await running
            log.append("went on")

        running = WaitGroup()
        running.add(1)
        others.go(without, [], running)
        await others
        return log

    with without_sysmon(Runtime(gomaxprocs=1)) as rt:
        log = rt.run(main, rt)
    assert sorted(log) == ["started without a P", "the hog runs", "went on"]


def test_the_old_p_is_taken_back_if_it_is_idle() -> None:
    async def main(rt: Runtime) -> tuple[int, int]:
        before = current_p(rt)
        p = rt.sched.allp[before]
        assert retake(rt.sched, p)
        while rt.stats().ps[before].status != "idle":
            pass
        go(int)  # enters the runtime, and does not leave this thread
        return before, current_p(rt)

    with without_sysmon(Runtime(gomaxprocs=4)) as rt:
        before, after = rt.run(main, rt)
    assert before == after


def test_nothing_to_retake_in_the_runtime() -> None:
    """An idle P, and one whose M is in the runtime, cannot be taken."""
    with Runtime(gomaxprocs=2) as rt:
        assert not any(retake(rt.sched, p) for p in rt.sched.allp)
