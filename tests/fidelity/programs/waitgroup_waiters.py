"""A wait group lets three waiters go: the newest first, then the others in order."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    gate, wg = gosched.WaitGroup(), gosched.WaitGroup()
    gate.add(2)
    wg.add(3)

    async def waiter(i: int) -> None:
        say(f"{i} waits")
        await gate
        say(f"{i} goes")
        wg.done()

    for i in range(3):
        gosched.go(waiter, i)
    await gosched.ayield_now()
    gate.done()
    say("one to go")
    await gosched.ayield_now()
    gate.done()
    say("open")
    await gate
    say("main passes")
    await wg
    say("main ends")
