"""What Go's runtime/chan_test.go proves, under Go's names, in every spelling and place."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import gosched
from gosched import Chan, ClosedChannelError, EndOfChannel, WaitGroup, default

from .worlds import VIRTUAL, World, started_and_done

CAPACITIES = [0, 1, 2, 3, 10, 199]


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_chan_receive_from_empty_blocks(virtual: World, capacity: int) -> None:
    """TestChan: a receive from an empty channel blocks, one that tries does not."""

    async def main(w: World) -> None:
        c = Chan[int](capacity)
        got: list[Any] = []

        async def receives() -> None:
            got.append(await w.recv(c))

        async def receives_ok() -> None:
            got.append(await w.recv_ok(c))

        w.go(receives)
        w.go(receives_ok)
        await w.all_blocked()
        assert got == []
        assert c.try_recv() == (None, False)
        assert await w.select(c.recv, default) == (1, None)
        assert await w.select(c.recv_ok, default) == (1, None)
        await w.send(c, 0)
        await w.send(c, 0)
        await w.all_blocked()
        assert len(got) == 2
        assert 0 in got
        assert (0, True) in got

    virtual.run(main)


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_chan_send_to_full_blocks(virtual: World, capacity: int) -> None:
    """TestChan: a send to a full channel blocks, one that tries does not."""

    async def main(w: World) -> None:
        c = Chan[int](capacity)
        for i in range(capacity):
            await w.send(c, i)
        sent: list[int] = []

        async def sends() -> None:
            await w.send(c, capacity)
            sent.append(1)

        w.go(sends)
        await w.all_blocked()
        assert sent == []
        assert not c.try_send(-1)
        assert await w.select((c.send, -1), default) == (1, None)
        assert [await w.recv(c) for _ in range(capacity + 1)] == list(range(capacity + 1))
        await w.all_blocked()
        assert sent == [1]
        assert c.try_recv() == (None, False)

    virtual.run(main)


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_chan_drained_after_close(world: World, capacity: int) -> None:
    """TestChan: what is buffered can be received after close, then comes the end, again and again."""

    async def main(w: World) -> None:
        c = Chan[int](capacity)
        for i in range(capacity):
            await w.send(c, i)
        c.close()
        assert c.closed
        assert [await w.recv(c) for _ in range(capacity)] == list(range(capacity))
        for _ in range(2):
            with pytest.raises(EndOfChannel, match=r"^receive on closed channel$"):
                await w.recv(c)
            assert await w.recv_ok(c) == (None, False)

    world.run(main)


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_chan_close_unblocks_receive(virtual: World, capacity: int) -> None:
    """TestChan: close wakes all who wait to receive."""

    async def main(w: World) -> Counter[Any]:
        c, done = Chan[int](capacity), Chan[Any](10)

        async def receives_ok() -> None:
            await w.send(done, await w.recv_ok(c))

        async def receives() -> None:
            try:
                await w.recv(c)
            except EndOfChannel:
                await w.send(done, "end")

        async def selects() -> None:
            await w.send(done, await w.select(c.recv_ok))

        for body in (receives_ok, receives, selects, receives, receives_ok):
            w.go(body)
        await w.all_blocked()
        c.close()
        return Counter([await w.recv(done) for _ in range(5)])

    assert virtual.run(main) == Counter({(None, False): 2, "end": 2, (0, (None, False)): 1})


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_chan_close_unblocks_send(virtual: World, capacity: int) -> None:
    """Senders that wait get the error, and what they wanted to send is in nobody's hands."""

    async def main(w: World) -> list[Any]:
        c, done = Chan[int](capacity), Chan[Any](10)
        for i in range(capacity):
            await w.send(c, i)

        async def sends() -> None:
            with pytest.raises(ClosedChannelError, match=r"^send on closed channel$") as caught:
                await w.send(c, -1)
            await w.send(done, caught.value.channel is c)

        async def selects() -> None:
            with pytest.raises(ClosedChannelError, match=r"^send on closed channel$") as caught:
                await w.select((c.send, -1))
            await w.send(done, caught.value.channel is c)

        for body in (sends, selects, sends):
            w.go(body)
        await w.all_blocked()
        c.close()
        assert [await w.recv(done) for _ in range(3)] == [True] * 3
        return [v async for v in w.values(c)]

    assert virtual.run(main) == list(range(capacity))


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_chan_fifo(world: World, capacity: int) -> None:
    """TestChan: 100 integers come out as they went in, by either form of receive."""

    async def main(w: World) -> None:
        c = Chan[int](capacity)

        async def sends() -> None:
            for i in range(100):
                await w.send(c, i)

        w.go(sends)
        assert [await w.recv(c) for _ in range(100)] == list(range(100))
        w.go(sends)
        assert [await w.recv_ok(c) for _ in range(100)] == [(i, True) for i in range(100)]

    world.run(main)


@pytest.mark.parametrize("capacity", [0, 1, 10])
def test_chan_many_to_many(world: World, capacity: int) -> None:
    """TestChan: 4 senders, 4 receivers, nothing lost and nothing twice."""
    p, n = 4, 200

    async def main(w: World) -> Counter[int]:
        c, done = Chan[int](capacity), Chan[Counter[int]]()

        async def sends() -> None:
            for i in range(n):
                await w.send(c, i)

        async def receives() -> None:
            await w.send(done, Counter([await w.recv(c) for _ in range(n)]))

        for _ in range(p):
            w.go(sends)
            w.go(receives)
        total = Counter[int]()
        for _ in range(p):
            total += await w.recv(done)
        return total

    assert world.run(main) == Counter(dict.fromkeys(range(n), p))


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_chan_len_cap(capacity: int) -> None:
    """TestChan: len and capacity."""
    c = Chan[int](capacity)
    for i in range(capacity):
        assert (len(c), c.capacity, bool(c)) == (i, capacity, True)
        c.send(i)
    assert (len(c), c.capacity, c.closed) == (capacity, capacity, False)


def test_nonblock_recv_race(world: World) -> None:
    """TestNonblockRecvRace: of a buffered value and a close, a receive that tries sees the value, whoever else receives."""

    async def main(w: World) -> None:
        wg = WaitGroup()
        for _ in range(100):
            c = Chan[int](1)
            await w.send(c, 1)

            async def tries(c: Chan[int] = c) -> None:
                index, _ = await w.select(c.recv_ok, default)
                assert index == 0, "chan is not ready"

            started_and_done(w, wg, tries)
            c.close()
            await w.recv_ok(c)
        await w.wait(wg)

    world.run(main)


@pytest.mark.parametrize("closes", [False, True], ids=["TestNonblockSelectRace", "TestNonblockSelectRace2"])
def test_nonblock_select_race(world: World, closes: bool) -> None:
    """One of two channels is ready at every moment: a select with default never takes the default."""

    async def main(w: World) -> None:
        done = Chan[bool](1)
        for _ in range(200):
            c1, c2 = Chan[int](1), Chan[int](0 if closes else 1)
            await w.send(c1, 1)

            async def tries(c1: Chan[int] = c1, c2: Chan[int] = c2) -> None:
                index, _ = await w.select(c1.recv_ok, c2.recv_ok, default)
                await w.send(done, index != 2)

            w.go(tries)
            if closes:
                c2.close()
            else:
                await w.send(c2, 1)
            await w.select(c1.recv, default)
            assert await w.recv(done), "no chan is ready"

    world.run(main)


@pytest.mark.parametrize("closes", [False, True], ids=["TestNonblockSelectRace", "TestNonblockSelectRace2"])
@pytest.mark.parametrize("w", VIRTUAL, ids=repr)
def test_nonblock_select_race_in_many_orders(w: World, closes: bool) -> None:
    async def main(w: World) -> None:
        done = Chan[bool](1)
        c1, c2 = Chan[int](1), Chan[int](0 if closes else 1)
        await w.send(c1, 1)

        async def tries() -> None:
            index, _ = await w.select(c1.recv_ok, c2.recv_ok, default)
            await w.send(done, index != 2)

        w.go(tries)
        await w.yield_now()
        if closes:
            c2.close()
        else:
            await w.send(c2, 1)
        await w.yield_now()
        await w.select(c1.recv, default)
        assert await w.recv(done), "no chan is ready"

    for seed in range(20):
        w.run(main, seed=seed)


@pytest.mark.parametrize("capacity", [0, 10])
def test_self_select(world: World, capacity: int) -> None:
    """TestSelfSelect: send and receive on one channel in one select: no deadlock, and nobody receives from itself when there is no buffer."""

    async def main(w: World) -> None:
        c, wg = Chan[int](capacity), WaitGroup()

        async def player(p: int) -> None:
            for i in range(200):
                if p == 0 or i % 2 == 0:
                    index, value = await w.select((c.send, p), c.recv)
                    received = index == 1
                else:
                    index, value = await w.select(c.recv, (c.send, p))
                    received = index == 0
                assert not (received and capacity == 0 and value == p), "self receive"

        for p in range(2):
            started_and_done(w, wg, player, p)
        await w.wait(wg)

    world.run(main)


def test_select_stress(world: World) -> None:
    """TestSelectStress: sends, receives and selects over four channels of three kinds all complete."""
    n = 100

    async def main(w: World) -> None:
        c = [Chan[int](), Chan[int](), Chan[int](2), Chan[int](3)]
        wg = WaitGroup()

        async def sends(k: int) -> None:
            for _ in range(n):
                await w.send(c[k], 0)

        async def receives(k: int) -> None:
            for _ in range(n):
                await w.recv(c[k])

        async def selects(which: str) -> None:
            left = [n] * 4
            while any(left):
                open_ones = [k for k in range(4) if left[k]]
                cases = [(c[k].send, 0) if which == "send" else c[k].recv for k in open_ones]
                index, _ = await w.select(*cases)
                left[open_ones[index]] -= 1

        for k in range(4):
            started_and_done(w, wg, sends, k)
            started_and_done(w, wg, receives, k)
        started_and_done(w, wg, selects, "send")
        started_and_done(w, wg, selects, "recv")
        await w.wait(wg)
        assert [len(x) for x in c] == [0, 0, 0, 0]

    world.run(main)


def fair(chosen: int, trials: int) -> bool:
    """Within 10 sigma of a half."""
    return abs(chosen - trials / 2) <= 10 * (trials / 4) ** 0.5


def test_select_fairness(world: World) -> None:
    """TestSelectFairness: of two that are always ready each is taken about as often; of those that never are, none."""
    trials = 1000

    async def main(w: World) -> list[int]:
        c1, c2, c3, c4 = Chan[int](trials + 1), Chan[int](trials + 1), Chan[int](), Chan[int]()
        for _ in range(trials + 1):
            await w.send(c1, 1)
            await w.send(c2, 2)
        return [(await w.select(c3.recv, c1.recv, c4.recv, c2.recv))[1] for _ in range(trials)]

    got = world.run(main)
    assert set(got) <= {1, 2}
    assert fair(got.count(1), trials)


def test_select_fairness_of_closed_channels(world: World) -> None:
    """The same when the two are ready because they are closed, and with a default that never gets its turn."""
    trials = 1000

    async def main(w: World) -> list[int]:
        c1, c2 = Chan[int](), Chan[int]()
        c1.close()
        c2.close()
        return [(await w.select(c1.recv_ok, default, c2.recv_ok))[0] for _ in range(trials)]

    got = world.run(main)
    assert set(got) <= {0, 2}
    assert fair(got.count(0), trials)


def test_pseudo_random_send(world: World) -> None:
    """TestPseudoRandomSend: a channel that stands in two send cases; both are chosen often."""
    n = 200

    async def main(w: World) -> None:
        for capacity in (0, 100):
            c, m, sent = Chan[int](capacity), Chan[bool](), [0, 0]

            async def receives(c: Chan[int] = c, m: Chan[bool] = m, sent: list[int] = sent) -> None:
                for i in range(n):
                    await w.yield_now()
                    sent[await w.recv(c)] += 1
                    if i == n - 1:
                        await w.send(m, True)

            w.go(receives)
            for _ in range(n):
                await w.select((c.send, 1), (c.send, 0))
            await w.recv(m)
            assert min(sent) > n / 10

    world.run(main)


def test_chan_send_interface(world: World) -> None:
    """TestChanSendInterface: any object goes through every form of select, and comes out as itself."""

    async def main(w: World) -> None:
        class Thing:
            pass

        thing = Thing()
        c = Chan[Any](1)
        for cases in ([(c.send, thing)], [(c.send, thing), default], [(c.send, thing), (c.send, thing)], [default, (c.send, thing)]):
            index, value = await w.select(*cases)
            assert (cases[index] is default, value) == (False, None)
            assert await w.recv(c) is thing
        for value in (None, (), (1, 2), default, EndOfChannel, c, gosched.nil, False, Exception("as a value")):
            await w.select((c.send, value))
            assert await w.select(c.recv) == (0, value)

    world.run(main)


def test_multi_consumer(world: World) -> None:
    """TestMultiConsumer: 23 workers that iterate over one channel handle every item exactly once."""
    workers, total = 23, 300

    async def main(w: World) -> list[int]:
        q, r, wg = Chan[int](total * 3), Chan[int](total * 3), WaitGroup()

        async def works() -> None:
            async for v in w.values(q):
                if v % 5 == 0:
                    await w.yield_now()
                await w.send(r, v)

        for _ in range(workers):
            started_and_done(w, wg, works)
        for i in range(total):
            await w.send(q, i)
        q.close()
        await w.wait(wg)
        r.close()
        return [v async for v in w.values(r)]

    assert sorted(world.run(main)) == list(range(total))


def test_select_duplicate_channel(virtual: World) -> None:
    """TestSelectDuplicateChannel: a channel twice in one select leaves its queue whole for who waits behind."""

    async def main(w: World) -> list[str]:
        c, d, e = Chan[int](), Chan[int](), Chan[str]()
        log: list[str] = []

        async def selects() -> None:
            await w.select(c.recv, c.recv, d.recv)
            await w.send(e, "selected")

        async def waits_behind() -> None:
            log.append(f"received {await w.recv(c)}")
            await w.send(e, "received")

        w.go(selects)
        await w.all_blocked()
        w.go(waits_behind)
        await w.all_blocked()
        await w.send(d, 7)
        log.append(await w.recv(e))
        await w.send(c, 8)
        log.append(await w.recv(e))
        assert not c.try_send(9)
        return log

    assert virtual.run(main) == ["selected", "received 8", "received"]
