"""select: what Go's test/chan/select*.go prove, and what is its own: timeouts, values, indices."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import gosched
from gosched import Chan, ClosedChannelError, EndOfChannel, default, nil

from .worlds import World

Table = Callable[[World], Awaitable[Any]]


def closed() -> Chan[int]:
    ch = Chan[int]()
    ch.close()
    return ch


def holding(*values: int) -> Chan[int]:
    ch = Chan[int](len(values))
    for v in values:
        ch.send(v)
    return ch


async def self_select(w: World) -> Any:
    c = Chan[int]()
    return await w.select((c.send, 1), c.recv)


BLOCKS: dict[str, Table] = {
    "send on nil": lambda w: w.send(nil, 7),
    "receive on nil": lambda w: w.recv(nil),
    "comma-ok on nil": lambda w: w.recv_ok(nil),
    "receive, nobody sends": lambda w: w.recv(Chan()),
    "send, nobody receives": lambda w: w.send(Chan(), 7),
    "send, full": lambda w: w.send(holding(1), 7),
    "select without cases": lambda w: w.select(),
    "select, receive on nil": lambda w: w.select(nil.recv),
    "select, comma-ok on nil": lambda w: w.select(nil.recv_ok),
    "select, send on nil": lambda w: w.select((nil.send, 7)),
    "select, both on nil": lambda w: w.select(nil.recv, (nil.send, 7)),
    "select, receive, nobody sends": lambda w: w.select(Chan[int]().recv),
    "select, nobody and nil": lambda w: w.select(nil.recv, Chan[int]().recv, (Chan[int]().send, 1)),
    "select meets itself": self_select,
}

GOES_ON: dict[str, tuple[Table, Any]] = {
    "send, room": (lambda w: w.send(Chan(1), 7), None),
    "comma-ok on closed": (lambda w: w.recv_ok(closed()), (None, False)),
    "default alone": (lambda w: w.select(default), (0, None)),
    "default beside receive on nil": (lambda w: w.select(nil.recv, default), (1, None)),
    "default beside send on nil": (lambda w: w.select((nil.send, 7), default), (1, None)),
    "default beside nobody": (lambda w: w.select(default, Chan[int]().recv), (0, None)),
    "send with room beside default": (lambda w: w.select((Chan[int](1).send, 7), default), (0, None)),
    "receive beside default": (lambda w: w.select(default, holding(7).recv), (1, 7)),
    "comma-ok beside default": (lambda w: w.select(default, holding(7).recv_ok), (1, (7, True))),
    "select, comma-ok on closed": (lambda w: w.select(closed().recv_ok), (0, (None, False))),
    "select, comma-ok on closed, beside nil": (lambda w: w.select(nil.recv, closed().recv_ok), (1, (None, False))),
}

RAISES: dict[str, tuple[Table, type[BaseException]]] = {
    "send on closed": (lambda w: w.send(closed(), 7), ClosedChannelError),
    "receive on closed": (lambda w: w.recv(closed()), EndOfChannel),
    "select, send on closed": (lambda w: w.select((closed().send, 7)), ClosedChannelError),
    "select, send on closed beside default": (lambda w: w.select((closed().send, 7), default), ClosedChannelError),
    "select, receive on closed": (lambda w: w.select(closed().recv), EndOfChannel),
    "select, receive on closed beside default": (lambda w: w.select(default, closed().recv), EndOfChannel),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_select3_blocks(virtual: World, name: str) -> None:
    """select3: what always blocks."""

    async def main(w: World) -> list[Any]:
        came_back: list[Any] = []

        async def body() -> None:
            came_back.append(await BLOCKS[name](w))

        g = w.go(body)
        await w.all_blocked()
        assert g.state == "waiting"
        return came_back

    assert virtual.run(main) == []


@pytest.mark.parametrize("name", GOES_ON)
def test_select3_goes_on(world: World, name: str) -> None:
    """select3: what never blocks."""

    async def main(w: World) -> Any:
        return await GOES_ON[name][0](w)

    assert world.run(main) == GOES_ON[name][1]


@pytest.mark.parametrize("name", RAISES)
def test_select3_raises(world: World, name: str) -> None:
    """select3: what panics."""

    async def main(w: World) -> None:
        with pytest.raises(RAISES[name][1]) as caught:
            await RAISES[name][0](w)
        assert type(caught.value) is RAISES[name][1]
        assert isinstance(caught.value.channel, Chan)

    world.run(main)


def test_select_operands(world: World) -> None:
    """select, select5: operands are evaluated once each, in the order in which they stand, also those of a case that cannot go on."""

    async def main(w: World) -> None:
        log: list[str] = []

        def says(what: str, value: Any) -> Any:
            log.append(what)
            return value

        a, b = Chan[int](1), Chan[int](1)
        cases = (says("a", a).send, says("va", 1)), says("nil", nil).recv, (says("b", b).send, says("vb", 2))
        index, _ = await w.select(*cases)
        assert log == ["a", "va", "nil", "b", "vb"]
        assert (len(a), len(b)) == ((1, 0) if index == 0 else (0, 1))
        assert await w.recv((a, nil, b)[index]) == index // 2 + 1

    world.run(main)


def test_select_with_a_nil_that_switches_cases_off(world: World) -> None:
    """select: a counter goes out on one channel and on another, whichever is not nil at the time."""

    async def main(w: World) -> list[int]:
        a, b, out = Chan[int](), Chan[int](), list[int]()

        async def sends() -> None:
            left: list[Any] = [a, b]
            value = 0
            while any(left):
                index, _ = await w.select((left[0].send, value), (left[1].send, value))
                value += 1
                left[index] = nil

        w.go(sends)
        out.append(await w.recv(a))
        out.append(await w.recv(b))
        return out

    assert world.run(main) == [0, 1]


def test_select4(world: World) -> None:
    """select4: the case that is not chosen has no effect."""

    async def main(w: World) -> None:
        full, never = holding(42), Chan[int]()
        for _ in range(20):
            assert await w.select(never.recv, full.recv, nil.recv, (never.send, 1)) == (1, 42)
            assert await w.select((full.send, 42), never.recv) == (0, None)
        assert (len(full), len(never)) == (1, 0)

    world.run(main)


def test_select6(virtual: World) -> None:
    """select6: a select that loses leaves the queue behind it whole."""

    async def main(w: World) -> str:
        c1, c2, c3 = Chan[bool](), Chan[bool](), Chan[bool]()

        async def first() -> None:
            await w.recv(c1)

        async def second() -> None:
            index, _ = await w.select(c1.recv, c2.recv)
            assert index == 1
            await w.send(c3, True)
            await w.recv(c1)

        async def third() -> None:
            await w.send(c2, True)

        w.go(first)
        await w.all_blocked()
        w.go(second)
        await w.all_blocked()
        w.go(third)
        await w.recv(c3)
        await w.send(c1, True)
        await w.send(c1, True)
        assert not c1.try_send(True)
        return "passed"

    assert virtual.run(main) == "passed"


@pytest.mark.parametrize("order", ["sender first", "receiver first"])
@pytest.mark.parametrize("form", ["recv", "recv_ok", "select recv", "select recv_ok"])
def test_select7(virtual: World, order: str, form: str) -> None:
    """select7: a value that the receiver throws away is received all the same; the sender goes on."""

    async def main(w: World) -> str:
        ch, done = Chan[int](), Chan[str]()

        async def receives() -> None:
            await {"recv": w.recv, "recv_ok": w.recv_ok}[form](ch) if " " not in form else await w.select(getattr(ch, form.split()[1]))

        async def sends() -> None:
            await w.send(ch, 1)
            await w.send(done, "sent")

        for body in (sends, receives) if order == "sender first" else (receives, sends):
            w.go(body)
            await w.all_blocked()
        return str(await w.recv(done))

    assert virtual.run(main) == "sent"


def test_select8(world: World) -> None:
    """select8: a select inside a loop is left like any statement, with the channel as it was."""

    async def main(w: World) -> int:
        ch = holding(42, 43)
        while True:
            match await w.select(ch.recv, default):
                case 0, 42:
                    break
                case other:
                    raise AssertionError(other)
        return len(ch)

    assert world.run(main) == 1


def test_order_of_cases_is_the_index(world: World) -> None:
    async def main(w: World) -> list[int]:
        got = []
        for i in range(10):
            cases = [Chan[int]().recv for _ in range(10)]
            cases[i] = holding(i).recv
            index, value = await w.select(*cases)
            assert index == value
            got.append(index)
        return got

    assert world.run(main) == list(range(10))


def test_a_woken_select_tells_its_case(virtual: World) -> None:
    """The same for a select that had to wait, with a receive, a comma-ok and a send as the winner."""

    async def main(w: World) -> list[Any]:
        results = Chan[Any](10)
        for winner in range(4):
            a, b, c, d = (Chan[int]() for _ in range(4))

            async def selects(cases: Any = (a.recv, b.recv_ok, (c.send, 30), d.recv_ok)) -> None:
                await w.send(results, await w.select(*cases))

            w.go(selects)
            await w.all_blocked()
            if winner == 0:
                assert a.try_send(10)
            elif winner == 1:
                assert b.try_send(20)
            elif winner == 2:
                assert c.try_recv() == (30, True)
            else:
                d.close()
            await w.all_blocked()
            assert not a.try_send(0)
            assert not b.try_send(0)
            assert c.try_recv() == (None, False)
        return [await w.recv(results) for _ in range(4)]

    assert virtual.run(main) == [(0, 10), (1, (20, True)), (2, None), (3, (None, False))]


def test_end_of_channel_tells_index_and_channel(virtual: World) -> None:
    """At once, and after a wait."""

    async def main(w: World) -> list[Any]:
        a, b, told = Chan[int](), Chan[int](), list[Any]()

        async def selects() -> None:
            with pytest.raises(EndOfChannel, match=r"^receive on closed channel$") as caught:
                await w.select(a.recv, nil.recv, b.recv)
            told.append((caught.value.index, caught.value.channel is b))

        w.go(selects)
        await w.all_blocked()
        b.close()
        await w.all_blocked()
        w.go(selects)
        await w.all_blocked()
        with pytest.raises(EndOfChannel) as caught:
            await w.recv(b)
        told.append((caught.value.index, caught.value.channel is b))
        return told

    assert virtual.run(main) == [(2, True), (2, True), (None, True)]


def test_many_cases(world: World) -> None:
    """Hundreds of channels, locked together and left again."""
    n = 300

    async def main(w: World) -> list[int]:
        channels = [Chan[int]() for _ in range(n)]

        async def sends() -> None:
            for i in range(0, n, 50):
                await w.send(channels[i], i)

        w.go(sends)
        got = []
        for _ in range(0, n, 50):
            index, value = await w.select(*(c.recv for c in channels))
            assert index == value
            got.append(value)
        assert not any(c.try_send(0) for c in channels)
        return got

    assert world.run(main) == list(range(0, n, 50))


def test_selects_over_the_same_channels_in_opposite_orders(world: World) -> None:
    """Locks are taken in one order for all: no deadlock, and each value goes to one."""
    n = 200

    async def main(w: World) -> int:
        a, b, done = Chan[int](), Chan[int](), Chan[int]()

        async def sends(x: Chan[int], y: Chan[int]) -> None:
            for i in range(n):
                await w.select((x.send, i), (y.send, i))

        async def receives(x: Chan[int], y: Chan[int]) -> None:
            total = 0
            for _ in range(n):
                total += (await w.select(x.recv, y.recv))[1]
            await w.send(done, total)

        w.go(sends, a, b)
        w.go(sends, b, a)
        w.go(receives, b, a)
        w.go(receives, a, b)
        return int(await w.recv(done) + await w.recv(done))

    assert world.run(main) == n * (n - 1)


def test_selects_meet_each_other(virtual: World) -> None:
    """Both sides select; whoever comes second finds the other one's case."""

    async def main(w: World) -> None:
        a, b, log = Chan[int](), Chan[int](), Chan[Any](10)

        async def sends() -> None:
            await w.send(log, ("sent", (await w.select((a.send, 1), (b.send, 2)))[0]))

        async def receives() -> None:
            await w.send(log, ("received", await w.select(a.recv, b.recv)))

        w.go(sends)
        w.go(receives)
        both = dict([await w.recv(log), await w.recv(log)])
        index, value = both["received"]
        assert both["sent"] == index == value - 1
        assert not a.try_send(0)
        assert b.try_recv() == (None, False)

    for seed in range(10):
        virtual.run(main, seed=seed)


def test_duplicate_cases_of_a_waiting_select_are_chosen_at_random(virtual: World) -> None:
    """Also when the select had to wait: the twin that stands first in the channel's queue is not always the same."""

    async def main(w: World) -> list[int]:
        c, seen = Chan[int](), Chan[int](100)

        async def selects() -> None:
            while True:
                await w.send(seen, (await w.select(c.recv, c.recv))[0])

        w.go(selects)
        for _ in range(100):
            await w.all_blocked()
            assert c.try_send(0)
        await w.all_blocked()
        return [await w.recv(seen) for _ in range(100)]

    assert 10 < sum(virtual.run(main)) < 90


def test_select_is_both_spellings() -> None:
    """The awaited one does nothing until it is awaited."""

    async def main() -> tuple[int | None, Any]:
        ch = holding(1)
        later = gosched.aselect(ch.recv)
        assert len(ch) == 1
        return await later

    assert gosched.run(main) == (0, 1)
