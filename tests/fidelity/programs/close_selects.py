"""Closing wakes receivers that wait in select among receivers that wait plainly: one queue, one order."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    done, other = gosched.Chan[int](), gosched.Chan[int]()
    wg.add(6)

    async def waiter(i: int) -> None:
        say(f"{i} waits")
        if i % 2 == 0:
            match await gosched.aselect(other.recv, done.recv_ok):
                case 0, v:
                    say(f"{i} got {v} from other")
                case 1, (_, ok):
                    say(f"{i} is done, open: {str(ok).lower()}")
        else:
            _, ok = await done.arecv_ok()
            say(f"{i} woke, open: {str(ok).lower()}")
        wg.done()

    for i in range(6):
        gosched.go(waiter, i)
    await gosched.ayield_now()
    await other.asend(7)
    say("main has sent")
    done.close()
    say("main has closed")
    await wg
    say("main ends")
