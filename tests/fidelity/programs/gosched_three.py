"""Three goroutines take turns with Gosched: the global queue is first in, first out."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()

    async def turns(i: int) -> None:
        for n in range(4):
            say(f"{i} round {n}")
            await gosched.ayield_now()
        say(f"{i} ends")
        wg.done()

    wg.add(3)
    for i in range(3):
        gosched.go(turns, i)
    say("main yields")
    await gosched.ayield_now()
    say("main again")
    await wg
    say("main ends")
