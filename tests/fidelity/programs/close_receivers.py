"""Closing wakes five receivers: the oldest first, then from the newest to the second oldest."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    ch = gosched.Chan[int]()
    wg.add(5)

    async def receiver(i: int) -> None:
        say(f"{i} waits")
        _, ok = await ch.arecv_ok()
        say(f"{i} woke, open: {str(ok).lower()}")
        wg.done()

    for i in range(5):
        gosched.go(receiver, i)
    await gosched.ayield_now()
    ch.close()
    say("main has closed")
    await wg
    say("main ends")
