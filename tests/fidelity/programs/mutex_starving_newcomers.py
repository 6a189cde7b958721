"""While a mutex starves, newcomers queue at the tail and a try fails, even in the moment when nobody has it."""

from __future__ import annotations

from collections.abc import Callable

import gosched

TIMED = True


async def main(say: Callable[[str], None]) -> None:
    mu = gosched.Mutex()
    wg = gosched.WaitGroup()
    await mu.alock()
    wg.add(6)

    async def waiter(i: int) -> None:
        say(f"{i} wants it")
        async with mu:
            say(f"{i} has it")
            await gosched.ayield_now()
            say(f"{i} unlocks, try: {str(mu.try_lock()).lower()}")
        say(f"{i} goes on")
        wg.done()

    for i in range(4):
        gosched.go(waiter, i)
    await gosched.asleep(0.003)
    mu.unlock()
    async with mu:
        say("main has it again")
        await gosched.ayield_now()
        say("main hands over")
    say("main goes on")
    gosched.go(waiter, 4)
    await gosched.ayield_now()
    gosched.go(waiter, 5)
    say("main wants it")
    async with mu:
        say("main has it a third time")
    say("main has left it")
    await wg
    say(f"free: {str(mu.try_lock()).lower()}")
