"""A pool of workers, or a goroutine for each task? What either costs, how long jobs that wait take, and the memory.

python examples/experiments/pool_or_goroutines.py
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from measuring import CPU, WALL, Clock, arguments, compare, highest, in_child, number, resident, show, timed

from gosched import Chan, Group, Semaphore, WaitGroup, asleep

Job = Callable[[int], Awaitable[int]]


async def goroutine_each(job: Job, n: int) -> int:
    total, wg = [], WaitGroup()

    async def task(i: int) -> None:
        total.append(await job(i))

    for i in range(n):
        wg.go(task, i)
    await wg
    return sum(total)


async def goroutine_each_behind_a_semaphore(limit: int, job: Job, n: int) -> int:
    places = Semaphore(limit)

    async def one(i: int) -> int:
        async with places:
            return await job(i)

    return await goroutine_each(one, n)


async def group(limit: int | None, job: Job, n: int) -> int:
    async with Group(limit=limit) as tasks:
        done = [tasks.go(job, i) for i in range(n)]
    return sum(task.result() for task in done)


async def pool(workers: int, job: Job, n: int) -> int:
    jobs, total, wg = Chan[int](), [], WaitGroup()

    async def worker() -> None:
        async for i in jobs:
            total.append(await job(i))

    for _ in range(workers):
        wg.go(worker)
    for i in range(n):
        await jobs.asend(i)
    jobs.close()
    await wg
    return sum(total)


async def short(i: int) -> int:
    return i * i


async def waiting(i: int) -> int:
    await asleep(0.001)
    return i * i


async def holding(i: int) -> int:
    """Has 50 kB while it waits, as a request has its body."""
    body = bytearray(50_000)
    await asleep(0.2)
    return i * i + body[0]


WAYS = {
    "a goroutine for each": goroutine_each,
    "the same, 100 at a time by a Semaphore": partial(goroutine_each_behind_a_semaphore, 100),
    "a Group": partial(group, None),
    "Group(limit=100)": partial(group, 100),
    "a pool of 100": partial(pool, 100),
    "a pool of 1,000": partial(pool, 1_000),
}


def squares(n: int) -> int:
    return sum(i * i for i in range(n))


def costs(title: str, unit: str, job: Job, n: int, clock: Clock, rounds: int, scale: float) -> None:
    ways = {name: partial(timed, way, job, n, clock=clock) for name, way in WAYS.items()}
    compare(title, unit, ways, squares(n), rounds, scale)


def peak(name: str, n: int) -> None:
    """In a process of its own."""
    before = resident()
    assert timed(WAYS[name], holding, n).answer == squares(n)
    print(highest() - before)


def main() -> None:
    options = arguments(__doc__)
    if options.child:
        peak(options.child[0], int(options.child[1]))
        return
    n, few, large, rounds = (300, 200, 150, 1) if options.small else (20_000, 5_000, 2_000, options.rounds)
    costs(f"{n:,} short jobs", "µs per job", short, n, CPU, rounds, 1e6 / n)
    costs(f"{few:,} jobs that wait 1 ms", "ms in all", waiting, few, WALL, rounds, 1e3)
    peaks = [(name, number(in_child(name, large)[0] / 1e6)) for name in WAYS]
    show(f"{large:,} jobs that wait 0.2 s with 50 kB each", ("MB at most",), peaks)


if __name__ == "__main__":
    main()
