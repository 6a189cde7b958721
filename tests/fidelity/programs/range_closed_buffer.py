"""A closed channel gives what its buffer still holds, then nothing more; several goroutines range over it."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    ch = gosched.Chan[int](6)
    for i in range(6):
        await ch.asend(i)
    ch.close()
    say(f"closed with {len(ch)}")
    wg.add(2)

    async def taker(i: int) -> None:
        async for v in ch:
            say(f"{i} took {v}")
            await gosched.ayield_now()
        say(f"{i} is through")
        wg.done()

    for i in range(2):
        gosched.go(taker, i)
    await wg
    v, ok = await ch.arecv_ok()
    say(f"main: {v or 0} {str(ok).lower()}")
