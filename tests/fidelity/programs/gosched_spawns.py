"""Gosched mixed with spawns: what is local runs before what has yielded."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()

    async def child(name: str) -> None:
        say(f"{name} begins")
        await gosched.ayield_now()
        say(f"{name} ends")
        wg.done()

    async def parent(name: str) -> None:
        say(f"{name} begins")
        wg.add(2)
        gosched.go(child, name + ".1")
        gosched.go(child, name + ".2")
        say(f"{name} yields")
        await gosched.ayield_now()
        say(f"{name} again")
        wg.add(1)
        gosched.go(child, name + ".3")
        await gosched.ayield_now()
        say(f"{name} ends")
        wg.done()

    wg.add(3)
    gosched.go(parent, "a")
    gosched.go(parent, "b")
    await gosched.ayield_now()
    say("main")
    gosched.go(parent, "c")
    await gosched.ayield_now()
    say("main waits")
    await wg
    say("main ends")
