"""Programs about stacks that are set aside: goroutines that are bound to their thread, delivered to it, and served in turn with others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gosched.lab.explored import ExploredHost
from gosched.lab.explorer import Hub

from .duels import expect
from .stalls import asker, boundary
from .waits import send

Check = Callable[[], None]


def light_host(hub: Hub, core: Any, nproc: int) -> ExploredHost:
    return ExploredHost(hub, core, nproc=nproc, seed=hub.random.randrange(1 << 30), light=True)


def plain_recv(core: Any, ch: Any) -> Any:
    g = core.plain.caller()
    answer = ch.recv_as(g)
    return core.plain.park_caller(g, -1) if answer is core.signals.Parked else answer


def plain_send(core: Any, ch: Any, value: Any) -> None:
    g = core.plain.caller()
    if ch.send_as(g, value) is core.signals.Parked:
        core.plain.park_caller(g, -1)


def plain_pairs(hub: Hub, core: Any) -> Check:
    """Two pairs of plain goroutines play ping-pong on two Ps: each stays on its thread, whoever wakes it."""
    host = light_host(hub, core, 2)
    got: list[int] = []

    def ping(a: Any, b: Any) -> None:
        home = None
        for i in range(2):
            plain_send(core, a, i)
            got.append(plain_recv(core, b))
            m = core.native.current_m()
            assert home in (None, m), "moved to another thread"
            home = m

    def pong(a: Any, b: Any) -> None:
        for _ in range(2):
            plain_send(core, b, plain_recv(core, a))

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        for _ in range(2):
            a, b = core.chan.Channel(), core.chan.Channel()
            wg.go(ping, a, b)
            wg.go(pong, a, b)
        await wg

    host.start(main)
    return lambda: expect(sorted(got), [0, 0, 1, 1])


def guests_and_others(hub: Hub, core: Any) -> Check:
    """Plain goroutines wait on threads that have other work, sleep, poll or give up their P when the goroutines are woken from elsewhere."""
    host = light_host(hub, core, 2)
    done: list[int] = []

    def waits(ch: Any, i: int) -> None:
        done.append(plain_recv(core, ch) + i)
        core.plain.yield_caller()

    async def light(ch: Any) -> None:
        await core.yielding.YIELD_NOW
        await send(core, ch, 0)

    async def naps() -> None:
        m = core.native.current_m()
        timer = core.timers.WakeTimer(m.sched, m.held())
        core.park.begin_wait(m.held(), core.states.W_SLEEP, None)
        timer.set_time(5, 0)
        await parked()

    async def main() -> None:
        ch = core.chan.Channel()
        wg = core.waitgroup.GroupCounter()
        for i in range(2):
            wg.go(waits, ch, i)
        wg.go(naps)
        for _ in range(2):
            wg.go(light, ch)
        await wg

    host.start(main)
    return lambda: expect(sorted(done), [0, 1])


class parked:  # noqa: N801
    """Yields once."""

    def __init__(self) -> None:
        self.yielded = False

    def __await__(self) -> Any:
        return self

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> None:
        if self.yielded:
            raise StopIteration
        self.yielded = True

    def send(self, answer: Any) -> None:
        self.__next__()


def stacks_against_end(hub: Hub, core: Any) -> Check:
    """main ends while stacks are set aside: each is unwound on its own thread, its finally block runs."""
    host = light_host(hub, core, 2)
    log: list[str] = []

    def waits(never: Any) -> None:
        try:
            if plain_recv(core, never) is core.signals.Ended:
                raise core.execute.Goexit
        finally:
            log.append("finally")

    async def main() -> None:
        never = core.chan.Channel()
        for _ in range(3):
            core.spawn.go(waits, never)
        await core.yielding.YIELD_NOW

    host.start(main)
    return lambda: expect(host.sched.live_count(), 0)


def hogs_beside_stacks(hub: Hub, core: Any) -> Check:
    """Hogs run on threads that others are bound to, are asked and robbed there, and set aside where that is allowed: all get to their end."""
    host = light_host(hub, core, hub.random.choice((1, 2)))
    done: list[int] = []

    def hog(i: int) -> None:
        for _ in range(3):
            boundary(hub, core)
        done.append(i)

    def waits(ch: Any, i: int) -> None:
        plain_recv(core, ch)
        boundary(hub, core)
        done.append(i)

    async def main() -> None:
        ch = core.chan.Channel()
        wg = core.waitgroup.GroupCounter()
        for i in range(2):
            wg.go(waits, ch, i)
            wg.go(hog, 2 + i)
        for _ in range(2):
            await send(core, ch, 0)
        await wg

    host.start(main)
    asker(hub, core, host, 4)
    return lambda: expect(sorted(done), [0, 1, 2, 3])


def locked_at_home(hub: Hub, core: Any) -> Check:
    """A goroutine locks a thread that others are bound to: those still get their turns there, and the thread lives until they have ended."""
    host = light_host(hub, core, 2)
    done: list[int] = []

    def waits(ch: Any, i: int) -> None:
        m = core.native.current_m()
        plain_recv(core, ch)
        assert core.native.current_m() is m, "moved to another thread"
        done.append(i)

    async def locks(ch: Any, unlocks: bool) -> None:
        await core.yielding.YIELD_NOW
        m = core.native.current_m()
        core.locked.lock_to(m, m.held())
        core.plain.yield_caller()
        await send(core, ch, 0)
        assert core.native.current_m() is m, "moved to another thread"
        if unlocks:
            core.locked.unlock_from(m, m.held())
        done.append(9)

    async def main() -> None:
        ch = core.chan.Channel()
        wg = core.waitgroup.GroupCounter()
        for i in range(2):
            wg.go(waits, ch, i)
        for i in range(2):
            wg.go(locks, ch, i == 0)
        await wg

    host.start(main)
    return lambda: expect(sorted(done), [0, 1, 9, 9])


def two_lock_one_thread(hub: Hub, core: Any) -> Check:
    """Async goroutines lock their thread, set their stack aside there, and await: each is free again with its own unlock, whoever else has locked the
    same thread, or ended there without unlocking."""
    host = light_host(hub, core, 2)
    done: list[int] = []

    async def locks(ch: Any, i: int) -> None:
        m = core.native.current_m()
        g = m.held()
        core.locked.lock_to(m, g)
        await core.yielding.YIELD_NOW
        core.plain.yield_caller()
        await send(core, ch, i)
        assert core.native.current_m() is m, "moved to another thread"
        if i != 2:
            core.locked.unlock_from(m, g)
            await core.yielding.YIELD_NOW
            assert g.home is None, "bound to a thread that it does not lock"
        done.append(i)

    def ends(ch: Any) -> None:
        plain_recv(core, ch)
        done.append(8)

    async def visits(ch: Any, locks_too: bool) -> None:
        m = core.native.current_m()
        g = m.held()
        plain_recv(core, ch)
        if locks_too:
            core.locked.lock_to(m, g)
        await core.yielding.YIELD_NOW
        assert (g.home is m) == locks_too, "only who locks a thread stays there"
        if locks_too:
            core.locked.unlock_from(m, g)
        await core.yielding.YIELD_NOW
        done.append(9)

    async def main() -> None:
        ch = core.chan.Channel()
        wg = core.waitgroup.GroupCounter()
        for locks_too in (True, False):
            wg.go(visits, ch, locks_too)
        wg.go(ends, ch)
        for i in range(3):
            wg.go(locks, ch, i)
        await wg

    host.start(main)
    return lambda: expect(sorted(done), [0, 1, 2, 8, 9, 9])


def finaliser_after_entry(hub: Hub, core: Any) -> Check:
    """A finaliser wakes a goroutine on the very thread that is about to sleep with it, in the host's code, after the last look at what is late."""
    ch = core.chan.Channel()

    class Finalising(ExploredHost):
        left = True

        def sleep_m(self, m: Any) -> None:
            if self.left:
                self.left = False
                ch.send_now(1)
            super().sleep_m(m)

    host = Finalising(hub, core, nproc=2, seed=hub.random.randrange(1 << 30))
    host.outsiders = True  # it says that all are asleep before the finaliser runs

    def main() -> Any:
        return plain_recv(core, ch)

    host.start(main)
    return lambda: expect(host.result, 1)


STACKS = [plain_pairs, guests_and_others, stacks_against_end, hogs_beside_stacks, locked_at_home, two_lock_one_thread, finaliser_after_entry]
