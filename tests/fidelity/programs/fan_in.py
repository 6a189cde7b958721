"""Three producers into one unbuffered channel, one consumer: the order in which they get through."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    ch = gosched.Chan[str]()
    wg.add(3)

    async def producer(name: str) -> None:
        for _ in range(4):
            say(f"{name} sends")
            await ch.asend(name)
        say(f"{name} ends")
        wg.done()

    for name in ["a", "b", "c"]:
        gosched.go(producer, name)

    async def closer() -> None:
        await wg
        ch.close()
        say("closed")

    gosched.go(closer)
    async for v in ch:
        say(f"main got {v}")
    say("main ends")
