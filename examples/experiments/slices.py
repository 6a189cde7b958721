"""How long may a goroutine compute before another has its turn? A ticker of 1 ms beside four that only compute, on one P, with several slices.

python examples/experiments/slices.py
"""

from __future__ import annotations

import statistics
from functools import partial

from measuring import CPU, arguments, number, show

from gosched import Policy, Ticker, WaitGroup, now, run

HOGS = 4
SLICES = {f"{seconds * 1e3:g} ms": Policy(slice=seconds) for seconds in (0.001, 0.002, 0.005, 0.01, 0.05)} | {"no preemption": Policy(preempt=False)}


def burn(to: int) -> int:
    total = 0
    for i in range(to):
        total += i & 1
    return total


async def beside(count: int) -> tuple[int, list[float], float]:
    """What the hogs found, how late each tick was, and the CPU time of it all."""
    late: list[float] = []
    found: list[int] = []
    wg = WaitGroup()
    begin = CPU()

    async def hog() -> None:
        found.append(burn(count))

    with Ticker(0.001) as ticker:
        for _ in range(HOGS):
            wg.go(hog)
        while len(found) < HOGS:
            due = await ticker.c.arecv()
            late.append(now() - due)
    await wg
    return sum(found), late, CPU() - begin


def main() -> None:
    options = arguments(__doc__)
    count, rounds = (10_000, 1) if options.small else (3_000_000, options.rounds)
    seen: dict[str, list[tuple[float, float, float]]] = {name: [] for name in SLICES}
    for _ in range(rounds):
        for name, policy in SLICES.items():
            answer, late, took = run(partial(beside, count), gomaxprocs=1, policy=policy)
            assert answer == HOGS * count // 2
            seen[name].append((statistics.median(late), max(late), took))
    rows = []
    least = min(statistics.median(took for _, _, took in runs) for runs in seen.values())
    for name, runs in seen.items():
        median, worst, took = (statistics.median(column) for column in zip(*runs, strict=True))
        rows.append((name, number(median * 1e3), number(worst * 1e3), number(took / least)))
    show("slice", ("ms late, median", "ms late at worst", "CPU time of it all"), rows)


if __name__ == "__main__":
    main()
