"""A worker pool: a fixed number of goroutines read jobs from one channel. And the same by a Group with a limit, where the pool is one word.

python examples/worker_pool.py
"""

from __future__ import annotations

from hashlib import sha256

from gosched import Chan, Group, WaitGroup, run

WORKERS, JOBS = 100, 1_000


async def process(job: int) -> int:
    """The first byte of a hash: work that takes a moment."""
    return sha256(str(job).encode()).digest()[0]


async def worker(jobs: Chan[int], results: Chan[int]) -> None:
    async for job in jobs:  # until the channel is closed and drained
        await results.asend(await process(job))


async def by_workers() -> int:
    jobs, results, wg = Chan[int](JOBS), Chan[int](JOBS), WaitGroup()
    for _ in range(WORKERS):
        wg.go(worker, jobs, results)
    for job in range(JOBS):
        await jobs.asend(job)
    jobs.close()
    await wg
    results.close()
    return sum([result async for result in results])


async def by_group() -> int:
    async with Group(limit=WORKERS) as group:
        tasks = [group.go(process, job) for job in range(JOBS)]
    return sum(task.result() for task in tasks)


async def main() -> None:
    print(f"{WORKERS} workers, {JOBS} jobs: {await by_workers()}")
    print(f"a group of {WORKERS}, {JOBS} jobs: {await by_group()}")


if __name__ == "__main__":
    run(main)
