"""Broadcast wakes four waiters: the newest first, then the others in order."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    mu = gosched.Mutex()
    wg = gosched.WaitGroup()
    cond = gosched.Cond(mu)
    wg.add(4)

    async def waiter(i: int) -> None:
        await mu.alock()
        say(f"{i} waits")
        await cond
        say(f"{i} woke")
        mu.unlock()
        wg.done()

    for i in range(4):
        gosched.go(waiter, i)
    await gosched.ayield_now()
    await mu.alock()
    cond.notify_all()
    say("main has broadcast")
    mu.unlock()
    say("main has unlocked")
    await wg
    say("main ends")
