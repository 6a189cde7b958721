"""Goroutines that wait for each other's locks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gosched import DeadlineExceeded, Event, Mutex, RWMutex, WaitGroup, asleep, ayield_now, find_deadlocks, go, run
from gosched.core.interrupt import Cancellation
from gosched.core.states import STARVING_NS
from gosched.deadlocks import wait_graph
from gosched.testing import virtual_run
from tests.deadlocks.finding import Found, found, named
from tests.sync.spelled import Do, awaited, both, schedules, settled

# Global, so that anybody could reach them: only a cycle is a deadlock.
LOCKS: list[Any] = [None] * 4
START = [Event()]


def fresh_locks(kind: type) -> None:
    LOCKS[:] = [kind() for _ in LOCKS]
    START[0] = Event()


async def start() -> None:
    """All have their first lock: now for the second."""
    await settled()
    START[0].set()
    await settled()


async def taker(do: Do, first: int, second: int, **guard: Any) -> None:
    await do(LOCKS[first], "lock")
    await START[0]
    await do(LOCKS[second], "lock", **guard)


@both
@pytest.mark.parametrize("kind", [Mutex, RWMutex])
def test_two_that_take_two_locks_in_opposite_order(do: Do, kind: type) -> None:
    async def main() -> Found:
        fresh_locks(kind)
        go(taker, do, 0, 1, name="a")
        go(taker, do, 1, 0, name="b")
        await start()
        return await found()

    assert all(result == [("cycle", ["a", "b"])] for result in schedules(main, seeds=range(2)))


@both
def test_three_in_a_ring_are_one_cycle(do: Do) -> None:
    async def main() -> tuple[Found, int]:
        fresh_locks(Mutex)
        for i in range(3):
            go(taker, do, i, (i + 1) % 3, name="abc"[i])
        await start()
        result = await found()
        (deadlock,) = find_deadlocks()
        for i, wait in enumerate(deadlock.waits):
            assert wait.held_by is deadlock.goroutines[(i + 1) % 3]
        return result, len(deadlock.waits)

    assert set(map(str, schedules(main, seeds=range(2)))) == {str(([("cycle", ["a", "b", "c"])], 3))}


@both
def test_a_goroutine_that_locks_twice_waits_for_itself(do: Do) -> None:
    async def main() -> Found:
        fresh_locks(Mutex)
        go(taker, do, 0, 0, name="twice")
        await start()
        return await found()

    assert virtual_run(main) == [("cycle", ["twice"])]


@both
def test_a_reader_and_a_writer(do: Do) -> None:
    """The reader waits for the writer's lock, the writer for a mutex that the reader has."""

    async def reader(m: Mutex, rw: RWMutex) -> None:
        await do(m, "lock")
        await START[0]
        await do(rw, "rlock")

    async def writer(m: Mutex, rw: RWMutex) -> None:
        await do(rw, "lock")
        await START[0]
        await do(m, "lock")

    async def main() -> Found:
        fresh_locks(Mutex)
        m, rw = Mutex(), RWMutex()
        go(reader, m, rw, name="reader")
        go(writer, m, rw, name="writer")
        await start()
        result = await found()
        assert m.try_lock() is rw.try_lock() is False
        return result

    assert virtual_run(main) == [("cycle", ["reader", "writer"])]


def test_those_that_wait_behind_a_cycle_are_no_part_of_it() -> None:
    async def main() -> Found:
        fresh_locks(Mutex)
        go(taker, awaited, 0, 1, name="a")
        go(taker, awaited, 1, 0, name="b")
        go(taker, awaited, 2, 0, name="behind")
        await start()
        return await found()

    assert virtual_run(main) == [("cycle", ["a", "b"])]


def test_a_chain_is_no_cycle() -> None:
    async def main() -> Found:
        fresh_locks(Mutex)
        release = Event()

        async def last() -> None:
            async with LOCKS[3]:
                await release

        go(last)
        await settled()
        for i in range(3):
            go(taker, awaited, i, i + 1)
        await start()
        result = await found()
        release.set()
        await settled()
        return result

    assert virtual_run(main) == []


@both
def test_a_wait_with_a_timeout_ends_by_itself(do: Do) -> None:
    async def main() -> Found:
        fresh_locks(Mutex)

        async def patient() -> None:
            with pytest.raises(DeadlineExceeded):
                await taker(do, 0, 1, timeout=60)
            LOCKS[0].unlock()

        go(patient)
        go(taker, do, 1, 0)
        await start()
        return await found()

    assert virtual_run(main) == []


@both
def test_a_wait_with_a_context_may_be_ended(do: Do) -> None:
    async def main() -> Found:
        fresh_locks(Mutex)
        ctx = Cancellation()

        async def cancelled() -> None:
            with pytest.raises(KeyError):
                await taker(do, 0, 1, ctx=ctx)

        go(cancelled)
        go(taker, do, 1, 0)
        await start()
        result = await found()
        ctx.cancel_waits(KeyError())
        await settled()
        return result

    assert virtual_run(main) == []


def test_a_lock_that_another_one_has_unlocked_is_not_held() -> None:
    """Legal, as in Go: the holder is who locked it last, and nobody after an unlock."""

    async def main() -> Found:
        fresh_locks(Mutex)
        go(taker, awaited, 0, 1)
        go(taker, awaited, 1, 0)
        await start()
        assert len(find_deadlocks()) == 1
        LOCKS[0].unlock()
        return await found()

    assert virtual_run(main) == []


def test_who_was_handed_the_lock_holds_it() -> None:
    """In starvation mode the lock never becomes free: who waits next waits for the heir, not for who has handed it over."""

    async def main() -> list[str]:
        mutex, other = Mutex(), Mutex()

        async def heir() -> None:
            async with mutex:
                await asleep(60)

        async def last() -> None:
            async with other, mutex:
                pass

        await mutex.alock()
        go(heir, name="heir")
        await settled()
        await asleep(2 * STARVING_NS / 1e9)
        mutex.unlock()
        assert mutex.try_lock()  # the heir-to-be loses, and has waited for long: it starves
        await settled()
        await asleep(2 * STARVING_NS / 1e9)
        go(last, name="last")
        await settled()
        mutex.unlock()
        await settled()
        assert find_deadlocks() == []
        return [edge.target.text.split("(")[1] for edge in wait_graph().edges if edge.reason == "held by"]

    assert virtual_run(main) == ["heir)"]


@pytest.mark.parametrize("starving", [False, True])
def test_a_lock_on_its_way_is_held_by_nobody(starving: bool) -> None:
    """It was unlocked, and who is to have it has not run yet. The last one to hold it waits for another by now, who waits behind that one."""

    async def passer_by(lock: Mutex, done: WaitGroup) -> None:
        async with lock:
            pass
        done.done()

    async def second(lock: Mutex, other: Mutex, done: WaitGroup) -> None:
        async with other, lock:
            pass
        done.done()

    async def program() -> list[Found]:
        lock, other, done = Mutex(), Mutex(), WaitGroup()
        done.add(3)
        looks: list[Found] = []
        begin = Event()

        async def first() -> None:
            await lock.alock()
            if starving:  # the passer-by is woken once, loses, and has waited for long
                await asleep(2 * STARVING_NS / 1e9)
                lock.unlock()
                assert lock.try_lock()
            await begin
            lock.unlock()
            async with other:
                pass
            done.done()

        go(first)
        await settled()
        go(passer_by, lock, done)
        await asleep(3 * STARVING_NS / 1e9)
        await settled()
        go(second, lock, other, done)
        await settled()
        begin.set()
        for _ in range(30):
            looks.append(named(find_deadlocks()))
            await ayield_now()
        await done
        return [look for look in looks if look]

    assert not any(schedules(program, procs=[2, 4], seeds=range(30)))


def test_in_a_program_of_threads() -> None:
    """Not only in virtual time: while another goroutine runs."""

    async def one(first: Mutex, second: Mutex) -> None:
        await first.alock()
        while second.try_lock():
            second.unlock()
            await ayield_now()
        await second.alock()

    async def main() -> Found:
        fresh_locks(Mutex)
        busy = [True]

        def spin() -> None:
            while busy:
                pass

        go(one, LOCKS[0], LOCKS[1], name="a")
        go(one, LOCKS[1], LOCKS[0], name="b")
        go(spin)
        result: Found = []
        while not result:
            await ayield_now()
            result = named(find_deadlocks())
        busy.clear()
        return result

    assert run(main, gomaxprocs=2) == [("cycle", ["a", "b"])]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=4, unique_by=lambda t: t[0]))
def test_random_graphs_against_a_model(takers: list[tuple[int, int]]) -> None:
    """Each has a lock of its own and wants another: the cycles are those of the function from one lock to the next."""

    async def main() -> Found:
        fresh_locks(Mutex)
        for mine, wanted in takers:
            go(taker, awaited, mine, wanted, name=str(mine))
        await start()
        return await found()

    wants = dict(takers)
    rings = set()
    for begin in wants:
        way = [begin]
        while way[-1] in wants and wants[way[-1]] not in way:
            way.append(wants[way[-1]])
        if way[-1] in wants:
            rings.add(tuple(sorted(map(str, way[way.index(wants[way[-1]]) :]))))
    assert virtual_run(main) == sorted(("cycle", list(ring)) for ring in rings)
