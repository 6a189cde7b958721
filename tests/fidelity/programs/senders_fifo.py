"""Four senders wait on an unbuffered channel: values come in the order in which they began to wait."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    ch = gosched.Chan[int]()
    wg.add(4)

    async def sender(i: int) -> None:
        say(f"{i} sends")
        await ch.asend(i)
        say(f"{i} has sent")
        wg.done()

    for i in range(4):
        gosched.go(sender, i)
    await gosched.ayield_now()
    say(f"main got {await ch.arecv()}")
    say(f"main got {await ch.arecv()}")
    await gosched.ayield_now()
    say(f"main got {await ch.arecv()}")
    say(f"main got {await ch.arecv()}")
    await wg
    say("main ends")
