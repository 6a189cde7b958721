"""A timeout by time.After in a select: the timer first, then the channel."""

from __future__ import annotations

from collections.abc import Callable

import gosched

TIMED = True


async def main(say: Callable[[str], None]) -> None:
    ch = gosched.Chan[str]()

    async def sender() -> None:
        await gosched.asleep(0.050)
        say("sends")
        await ch.asend("value")

    gosched.go(sender)
    for _ in range(3):
        match await gosched.aselect(ch.recv, gosched.after(0.030).recv):
            case 0, v:
                say(f"main got {v}")
            case 1, _:
                say("main is out of patience")
    say("main ends")
