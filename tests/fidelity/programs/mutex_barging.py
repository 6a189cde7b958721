"""Unlock and lock again at once keeps the mutex from a waiter that was just woken; it waits again at the head of the queue."""

from __future__ import annotations

from collections.abc import Callable

import gosched

TIMED = True


async def main(say: Callable[[str], None]) -> None:
    mu = gosched.Mutex()
    wg = gosched.WaitGroup()
    await mu.alock()
    wg.add(4)

    async def waiter(i: int) -> None:
        say(f"{i} wants it")
        await mu.alock()
        say(f"{i} has it")
        await gosched.ayield_now()
        say(f"{i} unlocks")
        mu.unlock()
        wg.done()

    for i in range(3):
        gosched.go(waiter, i)
    await gosched.ayield_now()
    for _ in range(2):
        mu.unlock()
        await mu.alock()
        say("main has it again")
        await gosched.ayield_now()
    mu.unlock()
    await mu.alock()
    mu.unlock()
    say("main has left it twice, and woken one")
    await gosched.ayield_now()
    gosched.go(waiter, 3)
    await wg
    say(f"free: {str(mu.try_lock()).lower()}")
    say(f"free: {str(mu.try_lock()).lower()}")
