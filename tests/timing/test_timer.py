"""Timer and after_func: Go's time/sleep_test.go by name, with the semantics of 1.23: no stale values, nothing kept, times as they were due."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from gosched import Chan, DeadlineExceeded, Ticker, Timer, WaitGroup, after, after_func, aselect, asleep, ayield_now, default, go, now, run
from gosched.core.interrupt import Cancellation
from gosched.testing import virtual_run

from ..sync.spelled import Do, awaited, both, in_threads, plain, schedules, settled

# ---- sleep_test.go ----


def test_after_func() -> None:
    """TestAfterFunc: each in a goroutine of its own; one starts the next."""

    async def main() -> int:
        left, done = [10], Chan[bool]()

        def f() -> None:
            left[0] -= 1
            if left[0] >= 0:
                after_func(0, f)
                go(asleep, 1)
            else:
                go(done.asend, True)

        after_func(0, f)
        await done.arecv()
        return left[0]

    assert set(schedules(main)) == {-1}
    assert run(main) == -1


@both
def test_after_func_runs_concurrently(do: Do) -> None:
    """A function that blocks keeps neither its timer nor others waiting."""

    async def main() -> list[str]:
        log, gate = list[str](), Chan[int]()

        async def blocks(name: str) -> None:
            log.append(name)
            await do(gate, "recv")
            log.append(f"{name} done")

        for i, name in enumerate("abc"):
            after_func(1 + i, blocks, name)
        await asleep(5)
        begun = list(log)
        for _ in range(3):
            await do(gate, "send", 1)
        await settled()
        return [*begun, *sorted(log[3:])]

    for log in schedules(main):
        assert log == ["a", "b", "c", "a done", "b done", "c done"]


def test_after_func_with_arguments_of_every_kind() -> None:
    async def main() -> list[object]:
        got = Chan[object](4)

        async def async_fn(a: int, b: int) -> None:
            got.try_send(("async", a, b))

        after_func(1, async_fn, 1, 2)
        after_func(2, lambda *args: got.try_send(args), "x", "y")
        after_func(3, got.asend, "twin")
        return [await got.arecv() for _ in range(3)]

    for got in schedules(main):
        assert got == [("async", 1, 2), ("x", "y"), "twin"]


def test_after_func_whose_function_fails() -> None:
    """As any goroutine: the program ends with the exception."""

    async def main() -> None:
        def bad() -> None:
            raise KeyError("late")

        after_func(1, bad)
        await asleep(5)

    with pytest.raises(KeyError, match="late"):
        virtual_run(main)


def test_after_stop() -> None:
    """TestAfterStop: a stopped timer never fires; the second stop is false."""

    async def main() -> tuple[list[str], list[bool]]:
        log, stops = list[str](), list[bool]()
        after_func(0.1, log.append, "fired")
        t0 = after_func(0.05, log.append, "bad")
        c1 = Timer(0.15)
        stops += [t0.stop(), t0.stop(), c1.stop(), c1.stop()]
        await asleep(0.2)
        assert c1.c.try_recv() == (None, False), "event was not stopped"
        stops.append(t0.stop())
        return log, stops

    for log, stops in schedules(main):
        assert log == ["fired"]
        assert stops == [True, False, True, False, False]


def test_timer_stop_stress() -> None:
    """TestTimerStopStress: a hundred that are stopped at once, on all Ps."""

    async def main() -> int:
        fired, wg = list[int](), WaitGroup()

        async def one(i: int) -> None:
            timer = after_func(1, fired.append, i)
            await asleep(1e-6 * i)
            assert timer.stop()

        for i in range(100):
            wg.go(one, i)
        await wg
        await asleep(2)
        return len(fired)

    assert set(schedules(main, seeds=range(2))) == {0}


@both
def test_reset(do: Do) -> None:
    """TestReset: what it returns, and the new deadline, earlier and later."""

    async def main() -> list[object]:
        begin, log = now(), list[object]()
        t = Timer(100)
        log.append(t.reset(50))
        log.append(t.reset(150))
        log.append(round(await do(t.c, "recv") - begin))
        log.append(t.reset(50))
        log.append(round(await do(t.c, "recv") - begin))
        log.append(t.stop())
        f = after_func(10, log.append, "fired")
        log += [f.reset(20), f.stop(), f.reset(1)]
        await asleep(2)
        log += [f.reset(1), f.stop()]
        return log

    for log in schedules(main):
        assert log == [True, True, 150, False, 200, False, True, True, False, "fired", False, True]


@both
def test_reset_of_a_timer_that_is_waited_for(do: Do) -> None:
    """Earlier and later, by another goroutine: TestTimerModifiedEarlier and its opposite."""

    async def main(first: float, second: float) -> float:
        begin, t = now(), Timer(first)

        async def resets() -> None:
            await asleep(0.5)
            t.reset(second)

        go(resets)
        return round(await do(t.c, "recv") - begin, 9)

    assert set(schedules(main, 1000, 1)) == {1.5}
    assert set(schedules(main, 1, 1000)) == {1000.5}


def test_timer_modified_earlier() -> None:
    """TestTimerModifiedEarlier, on the real clock: a timer of hours that is reset to next to nothing fires."""

    async def main(do: Do) -> None:
        for _ in range(20):
            timer = Timer(3600)
            timer.reset(0.0005)
            await do(timer.c, "recv", timeout=60)
            blocked = Timer(3600)
            after_func(0.0005, blocked.reset, 0)
            await do(blocked.c, "recv", timeout=60)

    for do in (awaited, plain):
        for procs in (1, 3):
            run(main, do, gomaxprocs=procs)


@both
@pytest.mark.parametrize("seconds", [0, -1, -1e9])
def test_zero_timer(do: Do, seconds: float) -> None:
    """TestZeroTimer: due at once, as a Timer, by reset, and as after_func."""

    async def main() -> float:
        begin = now()
        await do(Timer(seconds).c, "recv")
        t = Timer(1e9)
        t.reset(seconds)
        await do(t.c, "recv")
        done = Chan[bool]()
        after_func(seconds, done.asend, True)
        await do(done, "recv")
        return now() - begin

    assert set(schedules(main, seeds=range(2))) == {0.0}


def test_adjust_timers() -> None:
    """TestAdjustTimers: many that are stopped, reset and fire, from many goroutines: none is lost, none fires twice."""

    async def main() -> tuple[int, int]:
        fired, wg = list[int](), WaitGroup()
        expected = [0]

        async def one(i: int) -> None:
            timer = after_func(10 + i % 3, fired.append, i)
            await asleep(i % 5)
            if i % 4 == 0:
                assert timer.reset(i % 7)
            elif i % 4 == 1:
                assert timer.stop()
                if i % 8 == 1:
                    assert not timer.reset(30)
                else:
                    expected[0] -= 1
            elif i % 4 == 2:
                assert timer.reset(1000)
                await asleep(1)
                assert timer.reset(1)
            expected[0] += 1

        for i in range(200):
            wg.go(one, i)
        await wg
        await asleep(2000)
        return len(fired) - expected[0], len(set(fired)) - len(fired)

    assert set(schedules(main, seeds=range(3))) == {(0, 0)}


@pytest.mark.parametrize("lazy", [True, False], ids=["nobody waits", "somebody waits"])
def test_stop_and_reset_results(lazy: bool) -> None:
    """TestStopResult, TestResetResult: true exactly if nothing has been received and now nothing will come."""

    async def main(how: str, at: float) -> tuple[bool, bool]:
        t, got = Timer(1), list[float]()

        async def receives() -> None:
            got.append(await t.c.arecv())

        if not lazy:
            go(receives)
        await asleep(at)
        result = t.stop() if how == "stop" else t.reset(1e9)
        await settled()
        if lazy:
            value, ok = t.c.try_recv()
            if ok:
                assert value is not None
                got.append(value)
        return result, bool(got)

    for how in ("stop", "reset"):
        assert set(schedules(main, how, 0.5)) == {(True, False)}
        # nobody has received what was due at 1: it is taken back
        assert set(schedules(main, how, 2.0)) == {(True, False) if lazy else (False, True)}
        for result, received in schedules(main, how, 1.0):
            assert result != received


@both
def test_multi_wakeup_timer(do: Do) -> None:
    """TestMultiWakeupTimer: several wait on one timer; each firing wakes one."""

    async def main() -> list[float]:
        t, wg, begin, times = Timer(1), WaitGroup(), now(), list[float]()

        async def waits() -> None:
            await do(t.c, "recv")
            times.append(round(now() - begin, 9))
            t.reset(1)

        for _ in range(5):
            wg.go(waits)
        await wg
        return times

    for times in schedules(main):
        assert times == [1, 2, 3, 4, 5]


# ---- 1.23 ----


@both
def test_chan(do: Do) -> None:
    """TestChan (time): length and capacity 0, before and after; no stale value after stop and reset."""

    async def main() -> None:
        t = Timer(1)

        def empty(when: str) -> None:
            assert (len(t.c), t.c.capacity) == (0, 0), when
            assert t.c.try_recv() == (None, False), when

        empty("new")
        await asleep(2)
        assert (len(t.c), t.c.capacity) == (0, 0), "due"
        assert t.stop()
        empty("stopped after it was due")
        t.reset(1)
        await asleep(2)
        assert t.reset(10)
        empty("reset after it was due")
        begin = now()
        await do(t.c, "recv")
        assert now() - begin == pytest.approx(10)
        t.reset(1)
        await asleep(2)
        match await aselect(t.c.recv, default):
            case 0, value:
                assert value < now()
            case _:
                raise AssertionError("a timer that is due is ready in a select")
        empty("received")
        t.stop()
        t.reset(1)
        t.stop()
        await asleep(5)
        empty("stopped before it was due")

    schedules(main, seeds=range(3))


@both
def test_no_stale_value_for_who_waits(do: Do) -> None:
    """Reset while somebody is blocked on it, at the very moment it fires: one value, old or new, never both."""

    async def main() -> tuple[int, int]:
        t, got, begin = Timer(1), list[int](), now()

        async def waits() -> None:
            while True:
                got.append(round(await do(t.c, "recv") - begin))

        async def resets() -> None:
            await asleep(1)
            taken_back = t.reset(1)
            log.append(taken_back)

        log = list[bool]()
        go(waits)
        go(resets)
        await asleep(10)
        return len(got), int(log[0])

    for n, taken_back in schedules(main, seeds=range(20)):
        assert n == 2 - taken_back


@both
def test_after_times(do: Do) -> None:
    """TestAfterTimes: who receives late gets the time at which it was due."""

    async def main() -> list[float]:
        begin = now()
        t, ch = Timer(1), after(2)
        await asleep(10)
        late = [await do(t.c, "recv"), await do(ch, "recv")]
        t.reset(1)
        await asleep(5)
        late.append(t.c.try_recv()[0] or 0)
        t.reset(1)
        await asleep(5)
        late.append((await aselect(t.c.recv))[1])
        return [round(x - begin, 9) for x in late]

    for late in schedules(main):
        assert late == [1, 2, 11, 16]


@pytest.mark.parametrize("make", [lambda: Timer(3600), lambda: Ticker(1), lambda: after(3600)], ids=["Timer", "Ticker", "after"])
@pytest.mark.parametrize("use", ["never", "received with a timeout", "in a select"])
def test_timer_gc(make: Any, use: str) -> None:
    """TestTimerGC: what nobody refers to is freed, pending or not: also after it has stood in a heap."""

    async def main() -> list[object]:
        refs = []
        for _ in range(5):
            thing = make()
            channel = getattr(thing, "c", thing)
            if use == "received with a timeout":
                with pytest.raises(DeadlineExceeded):
                    await channel.arecv(timeout=0.5)
            elif use == "in a select":
                await aselect(channel.recv, timeout=0.5)
            refs.append(weakref.ref(channel))
            del thing, channel
        # An entry that is of no use any more goes when its heap is put right: at the latest when its time is over, here when a quarter are such.
        await asleep(0.001)
        for _ in range(4):
            after_func(1, print).stop()
        await asleep(0.001)
        gc.collect()
        return [ref() for ref in refs]

    assert virtual_run(main) == [None] * 5


def test_a_timer_that_is_stopped_after_a_wait_is_freed() -> None:
    async def main() -> object:
        t = Timer(3600)
        with pytest.raises(DeadlineExceeded):
            await t.c.arecv(timeout=1)
        t.stop()
        ref = weakref.ref(t.c)
        del t
        await asleep(1)
        gc.collect()
        return ref()

    assert virtual_run(main) is None


def test_a_pending_function_is_not_freed() -> None:
    """Nobody refers to what after_func returned: it runs all the same. Stopped, its function and arguments are let go."""

    class Thing:
        pass

    async def main() -> tuple[list[str], object]:
        log = list[str]()
        after_func(1, log.append, "ran")
        gc.collect()
        thing = Thing()
        stopped = after_func(1, lambda _: None, thing)
        ref = weakref.ref(thing)
        stopped.stop()
        del stopped, thing
        await asleep(2)
        gc.collect()
        return log, ref()

    assert virtual_run(main) == (["ran"], None)


# ---- waiting on a timer's channel ----


@both
def test_recv_timeout_and_ctx(do: Do) -> None:
    """A receive that gives up leaves the timer's value to the next."""

    async def main() -> list[float]:
        begin, t, ctx = now(), Timer(3), Cancellation()
        with pytest.raises(DeadlineExceeded):
            await do(t.c, "recv", timeout=1)
        after_func(1, ctx.cancel_waits, TimeoutError("enough"))
        with pytest.raises(TimeoutError, match="enough"):
            await do(t.c, "recv", ctx=ctx)
        times = [now() - begin]
        assert await do(t.c, "recv_ok", timeout=5) == (begin + 3, True)
        return [*times, now() - begin]

    for times in schedules(main):
        assert times == pytest.approx([2, 3])


@both
def test_gives_up_at_the_very_moment(do: Do) -> None:
    """The value is received, or it is there for the next."""

    async def main() -> int:
        t, got = Timer(1), list[float]()
        try:
            got.append(await do(t.c, "recv", timeout=1))
        except DeadlineExceeded:
            pass
        await asleep(1)
        value, ok = t.c.try_recv()
        if ok:
            assert value is not None
            got.append(value)
        return len(got)

    assert set(schedules(main, seeds=range(20))) == {1}


def test_select_with_two_timers() -> None:
    """The earlier one wins, the other stays as it is."""

    async def main() -> list[object]:
        begin, a, b = now(), Timer(2), Timer(1)
        first = await aselect(a.c.recv, b.c.recv)
        second = await aselect(a.c.recv, b.c.recv, timeout=5)
        third = await aselect(a.c.recv_ok, b.c.recv, timeout=5)
        return [(i, round(t - begin)) for i, t in (first, second)] + [third, round(now() - begin)]

    for log in schedules(main):
        assert log == [(1, 1), (0, 2), (None, None), 7]


def test_a_thread_receives_from_a_timer() -> None:
    """Made in a goroutine, received by a thread that is none, beside a goroutine that does the same."""
    got: list[float] = []

    async def main() -> None:
        t, ticker, handed = Timer(0.001), Ticker(0.001), Chan[bool]()

        def thread() -> None:
            got.append(t.c.recv(timeout=60))
            got.append(ticker.c.recv(timeout=60))
            handed.send(True)

        from threading import Thread

        Thread(target=thread, daemon=True).start()
        await handed.arecv(timeout=60)
        ticker.stop()

    run(main, gomaxprocs=2)
    assert len(got) == 2


def test_outside_of_a_runtime() -> None:
    """Said in words."""

    def body() -> None:
        with pytest.raises(RuntimeError, match=r"^Timer\(\) outside of a goroutine: use it inside run\(main\)$"):
            Timer(1)
        with pytest.raises(RuntimeError, match=r"^Ticker\(\) outside of a goroutine: use it inside run\(main\)$"):
            Ticker(1)
        with pytest.raises(RuntimeError, match=r"^after_func\(\) outside of a goroutine: use it inside run\(main\)$"):
            after_func(1, print)

    body()
    in_threads(body)


@pytest.mark.parametrize("fn", [None, 5, "f"])
def test_after_func_needs_a_function(fn: Any) -> None:
    async def main() -> None:
        with pytest.raises(TypeError, match=r"^after_func\(\): needs a function, not "):
            after_func(1, fn)

    virtual_run(main)


@pytest.mark.parametrize("seconds", ["1", None, True])
def test_bad_seconds(seconds: Any) -> None:
    async def main() -> None:
        with pytest.raises(TypeError, match=r"^Timer\(\): seconds must be seconds, "):
            Timer(seconds)
        with pytest.raises(TypeError, match=r"^after_func\(\): seconds must be seconds, "):
            after_func(seconds, print)
        t = Timer(5)
        with pytest.raises(TypeError, match=r"^Timer\.reset\(\): seconds must be seconds, "):
            t.reset(seconds)
        assert t.stop(), "it is still pending"

    virtual_run(main)


def test_a_timer_outlives_its_runtime() -> None:
    """Nothing comes of it, and stopping it does no harm."""
    kept: list[Any] = []

    async def main() -> None:
        kept.extend([Timer(1), Ticker(1), after_func(1, print)])
        await ayield_now()

    virtual_run(main)
    run(main)
    for timer in kept:
        timer.stop()
