"""What a value costs on its way from one goroutine to another: by the places of the channel, by how many go at once, and by spelling.

python examples/experiments/channels.py
"""

from __future__ import annotations

from functools import partial

from measuring import arguments, medians, number, show, timed

from gosched import Chan, go

PLACES = (0, 1, 10, 100, 1_000)
TOGETHER = (1, 10, 100, 1_000)


async def awaited(places: int, n: int) -> int:
    ch = Chan[int](places)

    async def send() -> None:
        for i in range(n):
            await ch.asend(i)
        ch.close()

    go(send)
    total = 0
    async for i in ch:
        total += i
    return total


def plain(places: int, n: int) -> int:
    ch = Chan[int](places)

    def send() -> None:
        for i in range(n):
            ch.send(i)
        ch.close()

    go(send)
    total = 0
    for i in ch:
        total += i
    return total


async def plain_in_async(places: int, n: int) -> int:
    """Async functions that forget to await: it works, with a stack for each wait."""
    ch = Chan[int](places)

    async def send() -> None:
        for i in range(n):
            ch.send(i)
        ch.close()

    go(send)
    total = 0
    for i in ch:
        total += i
    return total


async def in_lists(together: int, n: int) -> int:
    ch = Chan[list[int]]()

    async def send() -> None:
        for begin in range(0, n, together):
            await ch.asend(list(range(begin, begin + together)))
        ch.close()

    go(send)
    total = 0
    async for some in ch:
        total += sum(some)
    return total


SPELLINGS = {"await": awaited, "plain": plain, "plain in async": plain_in_async}


def main() -> None:
    options = arguments(__doc__)
    n, rounds = (1_000, 1) if options.small else (100_000, options.rounds)
    answer, each = n * (n - 1) // 2, 1e9 / n

    ways = {f"{name} {places}": partial(timed, spelling, places, n) for places in PLACES for name, spelling in SPELLINGS.items()}
    found = medians(ways, answer, rounds)
    rows = [(f"{places:,}", *(number(found[f"{name} {places}"] * each) for name in SPELLINGS)) for places in PLACES]
    show("places", [f"{name}, ns per value" for name in SPELLINGS], rows)

    found = medians({f"{together:,}": partial(timed, in_lists, together, n) for together in TOGETHER}, answer, rounds)
    show("values in a list, no places", ("ns per value",), [(name, number(figure * each)) for name, figure in found.items()])


if __name__ == "__main__":
    main()
