"""A chain of twenty goroutines, each adding one to what comes from its right."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    leftmost = gosched.Chan[int]()
    left = leftmost

    async def link(i: int, source: gosched.Chan[int], to: gosched.Chan[int]) -> None:
        say(f"{i} waits")
        v = await source.arecv()
        say(f"{i} passes on {v + 1}")
        await to.asend(v + 1)
        say(f"{i} ends")

    for i in range(20):
        right = gosched.Chan[int]()
        gosched.go(link, i, right, left)
        left = right
    last = left

    async def right_end() -> None:
        say("the right end sends")
        await last.asend(0)
        say("the right end has sent")

    gosched.go(right_end)
    say("main waits")
    say(f"main got {await leftmost.arecv()}")
