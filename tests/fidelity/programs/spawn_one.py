"""One goroutine is started: its creator goes on, and it runs when the creator waits."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    wg.add(1)

    async def child() -> None:
        say("child")
        wg.done()
        say("child after done")

    gosched.go(child)
    say("main goes on")
    await wg
    say("main again")
