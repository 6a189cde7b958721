"""A writer's unlock lets all queued readers in before the next writer."""

from __future__ import annotations

from collections.abc import Callable

import gosched

TIMED = True


async def main(say: Callable[[str], None]) -> None:
    rw = gosched.RWMutex()
    wg = gosched.WaitGroup()
    await rw.alock()

    async def reader(i: int) -> None:
        say(f"reader {i} wants it")
        await rw.arlock()
        say(f"reader {i} reads")
        await gosched.ayield_now()
        say(f"reader {i} leaves")
        rw.runlock()
        wg.done()

    async def writer(i: int) -> None:
        say(f"writer {i} wants it")
        await rw.alock()
        say(f"writer {i} writes")
        await gosched.ayield_now()
        say(f"writer {i} leaves")
        rw.unlock()
        wg.done()

    wg.add(6)
    gosched.go(reader, 0)
    gosched.go(writer, 0)
    gosched.go(reader, 1)
    gosched.go(writer, 1)
    gosched.go(reader, 2)
    gosched.go(reader, 3)
    await gosched.ayield_now()
    say("main unlocks")
    rw.unlock()
    say("main goes on")
    await wg
    say("main ends")
