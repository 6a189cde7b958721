"""Goroutines that wait for what nobody else can reach."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched import (
    Chan,
    Cond,
    DeadlockError,
    Event,
    Mutex,
    Runtime,
    RWMutex,
    Semaphore,
    Ticker,
    WaitGroup,
    aselect,
    asleep,
    find_deadlocks,
    go,
    nil,
    run,
)
from gosched.core.interrupt import Cancellation
from gosched.testing import virtual_run
from tests.builds import COMPILED
from tests.deadlocks.finding import Found, found, judged, named, receive, send, start
from tests.sync.spelled import settled

KEPT: list[Any] = []
Program = Callable[[], Any]


# ---- lost ----


async def receiver() -> None:
    start(receive, Chan())


async def sender() -> None:
    start(send, Chan())


async def sender_of_itself() -> None:
    ch: Chan[Any] = Chan()
    start(send, ch, ch)


async def iteration() -> None:
    async def each(ch: Chan[Any]) -> None:
        async for _ in ch:
            pass

    start(each, Chan())


async def operation() -> None:
    start(Chan().arecv)


async def selection() -> None:
    async def choose(a: Chan[Any], b: Chan[Any]) -> None:
        await aselect(a.recv, (b.send, 1), nil.recv)

    start(choose, Chan(), Chan())


async def closure() -> None:
    ch: Chan[Any] = Chan()

    async def inner() -> None:
        await ch.arecv()

    start(inner)


async def method() -> None:
    class Worker:
        def __init__(self) -> None:
            self.ch: Chan[Any] = Chan()
            self.me = self

        async def work(self) -> None:
            await self.ch.arecv()

    start(Worker().work)


async def deep() -> None:
    async def outer(ch: Chan[Any]) -> None:
        async def middle() -> None:
            await receive(ch)

        await middle()

    start(outer, Chan())


async def generator() -> None:
    async def values(ch: Chan[Any]) -> Any:
        while True:
            yield await ch.arecv()

    async def consume(ch: Chan[Any]) -> None:
        async for _ in values(ch):
            pass

    start(consume, Chan())


async def cancelled_by_nobody() -> None:
    async def wait() -> None:
        await Chan().arecv(ctx=Cancellation())

    start(wait)


async def group() -> None:
    async def wait() -> None:
        wg = WaitGroup()
        wg.add(1)
        await wg

    start(wait)


async def event() -> None:
    async def wait() -> None:
        await Event()

    start(wait)


async def condition() -> None:
    async def wait() -> None:
        cond = Cond(Mutex())
        await cond.mutex.alock()
        await cond

    start(wait)


async def semaphore() -> None:
    async def wait() -> None:
        await Semaphore(0).aacquire()

    start(wait)


async def readers() -> None:
    async def wait() -> None:
        m = RWMutex()
        await m.arlock()
        await m.alock()

    start(wait)


async def weakly_known() -> None:
    ch: Chan[Any] = Chan()
    KEPT.append(weakref.ref(ch))
    start(receive, ch)


async def stopped_ticker() -> None:
    async def wait() -> None:
        ticker = Ticker(1)
        ticker.stop()
        await ticker.c.arecv()

    start(wait)


async def known_by_its_handle() -> None:
    """Who has a Goroutine cannot wake it."""
    KEPT.append(go(receive, Chan(), name="lost"))


LOST = [
    *(receiver, sender, sender_of_itself, iteration, operation, selection, closure, method, deep, generator, cancelled_by_nobody, group, event),
    *(condition, semaphore, readers, weakly_known, stopped_ticker, known_by_its_handle),
]


@judged
@pytest.mark.parametrize("program", LOST, ids=lambda p: p.__name__)
def test_lost(program: Program) -> None:
    async def main() -> tuple[Found, Found]:
        KEPT.clear()
        await program()
        return await found(), await found()

    assert virtual_run(main) == ([("unreachable", ["lost"])],) * 2
    KEPT.clear()


@judged
def test_a_chain_is_lost_with_its_end() -> None:
    """The first waits for the second's channel, and the second is lost."""

    async def second(its: Chan[Any]) -> None:
        await Chan().arecv()
        await its.asend(1)

    async def main() -> Found:
        ch: Chan[Any] = Chan()
        start(receive, ch, name="first")
        start(second, ch, name="second")
        del ch
        return await found()

    assert virtual_run(main) == [("unreachable", ["first"]), ("unreachable", ["second"])]


@judged
def test_a_lock_held_by_one_that_waits_for_the_other() -> None:
    async def holds(m: Mutex, ch: Chan[Any]) -> None:
        async with m:
            await ch.arecv()

    async def wants(m: Mutex, ch: Chan[Any]) -> None:
        async with m:
            await ch.asend(1)

    async def main() -> Found:
        m, ch = Mutex(), Chan[Any]()
        start(holds, m, ch, name="holds")
        await settled()
        start(wants, m, ch, name="wants")
        del m, ch
        result = await found()
        (deadlock,) = find_deadlocks()
        assert {wait.goroutine.name: wait.held_by and wait.held_by.name for wait in deadlock.waits} == {"holds": None, "wants": "holds"}
        return result

    assert virtual_run(main) == [("unreachable", ["holds", "wants"])]


@judged
def test_those_that_share_a_channel_are_one_deadlock() -> None:
    async def main() -> Found:
        ch: Chan[Any] = Chan()
        for name in ("a", "b", "c"):
            start(receive, ch, name=name)
        del ch
        start(receive, Chan(), name="d")
        return await found()

    assert virtual_run(main) == [("unreachable", ["a", "b", "c"]), ("unreachable", ["d"])]


@judged
def test_local_locks_in_a_cycle_are_reported_once() -> None:
    async def taker(first: Mutex, second: Mutex) -> None:
        async with first:
            await asleep(1)
            async with second:
                pass

    async def main() -> Found:
        a, b = Mutex(), Mutex()
        start(taker, a, b, name="one")
        start(taker, b, a, name="two")
        del a, b
        await asleep(2)
        return await found()

    assert virtual_run(main) == [("cycle", ["one", "two"])]


@judged
def test_main_can_be_lost_too() -> None:
    """While a timer keeps the program from being asleep as a whole."""
    seen: list[Found] = []

    async def look() -> None:
        await asleep(1)
        seen.append(named(find_deadlocks()))

    async def main() -> None:
        go(look)
        await Chan().arecv()

    with pytest.raises(DeadlockError):
        virtual_run(main)
    assert seen == [[("unreachable", ["test_main_can_be_lost_too.<locals>.main"])]]


@judged
def test_it_is_lost_as_soon_as_the_last_reference_is_gone() -> None:
    async def main() -> tuple[Found, Found]:
        KEPT[:] = [Chan()]
        start(receive, KEPT[0])
        before = await found()
        KEPT.clear()
        return before, await found()

    assert virtual_run(main) == ([], [("unreachable", ["lost"])])


# ---- threads and runtimes ----


@judged
def test_a_thread_outside_holds_the_channel() -> None:
    """And when it has ended, nobody does."""
    begun, end = threading.Event(), threading.Event()

    def holder(box: list[Any]) -> None:
        ch = box.pop()
        begun.set()
        end.wait()
        del ch

    async def main() -> tuple[Found, Found]:
        ch: Chan[Any] = Chan()
        thread = threading.Thread(target=holder, args=([ch],))
        thread.start()
        begun.wait()
        g = go(receive, ch, name="lost")
        del ch
        while g.state != "waiting":
            await gosched.ayield_now()
        before = named(find_deadlocks())
        end.set()
        thread.join()
        del thread
        gc.collect()
        return before, named(find_deadlocks())

    assert run(main) == ([], [("unreachable", ["lost"])])


@pytest.mark.skipif(not COMPILED, reason="the pure build looks by means of references, and others may run meanwhile")
@judged
def test_those_who_look_at_once_do_not_hide_anything_from_each_other() -> None:
    """What one of them has found is not reachable by that."""
    short: list[int] = []

    def ask() -> None:
        for _ in range(100):
            n = sum(len(deadlock.goroutines) for deadlock in find_deadlocks())
            if n != 20:
                short.append(n)

    async def main() -> None:
        them = [go(receive, Chan()) for _ in range(20)]
        while any(g.state != "waiting" for g in them):
            await gosched.ayield_now()
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    run(main)
    assert short == []


@judged
def test_from_a_thread_all_open_runtimes_are_seen() -> None:
    with Runtime() as one, Runtime() as two:
        for rt, name in ((one, "in one"), (two, "in two")):
            rt.go(receive, Chan(), name=name)
        while len(seen := named(find_deadlocks())) < 2:  # one that is about to park says that it waits, and is not judged yet
            gosched.yield_now()
        assert seen == [("unreachable", ["in one"]), ("unreachable", ["in two"])]
    assert find_deadlocks() == []


def test_two_runtimes_have_goroutines_of_one_number() -> None:
    """A lock that goroutine 1 of one runtime holds is not held by goroutine 1 of the other."""
    locks = [Mutex(), Mutex()]
    end = Event()

    async def holder() -> None:
        async with locks[0], locks[1]:
            await end

    async def wants() -> None:
        await locks[1].alock()

    with Runtime() as one, Runtime() as two:
        first = one.go(holder)
        while first.state != "waiting":
            gosched.yield_now()
        second = two.go(wants)
        while second.state != "waiting":
            gosched.yield_now()
        assert first.id == second.id == 1
        assert find_deadlocks() == []
        end.set()


@pytest.mark.skipif(not COMPILED, reason="takes too long on the pure build")
@judged
@pytest.mark.slow
def test_a_crowd_is_judged_quickly() -> None:
    """100,000 objects, a tenth of them goroutines that are lost: well under two seconds, also on a loaded machine."""

    async def main() -> tuple[int, float]:
        for _ in range(10_000):
            go(receive, Chan())
        await settled()
        begin = time.process_time()
        n = len(find_deadlocks())
        return n, time.process_time() - begin

    n, seconds = virtual_run(main)
    assert n == 10_000
    assert seconds < 2
