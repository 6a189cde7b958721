"""300 goroutines: the ring of 256 overflows once, and its older half goes to the global queue."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()

    async def one(i: int) -> None:
        say(f"{i}")
        wg.done()

    wg.add(300)
    for i in range(300):
        gosched.go(one, i)
    say("all started")
    await wg
    say("main")
