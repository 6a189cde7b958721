"""Programs about contexts: a cancellation against who parks, shields itself, leaves, ends, or is only being made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gosched.lab.explorer import Hub

from .duels import expect
from .waits import new_host, plain, recv

Check = Callable[[], None]


class Stop(Exception):
    """What the contexts here are cancelled with."""


def here(core: Any) -> Any:
    return core.snapshot.current_goroutine()


async def receive(hub: Hub, core: Any, ch: Any) -> Any:
    """A value, or Stop, by either spelling."""
    if hub.random.random() < 0.5:
        return await recv(core, ch)
    answer = plain(core, ch.recv_as)
    if answer is core.signals.Ended:
        g = core.plain.caller()
        ch.withdraw(g)
        raise core.interrupt.ending(g)
    return answer


def cancel_against_park(hub: Hub, core: Any) -> Check:
    """A goroutine waits in a context, for a value that may come. The context is cancelled: it has the value or knows, and no value is lost."""
    host = new_host(hub, core)
    ch = core.chan.Channel(1)
    ctx = core.interrupt.Cancellation()
    sends = hub.random.random() < 0.5
    ends: list[Any] = []

    async def waiter() -> None:
        scope = core.interrupt.enter_scope(here(core), ctx)
        try:
            ends.append(await receive(hub, core, ch))
        except Stop:
            ends.append(None)
        finally:
            core.interrupt.leave_scope(scope)
        if ends == [None] and sends:
            ends.append(await recv(core, ch))

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(waiter)
        if sends:
            wg.go(ch.send_now, 7)
        wg.go(ctx.cancel_waits, Stop())
        await wg

    def check() -> None:
        assert ends in ([[7], [None, 7]] if sends else [[None]]), f"the waiter's end: {ends}"
        expect(ctx.waiting(), 0)

    host.start(main)
    return check


def cancel_against_shield(hub: Hub, core: Any) -> Check:
    """The same with a wait that heeds no context, between two that do."""
    host = new_host(hub, core)
    first, second, third = core.chan.Channel(1), core.chan.Channel(1), core.chan.Channel(0)
    ctx = core.interrupt.Cancellation()
    ends: list[Any] = []

    async def waiter() -> None:
        g = here(core)
        core.interrupt.enter_scope(g, ctx)
        try:
            await receive(hub, core, first)
        except Stop:
            ends.append("first")
        scope = core.interrupt.shield(g)
        ends.append(await receive(hub, core, second))
        core.interrupt.unshield(g, scope)
        try:
            await receive(hub, core, third)
        except Stop:
            ends.append("third")

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(waiter)
        wg.go(first.send_now, 6)
        wg.go(ctx.cancel_waits, Stop())
        wg.go(second.send_now, 7)
        await wg

    host.start(main)
    return lambda: expect(ends[-2:], [7, "third"])


def cancel_against_inner(hub: Hub, core: Any) -> Check:
    """A context is cancelled while another one, which does not depend on it, counts; and while the goroutine waits after both."""
    host = new_host(hub, core)
    channels = [core.chan.Channel(1) for _ in range(3)]
    outer, inner = core.interrupt.Cancellation(), core.interrupt.Cancellation()
    ends: list[Any] = []

    async def waiter() -> None:
        g = here(core)
        scope = core.interrupt.enter_scope(g, outer)
        try:
            await receive(hub, core, channels[0])
        except Stop:
            pass
        within = core.interrupt.enter_scope(g, inner)
        ends.append(await receive(hub, core, channels[1]))
        core.interrupt.leave_scope(within)
        core.interrupt.leave_scope(scope)
        ends.append(await receive(hub, core, channels[2]))

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(waiter)
        wg.go(outer.cancel_waits, Stop())
        for i in range(3):
            wg.go(channels[i].send_now, i)
        await wg

    host.start(main)
    return lambda: expect(ends, [1, 2])


def nothing_of_the_dead(hub: Hub, core: Any) -> Check:
    """A goroutine ends in its context, which lives on: nothing of it stays there, as what is left of it is used for another one."""
    host = new_host(hub, core)
    ctx = core.interrupt.Cancellation()
    left: list[int] = []

    async def short() -> None:
        pass

    async def main() -> None:
        g = core.spawn.spawn(core.native.current_m(), short, (), None, None, ctx)
        while not g.is_dead():
            await core.yielding.YIELD_NOW
        left.append(ctx.waiting())

    host.start(main)
    return lambda: expect(left, [0])


def heirs_against_cancel(hub: Hub, core: Any) -> Check:
    """Two contexts are made from one that is being cancelled: both are over in the end, and their channels closed."""
    host = new_host(hub, core, 3)
    parent = core.interrupt.Cancellation()
    over: list[Any] = []

    async def heir() -> None:
        child = core.interrupt.Cancellation()
        child.depend_on(parent)
        await recv(core, child.done_channel())
        over.append(child.error)

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(heir)
        wg.go(heir)
        wg.go(parent.cancel_waits, Stop())
        await wg

    def check() -> None:
        assert [type(error) for error in over] == [Stop, Stop], over
        expect(parent.heirs or {}, {})

    host.start(main)
    return check


def channel_against_cancel(hub: Hub, core: Any) -> Check:
    """Two ask for the channel of a context that is being cancelled: it closes for both. Who sees the error finds it closed."""
    host = new_host(hub, core, 3)
    ctx = core.interrupt.Cancellation()
    ended: list[bool] = []

    async def waiter() -> None:
        channel = ctx.done_channel()
        if hub.random.random() < 0.5:
            await recv(core, channel)
        while ctx.seen_error() is None:
            await core.yielding.YIELD_NOW
        ended.append(channel.is_shut())

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(waiter)
        wg.go(waiter)
        wg.go(ctx.cancel_waits, Stop())
        await wg

    host.start(main)
    return lambda: expect(ended, [True, True])


def left_by_another(hub: Hub, core: Any) -> Check:
    """The block of a context is ended by another goroutine than the one that began it, which shields itself meanwhile, and then waits on."""
    host = new_host(hub, core)
    first, second = core.chan.Channel(1), core.chan.Channel(1)
    ctx = core.interrupt.Cancellation()
    scopes: list[Any] = []
    got: list[Any] = []

    async def waiter() -> None:
        g = here(core)
        scopes.append(core.interrupt.enter_scope(g, ctx))
        scope = core.interrupt.shield(g)
        first.send_now(1)
        await core.yielding.YIELD_NOW
        core.interrupt.unshield(g, scope)
        got.append(await receive(hub, core, second))

    async def leaver() -> None:
        await recv(core, first)
        core.interrupt.leave_scope(scopes[0])
        await core.yielding.YIELD_NOW
        ctx.cancel_waits(Stop())
        second.send_now(7)

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(waiter)
        wg.go(leaver)
        await wg

    host.start(main)
    return lambda: expect(got, [7])


def dropped_block(hub: Hub, core: Any) -> Check:
    """The same in another context, which is cancelled: who waits under both knows, in whatever wait it is then; and not in one that is shielded."""
    host = new_host(hub, core)
    around, inside = core.interrupt.Cancellation(), core.interrupt.Cancellation()
    first, second, third = core.chan.Channel(1), core.chan.Channel(1), core.chan.Channel(0)
    shields = hub.random.random() < 0.5
    ends: list[Any] = []

    async def waiter() -> None:
        g = here(core)
        core.interrupt.enter_scope(g, around)
        first.send_now(core.interrupt.enter_scope(g, inside))
        if shields:
            await core.yielding.YIELD_NOW
            scope = core.interrupt.shield(g)
            ends.append(await receive(hub, core, second))
            core.interrupt.unshield(g, scope)
        try:
            await receive(hub, core, third)
        except Stop:
            ends.append("knows")

    async def leaver() -> None:
        core.interrupt.leave_scope(await recv(core, first))
        second.send_now(7)

    async def main() -> None:
        wg = core.waitgroup.GroupCounter()
        wg.go(waiter)
        wg.go(leaver)
        wg.go(around.cancel_waits, Stop())
        await wg

    host.start(main)
    return lambda: expect(ends, [7, "knows"] if shields else ["knows"])


CONTEXTS = [
    cancel_against_park,
    cancel_against_shield,
    cancel_against_inner,
    nothing_of_the_dead,
    heirs_against_cancel,
    channel_against_cancel,
    left_by_another,
    dropped_block,
]
