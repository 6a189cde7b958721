"""Sends on a buffered channel with waiting receivers pass the buffer by; it fills only when nobody waits."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    ch = gosched.Chan[int](2)
    wg.add(3)

    async def receiver(i: int) -> None:
        say(f"receiver {i} waits")
        v = await ch.arecv()
        say(f"receiver {i} got {v}")
        wg.done()

    for i in range(3):
        gosched.go(receiver, i)
    await gosched.ayield_now()
    for i in range(5):
        await ch.asend(i)
        say(f"main has sent {i}, {len(ch)} in the buffer")
    await wg
    say(f"main takes {await ch.arecv()}")
    say(f"main takes {await ch.arecv()}, {len(ch)} in the buffer")
