"""Four receivers wait: they are served in the order in which they began to wait, and the one served last runs first."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    ch = gosched.Chan[int]()
    wg.add(4)

    async def receiver(i: int) -> None:
        say(f"{i} waits")
        v = await ch.arecv()
        say(f"{i} got {v}")
        wg.done()

    for i in range(4):
        gosched.go(receiver, i)
    await gosched.ayield_now()
    for v in range(4):
        await ch.asend(v)
        say(f"main has sent {v}")
    await wg
    say("main ends")
