"""Goexit runs what was deferred, innermost first, and ends one goroutine only."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()

    async def inner(i: int) -> None:
        try:
            say(f"{i} exits")
            raise gosched.Goexit
        finally:
            say(f"{i} inner deferred")
            await gosched.ayield_now()
            say(f"{i} inner deferred, after a yield")

    async def outer(i: int) -> None:
        try:
            try:
                await inner(i)
                say("never said")
            finally:
                say(f"{i} outer deferred")
        finally:
            wg.done()

    wg.add(3)
    for i in range(3):
        gosched.go(outer, i)
    await wg
    say("main")
