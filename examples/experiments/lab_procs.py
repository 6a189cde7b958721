"""How many Ps, in virtual time: kinds of work on 1 to 64 of them, with what the scheduler itself takes. Every run gives the same table.

python examples/experiments/lab_procs.py
gosched lab run examples/experiments/lab_procs.py --procs 1,2,4,8,16,32,64
"""

from __future__ import annotations

from measuring import arguments, number, show

from gosched import Chan, Mutex, WaitGroup, go
from gosched.lab import cpu, measure

PROCS = (1, 2, 4, 8, 16, 32, 64)


async def long_ones() -> int:
    """256 goroutines of 1 ms"""
    return await crowd(256, 0.001)


async def short_ones() -> int:
    """2,560 goroutines of 10 µs"""
    return await crowd(2_560, 0.000_01)


async def tiny_ones() -> int:
    """5,120 goroutines of 1 µs"""
    return await crowd(5_120, 0.000_001)


async def a_lock() -> int:
    """256 of 1 ms, a tenth of it under one lock"""
    mutex, wg = Mutex(), WaitGroup()

    async def work() -> None:
        await cpu(0.0009)
        async with mutex:
            await cpu(0.0001)

    for _ in range(256):
        wg.go(work)
    await wg
    return 256


async def a_pipeline() -> int:
    """8 stages of 100 µs, 320 values"""
    first = last = Chan[int]()

    async def feed(to: Chan[int]) -> None:
        for i in range(320):
            await to.asend(i)
        to.close()

    async def stage(source: Chan[int], sink: Chan[int]) -> None:
        async for value in source:
            await cpu(0.0001)
            await sink.asend(value)
        sink.close()

    for _ in range(8):
        source, last = last, Chan[int]()
        go(stage, source, last)
    go(feed, first)
    return len([value async for value in last])


async def crowd(n: int, seconds: float) -> int:
    wg = WaitGroup()
    for _ in range(n):
        wg.go(cpu, seconds)
    await wg
    return n


ANSWERS = {long_ones: 256, short_ones: 2_560, tiny_ones: 5_120, a_lock: 256, a_pipeline: 320}


def main() -> None:
    arguments(__doc__)
    rows = []
    for workload, answer in ANSWERS.items():
        results = [measure(workload, procs=procs) for procs in PROCS]
        assert all(result.value == answer for result in results)
        rows.append((str(workload.__doc__), *(number(results[0].makespan / result.makespan) for result in results)))
    show("how many times as fast as on one P", [f"{procs}" for procs in PROCS], rows)


if __name__ == "__main__":
    main()
