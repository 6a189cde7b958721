"""A tree of goroutines, three children each, three generations: who runs when."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()

    async def node(name: str, depth: int) -> None:
        say(f"{name} begins")
        if depth > 0:
            for suffix in ["a", "b", "c"]:
                wg.add(1)
                gosched.go(node, name + suffix, depth - 1)
        say(f"{name} ends")
        wg.done()

    wg.add(1)
    gosched.go(node, "r", 3)
    await wg
    say("main")
