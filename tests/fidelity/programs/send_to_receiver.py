"""A send to a waiting receiver: the receiver is next, and the sender goes on until it blocks."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    ch = gosched.Chan[int]()
    wg.add(2)

    async def receiver() -> None:
        for _ in range(3):
            say("receiver waits")
            v = await ch.arecv()
            say(f"receiver got {v}")
        wg.done()

    gosched.go(receiver)

    async def bystander() -> None:
        say("bystander")
        wg.done()

    gosched.go(bystander)
    await gosched.ayield_now()
    for i in range(3):
        say(f"main sends {i}")
        await ch.asend(i)
        say(f"main has sent {i}")
    await wg
    say("main ends")
