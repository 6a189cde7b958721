"""timeout= and ctx= on every operation: they end a wait, they lose no value, and they leave nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched import Chan, DeadlineExceeded, EndOfChannel, nil
from gosched.core.interrupt import Cancellation

from .worlds import VIRTUAL, Threads, World

# What blocks on a channel that is empty and unbuffered.
WAITS: dict[str, Callable[..., Any]] = {
    "send": lambda w, ch, **limits: w.send(ch, 1, **limits),
    "recv": lambda w, ch, **limits: w.recv(ch, **limits),
    "recv_ok": lambda w, ch, **limits: w.recv_ok(ch, **limits),
    "send on nil": lambda w, ch, **limits: w.send(nil, 1, **limits),
    "recv on nil": lambda w, ch, **limits: w.recv(nil, **limits),
    "recv_ok on nil": lambda w, ch, **limits: w.recv_ok(nil, **limits),
}
SELECTS: dict[str, Callable[..., Any]] = {
    "receive": lambda w, ch, **limits: w.select(ch.recv, **limits),
    "comma-ok": lambda w, ch, **limits: w.select(ch.recv_ok, **limits),
    "send": lambda w, ch, **limits: w.select((ch.send, 1), **limits),
    "both": lambda w, ch, **limits: w.select(ch.recv, (ch.send, 1), nil.recv, **limits),
    "nil": lambda w, ch, **limits: w.select(nil.recv, **limits),
    "none": lambda w, ch, **limits: w.select(**limits),
}


def left_alone(ch: Chan[Any]) -> bool:
    """Nobody waits on this unbuffered channel."""
    return not ch.try_send("for nobody") and ch.try_recv() == (None, False)


class Stop(Exception):
    """What a cancellation raises here."""


# ---- time ----


@pytest.mark.parametrize("name", WAITS)
def test_timeout(virtual: World, name: str) -> None:
    """It comes at its time, to the nanosecond, and nothing stays behind."""

    async def main(w: World) -> float:
        ch = Chan[int]()
        begin = gosched.now()
        with pytest.raises(DeadlineExceeded, match=r"nothing came of it within 2\.5 s$"):
            await WAITS[name](w, ch, timeout=2.5)
        assert left_alone(ch)
        return gosched.now() - begin

    assert virtual.run(main) == pytest.approx(2.5)


@pytest.mark.parametrize("name", SELECTS)
def test_timeout_of_select(virtual: World, name: str) -> None:
    async def main(w: World) -> float:
        ch = Chan[int]()
        begin = gosched.now()
        assert await SELECTS[name](w, ch, timeout=2.5) == (None, None)
        assert left_alone(ch)
        return gosched.now() - begin

    assert virtual.run(main) == pytest.approx(2.5)


@pytest.mark.parametrize("name", WAITS)
@pytest.mark.parametrize("timeout", [0, 0.0, -1, -0.5, -1e30])
def test_a_time_that_is_over(world: World, name: str, timeout: float) -> None:
    """Everywhere, threads too: what cannot go on at once does not."""

    async def main(w: World) -> None:
        ch = Chan[int]()
        with pytest.raises(DeadlineExceeded):
            await WAITS[name](w, ch, timeout=timeout)
        assert left_alone(ch)

    world.run(main)


@pytest.mark.parametrize("name", SELECTS)
@pytest.mark.parametrize("timeout", [0, -1])
def test_a_time_that_is_over_for_select(world: World, name: str, timeout: float) -> None:
    async def main(w: World) -> None:
        ch = Chan[int]()
        assert await SELECTS[name](w, ch, timeout=timeout) == (None, None)
        assert left_alone(ch)

    world.run(main)


@pytest.mark.parametrize("timeout", [float("-inf"), -(10**400), -1e305], ids=["-inf", "-10**400", "-1e305"])
def test_a_time_that_is_over_since_ever(timeout: float) -> None:
    ch = Chan[int]()
    with pytest.raises(DeadlineExceeded):
        ch.recv(timeout=timeout)
    with pytest.raises(DeadlineExceeded):
        ch.send(1, timeout=timeout)
    assert gosched.select(ch.recv, timeout=timeout) == (None, None)
    assert left_alone(ch)


@pytest.mark.parametrize("timeout", [0, -1, 1e-9, 1, 1e300, float("inf"), 10**400], ids=["0", "-1", "1e-9", "1", "1e300", "inf", "10**400"])
def test_what_can_go_on_at_once_does(world: World, timeout: float) -> None:
    async def main(w: World) -> None:
        ch = Chan[int](1)
        await w.send(ch, 1, timeout=timeout)
        assert await w.recv(ch, timeout=timeout) == 1
        await w.send(ch, 2, timeout=timeout)
        assert await w.recv_ok(ch, timeout=timeout) == (2, True)
        assert await w.select((ch.send, 3), timeout=timeout) == (0, None)
        assert await w.select(ch.recv, timeout=timeout) == (0, 3)
        ch.close()
        assert await w.recv_ok(ch, timeout=timeout) == (None, False)
        with pytest.raises(EndOfChannel):
            await w.recv(ch, timeout=timeout)

    world.run(main)


@pytest.mark.parametrize("timeout", [1e300, float("inf"), 10**400, 9e9], ids=["1e300", "inf", "10**400", "9e9"])
def test_a_time_that_never_comes(virtual: World, timeout: float) -> None:
    """It waits, and gets what comes."""

    async def main(w: World) -> list[Any]:
        ch, got = Chan[int](), list[Any]()

        async def receives() -> None:
            got.append(await w.recv(ch, timeout=timeout))
            got.append(await w.select(ch.recv, timeout=timeout))

        w.go(receives)
        for i in range(2):
            await w.sleep(1000)
            await w.send(ch, i)
        await w.all_blocked()
        return got

    assert virtual.run(main) == [0, (0, 1)]


def test_wait_all_blocked_lets_no_time_pass(virtual: World) -> None:
    """What waits with a timeout, or sleeps, is blocked: its time does not come because somebody asks."""

    async def main(w: World) -> list[str]:
        ch, log = Chan[str](), list[str]()

        async def receives() -> None:
            log.append(await w.recv(ch, timeout=5))

        async def sleeps() -> None:
            await w.sleep(5)
            log.append("slept")

        begin = gosched.now()
        w.go(receives)
        w.go(sleeps)
        await w.all_blocked()
        assert gosched.now() == begin
        assert ch.try_send("in time")
        await w.all_blocked()
        return log

    assert virtual.run(main) == ["in time"]


def test_in_time(virtual: World) -> None:
    """What comes in time ends the wait; the timer that is left behind wakes nobody later."""

    async def main(w: World) -> list[Any]:
        ch, log = Chan[int](), list[Any]()

        async def receives() -> None:
            log.append(await w.recv(ch, timeout=5))
            try:
                await w.recv(ch, timeout=50)
            except DeadlineExceeded:
                log.append(round(gosched.now() - begin))

        begin = gosched.now()
        w.go(receives)
        await w.sleep(1)
        await w.send(ch, 1)
        await w.sleep(100)
        assert left_alone(ch)
        return log

    assert virtual.run(main) == [1, 51]


@pytest.mark.parametrize("ended", ["recv", "recv_ok", "select", "iteration"])
def test_close_ends_a_wait_with_a_timeout(virtual: World, ended: str) -> None:
    async def main(w: World) -> Any:
        ch, got = Chan[int](), list[Any]()

        async def waits() -> None:
            if ended == "recv":
                with pytest.raises(EndOfChannel):
                    await w.recv(ch, timeout=5)
                got.append("end")
            elif ended == "recv_ok":
                got.append(await w.recv_ok(ch, timeout=5))
            elif ended == "select":
                with pytest.raises(EndOfChannel) as caught:
                    await w.select(nil.recv, ch.recv, timeout=5)
                got.append(caught.value.index)
            else:
                got.append([v async for v in w.values(ch)])

        w.go(waits)
        await w.sleep(1)
        ch.close()
        await w.sleep(10)
        return got[0]

    assert virtual.run(main) == {"recv": "end", "recv_ok": (None, False), "select": 1, "iteration": []}[ended]


def test_who_gave_up_is_passed_over(virtual: World) -> None:
    """The first in the queue has given up, and waits for something else meanwhile: the value is the second's, and the first stays asleep."""

    async def main(w: World) -> list[Any]:
        ch, other, log = Chan[int](), Chan[str](), list[Any]()

        async def gives_up() -> None:
            with pytest.raises(DeadlineExceeded):
                await w.recv(ch, timeout=1)
            assert await w.select(ch.recv, nil.recv, timeout=1) == (None, None)
            log.append(await w.recv(other))

        async def stays() -> None:
            log.append(await w.recv(ch))

        w.go(gives_up)
        await w.all_blocked()
        w.go(stays)
        await w.sleep(10)
        await w.send(ch, 1)
        await w.all_blocked()
        assert log == [1]
        assert left_alone(ch)
        await w.send(other, "later")
        await w.all_blocked()
        return log

    assert virtual.run(main) == [1, "later"]


def test_a_sender_that_gave_up_takes_its_value_with_it(virtual: World) -> None:
    async def main(w: World) -> list[int]:
        ch = Chan[int](1)
        await w.send(ch, 0)

        async def gives_up() -> None:
            with pytest.raises(DeadlineExceeded):
                await w.send(ch, 1, timeout=1)
            assert await w.select((ch.send, 2), timeout=1) == (None, None)

        async def stays() -> None:
            await w.send(ch, 3)

        w.go(gives_up)
        await w.all_blocked()
        w.go(stays)
        await w.sleep(10)
        got = [await w.recv(ch), await w.recv(ch)]
        assert ch.try_recv() == (None, False)
        return got

    assert virtual.run(main) == [0, 3]


@pytest.mark.parametrize("capacity", [0, 1, 3])
@pytest.mark.parametrize("w", VIRTUAL, ids=repr)
def test_timeouts_lose_no_value(w: World, capacity: int) -> None:
    """Senders and receivers give up at the very moments at which the others come: what was sent without an error was received, once."""

    async def main(w: World) -> None:
        ch, done = Chan[int](capacity), Chan[int](10)
        sent, received = list[int](), list[int]()

        async def sends(number: int) -> None:
            for i in range(12):
                value = 100 * number + i
                if i % 3 == 0:
                    index, _ = await w.select((ch.send, value), timeout=1 + i % 2)
                    if index == 0:
                        sent.append(value)
                else:
                    try:
                        await w.send(ch, value, timeout=1)
                        sent.append(value)
                    except DeadlineExceeded:
                        await w.sleep(i % 3)
            await w.send(done, 1)

        async def receives(number: int) -> None:
            for i in range(14):
                if (i + number) % 3 == 0:
                    index, value = await w.select(ch.recv, nil.recv, timeout=1)
                    if index == 0:
                        received.append(value)
                elif (i + number) % 3 == 1:
                    await w.sleep(1)
                else:
                    try:
                        received.append(await w.recv(ch, timeout=2))
                    except DeadlineExceeded:
                        pass
            await w.send(done, 1)

        for number in range(3):
            w.go(sends, number)
            w.go(receives, number)
        for _ in range(6):
            await w.recv(done)
        ch.close()
        received.extend([v async for v in w.values(ch)])
        assert sent
        assert sorted(received) == sorted(sent)

    for seed in range(12):
        w.run(main, seed=seed)


def test_timeouts_lose_no_value_between_threads() -> None:
    """The same with real threads and times that are over at once or nearly so."""
    n = 50

    async def main(w: World) -> None:
        ch = Chan[int]()
        received = [list[int]() for _ in range(2)]

        async def sends(number: int) -> None:
            for i in range(n):
                for timeout in (0, 1e-6, i * 1e-7, None):
                    try:
                        await w.send(ch, 1000 * number + i, timeout=timeout)
                        break
                    except DeadlineExceeded:
                        await w.yield_now()

        async def receives(into: list[int]) -> None:
            while True:
                try:
                    value, ok = await w.recv_ok(ch, timeout=1e-6)
                except DeadlineExceeded:
                    continue
                if not ok:
                    return
                into.append(value)

        senders = [w.go(sends, number) for number in range(2)]
        receivers = [w.go(receives, into) for into in received]
        for thread in senders:
            thread.join()
        ch.close()
        for thread in receivers:
            thread.join()
        assert sorted(received[0] + received[1]) == [1000 * number + i for number in range(2) for i in range(n)]

    Threads().run(main)


# ---- contexts ----


@pytest.mark.parametrize("name", WAITS)
def test_cancel(virtual: World, name: str) -> None:
    async def main(w: World) -> None:
        ch, ctx, ended = Chan[int](), Cancellation(), list[type[BaseException]]()

        async def waits() -> None:
            with pytest.raises(Stop, match="enough") as caught:
                await WAITS[name](w, ch, ctx=ctx)
            ended.append(type(caught.value))

        w.go(waits)
        await w.all_blocked()
        assert ended == []
        assert ctx.cancel_waits(Stop("enough"))
        await w.all_blocked()
        assert ended == [Stop]
        assert left_alone(ch)
        assert not ctx.cancel_waits(Stop("a second time"))
        with pytest.raises(Stop, match="enough"):
            await WAITS[name](w, ch, ctx=ctx)
        assert left_alone(ch)

    virtual.run(main)


def test_cancel_ends_all_who_wait(virtual: World) -> None:
    """And only those: who waits without this context, waits on."""

    async def main(w: World) -> list[str]:
        ch, ctx, other, log = Chan[int](), Cancellation(), Cancellation(), list[str]()

        async def waits(number: int, ctx: Cancellation | None) -> None:
            try:
                log.append(f"{number} received {await w.recv(ch, ctx=ctx)}")
            except Stop:
                log.append(f"{number} stopped")

        for number, its in enumerate([ctx, None, ctx, other, ctx]):
            w.go(waits, number, its)
            await w.all_blocked()
        ctx.cancel_waits(Stop())
        await w.all_blocked()
        assert sorted(log) == ["0 stopped", "2 stopped", "4 stopped"]
        for value in range(2):
            await w.send(ch, value)
            await w.all_blocked()
        assert left_alone(ch)
        return log[3:]

    assert virtual.run(main) == ["1 received 0", "3 received 1"]


def test_a_cancelled_context_is_heeded_only_by_who_would_wait(world: World) -> None:
    """Everywhere, threads too."""

    async def main(w: World) -> None:
        ch, empty, ctx = Chan[int](1), Chan[int](), Cancellation()
        ctx.cancel_waits(Stop("before"))
        await w.send(ch, 1, ctx=ctx)
        assert await w.recv(ch, ctx=ctx) == 1
        await w.send(ch, 2, ctx=ctx)
        assert await w.recv_ok(ch, ctx=ctx) == (2, True)
        for operation in (lambda: w.recv(ch, ctx=ctx), lambda: w.recv_ok(ch, ctx=ctx), lambda: w.send(empty, 1, ctx=ctx)):
            with pytest.raises(Stop, match="before"):
                await operation()
        assert ch.try_recv() == (None, False)
        assert left_alone(empty)

    world.run(main)


def test_timeout_and_context(virtual: World) -> None:
    """Whichever comes first."""

    async def main(w: World) -> list[str]:
        ch, early, late, log = Chan[int](), Cancellation(), Cancellation(), list[str]()

        async def waits(ctx: Cancellation) -> None:
            try:
                await w.recv(ch, timeout=2, ctx=ctx)
            except Stop:
                log.append("stopped")
            except DeadlineExceeded:
                log.append("too late")

        w.go(waits, early)
        w.go(waits, late)
        await w.sleep(1)
        early.cancel_waits(Stop())
        await w.sleep(2)
        late.cancel_waits(Stop())
        await w.sleep(1)
        assert left_alone(ch)
        return log

    assert virtual.run(main) == ["stopped", "too late"]


@pytest.mark.parametrize("w", VIRTUAL, ids=repr)
def test_cancellations_lose_no_value(w: World) -> None:
    """Cancelled at every possible moment of an exchange: the value was received, or the sender was told that it was not."""

    async def main(w: World, moment: int) -> None:
        ch, ctx, done = Chan[int](), Cancellation(), Chan[int](10)
        sent, received = list[int](), list[int]()

        async def sends() -> None:
            for i in range(4):
                try:
                    await w.send(ch, i, ctx=ctx)
                    sent.append(i)
                except Stop:
                    break
            await w.send(done, 1)

        async def receives() -> None:
            for _ in range(4):
                try:
                    received.append(await w.recv(ch, ctx=ctx))
                except Stop:
                    break
            await w.send(done, 1)

        async def cancels() -> None:
            for _ in range(moment):
                await w.yield_now()
            ctx.cancel_waits(Stop())
            await w.send(done, 1)

        for body in (sends, receives, cancels):
            w.go(body)
        for _ in range(3):
            await w.recv(done)
        assert received == sent
        assert left_alone(ch)

    for seed in range(8):
        for moment in range(6):
            w.run(main, moment, seed=seed)


def test_cancel_from_a_thread(world: World) -> None:
    """Whoever waits, wherever: another thread cancels. It may come before the wait, at its beginning, or during it."""

    async def main(w: World) -> None:
        for _ in range(30):
            ch, ctx, go_on = Chan[int](), Cancellation(), Chan[int](1)

            async def cancels(ctx: Cancellation = ctx, go_on: Chan[int] = go_on) -> None:
                await helper.recv(go_on)
                ctx.cancel_waits(Stop())

            thread = helper.go(cancels)
            go_on.send(1)
            with pytest.raises(Stop):
                await w.recv(ch, ctx=ctx)
            assert left_alone(ch)
            thread.join()

    helper = Threads()
    world.run(main)


def test_sleep_is_cancelled(virtual: World) -> None:
    async def main(w: World) -> float:
        ctx, ended, begin = Cancellation(), Chan[float](1), gosched.now()

        async def sleeps() -> None:
            with pytest.raises(Stop):
                await w.sleep(100, ctx=ctx)
            await w.send(ended, gosched.now() - begin)

        w.go(sleeps)
        await w.sleep(3)
        ctx.cancel_waits(Stop())
        return float(await w.recv(ended))

    assert virtual.run(main) == pytest.approx(3)
