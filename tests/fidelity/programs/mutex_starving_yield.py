"""The one that hands a starving mutex over goes to the tail of its own ring: behind what is there, before the global queue."""

from __future__ import annotations

from collections.abc import Callable

import gosched

TIMED = True


async def main(say: Callable[[str], None]) -> None:
    mu = gosched.Mutex()
    gate, wg = gosched.WaitGroup(), gosched.WaitGroup()
    await mu.alock()
    wg.add(4)

    async def waiter(i: int) -> None:
        say(f"{i} wants it")
        async with mu:
            say(f"{i} has it")
        say(f"{i} goes on")
        wg.done()

    for i in range(2):
        gosched.go(waiter, i)
    await gosched.asleep(0.003)
    mu.unlock()
    async with mu:
        say("main has it again")
        await gosched.ayield_now()
        gate.add(1)

        async def other() -> None:
            say("the other yields")
            gate.done()
            await gosched.ayield_now()
            say("the other comes back")
            wg.done()

        gosched.go(other)
        await gate

        async def ring() -> None:
            say("from the ring")
            wg.done()

        gosched.go(ring)
        say("main hands over")
    say("main goes on")
    await wg
    say("main ends")
