"""Selects that wait to send or to receive meet plain operations and each other."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    into, out = gosched.Chan[int](), gosched.Chan[int]()
    wg.add(2)

    async def relay() -> None:
        held = 0
        for _ in range(4):
            say(f"relay holds {held}")
            match await gosched.aselect(into.recv, (out.send, held)):
                case 0, v:
                    say(f"relay took {v}")
                    held = v
                case 1, _:
                    say(f"relay gave {held}")
        wg.done()

    gosched.go(relay)
    await gosched.ayield_now()
    await into.asend(5)
    say("main has sent 5")
    await gosched.ayield_now()
    say(f"main got {await out.arecv()}")
    await gosched.ayield_now()

    async def other() -> None:
        say("other selects")
        match await gosched.aselect(out.recv, gosched.Chan[int]().recv):
            case 0, v:
                say(f"other got {v}")
            case 1, v:
                say(f"never {v}")
        wg.done()

    gosched.go(other)
    await gosched.ayield_now()
    say("main sends 6")
    await into.asend(6)
    say("main has sent 6")
    await wg
    say("main ends")
