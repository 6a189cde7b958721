"""Goroutines that start others and then block: the started one runs at once, and wakes its creator to run right after it."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()

    async def parent(i: int) -> None:
        ch = gosched.Chan[str]()
        say(f"parent {i} starts two")

        async def first() -> None:
            say(f"first of {i} sends")
            await ch.asend("first")
            say(f"first of {i} has sent")
            wg.done()

        gosched.go(first)

        async def second() -> None:
            say(f"second of {i} sends")
            await ch.asend("second")
            say(f"second of {i} has sent")
            wg.done()

        gosched.go(second)
        say(f"parent {i} waits")
        say(f"parent {i} got {await ch.arecv()}")
        say(f"parent {i} got {await ch.arecv()}")
        wg.done()

    wg.add(9)
    for i in range(3):
        gosched.go(parent, i)
    await wg
    say("main")
