"""Programs about descriptors: edges, deadlines and closing against who tries and waits."""

from __future__ import annotations

from typing import Any

from gosched.lab.explorer import Hub

from .duels import Bench, expect
from .waits import Check, new_host, wait

# So far that no time comes to it.
FAR = (1 << 62) + 1


def new_desc(core: Any, host: Any, data: list[int]) -> Any:
    """A descriptor whose bytes are in `data`; `inside` counts who tries to read them."""

    class Desc(core.netpoll.PollDesc):  # type: ignore[misc, name-defined]
        inside = 0
        times = 0

        def shut(self, _: Any) -> None:
            assert self.inside == 0, "closed while somebody reads"
            self.times += 1

        def attempt(self, hub: Hub) -> Any:
            assert self.times == 0, "read after it was closed"
            self.inside += 1
            hub.point()
            got = data.pop(0) if data else core.signals.Nothing
            hub.point()
            self.inside -= 1
            return got

    desc = Desc(host.sched, 3, None)
    desc.shuts = desc.shut
    return desc


def read(hub: Hub, core: Any, desc: Any, timer: bool = False) -> Any:
    """One read, awaited: what was there, "closed", "expired", or TimedOut."""
    states, mode = core.states, core.states.READ

    def start(g: Any) -> Any:
        who = core.park.words_of(g)
        while True:
            code = desc.begin_by(who, mode)
            if code == states.NET_WAITS:
                return core.signals.Parked
            if code != states.NET_OK:
                desc.finish(g, mode)
                return "closed" if code == states.NET_CLOSED else "expired"
            got = desc.attempt(hub)
            if got is not core.signals.Nothing:
                desc.finish(g, mode)
                return got
            if desc.wait_by(who, mode) == states.NET_WAITS:
                return core.signals.Parked

    return wait(core, start, lambda g: desc.withdraw(g, mode), timer)


def nap(core: Any) -> Any:
    """Until the earliest time there is."""

    def start(g: Any) -> Any:
        core.park.begin_wait(g, core.states.W_SLEEP, None)
        return core.signals.Parked

    return wait(core, start, lambda g: None, True)


def edges(hub: Hub, core: Any) -> Check:
    """Bytes come, and an edge for each, while somebody reads: none is left."""
    host = new_host(hub, core)
    data: list[int] = []
    got: list[Any] = []

    async def main() -> None:
        desc = new_desc(core, host, data)
        wg = core.waitgroup.GroupCounter()

        async def reader() -> None:
            for _ in range(3):
                got.append(await read(hub, core, desc))

        def sender() -> None:
            for i in range(3):
                data.append(i)
                if hub.random.random() < 0.5:
                    desc.arrive(core.states.READ)
                else:
                    host.arrivals.append((desc, core.states.READ))
                hub.point()

        wg.go(reader)
        wg.go(sender)
        await wg

    host.start(main)
    return lambda: expect((got, host.sched.net_waiters()), ([0, 1, 2], 0))


def turns(hub: Hub, core: Any) -> Check:
    """Three read at once, one of them gives up: the others get a byte each."""
    host = new_host(hub, core)
    data: list[int] = []
    got: list[Any] = []

    async def main() -> None:
        desc = new_desc(core, host, data)
        wg = core.waitgroup.GroupCounter()

        async def reader(timer: bool) -> None:
            got.append(await read(hub, core, desc, timer))
            if timer:  # whoever wakes it for the read that is over wakes it here
                assert await done.arecv() == 42

        done = core.chan.Channel(0)

        def sender() -> None:
            for i in range(3):
                data.append(i)
                desc.arrive(core.states.READ)

        wg.go(reader, True)
        wg.go(reader, False)
        wg.go(reader, False)
        wg.go(sender)
        await core.yielding.YIELD_NOW
        await done.asend(42)
        await wg

    host.start(main)
    return lambda: expect((len([x for x in got if isinstance(x, int)]) >= 2, len(got), host.sched.net_waiters()), (True, 3, 0))


def event_against_deadline_against_close(hub: Hub, core: Any) -> Check:
    """All three at once: two readers end, each with what one of them brought, and the descriptor is closed once, by nobody's side."""
    host = new_host(hub, core)
    data: list[int] = []
    got: list[Any] = []
    descs: list[Any] = []

    async def main() -> None:
        desc = new_desc(core, host, data)
        descs.append(desc)
        wg = core.waitgroup.GroupCounter()

        async def reader() -> None:
            got.append(await read(hub, core, desc))

        def event() -> None:
            data.append(1)
            desc.arrive(core.states.READ)

        wg.go(reader)
        wg.go(reader)
        wg.go(event)
        wg.go(lambda: desc.move_deadline(core.states.READ, 1, False))
        wg.go(desc.close_desc)
        await wg

    def check() -> None:
        assert sorted(map(str, got)) in [["1", "closed"], ["1", "expired"], ["closed", "closed"], ["closed", "expired"], ["expired", "expired"]], got
        assert host.sched.net_waiters() == 0
        assert descs[0].times == 1, f"closed {descs[0].times} times"

    host.start(main)
    return check


def deadline_moves(hub: Hub, core: Any) -> Check:
    """A deadline that is near is moved far away while its timer fires: who begins to read after that waits for the byte."""
    host = new_host(hub, core)
    data: list[int] = []
    got: list[Any] = []

    async def main() -> None:
        desc = new_desc(core, host, data)
        wg = core.waitgroup.GroupCounter()

        async def late() -> None:
            desc.move_deadline(core.states.READ, FAR, False)
            got.append(await read(hub, core, desc))

        desc.move_deadline(core.states.READ, 1, False)
        wg.go(late)
        await core.yielding.YIELD_NOW
        await core.yielding.YIELD_NOW
        data.append(7)
        desc.arrive(core.states.READ)
        await wg
        desc.move_deadline(core.states.READ, 0, False)

    host.start(main)
    return lambda: expect(got, [7])


def two_move_deadlines(hub: Hub, core: Any) -> Check:
    """By two threads: the timer is the one of the deadline that stands."""
    host = new_host(hub, core)
    descs: list[Any] = []
    times: list[tuple[int, int]] = []

    async def main() -> None:
        desc = new_desc(core, host, [])
        descs.append(desc)
        wg = core.waitgroup.GroupCounter()
        for when in (FAR, FAR + 1):
            wg.go(desc.move_deadline, core.states.READ, when, False)
        await wg
        times.append((desc.read_when, desc.read_timer.when))
        desc.move_deadline(core.states.READ, 0, False)

    host.start(main)
    return lambda: expect(times[0][0], times[0][1])


def sysmon_against_poll(hub: Hub, core: Any) -> Check:
    """Sysmon looks when an M begins to wait there: one waits at a time, and what sysmon found goes on."""
    host = new_host(hub, core)
    data: list[int] = []
    got: list[Any] = []
    host.sched.swap_last_poll(1)
    waits = [0]
    poll = host.poll

    def counted(until: int) -> None:
        waits[0] += 1
        assert waits[0] == 1, "two wait at the poller"
        poll(until)
        waits[0] -= 1

    host.poll = counted

    async def main() -> None:
        desc = new_desc(core, host, data)
        wg = core.waitgroup.GroupCounter()

        async def reader() -> None:
            for _ in range(2):
                got.append(await read(hub, core, desc))

        async def sender() -> None:
            for i in range(2):
                core.sysmon.look_at_net(host.sched)
                await nap(core)
                data.append(i)
                host.arrivals.append((desc, core.states.READ))

        wg.go(reader)
        wg.go(sender)
        await wg

    host.start(main)
    return lambda: expect(got, [0, 1])


def borrow_against_close(hub: Hub, core: Any) -> Check:
    """A call that does not wait uses the descriptor while another one closes it: it is shut afterwards, once."""
    shut: list[int] = []
    desc = core.netpoll.PollDesc(Sleepers(core, 1).sched, 3, shut.append)

    def uses() -> None:
        if desc.borrow():
            hub.point()
            assert not shut, "shut under the call"
            hub.point()
            desc.restore()

    hub.spawn("user", uses)
    hub.spawn("closer", desc.close_desc)
    return lambda: expect(len(shut), 1)


class Sleepers(Bench):
    """Ms on their way to sleep."""

    poked = dead = False

    def deadline(self) -> int:
        states = self.core.states
        return int(states.NEVER if self.sched.net_waiters() != 0 else states.NOBODY)

    def poll_wake(self) -> None:
        self.poked = True

    def roused(self, m: Any) -> None:
        """It looks for itself."""

    def all_asleep(self) -> None:
        self.dead = True

    def now(self) -> int:
        return 1


def nothing_left_to_poll_for(hub: Hub, core: Any) -> Check:
    """An M goes to poll for a timer or for a reader, which give up; then the last one that runs falls asleep: the deadlock is seen, or will be."""
    bench = Sleepers(core, 2)
    poller, last = bench.ms
    timer = core.timers.Timer(bench.sched) if hub.random.random() < 0.5 else None
    if timer is not None:
        timer.when = FAR
        last.p.timers.insert(timer)
    else:
        bench.sched.add_net_waiters(1)
    poller.p = None

    def gives_up() -> None:
        if timer is not None:
            timer.clear_time()
        else:
            bench.sched.add_net_waiters(-1)
        last.p = None
        core.findrun.idle(last)

    hub.spawn("poller", lambda: core.findrun.rest(poller))
    hub.spawn("last", gives_up)
    return lambda: expect(bench.dead or bench.poked, True)


def poll_against_end(hub: Hub, core: Any) -> Check:
    """The program ends: who polls is woken, and comes back; another M is about to poll in its place, as somebody still waits for a descriptor."""
    bench = Sleepers(core, 2)
    polled, poller = bench.ms
    polled.p = poller.p = None
    bench.sched.add_net_waiters(1)
    bench.sched.swap_last_poll(0)

    def comes_back() -> None:
        hub.wait(lambda: bench.poked, False)
        bench.poked = False
        core.findrun.after_poll(polled, 1)

    hub.spawn("polled", comes_back)
    hub.spawn("poller", lambda: core.findrun.rest(poller))
    hub.spawn("end", lambda: core.ending.begin_exit(bench.sched))
    return lambda: expect(poller.verdict == core.states.POLL and not bench.poked, False)


NET = [
    nothing_left_to_poll_for,
    poll_against_end,
    borrow_against_close,
    edges,
    turns,
    event_against_deadline_against_close,
    deadline_moves,
    two_move_deadlines,
    sysmon_against_poll,
]
