"""RWMutex: Go's sync/rwmutex_test.go by name, and what a writer or a reader that gives up leaves to the others."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import gosched
from gosched import Chan, Cond, DeadlineExceeded, RWMutex, SyncError, WaitGroup, after_func, asleep, ayield_now, go, now, run
from gosched.core.interrupt import Cancellation
from gosched.testing import virtual_run

from .spelled import Do, awaited, both, held, in_threads, plain, schedules, settled


class Activity:
    """Readers count 1, writers 10,000: more than one writer, or both kinds at once, shows."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.now = 0
        self.most = 0

    def add(self, n: int) -> int:
        with self.lock:
            self.now += n
            self.most = max(self.most, self.now)
            return self.now


def check_reads(activity: Activity) -> None:
    n = activity.add(1)
    assert 1 <= n < 10_000, f"rlock: {n}"


def check_writes(activity: Activity) -> None:
    n = activity.add(10_000)
    assert n == 10_000, f"lock: {n}"


async def hammer(m: RWMutex, do: Do, readers: int, loops: int) -> int:
    """HammerRWMutex."""
    activity, wg = Activity(), WaitGroup()

    async def reads() -> None:
        for i in range(loops):
            if i % 3 == 2:
                if not m.try_rlock():
                    continue
            else:
                await do(m, "rlock")
            check_reads(activity)
            await ayield_now()
            activity.add(-1)
            m.runlock()

    async def writes() -> None:
        for i in range(loops):
            if i % 3 == 2:
                if not m.try_lock():
                    continue
            else:
                await do(m, "lock")
            check_writes(activity)
            await ayield_now()
            activity.add(-10_000)
            m.unlock()

    wg.go(writes)
    for _ in range(readers // 2):
        wg.go(reads)
    wg.go(writes)
    for _ in range(readers - readers // 2):
        wg.go(reads)
    await wg
    assert m.try_lock()
    m.unlock()
    return activity.now


@both
def test_rw_mutex(do: Do) -> None:
    """TestRWMutex: the try variants, then exclusion under a hammer."""

    async def main() -> int:
        m = RWMutex()
        await do(m, "lock")
        assert not m.try_lock(), "TryLock succeeded with mutex locked"
        assert not m.try_rlock(), "TryRLock succeeded with mutex locked"
        m.unlock()
        assert m.try_lock(), "TryLock failed with mutex unlocked"
        m.unlock()
        assert m.try_rlock(), "TryRLock failed with mutex unlocked"
        assert m.try_rlock(), "TryRLock failed with mutex rlocked"
        assert not m.try_lock(), "TryLock succeeded with mutex rlocked"
        m.runlock()
        m.runlock()
        return await hammer(m, do, 6, 12)

    assert set(schedules(main, seeds=range(3))) == {0}


@both
@pytest.mark.parametrize(("procs", "readers"), [(1, 1), (1, 10), (4, 3), (4, 10)])
def test_rw_mutex_in_real_time(do: Do, procs: int, readers: int) -> None:
    """TestRWMutex on real threads."""
    assert run(hammer, RWMutex(), do, readers, 40, gomaxprocs=procs) == 0


def test_rw_mutex_in_plain_threads() -> None:
    m, activity = RWMutex(), Activity()

    def reads() -> None:
        for _ in range(100):
            with m.reader():
                check_reads(activity)
                activity.add(-1)

    def writes() -> None:
        for _ in range(100):
            with m:
                check_writes(activity)
                activity.add(-10_000)

    in_threads(reads, writes, reads, writes, reads)
    assert activity.now == 0
    assert m.try_lock()


@both
@pytest.mark.parametrize(("readers", "procs"), [(1, 4), (3, 4), (4, 2)])
def test_parallel_readers(do: Do, readers: int, procs: int) -> None:
    """TestParallelReaders: all of them hold it at once, each waiting for the word that it may leave."""

    async def main() -> int:
        m, has, leave, done = RWMutex(), Chan[bool](), Chan[bool](), Chan[bool]()

        async def reads() -> None:
            await do(m, "rlock")
            await has.asend(True)
            await leave.arecv()
            m.runlock()
            await done.asend(True)

        for _ in range(readers):
            go(reads)
        for _ in range(readers):
            await has.arecv()
        assert not m.try_lock()
        for _ in range(readers):
            await leave.asend(True)
        for _ in range(readers):
            await done.arecv()
        return m.try_lock()

    assert all(schedules(main, procs=[procs]))
    assert run(main, gomaxprocs=procs)


@both
def test_r_locker(do: Do) -> None:
    """TestRLocker: reader() is the read lock as a lock; writers wait for it."""

    async def main() -> list[str]:
        m, log = RWMutex(), list[str]()
        reader = m.reader()
        locked, written = Chan[bool](1), Chan[bool](1)

        async def writes() -> None:
            for _ in range(10):
                await do(reader, "lock")
                await do(reader, "lock")
                await locked.asend(True)
                await do(m, "lock")
                log.append("w")
                await written.asend(True)

        go(writes)
        for _ in range(10):
            await locked.arecv()
            reader.unlock()
            await settled()
            assert written.try_recv() == (None, False), "RLocker() didn't read-lock it"
            assert not reader.try_lock(), "a reader overtook the writer"
            reader.unlock()
            await written.arecv()
            assert not reader.try_lock(), "RLocker() didn't respect the write lock"
            m.unlock()
            await settled()
        return log

    for log in schedules(main, seeds=range(3)):
        assert log == ["w"] * 10


@both
def test_reader_with(do: Do) -> None:
    async def main() -> tuple[bool, bool, bool]:
        m = RWMutex()
        async with held(do, m.reader()):
            inside = m.try_rlock(), m.try_lock()
            m.runlock()
        async with held(do, m):
            writing = m.try_rlock()
        return *inside, writing

    assert virtual_run(main) == (True, False, False)


@both
def test_a_pending_writer_keeps_new_readers_out(do: Do) -> None:
    """Readers that were there finish, the writer writes, then all readers that queued are in at once, before the next writer."""

    async def main() -> tuple[list[str], int]:
        m, log, inside = RWMutex(), list[str](), Activity()

        async def reads(name: str) -> None:
            await do(m, "rlock")
            log.append(name)
            inside.add(1)
            await asleep(1)
            inside.add(-1)
            m.runlock()

        async def writes(name: str) -> None:
            await do(m, "lock")
            log.append(name)
            await asleep(1)
            m.unlock()

        await do(m, "rlock")
        go(writes, "W1")
        await settled()
        for i in range(3):
            go(reads, f"r{i}")
            await settled()
        go(writes, "W2")
        await settled()
        assert not m.try_rlock()
        m.runlock()
        await asleep(10)
        return [log[0], *sorted(log[1:-1]), log[-1]], inside.most

    for log, together in schedules(main):
        assert log == ["W1", "r0", "r1", "r2", "W2"]
        assert together == 3


def test_recursive_rlock_can_deadlock() -> None:
    """As in Go: a reader that reads again behind a pending writer."""

    async def main() -> None:
        m = RWMutex()
        await m.arlock()
        go(m.alock)
        await settled()
        await m.arlock()

    with pytest.raises(gosched.DeadlockError, match=r"\[sync\.RWMutex\.RLock\][\s\S]*\[sync\.RWMutex\.Lock\]"):
        virtual_run(main)


def test_unlock_while_a_writer_waits_for_readers() -> None:
    """Nobody has the write lock yet: misuse, and it changes nothing."""

    async def main() -> list[str]:
        m, log = RWMutex(), list[str]()
        await m.arlock()

        async def writes() -> None:
            await m.alock()
            log.append("written")
            m.unlock()

        go(writes)
        await settled()
        with pytest.raises(SyncError, match=r"^sync: Unlock of unlocked RWMutex$"):
            m.unlock()
        m.runlock()
        await settled()
        assert m.try_lock()
        return log

    assert virtual_run(main) == ["written"]


# ---- giving up ----


def ends(how: str, ctx: Cancellation, after: float) -> dict[str, Any]:
    if how == "timeout":
        return {"timeout": after}
    after_func(after, ctx.cancel_waits, TimeoutError("enough"))
    return {"ctx": ctx}


@both
@pytest.mark.parametrize("how", ["timeout", "ctx"])
def test_a_writer_gives_up_and_its_readers_are_admitted(do: Do, how: str) -> None:
    """They queue only because of it."""

    async def main() -> tuple[list[float], bool]:
        m, begin, times = RWMutex(), now(), list[float]()
        await do(m, "rlock")

        async def reads() -> None:
            await do(m, "rlock")
            times.append(round(now() - begin, 9))
            m.runlock()

        async def writes() -> None:
            with pytest.raises(TimeoutError):
                await do(m, "lock", **ends(how, Cancellation(), 1))

        go(writes)
        await settled()
        for _ in range(3):
            go(reads)
        await asleep(2)
        assert not m.try_lock()
        m.runlock()
        return times, m.try_lock()

    for result in schedules(main):
        assert result == ([1.0] * 3, True)


@both
@pytest.mark.parametrize("how", ["timeout", "ctx"])
def test_a_writer_gives_up_and_the_next_writer_goes_on(do: Do, how: str) -> None:
    """The next one waits for the inner mutex, then for the readers."""

    async def main() -> tuple[float, bool]:
        m, begin, times = RWMutex(), now(), list[float]()
        await do(m, "rlock")

        async def gives_up() -> None:
            with pytest.raises(TimeoutError):
                await do(m, "lock", **ends(how, Cancellation(), 1))

        async def writes() -> None:
            await do(m, "lock")
            times.append(round(now() - begin, 9))
            m.unlock()

        go(gives_up)
        await settled()
        go(writes)
        await asleep(2)
        assert not m.try_rlock(), "the second writer is pending now"
        m.runlock()
        await settled()
        return times[0], m.try_lock()

    assert set(schedules(main)) == {(2.0, True)}


@both
def test_a_writer_behind_a_writer_gives_up(do: Do) -> None:
    """It waits for the inner mutex only, and keeps nobody out."""

    async def main() -> tuple[float, bool, bool]:
        m, begin = RWMutex(), now()
        await do(m, "lock")
        with pytest.raises(DeadlineExceeded):
            await do(m, "lock", timeout=1)
        m.unlock()
        reads = m.try_rlock()
        m.runlock()
        return round(now() - begin, 9), reads, m.try_lock()

    assert set(schedules(main)) == {(1.0, True, True)}


@both
def test_the_timeout_covers_both_waits(do: Do) -> None:
    """One second for the inner mutex and one for the readers do not make two."""

    async def main() -> float:
        m, begin = RWMutex(), now()
        await do(m, "lock")

        async def swap() -> None:
            await asleep(0.6)
            go(reads)
            await settled()
            m.unlock()

        async def reads() -> None:
            await do(m, "rlock")
            await asleep(9)
            m.runlock()

        go(swap)
        with pytest.raises(DeadlineExceeded, match=r"within 1 s$"):
            await do(m, "lock", timeout=1)
        return round(now() - begin, 9)

    assert set(schedules(main)) == {1.0}


@both
@pytest.mark.parametrize("how", ["timeout", "ctx"])
def test_a_reader_gives_up(do: Do, how: str) -> None:
    """It is not counted among the readers when the writer is done."""

    async def main() -> tuple[int, bool]:
        m, got = RWMutex(), list[int]()
        await do(m, "lock")

        async def reads(i: int) -> None:
            await do(m, "rlock")
            got.append(i)
            m.runlock()

        async def gives_up() -> None:
            with pytest.raises(TimeoutError):
                await do(m, "rlock", **ends(how, Cancellation(), 1))

        go(reads, 0)
        go(gives_up)
        go(reads, 1)
        await asleep(2)
        m.unlock()
        await settled()
        return len(got), m.try_lock()

    assert set(schedules(main)) == {(2, True)}


@both
def test_all_at_the_same_moment(do: Do) -> None:
    """Writers and readers whose time is over when the lock comes free: nobody is forgotten, nothing stays locked."""

    async def main() -> tuple[int, bool]:
        m, wg, got = RWMutex(), WaitGroup(), list[int]()
        await do(m, "rlock")

        async def impatient(op: str, unlock: Any) -> None:
            try:
                await do(m, op, timeout=1)
            except DeadlineExceeded:
                return
            unlock()

        async def patient(op: str, unlock: Any) -> None:
            await do(m, op)
            got.append(1)
            unlock()

        after_func(1, m.runlock)
        for _ in range(2):
            wg.go(impatient, "lock", m.unlock)
            wg.go(impatient, "rlock", m.runlock)
            wg.go(patient, "rlock", m.runlock)
            wg.go(patient, "lock", m.unlock)
        await wg
        await settled()
        return len(got), m.try_lock()

    assert set(schedules(main, seeds=range(20))) == {(4, True)}


@both
def test_cond_on_a_reader(do: Do) -> None:
    """Go's NewCond(rw.RLocker()): several readers wait at once."""

    async def main() -> int:
        m, ready, passed, wg = RWMutex(), list[int](), list[int](), WaitGroup()
        cond = Cond(m.reader())

        async def waits() -> None:
            async with held(do, m.reader()):
                await do(cond, "wait_for", lambda: ready)
                passed.append(1)

        for _ in range(3):
            wg.go(waits)
        await settled()
        async with held(do, m):
            ready.append(1)
            cond.notify_all()
        await wg
        assert m.try_lock()
        return len(passed)

    assert set(schedules(main)) == {3}


def test_a_mix_of_worlds() -> None:
    m, activity = RWMutex(), Activity()

    def thread() -> None:
        for i in range(60):
            if i % 4:
                with m.reader():
                    check_reads(activity)
                    activity.add(-1)
            else:
                with m:
                    check_writes(activity)
                    activity.add(-10_000)

    async def main() -> None:
        wg = WaitGroup()

        async def mixes(do: Do) -> None:
            for i in range(60):
                if i % 4:
                    async with held(do, m.reader()):
                        check_reads(activity)
                        await ayield_now()
                        activity.add(-1)
                else:
                    async with held(do, m):
                        check_writes(activity)
                        await ayield_now()
                        activity.add(-10_000)

        for do in (awaited, plain, awaited):
            wg.go(mixes, do)
        await wg

    in_threads(thread, thread, lambda: run(main, gomaxprocs=3))
    assert activity.now == 0
    assert m.try_lock()
