"""A receive from a waiting sender, unbuffered: the sender is next, and the receiver goes on."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    ch = gosched.Chan[str]()
    wg.add(1)

    async def sender() -> None:
        for v in ["x", "y", "z"]:
            say(f"sender sends {v}")
            await ch.asend(v)
            say(f"sender has sent {v}")
        wg.done()

    gosched.go(sender)
    await gosched.ayield_now()
    for _ in range(3):
        say("main receives")
        v = await ch.arecv()
        say(f"main got {v}")
        await gosched.ayield_now()
        say("main has yielded")
    await wg
    say("main ends")
