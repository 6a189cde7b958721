"""Mutex: Go's sync/mutex_test.go and runtime/sema_test.go, by name; starvation mode in virtual time; waiters that give up."""

from __future__ import annotations

import gc
import weakref

import pytest

import gosched
from gosched import DeadlineExceeded, Mutex, RWMutex, SyncError, WaitGroup, after_func, asleep, ayield_now, go, now, run
from gosched.core.interrupt import Cancellation
from gosched.testing import virtual_run

from .spelled import Do, awaited, both, held, plain, schedules, settled

MS = 0.001


# ---- sync/mutex_test.go ----


async def hammer(mutex: Mutex, do: Do, goroutines: int, loops: int) -> int:
    """HammerMutex: every third time try_lock, and a counter that only the mutex keeps whole."""
    counter, wg, expected = [0], WaitGroup(), [0]

    async def one() -> None:
        for i in range(loops):
            if i % 3 == 0:
                if mutex.try_lock():
                    expected[0] += 1
                    counter[0] += 1
                    mutex.unlock()
                continue
            async with held(do, mutex):
                expected[0] += 1
                seen = counter[0]
                if i % 7 == 0:
                    await ayield_now()
                counter[0] = seen + 1

    for _ in range(goroutines):
        wg.go(one)
    await wg
    return counter[0] - expected[0]


@both
def test_mutex(do: Do) -> None:
    """TestMutex: the truth table of TryLock, then the hammer."""

    async def main() -> int:
        m = Mutex()
        await do(m, "lock")
        assert not m.try_lock(), "TryLock succeeded with mutex locked"
        m.unlock()
        assert m.try_lock(), "TryLock failed with mutex unlocked"
        m.unlock()
        return await hammer(m, do, 10, 30)

    assert set(schedules(main, procs=(1, 4), seeds=range(3))) == {0}


@pytest.mark.parametrize("procs", [1, 4])
@both
def test_mutex_in_real_time(do: Do, procs: int) -> None:
    """TestMutex on real threads."""
    assert run(hammer, Mutex(), do, 10, 100, gomaxprocs=procs) == 0


def unlock(m: Mutex) -> None:
    m.unlock()


def unlock_2(m: Mutex) -> None:
    m.lock()
    m.unlock()
    m.unlock()


def rw_unlock(m: RWMutex) -> None:
    m.unlock()


def rw_unlock_2(m: RWMutex) -> None:
    m.rlock()
    m.unlock()


def rw_unlock_3(m: RWMutex) -> None:
    m.lock()
    m.unlock()
    m.unlock()


def rw_runlock(m: RWMutex) -> None:
    m.runlock()


def rw_runlock_2(m: RWMutex) -> None:
    m.lock()
    m.runlock()


def rw_runlock_3(m: RWMutex) -> None:
    m.rlock()
    m.runlock()
    m.runlock()


MISUSES = {
    unlock: "sync: unlock of unlocked mutex",
    unlock_2: "sync: unlock of unlocked mutex",
    rw_unlock: "sync: Unlock of unlocked RWMutex",
    rw_unlock_2: "sync: Unlock of unlocked RWMutex",
    rw_unlock_3: "sync: Unlock of unlocked RWMutex",
    rw_runlock: "sync: RUnlock of unlocked RWMutex",
    rw_runlock_2: "sync: RUnlock of unlocked RWMutex",
    rw_runlock_3: "sync: RUnlock of unlocked RWMutex",
}


@pytest.mark.parametrize("inside", [True, False], ids=["goroutine", "thread"])
@pytest.mark.parametrize("misuse", MISUSES, ids=lambda misuse: misuse.__name__)
def test_mutex_misuse(misuse: object, inside: bool) -> None:
    """TestMutexMisuse: eight bad unlocks, in Go's words. Unlike Go one can go on: the mutex is as it was before."""
    m = RWMutex() if "rw" in misuse.__name__ else Mutex()  # type: ignore[attr-defined]

    def body() -> None:
        with pytest.raises(SyncError) as caught:
            misuse(m)  # type: ignore[operator]
        assert str(caught.value) == MISUSES[misuse]  # type: ignore[index]
        if misuse is rw_unlock_2:
            m.runlock()  # type: ignore[union-attr]
        elif misuse is rw_runlock_2:
            m.unlock()
        assert m.try_lock()
        m.unlock()

    if inside:
        run(body)
    else:
        body()


@both
def test_unlock_of_unlocked_by_with(do: Do) -> None:
    """A block whose mutex somebody else has unlocked says so at its end."""

    async def main() -> None:
        m = Mutex()
        with pytest.raises(SyncError, match=r"^sync: unlock of unlocked mutex$"):
            async with held(do, m):
                m.unlock()
        assert m.try_lock()

    virtual_run(main)


@both
def test_mutex_fairness(do: Do) -> None:
    """TestMutexFairness: one that holds it 100 µs of every 100 µs cannot starve another for 10 s."""

    async def main() -> float:
        m, stop, begin = Mutex(), list[int](), now()

        async def hog() -> None:
            while not stop:
                await do(m, "lock")
                await do(gosched, "sleep", 0.0001)
                m.unlock()

        async def modest() -> None:
            for _ in range(10):
                await do(gosched, "sleep", 0.0001)
                await do(m, "lock")
                m.unlock()

        wg = WaitGroup()
        go(hog)
        wg.go(modest)
        await wg
        stop.append(1)
        return now() - begin

    assert max(schedules(main, seeds=range(4))) < 10


# ---- starvation mode ----


async def waiter(do: Do, m: Mutex, log: list[str], name: str, hold: float = 0.0) -> None:
    await do(m, "lock")
    log.append(name)
    if hold:
        await asleep(hold)
    m.unlock()


@both
@pytest.mark.parametrize(("waited", "starves"), [(0.5 * MS, False), (1 * MS, False), (1.001 * MS, True), (20 * MS, True)])
def test_starvation_begins_after_a_millisecond(do: Do, waited: float, starves: bool) -> None:
    """A woken waiter that loses after more than 1 ms is handed the mutex at the next unlock: then who runs cannot take it."""

    async def main() -> tuple[bool, bool, bool, list[str]]:
        m, log = Mutex(), list[str]()
        m.lock()
        go(waiter, do, m, log, "waiter")
        await asleep(waited)
        m.unlock()
        barged = m.try_lock()  # normal mode: who runs wins
        await settled()  # the waiter comes along, and loses
        m.unlock()
        again = m.try_lock()
        if again:
            m.unlock()
        await settled()
        return barged, again, m.try_lock(), log

    assert set(map(repr, schedules(main))) == {repr((True, not starves, True, ["waiter"]))}


@both
def test_starvation_is_first_come_first_served(do: Do) -> None:
    """In starvation mode newcomers stand at the tail, try_lock fails, and each unlock hands over to the head."""

    async def main() -> tuple[list[str], bool]:
        m, log = Mutex(), list[str]()
        m.lock()
        for name in "abc":
            go(waiter, do, m, log, name, 2 * MS)
            await settled()
        await asleep(2 * MS)
        m.unlock()
        assert m.try_lock()
        await settled()  # a has lost
        m.unlock()  # to a
        assert not m.try_lock()
        await do(m, "lock")  # behind c, although main runs and a does not yet
        log.append("main")
        m.unlock()
        return log, m.try_lock()

    assert set(map(repr, schedules(main))) == {repr((["a", "b", "c", "main"], True))}


@both
def test_starvation_ends_with_the_last_waiter(do: Do) -> None:
    """The new owner was the last: the mutex is normal again, and the next waiter can be overtaken."""

    async def main() -> tuple[bool, bool]:
        m, log = Mutex(), list[str]()
        m.lock()
        go(waiter, do, m, log, "a")
        await asleep(2 * MS)
        m.unlock()
        assert m.try_lock()
        await settled()
        m.unlock()  # handed to a, who gives it back
        await settled()
        m.lock()
        go(waiter, do, m, log, "b")
        await settled()
        m.unlock()
        overtaken = m.try_lock()
        m.unlock()
        await settled()
        return overtaken, log == ["a", "b"]

    assert set(schedules(main)) == {(True, True)}


@both
def test_starvation_ends_with_a_short_wait(do: Do) -> None:
    """The new owner waited for less than 1 ms: normal mode, although others wait."""

    async def main() -> tuple[bool, list[str]]:
        m, log, mine = Mutex(), list[str](), Mutex()
        m.lock()
        go(waiter, do, m, log, "a")
        await asleep(2 * MS)
        m.unlock()
        assert m.try_lock()
        await settled()  # a starves
        mine.lock()

        async def short() -> None:
            await do(m, "lock")
            log.append("b")
            await do(mine, "lock")
            m.unlock()
            log.append(f"overtaken: {m.try_lock()}")
            m.unlock()

        go(short)
        await settled()
        go(waiter, do, m, log, "c")
        await settled()
        m.unlock()  # a, who hands over to b, whose wait was short
        await settled()
        mine.unlock()
        await settled()
        return m.try_lock(), log

    assert set(map(repr, schedules(main))) == {repr((True, ["a", "b", "overtaken: True", "c"]))}


def test_sema_handoff_in_virtual_time() -> None:
    """TestSemaHandoff1: a release with handoff lets the waiter run first, on the releaser's slice."""

    async def main() -> list[str]:
        m, log = Mutex(), list[str]()
        m.lock()
        go(waiter, awaited, m, log, "waiter")
        await asleep(2 * MS)
        m.unlock()
        async with m:
            await settled()
        log.append("releaser")
        return log

    for log in schedules(main, procs=[1]):
        assert log == ["waiter", "releaser"]


@pytest.mark.parametrize("procs", [1, 2, 4], ids=["TestSemaHandoff1", "TestSemaHandoff2", "TestSemaHandoff"])
def test_sema_handoff(procs: int) -> None:
    """On real threads, as Go asks: the waiter is first in two thirds of all cases or more."""

    async def main() -> int:
        first = 0
        for _ in range(20):
            m, log, done = Mutex(), list[str](), WaitGroup()
            m.lock()
            g = done.go(waiter, awaited, m, log, "waiter")
            while g.state != "waiting":  # it starves by its own wait, which may begin late
                await ayield_now()
            await asleep(1.2 * MS)
            m.unlock()
            async with m:
                while g.state not in ("waiting", "dead"):  # until it has lost, or was faster than we
                    await ayield_now()
            log.append("releaser")
            await done
            first += log[0] == "waiter"
        return first

    assert 3 * run(main, gomaxprocs=procs) >= 2 * 20


def test_a_woken_waiter_that_loses_keeps_its_place() -> None:
    """It stands at the head of the queue again."""

    async def main(do: Do) -> list[str]:
        m, log = Mutex(), list[str]()
        m.lock()
        for name in "abc":
            go(waiter, do, m, log, name)
            await settled()
        m.unlock()
        assert m.try_lock()
        await settled()
        m.unlock()
        await settled()
        return log

    for do in (awaited, plain):
        assert set(map("".join, schedules(main, do))) == {"abc"}


# ---- giving up ----


@both
def test_a_timeout_is_not_begun_anew(do: Do) -> None:
    """A waiter that was woken and lost has only the rest of its time."""

    async def main() -> float:
        m, begin = Mutex(), now()
        m.lock()
        wg = WaitGroup()

        async def gives_up() -> None:
            with pytest.raises(DeadlineExceeded, match=r"within 1 s$"):
                await do(m, "lock", timeout=1)

        wg.go(gives_up)
        await asleep(0.5 * MS)
        m.unlock()
        assert m.try_lock()
        await wg
        return round(now() - begin, 9)

    assert set(schedules(main)) == {1.0}


@both
def test_who_gives_up_hands_the_mutex_to_nobody(do: Do) -> None:
    """The time is over at the moment of the unlock: the mutex is free or the next one's, never lost."""

    async def main(others: int) -> tuple[bool, int]:
        m, got, wg = Mutex(), list[str](), WaitGroup()
        m.lock()

        async def impatient() -> None:
            try:
                await do(m, "lock", timeout=1)
            except DeadlineExceeded:
                return
            m.unlock()

        async def patient() -> None:
            await do(m, "lock")
            got.append("patient")
            m.unlock()

        after_func(1, m.unlock)
        for _ in range(2):
            wg.go(impatient)
        for _ in range(others):
            wg.go(patient)
        await wg
        await settled()
        return m.try_lock(), len(got)

    for others in (0, 1, 3):
        assert set(schedules(main, others, seeds=range(20))) == {(True, others)}


@both
@pytest.mark.parametrize("how", ["timeout", "ctx"])
def test_a_starving_waiter_gives_up(do: Do, how: str) -> None:
    """The one that made the mutex starve leaves: the next is served, and an empty queue is normal mode again."""

    async def main(others: int) -> tuple[bool, list[str]]:
        m, log, ctx, left = Mutex(), list[str](), Cancellation(), list[int]()
        m.lock()

        async def starves() -> None:
            with pytest.raises(TimeoutError):
                await (do(m, "lock", timeout=0.01) if how == "timeout" else do(m, "lock", ctx=ctx))
            left.append(1)

        go(starves)
        await settled()
        for i in range(others):
            go(waiter, do, m, log, str(i))
            await settled()
        await asleep(2 * MS)
        m.unlock()
        assert m.try_lock()
        await settled()  # it has lost: starvation mode
        after_func(0.008, ctx.cancel_waits, TimeoutError("enough"))
        await asleep(0.02)
        assert left
        m.unlock()
        await settled()
        free = m.try_lock()
        m.unlock()
        return free, log

    for others in (0, 2):
        assert set(map(repr, schedules(main, others))) == {repr((True, [str(i) for i in range(others)]))}


@both
def test_a_waiter_in_the_middle_gives_up(do: Do) -> None:
    async def main() -> list[str]:
        m, log = Mutex(), list[str]()
        m.lock()
        go(waiter, do, m, log, "a")
        await settled()

        async def gives_up() -> None:
            with pytest.raises(DeadlineExceeded):
                await do(m, "lock", timeout=0.0001)
            log.append("gone")

        go(gives_up)
        await settled()
        go(waiter, do, m, log, "c")
        await asleep(0.0005)
        m.unlock()
        await settled()
        return log

    assert set(map("".join, schedules(main))) == {"goneac"}


# ---- the rest ----


def test_any_goroutine_may_unlock() -> None:
    async def main(do: Do) -> bool:
        m = Mutex()
        await do(m, "lock")
        go(m.unlock)
        await do(m, "lock")
        return m.try_lock()

    for do in (awaited, plain):
        assert not any(schedules(main, do))


@both
def test_an_exception_in_the_block_unlocks(do: Do) -> None:
    async def main() -> bool:
        m = Mutex()
        with pytest.raises(KeyError):
            async with held(do, m):
                raise KeyError
        return m.try_lock()

    assert virtual_run(main)


def test_await_outside() -> None:
    m = Mutex()
    m.lock()
    with pytest.raises(RuntimeError, match=r"^await mutex\.alock\(\) outside of a goroutine: use it inside a goroutine: run\(main\), go\(fn\)$"):
        m.alock().send(None)
    m.unlock()
    assert m.try_lock()


def test_an_operation_that_is_not_awaited_does_nothing() -> None:
    async def main() -> bool:
        m = Mutex()
        m.alock().close()
        return m.try_lock()

    assert virtual_run(main)


def test_a_dropped_mutex_is_freed() -> None:
    async def main() -> weakref.ref[Mutex]:
        m = Mutex()
        m.lock()
        with pytest.raises(DeadlineExceeded):
            await m.alock(timeout=1)
        return weakref.ref(m)

    ref = virtual_run(main)
    gc.collect()
    assert ref() is None


def test_deadlock_is_reported_in_gos_words() -> None:
    async def main() -> None:
        m = Mutex()
        await m.alock()
        await m.alock()

    with pytest.raises(gosched.DeadlockError, match=r"goroutine 1 \[sync\.Mutex\.Lock\]"):
        virtual_run(main)
