"""The same three stages with buffers of three, one and two, and a consumer that yields."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    numbers, squares, sums = gosched.Chan[int](3), gosched.Chan[int](1), gosched.Chan[int](2)

    async def number() -> None:
        for i in range(12):
            await numbers.asend(i)
            say(f"number {i}, {len(numbers)} queued")
        numbers.close()
        say("numbers end")

    gosched.go(number)

    async def square() -> None:
        async for v in numbers:
            await squares.asend(v * v)
            say(f"square of {v}, {len(squares)} queued")
        squares.close()
        say("squares end")

    gosched.go(square)

    async def add() -> None:
        total = 0
        async for v in squares:
            total += v
            await sums.asend(total)
            say(f"sum {total}, {len(sums)} queued")
        sums.close()
        say("sums end")

    gosched.go(add)
    async for v in sums:
        say(f"main got {v}")
        if v % 2 == 0:
            await gosched.ayield_now()
    say("main ends")
