"""Programs about goroutines that do not let go: hogs that are asked and suspended, Ps that are taken, blocking calls, locked threads, sysmon's sleep.

A hog comes by `boundary` where CPython would come to the next bytecode.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gosched.errors import Goexit
from gosched.lab.explored import ExploredHost
from gosched.lab.explorer import Hub

from .duels import expect
from .waits import new_host, recv, send, wait

Check = Callable[[], None]


def boundary(hub: Hub, core: Any) -> None:
    hub.point()
    if core.preempt.suspend(core.native.current_m()):
        raise Goexit


def asker(hub: Hub, core: Any, host: ExploredHost, times: int) -> None:
    """Somebody who asks whatever runs, and sometimes takes its P by force."""

    def sysmon() -> None:
        for _ in range(times):
            for p in host.sched.allp:
                m = p.m
                if m is not None and hub.random.random() < 0.7:
                    core.sysmon.ask(host.sched, m)
                elif m is not None:
                    core.entry.retake(host.sched, p)
            hub.point()

    hub.spawn("sysmon", sysmon)


def hogs_are_suspended(hub: Hub, core: Any) -> Check:
    """Hogs on one or two Ps, asked and robbed; all get to their end, and others in between."""
    host = new_host(hub, core, hub.random.choice((1, 2)))
    done: list[int] = []

    def hog(i: int) -> None:
        for _ in range(4):
            boundary(hub, core)
        done.append(i)

    async def light(i: int) -> None:
        await core.yielding.YIELD_NOW
        done.append(i)

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        for i in range(3):
            wg.go(hog, i)
        wg.go(light, 3)
        await wg

    host.start(main)
    asker(hub, core, host, 5)
    return lambda: expect(sorted(done), [0, 1, 2, 3])


def hogs_against_end(hub: Hub, core: Any) -> Check:
    """main ends while hogs run, or wait for a P after they were suspended: each is told once, and its finally block runs whole."""
    host = new_host(hub, core, hub.random.choice((1, 2)))
    log: list[str] = []

    def hog() -> None:
        try:
            while True:
                boundary(hub, core)
                if hub.random.random() < 0.3:
                    core.sysmon.ask(host.sched, core.native.current_m())
        finally:
            for _ in range(3):
                boundary(hub, core)
            log.append("finally")

    async def main() -> None:
        core.spawn.go(hog)
        core.spawn.go(hog)
        await core.yielding.YIELD_NOW
        await core.yielding.YIELD_NOW

    host.start(main)
    asker(hub, core, host, 6)
    return lambda: expect(log in ([], ["finally"], ["finally"] * 2) and host.sched.live_count(), 0)


def asked_while_it_parks(hub: Hub, core: Any) -> Check:
    """The question comes when the goroutine stands in a queue already and has not yielded yet."""
    host = new_host(hub, core)
    ch = core.chan.Channel()
    got: list[int] = []

    async def receiver() -> None:
        got.append(await recv_slowly(hub, core, ch))

    async def sender() -> None:
        await send(core, ch, 7)

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(receiver)
        wg.go(sender)
        await wg

    host.start(main)
    asker(hub, core, host, 4)
    return lambda: expect(got, [7])


def recv_slowly(hub: Hub, core: Any, ch: Any) -> Any:
    """A receive with boundaries between the operation and its yield."""

    def start(g: Any) -> Any:
        answer = ch.recv_as(g)
        boundary(hub, core)
        boundary(hub, core)
        return answer

    return wait(core, start, ch.withdraw)


def calls_that_block(hub: Hub, core: Any) -> Check:
    """blocking() while others want the P: handed on at once, or taken by sysmon; a P is found again in every case."""
    host = new_host(hub, core, hub.random.choice((1, 2)))
    done: list[int] = []
    arrived = [0]

    def call() -> None:
        arrived[0] += 1
        hub.wait(lambda: arrived[0] == 3, False)

    def caller(i: int) -> None:
        core.blockcall.call_blocking(call, (), {})
        assert not core.native.current_m().lost_p(), "back from the call without a P"
        done.append(i)

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        for i in range(3):
            wg.go(caller, i)
        await wg

    def sysmon() -> None:
        while len(done) < 3:
            for p in host.sched.allp:
                m = p.m
                if m is not None and m.marked() and core.sysmon.needed(host.sched, p):
                    core.entry.retake(host.sched, p)
            hub.point()

    host.start(main)
    hub.spawn("sysmon", sysmon)
    return lambda: expect(sorted(done), [0, 1, 2])


def locked_threads(hub: Hub, core: Any) -> Check:
    """Goroutines that are locked to their threads exchange values, yield, and end locked: their threads end with them."""
    host = new_host(hub, core)
    ch = core.chan.Channel()
    got: list[int] = []

    async def locked(i: int) -> None:
        m = core.native.current_m()
        core.locked.lock_to(m, m.held())
        await send(core, ch, i)
        assert core.native.current_m() is m, "moved to another thread"
        await core.yielding.YIELD_NOW
        assert core.native.current_m() is m, "moved to another thread"
        if i == 1:
            core.locked.unlock_from(m, m.held())

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        for i in range(2):
            wg.go(locked, i)
        for _ in range(2):
            got.append(await recv(core, ch))
        await wg

    host.start(main)
    return lambda: expect(sorted(got), [0, 1])


def threads_that_leave(hub: Hub, core: Any) -> Check:
    """More idle threads than Ps: some leave, at the very moment when somebody gives one of them a P."""
    host = new_host(hub, core, 1)
    done: list[int] = []

    def waits(turnstile: Any, i: int) -> None:
        g = core.plain.caller()
        if turnstile.recv_as(g) is core.signals.Parked:
            core.plain.park_caller(g, -1)
        done.append(i)

    async def main() -> None:
        turnstile = core.chan.Channel()
        wg = core.waitgroup.GroupCounter()
        for round_ in range(2):
            for i in range(2):
                wg.go(waits, turnstile, 2 * round_ + i)
            for _ in range(2):
                await send(core, turnstile, 1)
            await wg

    host.start(main)
    return lambda: expect(sorted(done), [0, 1, 2, 3])


def sysmon_wakes(hub: Hub, core: Any) -> Check:
    """Every P was idle and sysmon went to sleep: whoever takes a P wakes it, or a hog without mercy would stop the program."""
    host = new_host(hub, core, 1)
    host.sched.set_watch(0, 0, 0, 0)
    ch = core.chan.Channel(1)
    ran = [0]
    woken = [False]

    def hog() -> None:
        hub.wait(lambda: ran[0] == 1, False)

    def other() -> None:
        ran[0] = 1

    async def main() -> None:
        await recv(core, ch)
        wg = core.waitgroup.GroupCounter()
        wg.go(other)
        wg.go(hog)
        await wg

    def outside() -> None:
        hub.wait(lambda: host.sched.idle_ps() == 1 or woken[0], True)
        woken[0] = True
        ch.send_now(1)

    host.outsiders = True
    host.start(main)
    hub.spawn("sysmon", lambda: core.sysmon.run_sysmon(host.sched))
    hub.spawn("outside", outside)
    return lambda: expect(ran, [1])


STALLS = [
    hogs_are_suspended,
    hogs_against_end,
    asked_while_it_parks,
    calls_that_block,
    locked_threads,
    threads_that_leave,
    sysmon_wakes,
]
