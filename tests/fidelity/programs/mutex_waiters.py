"""Three wait for a mutex: whoever unlocks goes on, and the waiters get it in order."""

from __future__ import annotations

from collections.abc import Callable

import gosched

TIMED = True


async def main(say: Callable[[str], None]) -> None:
    mu = gosched.Mutex()
    wg = gosched.WaitGroup()
    await mu.alock()
    wg.add(3)

    async def waiter(i: int) -> None:
        say(f"{i} wants it")
        await mu.alock()
        say(f"{i} has it")
        mu.unlock()
        say(f"{i} has left it")
        wg.done()

    for i in range(3):
        gosched.go(waiter, i)
    await gosched.ayield_now()
    say("main unlocks")
    mu.unlock()
    say("main goes on")
    await wg
    say("main ends")
