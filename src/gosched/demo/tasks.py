"""`python -m gosched.demo.tasks N`: N tasks of asyncio in front of one gate, measured; prints JSON."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict
from time import perf_counter

from gosched.demo.crowd import Waiting
from gosched.demo.outcome import collector_off, memory


async def wait_at_gate(n: int) -> Waiting:
    everybody, gate = asyncio.Event(), asyncio.Event()
    arrived = released = 0

    async def wait() -> None:
        nonlocal arrived, released
        arrived += 1
        if arrived == n:
            everybody.set()
        await gate.wait()
        released += 1

    before, begin = memory(), perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(n):
            group.create_task(wait())
        await everybody.wait()
        started, grown = perf_counter() - begin, memory() - before
        begin = perf_counter()
        gate.set()
    return Waiting(n, started, grown, released, perf_counter() - begin)


if __name__ == "__main__":
    with collector_off():
        print(json.dumps(asdict(asyncio.run(wait_at_gate(int(sys.argv[1]))))))
