"""Programs about locks: conditions, mutexes that starve, readers and writers, semaphores; with waiters who give up."""

from __future__ import annotations

from typing import Any

from gosched.lab.explorer import Hub

from .duels import expect
from .waits import Check, new_host, wait


def cond_against_notify(hub: Hub, core: Any) -> Check:
    """A goroutine waits for a condition under a mutex; who makes it true notifies. And one that waits again is not woken twice by one notify_all."""
    host = new_host(hub, core)
    mutex, cond = core.mutex.MutexCore(), core.queues.CondCore()
    state = {"ready": False, "through": 0}

    def start(g: Any) -> Any:
        cond.enlist(g)
        mutex.unlock()
        return core.signals.Parked

    async def waiter() -> None:
        await mutex.new_lock()
        while not state["ready"]:
            await wait(core, start, cond.withdraw)
            await mutex.new_lock()
        state["through"] += 1
        mutex.unlock()

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(waiter)
        wg.go(waiter)
        await mutex.new_lock()
        state["ready"] = True
        mutex.unlock()
        cond.notify_first(-1)
        await wg

    host.start(main)
    return lambda: expect(state["through"], 2)


def mutex_crowd(hub: Hub, core: Any) -> Check:
    """Three that lock and unlock, while time goes on so that they starve: one at a time, and all get it. One gives up waiting now and then."""
    host = new_host(hub, core, 3)
    mutex = core.mutex.MutexCore()
    inside = [0]
    rounds = [0]

    async def worker(timer: bool) -> None:
        for _ in range(2):
            op = mutex.new_lock()
            answer = await wait(core, op.start, op.withdraw, timer)
            if answer is core.signals.TimedOut:
                continue
            op.finish(answer)
            inside[0] += 1
            assert inside[0] == 1, "two hold the mutex"
            hub.point()
            host.clock += hub.random.choice((0, 2_000_000))
            if hub.random.random() < 0.3:
                await core.yielding.YIELD_NOW
            inside[0] -= 1
            rounds[0] += 1
            mutex.unlock()

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(worker, False)
        wg.go(worker, False)
        wg.go(worker, True)
        await wg

    def check() -> None:
        assert rounds[0] >= 4, rounds
        expect((mutex.lock_word(), mutex.starving, mutex.woken, mutex.heir), (0, False, None, None))

    host.start(main)
    return check


def readers_and_writer(hub: Hub, core: Any) -> Check:
    """Readers and a writer, who give up now and then: never together, and nobody is left behind."""
    host = new_host(hub, core)
    rw = core.queues.RWCore()
    inside = {"readers": 0, "writers": 0}

    async def reader() -> None:
        if await wait(core, rw.read_for, rw.withdraw, hub.random.random() < 0.5) is core.signals.TimedOut:
            return
        inside["readers"] += 1
        assert inside["writers"] == 0, "a reader beside a writer"
        hub.point()
        inside["readers"] -= 1
        rw.read_done()

    async def writer() -> None:
        if await wait(core, rw.write_for, rw.write_left, hub.random.random() < 0.5) is core.signals.TimedOut:
            return
        inside["writers"] += 1
        assert inside["readers"] == 0, "a writer beside a reader"
        hub.point()
        inside["writers"] -= 1
        rw.write_done()

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        for fn in (reader, writer, reader):
            wg.go(fn)
        await wg

    host.start(main)
    return lambda: expect((rw.readers, rw.pending), (0, False))


def readers_give_up(hub: Hub, core: Any) -> Check:
    """A writer leaves while the readers that wait for it give up: the lock is free afterwards."""
    host = new_host(hub, core)
    rw = core.queues.RWCore()

    async def reader() -> None:
        if await wait(core, rw.read_for, rw.withdraw, True) is not core.signals.TimedOut:
            rw.read_done()

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        rw.write_now()
        for _ in range(2):
            wg.go(reader)
        await core.yielding.YIELD_NOW
        rw.write_done()
        await wg

    host.start(main)
    return lambda: expect((rw.readers, rw.pending), (0, False))


def semaphore_crowd(hub: Hub, core: Any) -> Check:
    """Three want two of three; one gives up now and then."""
    host = new_host(hub, core)
    sem = core.queues.SemaphoreCore(3)
    taken = [0]

    async def worker(timer: bool) -> None:
        if await wait(core, lambda g: sem.acquire_for(g, 2), sem.leave, timer) is core.signals.TimedOut:
            return
        taken[0] += 2
        assert taken[0] <= 3, taken
        hub.point()
        taken[0] -= 2
        sem.give_back(2)

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        for timer in (False, True, False):
            wg.go(worker, timer)
        await wg

    host.start(main)
    return lambda: expect(sem.free, 3)


def threads_and_mutex(hub: Hub, core: Any) -> Check:
    """Threads that are no goroutines lock and unlock: a waiter that was woken and loses waits again, and is not taken for the owner."""
    mutex = core.mutex.MutexCore()
    inside = [0]

    def worker() -> None:
        for _ in range(3):
            g, op = core.plain.caller(), mutex.new_lock()
            answer = op.start(g)
            while answer is core.signals.Parked:
                answer = core.plain.park_caller(g, -1)
                if answer is core.signals.Woken:
                    answer = op.start(g)
            op.finish(answer)
            inside[0] += 1
            assert inside[0] == 1, "two hold the mutex"
            hub.point()
            inside[0] -= 1
            mutex.unlock()

    for i in range(3):
        hub.spawn(f"thread {i}", worker)
    return lambda: expect(mutex.lock_word(), 0)


LOCKS = [cond_against_notify, mutex_crowd, threads_and_mutex, readers_and_writer, readers_give_up, semaphore_crowd]
