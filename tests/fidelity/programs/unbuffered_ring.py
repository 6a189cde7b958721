"""A token goes round a ring of five goroutines while a second one follows it."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    n = 5
    links = [gosched.Chan[int]() for _ in range(n)]
    wg.add(n)

    async def node(i: int) -> None:
        async for token in links[i]:
            say(f"{i} has {token}")
            if token % 100 == 12:
                continue
            await links[(i + 1) % n].asend(token + 1)
        say(f"{i} ends")
        wg.done()

    for i in range(n):
        gosched.go(node, i)
    await links[0].asend(0)
    say("one is on its way")
    await links[2].asend(100)
    say("two are on their way")
    for _ in range(30):
        await gosched.ayield_now()
    for i in range(n):
        links[i].close()
    say("closed")
    await wg
    say("main ends")
