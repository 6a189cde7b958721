"""The prime sieve of every introduction to Go: a chain of goroutines, each of which lets through what its prime does not divide.

python examples/prime_sieve.py 25
"""

from __future__ import annotations

import sys
from itertools import count

from gosched import Chan, go, run


async def generate(out: Chan[int]) -> None:
    for n in count(2):
        await out.asend(n)


async def sieve(prime: int, inward: Chan[int], out: Chan[int]) -> None:
    async for n in inward:
        if n % prime:
            await out.asend(n)


async def main(how_many: int) -> None:
    primes = []
    ch = Chan[int]()
    go(generate, ch)
    for _ in range(how_many):
        primes.append(prime := await ch.arecv())
        through = Chan[int]()
        go(sieve, prime, ch, through)
        ch = through
    print(*primes)


if __name__ == "__main__":
    run(main, int(sys.argv[1]) if len(sys.argv) > 1 else 25)
