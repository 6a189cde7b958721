"""A pipeline with cancellation: each stage is a goroutine, joined to the next by a channel. The first stage would go on forever; who has read enough
cancels the group, and the block ends when every stage has stopped.

python examples/pipeline.py
"""

from __future__ import annotations

from itertools import count

from gosched import Chan, Group, run

ENOUGH = 12


async def numbers(out: Chan[int], stopped: list[str]) -> None:
    try:
        for n in count(1):
            await out.asend(n)
    finally:
        stopped.append("numbers")


async def squares(inward: Chan[int], out: Chan[int], stopped: list[str]) -> None:
    try:
        async for n in inward:
            await out.asend(n * n)
    finally:
        stopped.append("squares")


async def palindromes(inward: Chan[int], out: Chan[int], stopped: list[str]) -> None:
    try:
        async for n in inward:
            if str(n) == str(n)[::-1]:
                await out.asend(n)
    finally:
        stopped.append("palindromes")


async def main() -> None:
    first, second, third = Chan[int](), Chan[int](), Chan[int]()
    stopped: list[str] = []
    async with Group() as group:
        group.go(numbers, first, stopped)
        group.go(squares, first, second, stopped)
        group.go(palindromes, second, third, stopped)
        print("squares that read the same both ways:", *[await third.arecv() for _ in range(ENOUGH)])
        group.ctx.cancel()
    print("stopped:", *sorted(stopped))


if __name__ == "__main__":
    run(main)
