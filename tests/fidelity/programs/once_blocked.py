"""Callers of Once.Do wait until the first call is over; then they pass one after the other."""

from __future__ import annotations

from collections.abc import Callable

import gosched

TIMED = True


async def main(say: Callable[[str], None]) -> None:
    once = gosched.Once()
    wg = gosched.WaitGroup()
    ch = gosched.Chan[str]()
    wg.add(4)

    async def caller(i: int) -> None:
        say(f"{i} calls")

        async def body() -> None:
            say(f"{i} does it")
            say(f"{i} got {await ch.arecv()}")

        await once.ado(body)
        say(f"{i} is back")
        wg.done()

    for i in range(4):
        gosched.go(caller, i)
    await gosched.ayield_now()
    say("main sends")
    await ch.asend("it")
    say("main goes on")
    await wg
    await once.ado(lambda: say("never said"))
    say("main ends")
