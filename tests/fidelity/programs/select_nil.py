"""A nil channel takes a case out of a select: two streams, one at a time, each ended by nil."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    a, b = gosched.Chan[int](), gosched.Chan[int]()
    wg.add(2)

    async def stream(name: str, ch: gosched.Chan[int], n: int) -> None:
        for i in range(n):
            say(f"{name} sends {i}")
            await ch.asend(i)
        ch.close()
        say(f"{name} closed")
        wg.done()

    gosched.go(stream, "a", a, 3)
    gosched.go(stream, "b", b, 2)
    await gosched.ayield_now()
    turn, held = a, b
    while turn or held:
        match await gosched.aselect(turn.recv_ok, gosched.nil.recv, (gosched.nil.send, 1)):
            case 0, (v, ok):
                say(f"main got {v or 0} {str(ok).lower()}")
                if ok:
                    if held:
                        turn, held = held, turn
                else:
                    turn, held = held, gosched.nil
            case 1, v:
                say(f"never {v}")
            case 2, _:
                say("never")
    match await gosched.aselect(turn.recv, gosched.default):
        case 0, v:
            say(f"never {v}")
        case 1, _:
            say("nil is never ready")
    await wg
