"""A pair on a channel among a hundred goroutines that yield: runnext, ring, global queue and the 61st tick together."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    ch = gosched.Chan[int]()
    wg.add(102)

    async def turns(i: int) -> None:
        for n in range(3):
            say(f"{i}.{n}")
            await gosched.ayield_now()
        wg.done()

    for i in range(100):
        gosched.go(turns, i)

    async def sender() -> None:
        for i in range(40):
            say(f"send {i}")
            await ch.asend(i)
            await gosched.ayield_now()
        ch.close()
        wg.done()

    gosched.go(sender)

    async def receiver() -> None:
        async for v in ch:
            say(f"receive {v}")
        wg.done()

    gosched.go(receiver)
    await wg
    say("main ends")
