"""Two goroutines hand a ball to and fro through runnext, on one slice; a third waits in the ring until they block otherwise."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    ping, pong = gosched.Chan[int](), gosched.Chan[int]()
    wg.add(3)

    async def third() -> None:
        say("third runs")
        wg.done()

    async def player() -> None:
        gosched.go(third)
        for i in range(8):
            say(f"ping {i}")
            await ping.asend(i)
            say(f"back {await pong.arecv()}")
        ping.close()
        wg.done()

    gosched.go(player)

    async def partner() -> None:
        async for v in ping:
            say(f"pong {v}")
            await pong.asend(v)
        say("pong ends")
        wg.done()

    gosched.go(partner)
    await wg
    say("main ends")
