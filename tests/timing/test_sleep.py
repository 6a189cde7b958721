"""sleep, after and now: Go's time/sleep_test.go by name, and the virtual clock (runtime's TestFakeTime)."""

from __future__ import annotations

import time
from typing import Any

import pytest

import gosched
from gosched import Chan, DeadlineExceeded, WaitGroup, after, after_func, aselect, asleep, ayield_now, go, now, run
from gosched.core.interrupt import Cancellation
from gosched.testing import virtual_run, wait_all_blocked

from ..sync.spelled import Do, awaited, both, in_threads, plain, schedules


class Cut(BaseException):
    """A context's error."""


@both
def test_sleep(do: Do) -> None:
    """TestSleep: to the nanosecond in virtual time."""

    async def main() -> list[float]:
        begin, times = now(), []
        for seconds in (0.1, 3600, 1e-9, 86_400 * 365, 2):
            before = now()
            await do(gosched, "sleep", seconds)
            times.append(now() - before)
        assert now() - begin == pytest.approx(sum(times))
        return times

    for times in schedules(main):
        assert times == pytest.approx([0.1, 3600, 1e-9, 86_400 * 365, 2], abs=1e-8)


@both
@pytest.mark.parametrize("procs", [1, 3])
def test_sleep_is_never_early(do: Do, procs: int) -> None:
    """TestSleep on the real clock, many at once."""

    async def main() -> list[float]:
        wg, early = WaitGroup(), list[float]()

        async def sleeps(seconds: float) -> None:
            begin = time.monotonic()
            await do(gosched, "sleep", seconds)
            if time.monotonic() - begin < seconds - 1e-9:
                early.append(seconds)

        for i in range(20):
            wg.go(sleeps, i * 0.0003)
        await wg
        return early

    assert run(main, gomaxprocs=procs) == []


def test_sleep_in_a_plain_thread() -> None:
    def body() -> None:
        begin = time.monotonic()
        gosched.sleep(0.002)
        assert time.monotonic() - begin >= 0.002
        gosched.sleep(0)
        gosched.sleep(-1)

    in_threads(body)


@both
@pytest.mark.parametrize("seconds", [0, 0.0, -1, -1e9, -1e300, float("-inf")], ids=str)
def test_sleep_zero_and_negative(do: Do, seconds: float) -> None:
    """TestNegativeSleep..., TestOverflowSleep: 0 or less returns at once."""

    async def main() -> float:
        begin = now()
        await do(gosched, "sleep", seconds)
        return now() - begin

    assert set(schedules(main, seeds=range(2))) == {0.0}


def test_sleep_zero_deadlock() -> None:
    """TestSleepZeroDeadlock: sleeps of 0 beside sleeps of next to nothing, and a resize now and then, do not hang."""

    async def main(do: Do) -> None:
        wg = WaitGroup()

        async def tiny() -> None:
            for _ in range(30):
                await do(gosched, "sleep", 1e-9)

        async def zero() -> None:
            for i in range(100):
                await do(gosched, "sleep", 0)
                if i % 20 == 0:
                    gosched.gomaxprocs(1 + i // 20 % 4)

        wg.go(tiny)
        wg.go(zero)
        await wg

    for do in (awaited, plain):
        schedules(main, do, seeds=range(3))
        run(main, do, gomaxprocs=4)


@both
@pytest.mark.parametrize("seconds", [9e9, 1e18, 1e300, float("inf"), 10**400], ids=["9e9", "1e18", "1e300", "inf", "int"])
def test_overflow_sleep(do: Do, seconds: float) -> None:
    """TestOverflowSleep: for ever, not at once; and a sooner timer still fires."""

    async def main() -> str:
        async def sleeps() -> None:
            await do(gosched, "sleep", seconds)

        go(sleeps)
        ch = after(seconds)
        match await aselect(ch.recv, timeout=3600):
            case None, None:
                return "still asleep"
        return "early"

    assert set(schedules(main, seeds=range(2))) == {"still asleep"}


@both
@pytest.mark.parametrize(("seconds", "error"), [("1", TypeError), (None, TypeError), (True, TypeError), (float("nan"), ValueError)], ids=repr)
def test_bad_seconds(do: Do, seconds: Any, error: type[Exception]) -> None:
    """The message names the argument and says what would do."""

    async def main() -> None:
        with pytest.raises(error, match=r"^a?sleep\(\): seconds must be seconds, "):
            await do(gosched, "sleep", seconds)
        with pytest.raises(error, match=r"^Timer\(\): seconds must be seconds, "):
            after(seconds)

    virtual_run(main)


# ---- ctx ----


@both
@pytest.mark.parametrize(
    "error", [Cut("enough"), TimeoutError("enough"), DeadlineExceeded("the context's deadline")], ids=lambda error: type(error).__name__
)
def test_sleep_ctx(do: Do, error: BaseException) -> None:
    """The context's end ends the sleep with the context's error, whatever that is: a sleep that returns has slept."""

    async def main() -> tuple[float, bool]:
        begin, ctx = now(), Cancellation()
        after_func(1, ctx.cancel_waits, error)
        with pytest.raises(type(error)) as caught:
            await do(gosched, "sleep", 10, ctx=ctx)
        return round(now() - begin, 9), (type(caught.value), caught.value.args) == (type(error), error.args)

    assert set(schedules(main, seeds=range(2))) == {(1.0, True)}


@both
def test_sleep_ctx_that_has_ended(do: Do) -> None:
    async def main() -> float:
        begin, ctx = now(), Cancellation()
        ctx.cancel_waits(Cut("before"))
        with pytest.raises(Cut):
            await do(gosched, "sleep", 10, ctx=ctx)
        await do(gosched, "sleep", 0, ctx=ctx)
        return now() - begin

    assert set(schedules(main, seeds=range(2))) == {0.0}


def test_sleep_ctx_in_a_plain_thread() -> None:
    ctx = Cancellation()

    def sleeps() -> None:
        with pytest.raises(Cut):
            gosched.sleep(3600, ctx=ctx)

    in_threads(sleeps, lambda: ctx.cancel_waits(Cut("now")))


# ---- after ----


@both
def test_after(do: Do) -> None:
    """TestAfter: the value is the time at which it was due."""

    async def main() -> tuple[float, float]:
        begin = now()
        value = await do(after(1.5), "recv")
        return round(value - begin, 9), round(now() - begin, 9)

    assert set(schedules(main)) == {(1.5, 1.5)}


@both
def test_after_tick(do: Do) -> None:
    """TestAfterTick: ten in a row are ten times as long."""

    async def main() -> float:
        begin = now()
        for _ in range(10):
            await do(after(0.1), "recv")
        return now() - begin

    assert schedules(main, seeds=range(2)) == pytest.approx([1] * 6)


@both
def test_after_is_never_early(do: Do) -> None:
    async def main() -> bool:
        begin = now()
        due = await do(after(0.002), "recv")
        return begin + 0.002 <= due + 1e-9 and due <= now()

    assert run(main)


@both
@pytest.mark.parametrize("slots", [[5, 3, 6, 6, 6, 1, 1, 2, 7, 9, 4, 8, 0], [0, 0, 0], [3, 2, 1]], ids=str)
def test_after_queuing(do: Do, slots: list[int]) -> None:
    """TestAfterQueuing: in the order of their times; equal ones in the order they were set."""

    async def main() -> list[int]:
        result = Chan[int](len(slots))

        async def waits(slot: int) -> None:
            await do(after(slot), "recv")
            await result.asend(slot)

        for slot in slots:
            go(waits, slot)
        return [await do(result, "recv") for _ in slots]

    for got in schedules(main):
        assert got == sorted(slots)


def test_equal_times_fire_in_the_order_they_were_set() -> None:
    """On one P each timer of one moment starts its goroutine in turn. As ever the last one started runs first, then the others in their order."""

    async def main() -> list[int]:
        log = list[int]()
        for i in range(10):
            after_func(1, log.append, i)
        for i in range(10, 20):
            after_func(2 - 0.01 * i, log.append, i)
        await asleep(5)
        return log

    log = virtual_run(main)
    assert log[:10] == [9, *range(9)]
    assert log[10:] == list(range(19, 9, -1))


# ---- the virtual clock ----


@both
def test_fake_time(do: Do) -> None:
    """TestFakeTime: the clock jumps to the next timer when all is idle, and stands still while anything runs."""

    async def main() -> list[float]:
        begin, times = now(), []
        for _ in range(100):
            await ayield_now()
        times.append(now() - begin)
        wg = WaitGroup()
        for seconds in (3, 1, 2):
            wg.go(gosched.asleep, seconds)
        await do(wg, "wait")
        times.append(now() - begin)
        await do(gosched, "sleep", 1_000_000)
        times.append(now() - begin)
        return times

    for times in schedules(main):
        assert times == pytest.approx([0, 3, 1_000_003])


def test_real_time_is_monotonic() -> None:
    async def main() -> bool:
        first = now()
        return time.monotonic() >= first >= 0

    assert run(main)
    before = time.monotonic()
    assert before <= now() <= time.monotonic()


def test_wait_all_blocked_does_not_move_the_clock() -> None:
    """A goroutine that sleeps is blocked: as synctest.Wait, it returns before the next timer."""

    async def main() -> tuple[float, list[int]]:
        begin, log = now(), list[int]()

        async def sleeps() -> None:
            await asleep(1)
            log.append(1)

        go(sleeps)
        await wait_all_blocked()
        return now() - begin, log

    for result in schedules(main):
        assert result == (0.0, [])
