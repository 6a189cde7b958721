"""Small programs for the explorer. Each takes a schedule's hub and a copy of core, starts its threads, and returns a check of the end.

Rings are of 2 or 4 slots, so that a handful of goroutines overflows them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gosched.lab.explored import ExploredHost
from gosched.lab.explorer import Hub

from .contexts import CONTEXTS
from .duels import DUELS, expect
from .locks import LOCKS
from .net import NET
from .stacks import STACKS
from .stalls import STALLS
from .waits import WAITS

Check = Callable[[], None]


def spawn_storm(hub: Hub, core: Any) -> Check:
    """Goroutines that start goroutines, on more Ps than there is work at first."""
    host = ExploredHost(hub, core, nproc=3, seed=hub.random.randrange(1 << 30))
    ran: list[int] = []

    async def leaf(wg: Any, i: int) -> None:
        ran.append(i)
        wg.done()

    async def branch(wg: Any, i: int) -> None:
        core.spawn.go(leaf, wg, 10 * i)
        core.spawn.go(leaf, wg, 10 * i + 1)
        wg.done()

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.add(9)
        for i in range(1, 4):
            core.spawn.go(branch, wg, i)
        await wg

    host.start(main)
    return lambda: expect(sorted(ran), [10, 11, 20, 21, 30, 31])


def ring_overflow(hub: Hub, core: Any) -> Check:
    """More goroutines than a ring of two holds, while another P steals."""
    host = ExploredHost(hub, core, nproc=2, ring=2, seed=hub.random.randrange(1 << 30))
    ran: list[int] = []

    def leaf(i: int) -> None:
        ran.append(i)

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        for i in range(8):
            wg.go(leaf, i)
        await wg

    host.start(main)
    return lambda: expect(sorted(ran), list(range(8)))


def parallel(hub: Hub, core: Any) -> Check:
    """Go's TestGoroutineParallelism: two goroutines that wait for each other without yielding need both Ps."""
    host = ExploredHost(hub, core, nproc=2, seed=hub.random.randrange(1 << 30))
    here = [0]

    def meet(wg: Any, n: int) -> None:
        here[0] += 1
        while here[0] < n:
            hub.point()

    async def main() -> None:
        for _ in range(2):
            here[0] = 0
            wg = core.waitgroup.GroupCounter()
            wg.go(meet, wg, 2)
            wg.go(meet, wg, 2)
            await wg

    host.start(main)
    return lambda: expect(here[0], 2)


def parallel_by_chain(hub: Hub, core: Any) -> Check:
    """Four that must run at the same time, started one by the other: wake-ups must reach every P, also past Ms that do not spin."""
    host = ExploredHost(hub, core, nproc=4, seed=hub.random.randrange(1 << 30))
    here = [0]

    def meet() -> None:
        here[0] += 1
        while here[0] < 4:
            hub.point()

    async def start(wg: Any, n: int) -> None:
        if n > 1:
            wg.go(start, wg, n - 1)
        wg.go(meet)

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(start, wg, 4)
        await wg

    host.start(main)
    return lambda: expect(here[0], 4)


def third_hole(hub: Hub, core: Any) -> Check:
    """`third` is submitted when no P is idle and nobody spins, while the M that ran `quick` gives up its P without looking."""
    host = ExploredHost(hub, core, nproc=3, seed=hub.random.randrange(1 << 30))
    host.sched.spin_factor = 100
    flags = {"hog": False, "third": False}

    def third() -> None:
        flags["third"] = True

    def quick() -> None:
        hub.point()

    def hog() -> None:
        flags["hog"] = True
        while not flags["third"]:
            hub.point()

    async def submitter() -> None:
        core.spawn.go(quick)
        core.spawn.go(hog)
        while not flags["hog"]:
            hub.point()
        core.spawn.go(third)
        while not flags["third"]:
            hub.point()

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(submitter)
        await wg

    host.start(main)
    return host.check


def third_hole_by_retake(hub: Hub, core: Any) -> Check:
    """The same, where the P that comes free is one that sysmon took from a thread in a foreign call."""
    host = ExploredHost(hub, core, nproc=3, seed=hub.random.randrange(1 << 30))
    host.sched.spin_factor = 100
    flags = {"hogs": 0, "third": False}

    def third() -> None:
        flags["third"] = True

    def hog() -> None:
        flags["hogs"] += 1
        while not flags["third"]:
            hub.point()

    async def submitter() -> None:
        core.spawn.go(hog)
        core.spawn.go(hog)
        while flags["hogs"] < 2:
            hub.point()
        core.spawn.go(third)
        while not flags["third"]:
            hub.point()

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(submitter)
        await wg

    def sysmon() -> None:
        while True:
            hub.point()
            for p in host.sched.allp:
                if p.m is not None and p.m._running is not None and p.m._running.body is hog and core.entry.retake(host.sched, p):
                    return

    host.start(main)
    hub.spawn("sysmon", sysmon)
    return host.check


def shrink_against_idle(hub: Hub, core: Any) -> Check:
    """gomaxprocs goes down while one M idles: what the P that goes had queued is run."""
    host = ExploredHost(hub, core, nproc=3, seed=hub.random.randrange(1 << 30))
    host.sched.spin_factor = 100
    flags = {"ran": 0}

    def leaf() -> None:
        flags["ran"] += 1

    def spawner() -> None:
        core.spawn.go(leaf)
        core.spawn.go(leaf)

    def waits() -> None:
        while flags["ran"] < 4:
            hub.point()

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(spawner)
        wg.go(spawner)
        wg.go(waits)
        await wg

    host.start(main)

    def resizer() -> None:
        for n in (2, 3):
            core.resize.resize(host.sched, n)

    hub.spawn("resizer", resizer)
    return host.check


def last_spinner(hub: Hub, core: Any) -> Check:
    """A thread outside submits one goroutine after the other, each while the only M is about to go to sleep after the one before."""
    host = ExploredHost(hub, core, nproc=2, seed=hub.random.randrange(1 << 30))
    ran: list[int] = []
    done = core.native.Note()
    turn = [core.native.Note() for _ in range(4)]

    def leaf(i: int) -> None:
        ran.append(i)
        turn[i].wake()

    def outside() -> None:
        for i in range(4):
            core.spawn.spawn_outside(host.sched, leaf, (i,), None, None, False)
            if not turn[i].sleep(-1):
                raise AssertionError("not woken")
        core.ending.begin_ending(host.sched)
        done.wake()

    host.expect_deadlock = False
    host.all_asleep = lambda: None  # type: ignore[method-assign]
    hub.spawn("outside", outside)
    return lambda: expect(ran, [0, 1, 2, 3])


def pair_on_next(hub: Hub, core: Any) -> Check:
    """A goroutine that never yields has readied another: that one sits in `next`, and only a thief can run it."""
    host = ExploredHost(hub, core, nproc=2, seed=hub.random.randrange(1 << 30))
    ran: list[str] = []

    def other() -> None:
        ran.append("other")

    def starter() -> None:
        core.spawn.go(other)
        while not ran:
            hub.point()

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(starter)
        await wg

    host.start(main)
    return lambda: expect(ran, ["other"])


def resizing(hub: Hub, core: Any) -> Check:
    """gomaxprocs goes down and up while goroutines are queued everywhere."""
    host = ExploredHost(hub, core, nproc=3, ring=2, seed=hub.random.randrange(1 << 30))
    ran: list[int] = []

    async def leaf(i: int) -> None:
        await core.yielding.YIELD_NOW
        ran.append(i)

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        for i in range(3):
            wg.go(leaf, i)
        core.resize.resize(host.sched, 1)
        for i in range(3, 6):
            wg.go(leaf, i)
        core.resize.resize(host.sched, 2)
        await wg

    host.start(main)
    return lambda: expect(sorted(ran), list(range(6)))


def park_against_wake(hub: Hub, core: Any) -> Check:
    """A goroutine that goes to wait while another one counts down."""
    host = ExploredHost(hub, core, nproc=2, seed=hub.random.randrange(1 << 30))
    woken: list[int] = []

    async def waiter(wg: Any, done: Any, i: int) -> None:
        await wg
        woken.append(i)
        done.done()

    async def main() -> None:
        wg, done = core.waitgroup.GroupCounter(), core.waitgroup.GroupCounter()
        wg.add(1)
        done.add(2)
        core.spawn.go(waiter, wg, done, 1)
        core.spawn.go(waiter, wg, done, 2)
        core.spawn.go(wg.done)
        await done

    host.start(main)
    return lambda: expect(sorted(woken), [1, 2])


def retake_against_entry(hub: Hub, core: Any) -> Check:
    """Somebody plays sysmon: takes Ps away from Ms in user code while these come back into the runtime."""
    host = ExploredHost(hub, core, nproc=2, ring=4, seed=hub.random.randrange(1 << 30))
    ran: list[int] = []
    owners: dict[int, int] = {}

    async def leaf(i: int) -> None:
        for _ in range(2):
            m = core.native.current_m()
            p = m._userp
            if p is not None:
                owners[p.id] = m.id
                hub.point()
                assert m._userp is not p or owners[p.id] == m.id, "two Ms in user code with one P"
            await core.yielding.YIELD_NOW
        ran.append(i)

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        for i in range(3):
            wg.go(leaf, i)
        await wg

    def sysmon() -> None:
        for _ in range(4):
            for p in host.sched.allp:
                core.entry.retake(host.sched, p)
            hub.point()

    host.start(main)
    hub.spawn("sysmon", sysmon)
    return lambda: expect(sorted(ran), [0, 1, 2])


def ending_against_park(hub: Hub, core: Any) -> Check:
    """main returns while others are on their way to sleep for ever: each is ended, its finally block runs."""
    host = ExploredHost(hub, core, nproc=2, seed=hub.random.randrange(1 << 30))
    ended: list[int] = []
    never = core.waitgroup.GroupCounter()
    never.add(1)

    async def sleeper(i: int) -> None:
        try:
            await never
        finally:
            ended.append(i)

    async def main() -> None:
        started = core.waitgroup.GroupCounter()
        started.add(2)

        async def one(i: int) -> None:
            started.done()
            await sleeper(i)

        core.spawn.go(one, 1)
        core.spawn.go(one, 2)
        await started

    host.start(main)

    def check() -> None:
        expect(sorted(ended), [1, 2])
        expect(never.queue.waiting(), 0)
        expect(host.sched.live_count(), 0)

    return check


def deadlock(hub: Hub, core: Any) -> Check:
    """Everybody waits for nobody: the scheduler says so, once all threads sleep."""
    host = ExploredHost(hub, core, nproc=2, seed=hub.random.randrange(1 << 30), expect_deadlock=True)
    never = core.waitgroup.GroupCounter()
    never.add(1)

    async def sleeper() -> None:
        await never

    async def main() -> None:
        core.spawn.go(sleeper)
        core.spawn.go(sleeper)
        await never

    host.start(main)
    return lambda: expect((host.deadlocked, host.sched.threads), (True, 0))


PROGRAMS = [
    *DUELS,
    spawn_storm,
    ring_overflow,
    parallel,
    parallel_by_chain,
    third_hole,
    third_hole_by_retake,
    shrink_against_idle,
    last_spinner,
    pair_on_next,
    resizing,
    park_against_wake,
    retake_against_entry,
    ending_against_park,
    deadlock,
    *WAITS,
    *LOCKS,
    *STALLS,
    *STACKS,
    *NET,
    *CONTEXTS,
]
