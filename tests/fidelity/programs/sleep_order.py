"""Sleepers wake in the order of their deadlines, whatever the order of their start."""

from __future__ import annotations

from collections.abc import Callable

import gosched

TIMED = True


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    wg.add(4)

    async def sleeper(ms: int) -> None:
        say(f"sleeps {ms} ms")
        await gosched.asleep(ms / 1000)
        say(f"woke after {ms} ms")
        wg.done()

    for ms in [60, 20, 80, 40]:
        gosched.go(sleeper, ms)
    await gosched.asleep(0)
    say("a sleep of nothing does not yield")
    await gosched.asleep(-1)
    say("nor does one of less")
    await wg
    say("main ends")
