"""Cond: Go's sync/cond_test.go by name, in both spellings and from threads; tickets, waiters that give up, misuse."""

from __future__ import annotations

import threading

import pytest

import gosched
from gosched import Chan, Cond, DeadlineExceeded, Event, Mutex, RWMutex, SyncError, WaitGroup, asleep, ayield_now, go, now, run
from gosched.core.interrupt import Cancellation
from gosched.testing import virtual_run

from .spelled import Do, awaited, both, held, in_threads, plain, schedules, settled


@both
def test_cond_signal(do: Do) -> None:
    """TestCondSignal: one wake-up per notify."""

    async def main() -> None:
        m, n = Mutex(), 2
        c = Cond(m)
        running, awake = Chan[bool](n), Chan[bool](n)

        async def waits() -> None:
            await do(m, "lock")
            await running.asend(True)
            await do(c, "wait")
            await awake.asend(True)
            m.unlock()

        for _ in range(n):
            go(waits)
        for _ in range(n):
            await running.arecv()  # everyone runs, or is about to wait
        for left in range(n, 0, -1):
            await settled()
            assert awake.try_recv() == (None, False), "goroutine not asleep"
            async with held(do, m):
                c.notify()
            await awake.arecv()
            await settled()
            assert awake.try_recv() == (None, False), f"too many goroutines awake, {left} left"
        c.notify()

    schedules(main)


@both
def test_cond_signal_generations(do: Do) -> None:
    """TestCondSignalGenerations: who waits longest is woken first."""

    async def main() -> list[int]:
        m, n = Mutex(), 100
        c = Cond(m)
        running, awake = Chan[bool](n), Chan[int](n)

        async def waits(i: int) -> None:
            async with held(do, m):
                await running.asend(True)
                await do(c, "wait")
                await awake.asend(i)

        got = []
        for i in range(n):
            go(waits, i)
            if i > 0:
                got.append(await awake.arecv())
            await running.arecv()
            async with held(do, m):
                c.notify()
        return got

    for got in schedules(main, seeds=range(2)):
        assert got == list(range(99))


@both
def test_cond_broadcast(do: Do) -> None:
    """TestCondBroadcast: each exactly once per round."""

    async def main() -> list[int]:
        m, n, rounds = Mutex(), 20, 5
        c = Cond(m)
        running, awake, wg, leave = Chan[int](n), Chan[int](n), WaitGroup(), list[int]()

        async def waits(g: int) -> None:
            async with held(do, m):
                while not leave:
                    await running.asend(g)
                    await do(c, "wait")
                    await awake.asend(g)

        for g in range(n):
            wg.go(waits, g)
        for i in range(rounds):
            for _ in range(n):
                await running.arecv()
            if i == rounds - 1:
                async with held(do, m):
                    leave.append(1)
            assert len(awake) == 0, "goroutine not asleep"
            async with held(do, m):
                c.notify_all()
            seen = sorted([await awake.arecv() for _ in range(n)])
            assert seen == list(range(n)), "goroutine woke up twice"
        await wg
        return list(leave)

    for result in schedules(main, seeds=range(2)):
        assert result == [1]
    run(main, gomaxprocs=4)


@both
def test_race(do: Do) -> None:
    """TestRace: x is handed from one to the next, each waits for its number."""

    async def main() -> None:
        x, c, done = [0], Cond(Mutex()), Chan[bool]()

        async def first() -> None:
            async with held(do, c.mutex):
                x[0] = 1
                await do(c, "wait")
                assert x[0] == 2
                x[0] = 3
                c.notify()
            await done.asend(True)

        async def second() -> None:
            async with held(do, c.mutex):
                while True:
                    if x[0] == 1:
                        x[0] = 2
                        c.notify()
                        break
                    c.mutex.unlock()
                    await ayield_now()
                    await do(c.mutex, "lock")
            await done.asend(True)

        async def third() -> None:
            async with held(do, c.mutex):
                while True:
                    if x[0] == 2:
                        await do(c, "wait")
                        assert x[0] == 3
                        break
                    if x[0] == 3:
                        break
                    c.mutex.unlock()
                    await ayield_now()
                    await do(c.mutex, "lock")
            await done.asend(True)

        for body in (first, second, third):
            go(body)
        for _ in range(3):
            await done.arecv()

    schedules(main, seeds=range(30))
    run(main, gomaxprocs=4)


@both
def test_cond_signal_stealing(do: Do) -> None:
    """TestCondSignalStealing: a waiter that comes after the notification cannot take it from one that was there."""

    async def main() -> None:
        m = Mutex()
        for _ in range(10):
            c, ch, running = Cond(m), Chan[int](), Chan[int](1)

            async def first(c: Cond = c, ch: Chan[int] = ch, running: Chan[int] = running) -> None:
                await do(m, "lock")
                await running.asend(1)
                await do(c, "wait")
                m.unlock()
                await ch.asend(1)

            go(first)
            await running.arecv()
            await do(m, "lock")
            m.unlock()
            done = [False]

            async def rest(c: Cond = c, done: list[bool] = done) -> None:
                async with held(do, m):
                    while not done[0]:
                        await do(c, "wait")

            c.notify()
            wg = WaitGroup()
            wg.go(rest)
            wg.go(rest)
            await ch.arecv()  # deadlock if it was stolen
            async with held(do, m):
                done[0] = True
            c.notify_all()
            await wg

    schedules(main, seeds=range(5))


# ---- from threads ----


def test_cond_in_plain_threads() -> None:
    """A bounded buffer without any goroutine."""
    m, items, got = Mutex(), list[int](), list[int]()
    some, room = Cond(m), Cond(m)

    def puts() -> None:
        for i in range(200):
            with m:
                room.wait_for(lambda: len(items) < 3)
                items.append(i)
                some.notify()

    def takes() -> None:
        for _ in range(200):
            with m:
                some.wait_for(lambda: items)
                got.append(items.pop(0))
                room.notify()

    in_threads(puts, takes, puts, takes)
    assert sorted(got) == sorted(list(range(200)) * 2)


def test_cond_between_all_worlds() -> None:
    """Goroutines of both spellings and a thread take turns by one Cond."""
    m, turn, log = Mutex(), [0], list[int]()
    c = Cond(m)

    def thread(me: int) -> None:
        for _ in range(20):
            with m:
                c.wait_for(lambda: turn[0] % 3 == me)
                log.append(me)
                turn[0] += 1
                c.notify_all()

    async def goroutine(do: Do, me: int) -> None:
        for _ in range(20):
            async with held(do, m):
                await do(c, "wait_for", lambda: turn[0] % 3 == me)
                log.append(me)
                turn[0] += 1
                c.notify_all()

    async def main() -> None:
        wg = WaitGroup()
        wg.go(goroutine, awaited, 0)
        wg.go(goroutine, plain, 1)
        await wg

    in_threads(lambda: run(main, gomaxprocs=2), lambda: thread(2))
    assert log == [0, 1, 2] * 20


# ---- what a wait does with the mutex ----


@both
def test_wait_unlocks_and_locks_again(do: Do) -> None:
    """And a notification does not need the mutex; the waiter goes on when it has it."""

    async def main() -> list[str]:
        m, log = Mutex(), list[str]()
        c = Cond(m)

        async def waits() -> None:
            await do(m, "lock")
            await do(c, "wait")
            log.append("through")
            assert not m.try_lock()
            m.unlock()

        go(waits)
        await settled()
        assert m.try_lock(), "the waiter has unlocked it"
        c.notify()
        await settled()
        log.append("unlocking")
        m.unlock()
        await settled()
        return log

    assert set(map(repr, schedules(main))) == {"['unlocking', 'through']"}


@both
@pytest.mark.parametrize("how", ["timeout", "ctx"])
def test_it_locks_again_before_it_raises(do: Do, how: str) -> None:
    async def main() -> tuple[float, bool]:
        m, begin, ctx = Mutex(), now(), Cancellation()
        c = Cond(m)
        gosched.after_func(1, ctx.cancel_waits, TimeoutError("enough"))

        async def holds() -> None:
            async with held(do, m):
                await asleep(3)

        await do(m, "lock")
        go(holds)
        with pytest.raises(TimeoutError):
            await (do(c, "wait", timeout=1) if how == "timeout" else do(c, "wait", ctx=ctx))
        elapsed, mine = now() - begin, not m.try_lock()
        m.unlock()
        return round(elapsed, 9), mine

    assert set(schedules(main)) == {(3.0, True)}, "the mutex was another's until then"


@both
def test_who_gives_up_takes_no_notification(do: Do) -> None:
    """Of two waiters one gives up; the notify at that moment, or later, is for the other."""

    async def main(at: float) -> list[str]:
        m, log, wg = Mutex(), list[str](), WaitGroup()
        c = Cond(m)

        async def impatient() -> None:
            async with held(do, m):
                try:
                    await do(c, "wait", timeout=1)
                except DeadlineExceeded:
                    log.append("gave up")
                else:
                    c.notify()  # as one does who was notified and passes it on
                    log.append("in time")

        async def patient() -> None:
            async with held(do, m):
                await do(c, "wait")
                log.append("notified")

        wg.go(impatient)
        await settled()
        wg.go(patient)
        await asleep(at)
        c.notify()
        await wg
        return sorted(log)

    for log in schedules(main, 2.0, seeds=range(3)):
        assert log == ["gave up", "notified"]
    for log in schedules(main, 1.0, seeds=range(8)):
        assert log in (["gave up", "notified"], ["in time", "notified"])


@both
def test_wait_for_takes_the_rest_of_its_time(do: Do) -> None:
    """Notifications that change nothing do not begin the timeout anew, and the message has the timeout that was given."""

    async def main() -> float:
        m, begin = Mutex(), now()
        c = Cond(m)

        async def disturbs() -> None:
            for _ in range(9):
                await asleep(0.3)
                c.notify_all()

        go(disturbs)
        async with held(do, m):
            with pytest.raises(DeadlineExceeded, match=r"within 1 s$"):
                await do(c, "wait_for", lambda: False, timeout=1)
        return round(now() - begin, 9)

    assert set(schedules(main)) == {1.0}


@both
def test_wait_for_returns_what_the_predicate_gave(do: Do) -> None:
    async def main() -> object:
        m, found = Mutex(), list[str]()
        c = Cond(m)

        async def finds() -> None:
            async with held(do, m):
                found.append("it")
            c.notify()

        go(finds)
        async with held(do, m):
            at_once = await do(c, "wait_for", lambda: 7)
            return at_once, await do(c, "wait_for", lambda: found)

    for result in schedules(main):
        assert result == (7, ["it"])


@both
def test_a_predicate_that_raises(do: Do) -> None:
    """The mutex is the caller's all the while."""

    async def main() -> bool:
        m = Mutex()
        c = Cond(m)

        def bad() -> bool:
            raise KeyError("predicate")

        with pytest.raises(KeyError):
            async with held(do, m):
                await do(c, "wait_for", bad)
        return m.try_lock()

    assert virtual_run(main)


def test_notify_several() -> None:
    async def main() -> list[int]:
        m, counts, awake = Mutex(), list[int](), list[int]()
        c = Cond(m)

        async def waits() -> None:
            async with m:
                await c
                awake.append(1)

        for _ in range(6):
            go(waits)
        for n in (0, 2, 3, 9, 1):
            await settled()
            c.notify(n)
            await settled()
            counts.append(len(awake))
        return counts

    for counts in schedules(main, seeds=range(3)):
        assert counts == [0, 2, 5, 6, 6]


def test_notify_without_waiters_is_forgotten() -> None:
    async def main() -> None:
        m = Mutex()
        c = Cond(m)
        c.notify()
        c.notify_all()
        async with m:
            with pytest.raises(DeadlineExceeded):
                await c.await_(timeout=1)

    virtual_run(main)


# ---- misuse ----


@both
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (Mutex, "sync: unlock of unlocked mutex"),
        (RWMutex, "sync: Unlock of unlocked RWMutex"),
        (lambda: RWMutex().reader(), "sync: RUnlock of unlocked RWMutex"),
    ],
    ids=["Mutex", "RWMutex", "reader"],
)
def test_wait_without_the_mutex(do: Do, make: object, message: str) -> None:
    """Go's words; nobody waits afterwards, and goroutine and Cond can be used on."""

    async def main() -> None:
        lock = make()  # type: ignore[operator]
        c = Cond(lock)
        with pytest.raises(SyncError) as caught:
            await do(c, "wait")
        assert str(caught.value) == message
        c.notify()  # for nobody
        await do(gosched, "sleep", 1)
        async with held(do, lock):
            with pytest.raises(DeadlineExceeded):
                await do(c, "wait", timeout=1)
        assert lock.try_lock()

    schedules(main, seeds=range(2))


@pytest.mark.parametrize("mutex", [None, 5, Event(), threading.Lock()], ids=lambda mutex: type(mutex).__name__)
def test_cond_needs_a_mutex(mutex: object) -> None:
    with pytest.raises(TypeError, match=r"^Cond\(\) needs a Mutex, an RWMutex or its reader\(\), not "):
        Cond(mutex)  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [-1, "1", None, 1.5])
def test_notify_needs_a_number(n: object) -> None:
    with pytest.raises(ValueError, match=r"^Cond\.notify\(\): n must be an int, 0 or more, not "):
        Cond(Mutex()).notify(n)  # type: ignore[arg-type]


@both
@pytest.mark.parametrize("procs", [1, 4])
def test_the_end_of_the_program_in_a_wait(do: Do, procs: int) -> None:
    """Goexit leaves the wait and the block around it, although another holds the mutex; the program ends without an error."""

    async def main(log: list[str]) -> str:
        m = Mutex()
        c = Cond(m)

        async def waits() -> None:
            try:
                async with held(do, m):
                    await do(c, "wait")
            finally:
                log.append("waiter left")

        async def holds() -> None:
            try:
                async with held(do, m):
                    await do(gosched, "sleep", 1000)
            finally:
                log.append("holder left")

        go(waits)
        await settled()
        go(holds)
        await settled()
        return "the end"

    for seed in range(8):
        log: list[str] = []
        assert virtual_run(main, log, gomaxprocs=procs, seed=seed) == "the end"
        assert sorted(log) == ["holder left", "waiter left"]
