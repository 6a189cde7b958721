"""WaitGroup.Go, nested: the order is that of plain go."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()

    async def leaf(i: int, j: int) -> None:
        say(f"{i}.{j}")

    async def branch(i: int) -> None:
        say(f"{i} begins")
        inner = gosched.WaitGroup()
        for j in range(3):
            inner.go(leaf, i, j)
        say(f"{i} waits")
        await inner
        say(f"{i} ends")

    for i in range(4):
        wg.go(branch, i)
    say("main waits")
    await wg
    say("main ends")
