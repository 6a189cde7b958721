"""Each of 20 goroutines starts 20: the ring overflows in the middle of a turn."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()

    async def child(i: int, j: int) -> None:
        say(f"{i}.{j}")
        wg.done()

    async def parent(i: int) -> None:
        say(f"{i}")
        for j in range(20):
            gosched.go(child, i, j)
        wg.done()

    wg.add(20 * 21)
    for i in range(20):
        gosched.go(parent, i)
    await wg
    say("main")
