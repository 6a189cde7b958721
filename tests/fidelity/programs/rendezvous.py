"""Two goroutines meet in both directions: each sends and then receives, in opposite order."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    a, b = gosched.Chan[str](), gosched.Chan[str]()
    wg.add(2)

    async def left() -> None:
        for i in range(3):
            say(f"left arrives {i}")
            await a.asend("left")
            say(f"left meets {await b.arecv()}")
        wg.done()

    gosched.go(left)

    async def right() -> None:
        for i in range(3):
            say(f"right arrives {i}")
            say(f"right meets {await a.arecv()}")
            await b.asend("right")
        wg.done()

    gosched.go(right)
    await wg
    say("main ends")
