"""Workloads for the laboratory, and a policy to try on them.

gosched lab run examples/lab_sweep.py --procs 1,2,4,8 --policies go,no-steal,central,SHY
"""

from __future__ import annotations

import gosched
from gosched.lab import call, cpu, io

# A thief that takes one goroutine at a time.
SHY = gosched.Policy(share=0.01)


async def fan_out() -> None:
    """One goroutine starts 200 that work: all of them begin on one P."""
    wg = gosched.WaitGroup()
    for _ in range(200):
        wg.go(cpu, 0.001)
    await wg


async def requests() -> None:
    """A server: a request waits for the network, works, asks a database through a call that blocks, and works again."""
    wg = gosched.WaitGroup()

    async def request(i: int) -> None:
        await io(0.0001 * i)
        await cpu(0.0003)
        await call(0.002)
        await cpu(0.0002)

    for i in range(200):
        wg.go(request, i)
    await wg


async def tree(depth: int = 8) -> None:
    """Every node starts two, down to 256 leaves: work that comes from everywhere at once."""
    if depth == 0:
        await cpu(0.0001)
        return
    async with gosched.Group() as group:
        group.go(tree, depth - 1)
        group.go(tree, depth - 1)
