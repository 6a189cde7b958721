"""Polling with select, default and Gosched: the default case never waits."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    ch = gosched.Chan[int]()
    wg.add(1)

    async def sender() -> None:
        for i in range(3):
            for _ in range(i):
                await gosched.ayield_now()
            say(f"sends {i}")
            await ch.asend(i)
            say(f"has sent {i}")
        ch.close()
        wg.done()

    gosched.go(sender)
    polls = 0
    while True:
        polls += 1
        match await gosched.aselect(ch.recv_ok, gosched.default):
            case 0, (v, ok):
                say(f"poll {polls}: {v or 0} {str(ok).lower()}")
                if not ok:
                    await wg
                    return
            case 1, _:
                say(f"poll {polls}: nothing")
                await gosched.ayield_now()
