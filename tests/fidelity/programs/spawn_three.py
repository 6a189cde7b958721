"""Goroutines started in a row: the newest first, then the others in the order of their start."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()

    async def one(i: int, n: int) -> None:
        say(f"{i} of {n}")
        wg.done()

    for n in [3, 6, 2]:
        say(f"start {n}")
        wg.add(n)
        for i in range(n):
            gosched.go(one, i, n)
        await wg
