"""Broadcast by one that keeps the lock for another turn: the woken queue up for the mutex in the order in which they ran."""

from __future__ import annotations

from collections.abc import Callable

import gosched

TIMED = True


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
        say(f"{i} has unlocked")
        wg.done()

    for i in range(4):
        gosched.go(waiter, i)
    await gosched.ayield_now()
    await mu.alock()
    cond.notify_all()
    say("main has broadcast")
    await gosched.ayield_now()
    say("main still has the lock")
    mu.unlock()
    say("main has unlocked")
    await wg
    say("main ends")
