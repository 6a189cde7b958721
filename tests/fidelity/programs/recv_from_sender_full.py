"""Receives from a full buffer with waiting senders: the oldest value comes out, the oldest sender's goes in."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    ch = gosched.Chan[int](2)
    wg.add(5)

    async def sender(i: int) -> None:
        say(f"sender {i} sends")
        await ch.asend(i)
        say(f"sender {i} has sent")
        wg.done()

    for i in range(5):
        gosched.go(sender, i)
    await gosched.ayield_now()
    for _ in range(5):
        v = await ch.arecv()
        say(f"main got {v}, {len(ch)} in the buffer")
    await wg
    say("main ends")
