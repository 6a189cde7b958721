"""Three goroutines yield into the global queue while 250 wait in the ring: one of the three is taken at every 61st tick."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    ran = [0]

    async def yields(i: int) -> None:
        say(f"{i} yields")
        await gosched.ayield_now()
        say(f"{i} comes back after {ran[0]}")
        wg.done()

    async def counts() -> None:
        ran[0] += 1
        wg.done()

    wg.add(253)
    for i in range(3):
        gosched.go(yields, i)
    for _ in range(250):
        gosched.go(counts)
    await wg
    say(f"main after {ran[0]}")
