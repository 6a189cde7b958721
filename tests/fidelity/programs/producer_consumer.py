"""A producer and a consumer with a buffer for two: every event, and the length of the buffer."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    ch = gosched.Chan[int](2)
    wg.add(2)

    async def producer() -> None:
        for i in range(9):
            say(f"puts {i}, {len(ch)} there")
            await ch.asend(i)
            say(f"has put {i}, {len(ch)} there")
        ch.close()
        say("producer ends")
        wg.done()

    gosched.go(producer)

    async def consumer() -> None:
        async for v in ch:
            say(f"took {v}, {len(ch)} there")
            if v % 3 == 2:
                await gosched.ayield_now()
        say("consumer ends")
        wg.done()

    gosched.go(consumer)
    await wg
    say("main ends")
