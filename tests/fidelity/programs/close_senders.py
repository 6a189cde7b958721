"""Closing wakes four blocked senders, which panic; the order is that of receivers."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    ch = gosched.Chan[int](1)
    wg.add(5)

    async def sender(i: int) -> None:
        try:
            say(f"{i} sends")
            await ch.asend(i)
            say(f"{i} has sent")
        except gosched.ClosedChannelError as reason:
            say(f"{i}: {reason}")
        finally:
            wg.done()

    for i in range(5):
        gosched.go(sender, i)
    await gosched.ayield_now()
    ch.close()
    say("main has closed")
    await wg
    async for v in ch:
        say(f"left: {v}")
    try:
        ch.close()
    except gosched.ClosedChannelError as reason:
        say(f"main: {reason}")
    try:
        await ch.asend(1)
    except gosched.ClosedChannelError as reason:
        say(f"main: {reason}")
