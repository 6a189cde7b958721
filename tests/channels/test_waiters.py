"""Who waits in a channel: first come, first served; straight from hand to hand; and nobody stays behind when a program ends."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched import Chan, DeadlockError, Goexit, go, nil
from gosched.core.interrupt import Cancellation
from gosched.testing import virtual_run

from .worlds import REAL, World


def test_receivers_are_served_in_order(virtual: World) -> None:
    """Whatever form each one waits in."""

    async def main(w: World) -> list[Any]:
        ch, never, log = Chan[int](), Chan[int](), list[Any]()

        async def receives(number: int) -> None:
            if number % 4 == 0:
                value = await w.recv(ch)
            elif number % 4 == 1:
                value = (await w.recv_ok(ch))[0]
            elif number % 4 == 2:
                value = (await w.select(never.recv, ch.recv))[1]
            else:
                value = await w.recv(ch, timeout=1000)
            log.append((number, value))

        for number in range(12):
            w.go(receives, number)
            await w.sleep(1)
        for value in range(12):
            assert ch.try_send(value)
        assert not ch.try_send(12)
        await w.sleep(1)
        return sorted(log)

    for seed in range(3):
        assert virtual.run(main, seed=seed) == [(i, i) for i in range(12)]


@pytest.mark.parametrize("capacity", [0, 1, 5])
def test_senders_are_served_in_order(virtual: World, capacity: int) -> None:
    async def main(w: World) -> list[Any]:
        ch, never = Chan[int](capacity), Chan[int]()

        async def sends(number: int) -> None:
            if number % 3 == 0:
                await w.send(ch, number)
            elif number % 3 == 1:
                await w.select((never.send, -1), (ch.send, number))
            else:
                await w.send(ch, number, timeout=1000)

        for number in range(12):
            w.go(sends, number)
            await w.sleep(1)
        assert len(ch) == capacity
        got = []
        while (pair := ch.try_recv())[1]:
            got.append(pair[0])
        await w.sleep(1)
        return got

    for seed in range(3):
        assert virtual.run(main, seed=seed) == list(range(12))


def test_one_who_leaves_from_the_middle(virtual: World) -> None:
    """The others keep their order, however many leave: the first, the last, one between."""

    async def main(w: World) -> list[Any]:
        ch, log = Chan[int](), list[Any]()
        contexts = [Cancellation() for _ in range(6)]

        async def receives(number: int) -> None:
            try:
                log.append((number, await w.recv(ch, ctx=contexts[number])))
            except KeyError:
                log.append((number, "left"))

        for number in range(6):
            w.go(receives, number)
            await w.all_blocked()
        for number in (0, 5, 2):
            contexts[number].cancel_waits(KeyError())
        await w.all_blocked()
        for value in range(3):
            assert ch.try_send(value)
        assert not ch.try_send(3)
        await w.all_blocked()
        return sorted(log)

    assert virtual.run(main) == [(0, "left"), (1, 0), (2, "left"), (3, 1), (4, 2), (5, "left")]


def test_a_value_goes_past_the_buffer(virtual: World) -> None:
    """To a receiver that waits a value is handed directly: nobody who comes between can take it."""

    async def main(w: World) -> list[int]:
        ch, got = Chan[int](3), list[int]()

        async def receives() -> None:
            got.append(await w.recv(ch))

        for _ in range(2):
            w.go(receives)
        await w.all_blocked()
        assert ch.try_send(1)
        assert len(ch) == 0
        assert ch.try_recv() == (None, False)
        assert ch.try_send(2)
        assert len(ch) == 0
        assert ch.try_send(3)
        assert len(ch) == 1
        assert got == []
        await w.all_blocked()
        return sorted(got)

    assert virtual.run(main) == [1, 2]


def test_a_full_buffer_takes_over_from_who_waits(virtual: World) -> None:
    """A receive from a full channel takes the oldest value, and that of the sender that waits goes into the buffer at once."""

    async def main(w: World) -> None:
        ch, through = Chan[int](2), list[int]()
        await w.send(ch, 0)
        await w.send(ch, 1)

        async def sends(value: int) -> None:
            await w.send(ch, value)
            through.append(value)

        for value in (2, 3):
            w.go(sends, value)
            await w.all_blocked()
        assert ch.try_recv() == (0, True)
        assert len(ch) == 2
        assert through == []
        assert not ch.try_send(9)
        assert [ch.try_recv() for _ in range(4)] == [(1, True), (2, True), (3, True), (None, False)]
        await w.all_blocked()
        assert sorted(through) == [2, 3]

    virtual.run(main)


def test_close_with_values_left_and_a_sender_that_waits(virtual: World) -> None:
    """What is in the buffer stays; what was not yet in it never comes."""

    async def main(w: World) -> list[Any]:
        ch, log = Chan[int](1), list[Any]()
        await w.send(ch, 0)

        async def sends() -> None:
            with pytest.raises(gosched.ClosedChannelError):
                await w.send(ch, 1)
            log.append("refused")

        w.go(sends)
        await w.all_blocked()
        ch.close()
        assert [await w.recv_ok(ch), await w.recv_ok(ch)] == [(0, True), (None, False)]
        await w.all_blocked()
        return log

    assert virtual.run(main) == ["refused"]


def test_the_woken_receiver_runs_next() -> None:
    """On one P the partner runs as soon as the other waits: a ping-pong goes on before all who were queued."""

    async def main() -> list[str]:
        ping, pong, log = Chan[int](), Chan[int](), list[str]()

        async def plays() -> None:
            async for i in ping:
                log.append(f"play {i}")
                await pong.asend(i)

        async def others() -> None:
            log.append("other")

        go(plays)
        await gosched.ayield_now()
        go(others)
        go(others)
        for i in range(3):
            await ping.asend(i)
            await pong.arecv()
        return log

    assert [x for x in virtual_run(main) if x != "other"] == ["play 0", "play 1", "play 2"]


# ---- the end of a program ----

WAITS: dict[str, Callable[[World, Chan[Any]], Any]] = {
    "send": lambda w, ch: w.send(ch, 1),
    "recv": lambda w, ch: w.recv(ch),
    "recv_ok": lambda w, ch: w.recv_ok(ch),
    "send timeout": lambda w, ch: w.send(ch, 1, timeout=1000),
    "recv timeout": lambda w, ch: w.recv(ch, timeout=1000),
    "send ctx": lambda w, ch: w.send(ch, 1, ctx=CONTEXT),
    "recv ctx": lambda w, ch: w.recv(ch, ctx=CONTEXT),
    "select recv": lambda w, ch: w.select(nil.recv, ch.recv),
    "select send": lambda w, ch: w.select((ch.send, 1), (ch.send, 2)),
    "select timeout": lambda w, ch: w.select(ch.recv, timeout=1000),
    "iteration": lambda w, ch: w.values(ch).__anext__(),
}
CONTEXT = Cancellation()


ENDS = [(name, how) for name in WAITS for how in ("main returns", "main fails", "deadlock") if how != "deadlock" or "timeout" not in name]


@pytest.mark.parametrize(("name", "how"), ENDS)
@pytest.mark.parametrize("w", REAL, ids=repr)
def test_the_end_of_a_program_leaves_nobody_in_a_channel(w: World, name: str, how: str) -> None:
    """They get Goexit, in the channel's queue nothing of them is left, and the channel is as good as new, also for the next program."""
    ch, unwound = Chan[Any](), list[type[BaseException]]()

    async def waits() -> None:
        try:
            await WAITS[name](w, ch)
        except BaseException as error:
            unwound.append(type(error))
            raise

    async def main(w: World) -> None:
        goroutines = [w.go(waits) for _ in range(5)]
        while any(g.state != "waiting" for g in goroutines):
            await w.yield_now()
        if how == "main fails":
            raise KeyError("main")
        if how == "deadlock":
            await w.recv(nil)

    expected: Any = {"main fails": KeyError, "deadlock": DeadlockError}.get(how)
    with contextlib.nullcontext() if expected is None else pytest.raises(expected):
        w.run(main)
    assert unwound == [Goexit] * 5
    assert not ch.try_send(1)
    assert ch.try_recv() == (None, False)

    async def again(w: World) -> Any:
        async def sends() -> None:
            await w.send(ch, "again")

        w.go(sends)
        return await w.recv(ch)

    assert w.run(again) == "again"


@pytest.mark.parametrize("name", WAITS)
def test_waiting_again_at_the_end_is_ended_again(runtime_world: World, name: str) -> None:
    """Goexit was caught, and the goroutine waits again in its finally block: Goexit again, and nothing stays behind."""
    ch, log = Chan[Any](), list[str]()

    async def waits(w: World) -> None:
        try:
            await WAITS[name](w, ch)
        finally:
            try:
                await WAITS[name](w, ch)
            except Goexit:
                log.append("again")
                raise

    async def main(w: World) -> None:
        g = w.go(waits, w)
        while g.state != "waiting":
            await w.yield_now()

    runtime_world.run(main)
    assert log == ["again"]
    assert not ch.try_send(1)
    assert ch.try_recv() == (None, False)


def test_what_can_go_on_in_a_finally_block_at_the_end_does(runtime_world: World) -> None:
    """Only parking raises Goexit again: a send with room goes through, and the value can be received after the program."""
    out = Chan[str](5)

    async def waits(w: World, number: int) -> None:
        try:
            await w.recv(nil)
        finally:
            await w.send(out, f"goodbye {number}")

    async def main(w: World) -> None:
        goroutines = [w.go(waits, w, number) for number in range(5)]
        while any(g.state != "waiting" for g in goroutines):
            await w.yield_now()

    runtime_world.run(main)
    out.close()
    assert sorted(out) == [f"goodbye {number}" for number in range(5)]
