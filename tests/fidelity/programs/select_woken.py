"""A select that waits on three channels is woken by exactly one of them, and is forgotten by the others."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    a, b, c = gosched.Chan[int](), gosched.Chan[int](), gosched.Chan[int]()
    wg.add(2)

    async def selects() -> None:
        for _ in range(4):
            say("select waits")
            match await gosched.aselect(a.recv, b.recv, c.recv):
                case 0, v:
                    say(f"a gave {v}")
                case 1, v:
                    say(f"b gave {v}")
                case 2, v:
                    say(f"c gave {v}")
        wg.done()

    gosched.go(selects)
    await gosched.ayield_now()

    async def plain() -> None:
        say("plain waits on b")
        say(f"plain got {await b.arecv()}")
        wg.done()

    gosched.go(plain)
    await gosched.ayield_now()
    say("to c")
    await c.asend(1)
    say("to b")
    await b.asend(2)
    say("both sent")
    await gosched.ayield_now()
    await b.asend(3)
    await gosched.ayield_now()
    await a.asend(4)
    await gosched.ayield_now()
    await c.asend(5)
    await wg
    say("main ends")
