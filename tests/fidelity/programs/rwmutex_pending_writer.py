"""A writer that waits for readers keeps new readers out, and they come in together when it is done."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    rw = gosched.RWMutex()
    wg = gosched.WaitGroup()
    await rw.arlock()
    await rw.arlock()
    say("main reads twice")
    wg.add(4)

    def yes(value: bool) -> str:
        return str(value).lower()

    async def writer() -> None:
        say("writer wants it")
        await rw.alock()
        say("writer writes")
        rw.unlock()
        say("writer has left it")
        wg.done()

    gosched.go(writer)
    await gosched.ayield_now()

    async def reader(i: int) -> None:
        say(f"reader {i} wants it, try: {yes(rw.try_rlock())}")
        await rw.arlock()
        say(f"reader {i} reads")
        rw.runlock()
        wg.done()

    for i in range(3):
        gosched.go(reader, i)
    await gosched.ayield_now()
    say("main leaves once")
    rw.runlock()
    await gosched.ayield_now()
    say("main leaves again")
    rw.runlock()
    say("main goes on")
    await wg
    say(f"free: {yes(rw.try_rlock())} {yes(rw.try_rlock())} {yes(rw.try_lock())}")
