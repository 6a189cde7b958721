"""The programs of Go's test/chan, under their names: order, sieves, daisy chains, power series. The tables of select are in test_select.py."""

from __future__ import annotations

from collections.abc import AsyncIterator
from fractions import Fraction
from typing import Any

import pytest

from gosched import Chan, WaitGroup, nil

from .worlds import Threads, World, started_and_done


def test_fifo_buffered(world: World) -> None:
    """fifo: AsynchFifo."""

    async def main(w: World) -> list[int]:
        ch = Chan[int](10)
        for i in range(10):
            await w.send(ch, i)
        return [await w.recv(ch) for _ in range(10)]

    assert world.run(main) == list(range(10))


def test_fifo_chained(world: World) -> None:
    """fifo: SynchFifo: each link lets the next one go on only after its own turn."""

    async def main(w: World) -> list[int]:
        ch, order, wg = Chan[int](), list[int](), WaitGroup()

        async def link(i: int, before: Chan[int], after: Chan[int]) -> None:
            await w.recv(before)
            order.append(await w.recv(ch))
            await w.send(after, i)

        before = first = Chan[int]()
        for i in range(10):
            after = Chan[int](1)
            started_and_done(w, wg, link, i, before, after)
            before = after
        await w.send(first, 0)
        for i in range(10):
            await w.send(ch, i)
        await w.wait(wg)
        return order

    assert world.run(main) == list(range(10))


def test_goroutines(world: World) -> None:
    """goroutines: a daisy chain of thousands; of as many threads as one may have, where each needs one."""
    n = 100 if world.plain else 10_000

    async def main(w: World) -> int:
        async def link(left: Chan[int], right: Chan[int]) -> None:
            await w.send(left, await w.recv(right) + 1)

        leftmost = left = Chan[int]()
        for _ in range(n):
            right = Chan[int]()
            w.go(link, left, right)
            left = right
        await w.send(left, 0)
        return int(await w.recv(leftmost))

    assert world.run(main) == n


@pytest.mark.parametrize("capacity", [0, 1])
@pytest.mark.parametrize(("there", "back"), [(123, 234), (True, False), ("hello", "hello again"), (None, ()), (1.5, 2**70)], ids=repr)
def test_nonblock(virtual: World, capacity: int, there: Any, back: Any) -> None:
    """nonblock: try_send and try_recv against a peer that waits, and against none."""

    async def main(w: World) -> None:
        c, strobe, got = Chan[Any](capacity), Chan[bool](), list[Any]()

        async def receives() -> None:
            got.append(await w.recv(c))
            await w.send(strobe, True)

        async def sends() -> None:
            await w.send(c, back)
            await w.send(strobe, True)

        assert c.try_recv() == (None, False)
        w.go(receives)
        await w.all_blocked()
        assert c.try_send(there)
        await w.recv(strobe)
        assert got == [there]
        w.go(sends)
        await w.all_blocked()
        assert c.try_recv() == (back, True)
        await w.recv(strobe)
        assert c.try_recv() == (None, False)
        assert c.try_send(0) == (capacity == 1)
        assert not c.try_send(0)

    virtual.run(main)


def test_nonblock_against_real_peers(world: World) -> None:
    """The same with peers that may or may not be there yet: in the end it goes through, once."""

    async def main(w: World) -> list[int]:
        c, d = Chan[int](), Chan[int]()

        async def echo() -> None:
            for _ in range(50):
                await w.send(d, await w.recv(c))

        w.go(echo)
        got = []
        for i in range(50):
            while not c.try_send(i):
                await w.yield_now()
            ok = False
            while not ok:
                value, ok = d.try_recv()
                await w.yield_now()
            got.append(value)
        return got

    assert world.run(main) == list(range(50))


def test_doubleselect(world: World) -> None:
    """doubleselect: never do two cases of one select both fire."""
    n = 500

    async def main(w: World) -> list[int]:
        channels = [Chan[int]() for _ in range(4)]
        together, wg = Chan[int](), WaitGroup()

        async def sender() -> None:
            for i in range(n):
                await w.select(*((c.send, i) for c in channels))
            for c in channels:
                c.close()

        async def mux(c: Chan[int]) -> None:
            async for v in w.values(c):
                await w.send(together, v)

        w.go(sender)
        for c in channels:
            started_and_done(w, wg, mux, c)

        async def closer() -> None:
            await w.wait(wg)
            together.close()

        w.go(closer)
        return [v async for v in w.values(together)]

    got = world.run(main)
    assert len(got) == n, "lost, or received twice"
    assert sorted(got) == list(range(n))


@pytest.mark.parametrize("version", ["sieve1", "sieve2"])
def test_sieve(world: World, version: str) -> None:
    """sieve1: a chain of filters over unbuffered channels; sieve2: with buffers. Ends by closing, so that threads can be joined."""
    capacity = 0 if version == "sieve1" else 4
    upto = 60

    async def main(w: World) -> list[int]:
        async def generate(out: Chan[int]) -> None:
            for i in range(2, upto):
                await w.send(out, i)
            out.close()

        async def filters(source: Chan[int], out: Chan[int], prime: int) -> None:
            async for i in w.values(source):
                if i % prime:
                    await w.send(out, i)
            out.close()

        ch = Chan[int](capacity)
        w.go(generate, ch)
        primes = []
        while True:
            prime, ok = await w.recv_ok(ch)
            if not ok:
                return primes
            primes.append(prime)
            behind = Chan[int](capacity)
            w.go(filters, ch, behind, prime)
            ch = behind

    assert world.run(main) == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59]


@pytest.mark.parametrize("value", [None, (), b"", object()], ids=["None", "()", "b''", "object"])
def test_zerosize(world: World, value: object) -> None:
    """zerosize: values without content take their turn like any other."""

    async def main(w: World) -> list[object]:
        c = Chan[object](2)
        await w.send(c, value)
        await w.send(c, value)
        assert len(c) == 2
        c.close()
        return [v async for v in w.values(c)]

    got = world.run(main)
    assert len(got) == 2
    assert all(v is value for v in got)


# ---- powser1, powser2: power series as goroutines that answer to demand ----


class Series:
    """Terms flow on `dat` when asked for on `req`."""

    def __init__(self) -> None:
        self.req: Chan[int] = Chan()
        self.dat: Chan[Fraction] = Chan()


class Algebra:
    """McIlroy's power series. Every operation starts goroutines of its own, most of which wait for ever at the end."""

    def __init__(self, w: World) -> None:
        self.w = w

    async def get(self, series: Series) -> Fraction:
        await self.w.send(series.req, 0)
        term: Fraction = await self.w.recv(series.dat)
        return term

    async def both(self, a: Series, b: Series) -> list[Fraction]:
        """A term of each, asked for and received in whichever order they are ready: nil takes out the cases that are through."""
        req: list[Any] = [a.req, b.req]
        dat: list[Any] = [nil, nil]
        out = [Fraction(0), Fraction(0)]
        for _ in range(4):
            index, term = await self.w.select((req[0].send, 0), (req[1].send, 0), dat[0].recv, dat[1].recv)
            if index < 2:
                req[index], dat[index] = nil, (a, b)[index].dat
            else:
                out[index - 2], dat[index - 2] = term, nil
        return out

    def made_of(self, terms: AsyncIterator[Fraction]) -> Series:
        series = Series()

        async def answers() -> None:
            while True:
                await self.w.recv(series.req)
                await self.w.send(series.dat, await anext(terms))

        self.w.go(answers)
        return series

    def split(self, source: Series) -> tuple[Series, Series]:
        """Two copies, which may be read at different rates: one select answers both and asks the source, and nil takes out what is not due."""
        outs = (Series(), Series())

        async def serves() -> None:
            terms: list[Fraction] = []
            at, asked, fetching = [0, 0], [False, False], False
            while True:
                wanted = any(asked[i] and at[i] == len(terms) for i in (0, 1))
                req: Chan[int] = source.req if wanted and not fetching else nil
                cases: list[Any] = [(req.send, 0), source.dat.recv if fetching else nil.recv]
                for i in (0, 1):
                    cases.append(nil.recv if asked[i] else outs[i].req.recv)
                    due = asked[i] and at[i] < len(terms)
                    cases.append((outs[i].dat.send, terms[at[i]]) if due else nil.recv)
                match await self.w.select(*cases):
                    case 0, _:
                        fetching = True
                    case 1, term:
                        terms.append(term)
                        fetching = False
                    case (2 | 4) as index, _:
                        asked[index // 2 - 1] = True
                    case index, _:
                        asked[index // 2 - 1] = False
                        at[index // 2 - 1] += 1

        self.w.go(serves)
        return outs

    def rep(self, c: Fraction) -> Series:
        async def terms() -> AsyncIterator[Fraction]:
            while True:
                yield c

        return self.made_of(terms())

    def add(self, a: Series, b: Series) -> Series:
        async def terms() -> AsyncIterator[Fraction]:
            while True:
                yield sum(await self.both(a, b), Fraction(0))

        return self.made_of(terms())

    def times(self, c: Fraction, a: Series) -> Series:
        async def terms() -> AsyncIterator[Fraction]:
            while True:
                yield c * await self.get(a)

        return self.made_of(terms())

    def mul(self, a: Series, b: Series) -> Series:
        """(u + xU)(v + xV) = uv + x(uV + vU) + xx(UV)"""

        async def terms() -> AsyncIterator[Fraction]:
            u, v = await self.both(a, b)
            yield u * v
            a1, a2 = self.split(a)
            b1, b2 = self.split(b)
            middle = self.add(self.times(u, b1), self.times(v, a1))
            yield await self.get(middle)
            rest = self.add(middle, self.mul(a2, b2))
            while True:
                yield await self.get(rest)

        return self.made_of(terms())

    def diff(self, a: Series) -> Series:
        async def terms() -> AsyncIterator[Fraction]:
            await self.get(a)
            i = 1
            while True:
                yield i * await self.get(a)
                i += 1

        return self.made_of(terms())

    def integ(self, c: Fraction, a: Series) -> Series:
        async def terms() -> AsyncIterator[Fraction]:
            yield c
            i = 1
            while True:
                yield await self.get(a) / i
                i += 1

        return self.made_of(terms())

    def exp(self, a: Series) -> Series:
        """Z = 1 + ∫ Z A': the series is made of itself."""
        loop = Series()
        out, back = self.split(loop)
        inner = self.integ(Fraction(1), self.mul(back, self.diff(a)))

        async def closes_the_loop() -> None:
            while True:
                await self.w.recv(loop.req)
                await self.w.send(loop.dat, await self.get(inner))

        self.w.go(closes_the_loop)
        return out

    def mon_subst(self, a: Series, c: Fraction, n: int) -> Series:
        """A(c xⁿ)"""

        async def terms() -> AsyncIterator[Fraction]:
            power = Fraction(1)
            while True:
                yield power * await self.get(a)
                power *= c
                for _ in range(n - 1):
                    yield Fraction(0)

        return self.made_of(terms())

    async def first(self, n: int, series: Series) -> list[Fraction]:
        return [await self.get(series) for _ in range(n)]


@pytest.mark.parametrize("n", [6])
def test_powser(runtime_world: World, n: int) -> None:
    """powser1, powser2."""

    async def main(w: World) -> None:
        p = Algebra(w)
        one = Fraction(1)
        assert await p.first(n, p.rep(one)) == [one] * n
        assert await p.first(n, p.add(p.rep(one), p.rep(one * 2))) == [Fraction(3)] * n
        assert await p.first(n, p.times(-one, p.rep(one * 2))) == [Fraction(-2)] * n
        assert await p.first(n, p.diff(p.rep(one))) == [Fraction(i + 1) for i in range(n)]
        assert await p.first(n, p.integ(Fraction(0), p.rep(one))) == [Fraction(0), *(Fraction(1, i) for i in range(1, n))]
        assert await p.first(n, p.mul(p.rep(one), p.rep(one))) == [Fraction(i + 1) for i in range(n)]
        exp = [Fraction(1), Fraction(1), Fraction(3, 2), Fraction(13, 6), Fraction(73, 24), Fraction(167, 40), Fraction(4051, 720)]
        assert await p.first(n, p.exp(p.rep(one))) == exp[:n]
        atan = await p.first(n, p.integ(Fraction(0), p.mon_subst(p.rep(one), -one, 2)))
        assert atan == [Fraction(0) if i % 2 == 0 else Fraction((-1) ** (i // 2), i) for i in range(n)]

    runtime_world.run(main)


def test_threads_are_no_goroutines() -> None:
    """What the worlds promise: in the world of threads nothing runs in a runtime."""

    async def main(w: World) -> str:
        from gosched.core.snapshot import current_goroutine

        return repr(current_goroutine())

    assert Threads().run(main) == "None"
