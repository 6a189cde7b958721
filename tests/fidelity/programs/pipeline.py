"""Three stages over unbuffered channels, every event: numbers, their squares, their sums."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    numbers, squares, sums = gosched.Chan[int](), gosched.Chan[int](), gosched.Chan[int]()

    async def number() -> None:
        for i in range(8):
            say(f"number {i}")
            await numbers.asend(i)
            say(f"number {i} is gone")
        numbers.close()
        say("numbers end")

    gosched.go(number)

    async def square() -> None:
        async for v in numbers:
            say(f"square of {v}")
            await squares.asend(v * v)
            say(f"square of {v} is gone")
        squares.close()
        say("squares end")

    gosched.go(square)

    async def add() -> None:
        total = 0
        async for v in squares:
            total += v
            say(f"sum {total}")
            await sums.asend(total)
            say(f"sum {total} is gone")
        sums.close()
        say("sums end")

    gosched.go(add)
    async for v in sums:
        say(f"main got {v}")
    say("main ends")
