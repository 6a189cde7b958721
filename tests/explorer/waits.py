"""Programs about waiting: channels, select, timers, locks, and threads that wait with their stack. The plain and the awaited spelling are the short
ones here: the copy of core has no others.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Generator
from typing import Any

from gosched.lab.explored import ExploredHost
from gosched.lab.explorer import Hub

from .duels import expect

Check = Callable[[], None]
Wait = Generator[Any, Any, Any]


def new_host(hub: Hub, core: Any, nproc: int = 2) -> ExploredHost:
    return ExploredHost(hub, core, nproc=nproc, seed=hub.random.randrange(1 << 30), light=hub.random.random() < 0.5)


@types.coroutine
def wait(core: Any, start: Callable[[Any], Any], withdraw: Callable[[Any], Any], timer: bool = False) -> Wait:
    """The awaited spelling; with a timer that is due at once."""
    g = core.park.awaiting("it")
    while g is None:
        yield
        g = core.park.awaiting("it")
    answer = start(g)
    while answer is core.signals.Parked:
        guard = None
        try:
            if timer:
                m = core.native.current_m()
                guard = core.timers.WakeTimer(m.sched, g)
                guard.set_time(1, 0)
            answer = yield
        except BaseException:
            withdraw(g)
            raise
        finally:
            if guard is not None:
                guard.disarm()
        if answer is core.signals.TimedOut:
            withdraw(g)
        elif answer is core.signals.Woken:
            answer = start(g)
    return answer


def recv(core: Any, ch: Any, timer: bool = False) -> Any:
    return wait(core, ch.recv_as, ch.withdraw, timer)


def send(core: Any, ch: Any, value: int, timer: bool = False) -> Any:
    return wait(core, lambda g: ch.send_as(g, value), ch.withdraw, timer)


@types.coroutine
def select(core: Any, *cases: Any) -> Wait:
    core.select.cases_are({core.chan.Channel.arecv: core.states.RECV, core.chan.Channel.asend: core.states.SEND})
    selection = core.select.Selection(cases)
    try:
        answer = selection.start()
        while answer is core.signals.Parked:
            answer = yield
            if answer is core.signals.Again:
                answer = selection.start()
    finally:
        selection.leave()
    return answer if type(answer) is tuple else selection.result(answer)


def plain(core: Any, start: Callable[[Any], Any]) -> Any:
    """The plain spelling."""
    g = core.plain.caller()
    answer = start(g)
    return core.plain.park_caller(g, -1) if answer is core.signals.Parked else answer


def channel_crowd(hub: Hub, core: Any) -> Check:
    """Two that send and two that receive, unbuffered or with one place: every value arrives once."""
    host = new_host(hub, core)
    ch = core.chan.Channel(hub.random.randrange(2))
    got: list[int] = []

    async def sender(i: int) -> None:
        await send(core, ch, i)
        await ch.asend(i + 1)

    async def receiver() -> None:
        got.append(await recv(core, ch))
        got.append(await recv(core, ch))

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        for i in (1, 3):
            wg.go(sender, i)
            wg.go(receiver)
        await wg

    host.start(main)
    return lambda: expect(sorted(got), [1, 2, 3, 4])


def close_against_send(hub: Hub, core: Any) -> Check:
    """A channel is closed while one sends and one receives: who sends learns it, or the value was received."""
    host = new_host(hub, core, 3)
    ch = core.chan.Channel(0)
    sent: list[bool] = []
    got: list[Any] = []

    async def sender() -> None:
        sent.append(await send(core, ch, 7) is None)

    async def receiver() -> None:
        got.append(await recv(core, ch))

    async def closer() -> None:
        ch.shut()

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        for fn in hub.random.sample([sender, receiver, closer], 3):
            wg.go(fn)
        await wg

    host.start(main)
    return lambda: expect((sent, got), ([True], [7]) if sent == [True] else ([False], [core.signals.Closed]))


def two_selects(hub: Hub, core: Any) -> Check:
    """Two selects over the same channels in both orders, each with one of two senders: one value each, none doubled."""
    host = new_host(hub, core)
    a, b = core.chan.Channel(0), core.chan.Channel(0)
    got: list[int] = []

    async def selector(*channels: Any) -> None:
        _, value = await select(core, *(ch.arecv for ch in channels))
        got.append(value)

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(selector, a, b)
        wg.go(selector, b, a)
        wg.go(lambda: a.asend(1))
        wg.go(lambda: b.asend(2))
        await wg

    host.start(main)
    return lambda: expect(sorted(got), [1, 2])


def selects_meet(hub: Hub, core: Any) -> Check:
    """Two selects that each would send on one channel and receive on the other: one of the two exchanges happens, and both selects know which."""
    host = new_host(hub, core)
    a, b = core.chan.Channel(0), core.chan.Channel(0)
    got: dict[str, Any] = {}

    async def one() -> None:
        got["one"] = await select(core, (a.asend, 1), b.arecv)

    async def other() -> None:
        got["other"] = await select(core, (b.asend, 2), a.arecv)

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(one)
        wg.go(other)
        await wg

    host.start(main)
    return lambda: expect(got, {"one": (0, None), "other": (1, 1)} if got["one"][0] == 0 else {"one": (1, 2), "other": (0, None)})


def timeout_against_send(hub: Hub, core: Any) -> Check:
    """A receiver's time is over while a value comes: it has the value, or the sender still has it. It waits again, and no late timer ends that."""
    host = new_host(hub, core)
    ch = core.chan.Channel(0)
    first: list[Any] = []
    second: list[Any] = []

    async def receiver() -> None:
        first.append(await recv(core, ch, timer=True))
        second.append(await recv(core, ch))

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(receiver)
        await send(core, ch, 1)
        if first == [1]:
            await send(core, ch, 2)
        else:
            ch.shut()
        await wg

    def check() -> None:
        if first == [1]:
            assert second in ([2], [core.signals.Closed]), second
        else:
            expect((first, second), ([core.signals.TimedOut], [1]))

    host.start(main)
    return check


def sender_times_out(hub: Hub, core: Any) -> Check:
    """The same for a sender."""
    host = new_host(hub, core)
    ch = core.chan.Channel(0)
    sent: list[Any] = []
    got: list[Any] = []

    async def sender() -> None:
        sent.append(await send(core, ch, 1, timer=True))
        await send(core, ch, 2)

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(sender)
        got.append(await recv(core, ch))
        if got == [1]:
            got.append(await recv(core, ch))
        await wg

    host.start(main)
    return lambda: expect((sent, got), ([None], [1, 2]) if sent == [None] else ([core.signals.TimedOut], [2]))


def stop_against_fire(hub: Hub, core: Any) -> Check:
    """A timer's channel: it is stopped while it fires. After that nothing comes, and `stop` has told whether something had."""
    host = new_host(hub, core)
    results: list[Any] = []

    async def main() -> None:
        ch = core.chan.Channel(1)
        timer = core.timechan.ChanTimer(host.sched, ch)
        timer.restart(1, 0)
        wg = core.waitgroup.GroupCounter()
        wg.go(lambda: ch.blocked())
        await core.yielding.YIELD_NOW
        await core.yielding.YIELD_NOW
        seen = ch.recv_now() if hub.random.random() < 0.5 else core.signals.Nothing
        stopped = timer.halt()
        await core.yielding.YIELD_NOW
        late = ch.recv_now()
        await wg
        results.extend((seen is core.signals.Nothing, stopped, late is core.signals.Nothing))

    def check() -> None:
        nothing_seen, stopped, nothing_late = results
        assert nothing_late, "a value came after the timer was stopped"
        assert stopped == nothing_seen, f"stop() said {stopped}, a value had {'not ' if nothing_seen else ''}been received"

    host.start(main)
    return check


def insert_against_stop(hub: Hub, core: Any) -> Check:
    """A timer is set by two threads and stopped by a third: its heap has it once at the most, and the count of zombies is right."""
    host = new_host(hub, core)
    timer = core.timers.WakeTimer(host.sched, core.g.Goroutine())

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(lambda: timer.set_time(100, 0))
        wg.go(lambda: timer.set_time(50, 0))
        wg.go(timer.clear_time)
        await wg
        timer.clear_time()

    def check() -> None:
        entries = sum(p.timers.size() for p in host.sched.allp)
        assert entries <= 1, f"{entries} entries of one timer"
        expect(sum(p.timers.zombies() for p in host.sched.allp), entries)

    host.start(main)
    return check


def poll_against_timer(hub: Hub, core: Any) -> Check:
    """One M goes to poll until a late timer while another, that stays busy, sets an early one: it polls until that."""
    host = new_host(hub, core)
    host.horizon = 10
    fired: list[int] = []

    class Note(core.timers.Timer):  # type: ignore[misc, name-defined]
        def fire(self, when: int, seq: int) -> None:
            fired.append(host.clock)

    async def sleeper() -> None:
        await wait(core, lambda g: core.park.begin_wait(g, 0, None) or core.signals.Parked, lambda g: None)

    async def main() -> None:
        late, early = Note(host.sched), Note(host.sched)
        late.set_time(1_000, 0)
        core.spawn.go(sleeper)
        await core.yielding.YIELD_NOW
        early.set_time(10, 0)
        while not fired:
            hub.point()
        late.clear_time()

    host.start(main)
    return lambda: expect(fired, [10])


def reset_to_later(hub: Hub, core: Any) -> Check:
    """A timer is reset to a time that never comes, behind the back of its entry at the top of the heap: the next one fires all the same."""
    host = new_host(hub, core)
    host.horizon = 20
    fired: list[int] = []

    class Note(core.timers.Timer):  # type: ignore[misc, name-defined]
        def fire(self, when: int, seq: int) -> None:
            fired.append(when)

    async def main() -> None:
        first, second = Note(host.sched), Note(host.sched)
        first.set_time(10, 0)
        second.set_time(20, 0)
        first.set_time(1_000, 0)
        await wait(core, lambda g: core.park.begin_wait(g, 0, None) or core.signals.Parked, lambda g: None, timer=True)
        while 20 not in fired:
            await core.yielding.YIELD_NOW
        first.clear_time()

    host.start(main)
    return lambda: expect(fired[-1], 20)


def late_timer(hub: Hub, core: Any) -> Check:
    """A timer finishes a wait while the goroutine, woken by somebody else, is through and begins another: the other stays its own."""
    g = core.g.Goroutine()
    timer = core.timers.WakeTimer(None, g)
    g.home = core.native.ThreadWords()
    core.park.begin_wait(g, 0, None)
    ends: list[bool] = []

    def goroutine() -> None:
        if g.win():
            timer.disarm()
            core.park.begin_wait(g, 0, None)
            ends.append(True)

    hub.spawn("timer", lambda: timer.finish(core.signals.TimedOut))
    hub.spawn("goroutine", goroutine)
    return lambda: expect(not ends or g.win(), True)


def group_times_out(hub: Hub, core: Any) -> Check:
    """A wait for a group whose time is over as the last is done: one of them ends it, another waiter is woken all the same,
    and what either waits for next is not ended by a waker that comes late."""
    host = new_host(hub, core)
    wg, ch, ends = core.waitgroup.GroupCounter(), core.chan.Channel(0), []

    async def waiter(timer: bool) -> None:
        op = wg.new_wait()
        answer = await wait(core, op.start, op.withdraw, timer)
        assert answer is None or answer is core.signals.TimedOut, answer
        ends.append(await recv(core, ch))

    async def main() -> None:
        all_ = core.waitgroup.GroupCounter()
        wg.add(1)
        all_.go(waiter, True)
        all_.go(waiter, False)
        all_.go(wg.done)
        await send(core, ch, 1)
        await send(core, ch, 2)
        await all_

    host.start(main)
    return lambda: expect(sorted(ends), [1, 2])


def cancelled(hub: Hub, core: Any) -> Check:
    """A cancellation that comes before, while or after an operation begins to wait: it does not wait for ever."""
    host = new_host(hub, core)
    ch, cancellation = core.chan.Channel(0), core.interrupt.Cancellation()
    ends: list[Any] = []

    @types.coroutine
    def cancellable() -> Wait:
        g = core.park.awaiting("it")
        answer = ch.recv_as(g)
        watch = core.timers.WakeTimer(None, g)
        cancellation.watch(watch)
        answer = yield
        watch.disarm()
        cancellation.unwatch(watch)
        ch.withdraw(g)
        return answer

    async def waiter() -> None:
        ends.append(type(await cancellable()))

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(waiter)
        wg.go(lambda: cancellation.cancel_waits(ValueError()))
        await wg

    host.start(main)
    return lambda: expect(ends, [core.signals.Interrupted])


def locked_pair(hub: Hub, core: Any) -> Check:
    """A goroutine that waits with its M for values of one that does not."""
    host = new_host(hub, core)
    ch = core.chan.Channel(0)
    got: list[Any] = []

    def receiver() -> None:
        got.append(plain(core, ch.recv_as))
        got.append(plain(core, ch.recv_as))

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(receiver)
        await ch.asend(1)
        await ch.asend(2)
        await wg

    host.start(main)
    return lambda: expect(got, [1, 2])


def locked_at_the_end(hub: Hub, core: Any) -> Check:
    """The program ends while a goroutine goes to wait with its M: it is ended, and the thread leaves."""
    host = new_host(hub, core)
    ch = core.chan.Channel(0)
    ends: list[Any] = []

    def receiver() -> None:
        g = core.plain.caller()
        if ch.recv_as(g) is core.signals.Parked:
            ends.append(core.plain.park_caller(g, -1))
            ch.withdraw(g)

    async def main() -> None:
        core.spawn.go(receiver)
        if hub.random.random() < 0.5:
            await core.yielding.YIELD_NOW

    def check() -> None:
        assert ends in ([], [core.signals.Ended]), ends
        expect(host.sched.threads, 0)

    host.start(main)
    return check


def thread_outside(hub: Hub, core: Any) -> Check:
    """A thread that is no goroutine receives what a goroutine sends; its patience may be over at that very moment."""
    host = new_host(hub, core)
    ch = core.chan.Channel(0)
    got: list[Any] = []

    def outside() -> None:
        g = core.plain.caller()
        answer = ch.recv_as(g)
        if answer is core.signals.Parked:
            answer = core.plain.park_caller(g, 5)
            if answer is core.signals.TimedOut:
                ch.withdraw(g)
        got.append(answer)
        if answer is core.signals.TimedOut:
            got.append(plain(core, ch.recv_as))

    async def main() -> None:
        await ch.asend(1)

    host.outsiders = True
    hub.spawn("outside", outside)
    host.start(main)
    return lambda: expect([v for v in got if v is not core.signals.TimedOut], [1])


WAITS = [
    channel_crowd,
    close_against_send,
    two_selects,
    selects_meet,
    timeout_against_send,
    sender_times_out,
    stop_against_fire,
    insert_against_stop,
    poll_against_timer,
    reset_to_later,
    late_timer,
    group_times_out,
    cancelled,
    locked_pair,
    locked_at_the_end,
    thread_outside,
]
