"""A ticker beside a sleeper; a late reader finds one tick, not all it missed; Stop ends it, Reset begins it anew."""

from __future__ import annotations

from collections.abc import Callable

import gosched

TIMED = True


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    ticker = gosched.Ticker(0.030)

    def yes(value: bool) -> str:
        return str(value).lower()

    async def poll() -> bool:
        match await gosched.aselect(ticker.c.recv, gosched.default):
            case 0, _:
                return True
        return False

    wg.add(1)

    async def sleeper() -> None:
        await gosched.asleep(0.075)
        say("sleeper")
        wg.done()

    gosched.go(sleeper)
    for i in range(3):
        await ticker.c.arecv()
        say(f"tick {i + 1}")
    await wg
    await gosched.asleep(0.105)
    say(f"late: {yes(await poll())}")
    say(f"and another: {yes(await poll())}")
    ticker.stop()
    await gosched.asleep(0.060)
    say(f"after stop: {yes(await poll())}")
    ticker.reset(0.010)
    say(f"at once after reset: {yes(await poll())}")
    await ticker.c.arecv()
    say("tick")
    await ticker.c.arecv()
    say("tick")
    ticker.stop()
