"""Ticker: Go's time/tick_test.go by name. Late ones drop ticks and keep their phase; a stopped one is silent."""

from __future__ import annotations

from typing import Any

import pytest

import gosched
from gosched import Chan, DeadlineExceeded, Ticker, WaitGroup, aselect, asleep, ayield_now, default, go, now, run
from gosched.testing import virtual_run

from ..conftest import Script
from ..sync.spelled import Do, awaited, both, in_threads, plain, schedules, settled


@both
def test_ticker(do: Do) -> None:
    """TestTicker: the period, a reset in the middle, and silence after stop."""

    async def main() -> list[float]:
        begin, times = now(), list[float]()
        ticker = Ticker(0.1)
        for i in range(10):
            value = await do(ticker.c, "recv")
            assert value == now()
            times.append(round(value - begin, 9))
            if i == 4:
                ticker.reset(0.2)
        ticker.stop()
        with pytest.raises(DeadlineExceeded):
            await do(ticker.c, "recv", timeout=5)
        return times

    for times in schedules(main):
        assert times == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.1, 1.3, 1.5])


@both
def test_ticker_in_real_time(do: Do) -> None:
    """TestTicker: never early."""

    async def main() -> bool:
        begin = now()
        with Ticker(0.001) as ticker:
            for i in range(5):
                value = await do(ticker.c, "recv", timeout=60)
                assert value >= begin + (i + 1) * 0.001 - 1e-6
        return True

    for procs in (1, 3):
        assert run(main, gomaxprocs=procs)


def test_ticker_iterates() -> None:
    """`async for` and `for`, in place of Go's range."""

    async def main(spelling: Do) -> list[int]:
        begin, ticks = now(), list[int]()
        ticker = Ticker(1)
        if spelling is awaited:
            async for tick in ticker.c:
                ticks.append(round(tick - begin))
                if len(ticks) == 3:
                    break
        else:
            for tick in ticker.c:
                ticks.append(round(tick - begin))
                if len(ticks) == 3:
                    break
        return ticks

    for spelling in (awaited, plain):
        for ticks in schedules(main, spelling, seeds=range(2)):
            assert ticks == [1, 2, 3]


def test_teardown() -> None:
    """TestTeardown: many tickers come and go."""

    async def main() -> None:
        for _ in range(30):
            ticker = Ticker(0.1)
            await ticker.c.arecv()
            ticker.stop()
            with Ticker(0.1) as other:
                assert other.c.try_recv() == (None, False)

    schedules(main, seeds=range(2))


@both
@pytest.mark.parametrize("late", [0.5, 1.0, 1.5, 2.999, 3.0, 10.25])
def test_a_late_ticker_drops_ticks_and_keeps_its_phase(do: Do, late: float) -> None:
    """TestTickTimes: one tick waits, with the time at which it was due; the next comes in phase."""

    async def main() -> list[float]:
        begin, ticker = now(), Ticker(1)
        await asleep(late)
        values = [await do(ticker.c, "recv") for _ in range(3)]
        return [round(value - begin, 6) for value in values]

    if late < 1:
        expected = [1.0, 2.0, 3.0]
    else:
        following = int(late) + 1
        expected = [1.0, following, following + 1.0]
    for values in schedules(main):
        assert values == expected


@both
def test_who_is_slow_between_ticks(do: Do) -> None:
    """A receiver that takes 2.5 periods each time: every tick it gets is in phase, the first of those it missed."""

    async def main() -> list[float]:
        begin, ticker, got = now(), Ticker(1), list[float]()
        for _ in range(4):
            got.append(round(await do(ticker.c, "recv") - begin, 6))
            await asleep(2.5)
        return got

    for got in schedules(main):
        assert all(value == int(value) for value in got)
        assert got == [1, 2, 4, 7]


@both
def test_late_while_another_is_blocked_on_it(do: Do) -> None:
    """In the heap all the while: ticks for which nobody is there are dropped but for one."""

    async def main() -> list[int]:
        begin, ticker, got, gate = now(), Ticker(1), list[int](), Chan[int]()

        async def receives() -> None:
            while True:
                got.append(round(await do(ticker.c, "recv") - begin))
                await gate.arecv()

        go(receives)
        go(receives)
        await asleep(5.5)
        for _ in range(2):
            await gate.asend(1)
        await settled()
        return sorted(got)

    for got in schedules(main):
        assert got == [1, 2, 3]


@both
def test_multi_wakeup_ticker(do: Do) -> None:
    """TestMultiWakeupTicker: many receivers, each tick for one of them."""

    async def main() -> list[int]:
        begin, ticker, got, wg = now(), Ticker(1), list[int](), WaitGroup()

        async def receives() -> None:
            for _ in range(3):
                got.append(round(await do(ticker.c, "recv") - begin))

        for _ in range(5):
            wg.go(receives)
        await wg
        ticker.stop()
        return got

    for got in schedules(main):
        assert got == list(range(1, 16))


@pytest.mark.parametrize("procs", [1, 4])
def test_ticker_stress(procs: int) -> None:
    """TestTickerStress, TestTickerConcurrentStress: tickers that come and go on all Ps beside goroutines that spin."""

    async def main() -> int:
        stop, wg, ticks = list[int](), WaitGroup(), list[int]()

        async def spins() -> None:
            while not stop:
                await ayield_now()

        async def ticks_away(do: Do) -> None:
            for _ in range(3):
                ticker = Ticker(0.0001)
                for _ in range(3):
                    await do(ticker.c, "recv", timeout=60)
                    ticks.append(1)
                ticker.stop()

        go(spins)
        for i in range(8):
            wg.go(ticks_away, (awaited, plain)[i % 2])
        await wg
        stop.append(1)
        return len(ticks)

    assert run(main, gomaxprocs=procs) == 8 * 9


def test_tick_for_nobody() -> None:
    """A ticker that nobody waits for is no reason for the clock to move: the program deadlocks as if it were not there."""

    async def main() -> None:
        Ticker(1)
        await Chan[int]().arecv()

    with pytest.raises(gosched.DeadlockError):
        virtual_run(main)


# ---- stop and reset ----


@both
def test_stop_takes_back_the_tick(do: Do) -> None:
    """No stale tick after stop, nor after reset; the channel stays open."""

    async def main() -> list[float]:
        begin, ticker = now(), Ticker(1)
        await asleep(3.5)
        ticker.stop()
        assert ticker.c.try_recv() == (None, False)
        assert await aselect(ticker.c.recv, default) == (1, None)
        assert not ticker.c.closed
        assert (len(ticker.c), ticker.c.capacity) == (0, 0)
        ticker.reset(2)
        first = await do(ticker.c, "recv")
        await asleep(5)
        ticker.reset(10)
        return [round(first - begin, 6), round(await do(ticker.c, "recv") - begin, 6)]

    for got in schedules(main):
        assert got == [5.5, 20.5]


@both
def test_stop_of_a_ticker_that_is_waited_for(do: Do) -> None:
    """Who waits goes on waiting; a reset lets the ticks come again."""

    async def main() -> list[float]:
        begin, ticker, got = now(), Ticker(1), list[float]()

        async def receives() -> None:
            for _ in range(2):
                got.append(round(await do(ticker.c, "recv") - begin, 6))

        wg = WaitGroup()
        wg.go(receives)
        await asleep(1.5)
        ticker.stop()
        ticker.stop()
        await asleep(10)
        assert got == [1]
        ticker.reset(3)
        await wg
        return got

    for got in schedules(main):
        assert got == [1, 14.5]


def test_ticker_with() -> None:
    async def main() -> tuple[bool, object]:
        with Ticker(1) as ticker:
            await ticker.c.arecv()
        with pytest.raises(KeyError), Ticker(1) as other:
            raise KeyError
        await asleep(5)
        return ticker.c.try_recv()[1], other.c.try_recv()

    assert virtual_run(main) == (False, (None, False))


@pytest.mark.parametrize("seconds", [0, -1, -0.5, -1e9])
def test_new_ticker_lt_zero_duration(seconds: float) -> None:
    """TestNewTickerLtZeroDuration, TestTickerResetLtZeroDuration."""

    async def main() -> None:
        with pytest.raises(ValueError, match=r"^non-positive interval for Ticker\(\): .*; a period of more than 0 s would do$"):
            Ticker(seconds)
        ticker = Ticker(1)
        with pytest.raises(ValueError, match=r"^non-positive interval for Ticker\.reset\(\): "):
            ticker.reset(seconds)
        await ticker.c.arecv()

    virtual_run(main)


@pytest.mark.parametrize(("seconds", "error"), [("1", TypeError), (None, TypeError), (True, TypeError), (float("nan"), ValueError)], ids=repr)
def test_bad_seconds(seconds: Any, error: type[Exception]) -> None:
    async def main() -> None:
        with pytest.raises(error, match=r"^Ticker\(\): seconds must be seconds, "):
            Ticker(seconds)
        ticker = Ticker(1)
        with pytest.raises(error, match=r"^Ticker\.reset\(\): seconds must be seconds, "):
            ticker.reset(seconds)

    virtual_run(main)


def test_overflow_period(script: Script) -> None:
    """TestOverflowPeriodRuntimeTimer: the next tick after the end of time is no tick now. In a process of its own: it span for ever."""
    done = script(
        """
        import faulthandler
        faulthandler.dump_traceback_later(50, exit=True)
        import gosched
        from gosched.testing import virtual_run

        async def main(seconds, late):
            ticker = gosched.Ticker(seconds)
            if late:
                await gosched.asleep(seconds)
            first = await ticker.c.arecv()
            try:
                await ticker.c.arecv(timeout=5)
            except gosched.DeadlineExceeded:
                return "ok"
            return "a second tick"

        for seconds in (4e9, 9e9, 1e300, float("inf")):
            print(virtual_run(main, seconds, False), virtual_run(main, seconds, True))
        """
    )
    assert (done.stdout, done.returncode) == ("ok ok\n" * 4, 0), done.stderr


def test_a_thread_and_goroutines_share_a_ticker() -> None:
    got: list[float] = []

    async def main() -> None:
        ticker, wg = Ticker(0.0005), WaitGroup()

        async def receives(do: Do) -> None:
            for _ in range(3):
                got.append(await do(ticker.c, "recv", timeout=60))

        def thread() -> None:
            for _ in range(3):
                got.append(ticker.c.recv(timeout=60))

        wg.go(receives, awaited)
        wg.go(receives, plain)
        wg.go(in_threads, thread)
        await wg

    run(main, gomaxprocs=4)
    assert len(got) == 9
    assert len(set(got)) == 9, "every tick is for one of them"
