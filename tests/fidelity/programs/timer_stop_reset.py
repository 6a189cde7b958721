"""What Stop and Reset say of a timer that runs, was stopped, was received from, or is due and unread; no stale value comes after them."""

from __future__ import annotations

from collections.abc import Callable

import gosched

TIMED = True


async def main(say: Callable[[str], None]) -> None:
    t = gosched.Timer(3600)

    def yes(value: bool) -> str:
        return str(value).lower()

    async def poll() -> bool:
        match await gosched.aselect(t.c.recv, gosched.default):
            case 0, _:
                return True
        return False

    say(f"runs, stop: {yes(t.stop())}")
    say(f"stopped, stop: {yes(t.stop())}")
    say(f"stopped, reset: {yes(t.reset(0.020))}")
    say(f"runs, reset: {yes(t.reset(0.010))}")
    await t.c.arecv()
    say(f"received, stop: {yes(t.stop())}")
    say(f"received, reset: {yes(t.reset(0.010))}")
    await gosched.asleep(0.030)
    say(f"due and unread, stop: {yes(t.stop())}")
    say(f"a value after that: {yes(await poll())}")
    say(f"stopped, reset: {yes(t.reset(0.010))}")
    await gosched.asleep(0.030)
    say(f"due and unread, reset: {yes(t.reset(3600))}")
    say(f"a value after that: {yes(await poll())}")
    say(f"runs, reset: {yes(t.reset(0.010))}")
    await gosched.asleep(0.030)
    say(f"due, len {len(t.c)}, cap {t.c.capacity}, a value: {yes(await poll())}")
    say(f"and another: {yes(await poll())}")
    say(f"received, reset: {yes(t.reset(0))}")
    await t.c.arecv()
    say("main ends")
