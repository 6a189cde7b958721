"""How many Ps? The same work on 1, 2 and 4 of them, on this interpreter and this machine. In virtual time, up to 64: lab_procs.py.

python examples/experiments/procs.py
"""

from __future__ import annotations

from functools import partial

from measuring import WALL, arguments, medians, number, show, timed

from gosched import Chan, Group, WaitGroup, ayield_now

PROCS = (1, 2, 4)


async def compute(n: int) -> int:
    """64 goroutines that only compute."""

    def count(to: int) -> int:
        total = 0
        for i in range(to):
            total += i & 1
        return total

    async with Group() as group:
        tasks = [group.go(count, n) for _ in range(64)]
    return sum(task.result() for task in tasks) * 2 // 64


async def pairs(n: int) -> int:
    """100 pairs that send a number to and fro."""
    counted: list[int] = []

    async def ping(there: Chan[int], back: Chan[int]) -> None:
        v = 0
        for _ in range(n // 100):
            await there.asend(v)
            v = await back.arecv()
        there.close()
        counted.append(v)

    async def pong(there: Chan[int], back: Chan[int]) -> None:
        async for v in there:
            await back.asend(v + 1)

    wg = WaitGroup()
    for _ in range(100):
        there, back = Chan[int](), Chan[int]()
        wg.go(ping, there, back)
        wg.go(pong, there, back)
    await wg
    return sum(counted)


async def starts(n: int) -> int:
    """One that starts short ones."""
    ended: list[int] = []
    wg = WaitGroup()

    async def body() -> None:
        ended.append(1)

    for _ in range(n):
        wg.go(body)
    await wg
    return len(ended)


async def yields(n: int) -> int:
    """100 that do nothing but let others run."""
    turns: list[int] = []

    async def take_turns() -> None:
        for _ in range(n // 100):
            await ayield_now()
        turns.append(n // 100)

    wg = WaitGroup()
    for _ in range(100):
        wg.go(take_turns)
    await wg
    return sum(turns)


WORK = {"64 that only compute": compute, "100 pairs over channels": pairs, "one that starts short ones": starts, "100 that only yield": yields}


def main() -> None:
    options = arguments(__doc__)
    n, rounds = (1_000, 1) if options.small else (100_000, options.rounds)
    rows = []
    for name, work in WORK.items():
        found = medians({f"{procs}": partial(timed, work, n, clock=WALL, procs=procs) for procs in PROCS}, n, rounds)
        rows.append((name, *(number(found["1"] / figure) for figure in found.values())))
    show("how many times as fast as on one P", [f"{procs} P{'s' * (procs > 1)}" for procs in PROCS], rows)


if __name__ == "__main__":
    main()
