"""One that waited more than a millisecond and lost again makes the mutex starve: unlock hands it over, and the new owner runs at once."""

from __future__ import annotations

from collections.abc import Callable

import gosched

TIMED = True


async def main(say: Callable[[str], None]) -> None:
    mu = gosched.Mutex()
    wg = gosched.WaitGroup()
    await mu.alock()
    wg.add(5)

    async def waiter(i: int) -> None:
        say(f"{i} wants it")
        async with mu:
            say(f"{i} has it")
        say(f"{i} has left it")
        wg.done()

    async def other() -> None:
        if mu.try_lock():
            say("the other took it without waiting")
            mu.unlock()
        else:
            say("the other does not wait")
        wg.done()

    for i in range(3):
        gosched.go(waiter, i)
    await gosched.asleep(0.003)
    say("main unlocks and locks")
    mu.unlock()
    async with mu:
        say("main has it again")
        await gosched.ayield_now()
        gosched.go(waiter, 3)
        gosched.go(other)
        say("main hands over")
    say("main goes on")
    async with mu:
        say("main has it a third time")
    say("main has left it")
    await wg
    say(f"free: {str(mu.try_lock()).lower()}")
