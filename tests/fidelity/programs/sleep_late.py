"""Sleepers whose deadlines pass while another goroutine computes are readied in the order of their deadlines: the last one runs first."""

from __future__ import annotations

from collections.abc import Callable

import gosched

TIMED = True
VIRTUAL = False


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    wg.add(4)

    async def sleeper(ms: int) -> None:
        say(f"sleeps {ms} ms")
        await gosched.asleep(ms / 1000)
        say(f"woke after {ms} ms")
        wg.done()

    for ms in [3, 1, 4, 2]:
        gosched.go(sleeper, ms)
    await gosched.ayield_now()
    begin = gosched.now()
    while gosched.now() - begin < 0.006:
        pass
    say("main has computed")
    await wg
    say("main ends")
