"""Signal wakes the one that has waited longest; two signals wake two, and the second of them runs first."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    mu = gosched.Mutex()
    wg = gosched.WaitGroup()
    cond = gosched.Cond(mu)
    wg.add(5)

    async def waiter(i: int) -> None:
        async with mu:
            say(f"{i} waits")
            await cond.await_()
            say(f"{i} woke")
        wg.done()

    for i in range(5):
        gosched.go(waiter, i)
    await gosched.ayield_now()
    cond.notify()
    say("main has signalled")
    await gosched.ayield_now()
    cond.notify()
    cond.notify()
    say("main has signalled twice")
    await gosched.ayield_now()
    cond.notify_all()
    cond.notify()
    say("main has broadcast")
    await wg
    say("main ends")
