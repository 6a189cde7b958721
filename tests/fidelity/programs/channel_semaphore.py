"""A buffered channel as a semaphore for two, five workers that yield inside."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    sem = gosched.Chan[None](2)
    wg.add(5)

    async def worker(i: int) -> None:
        say(f"{i} wants in")
        await sem.asend(None)
        say(f"{i} is in")
        await gosched.ayield_now()
        say(f"{i} leaves")
        await sem.arecv()
        say(f"{i} is out")
        wg.done()

    for i in range(5):
        gosched.go(worker, i)
    await wg
    say("main ends")
