"""600 goroutines that yield once: the ring overflows again and again, the global queue comes back in batches, and by every 61st tick."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()

    async def one(i: int) -> None:
        say(f"{i}")
        await gosched.ayield_now()
        say(f"{i} again")
        wg.done()

    wg.add(600)
    for i in range(600):
        gosched.go(one, i)
    say("all started")
    await wg
    say("main")
