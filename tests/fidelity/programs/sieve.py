"""The prime sieve, every event until the fifth prime: a chain of filters that grows as it runs."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    numbers = gosched.Chan[int]()

    async def candidates() -> None:
        i = 2
        while True:
            say(f"candidate {i}")
            await numbers.asend(i)
            i += 1

    gosched.go(candidates)
    ch = numbers

    async def sift(prime: int, into: gosched.Chan[int], out: gosched.Chan[int]) -> None:
        while True:
            i = await into.arecv()
            if i % prime != 0:
                say(f"{i} passes {prime}")
                await out.asend(i)
            else:
                say(f"{prime} divides {i}")

    for _ in range(5):
        prime = await ch.arecv()
        say(f"prime {prime}")
        into, out = ch, gosched.Chan[int]()
        gosched.go(sift, prime, into, out)
        ch = out
    say("main ends")
