"""The laboratory at its largest: a million goroutines on 1,024 Ps, in virtual time. `python -m gosched.bench.lab [GOROUTINES [PS]]`.

The bars are 2 minutes and 4 GB.
"""

from __future__ import annotations

import resource
import sys
import time

import gosched
from gosched.lab import Result, cpu, measure
from gosched.trace.units import span

SECONDS = 120
GIGABYTES = 4
FAN = 10
WORK = 0.0001


async def tree(wg: gosched.WaitGroup, leaves: int) -> None:
    """Every node starts ten, so that work comes from everywhere; a leaf works for 100 µs."""
    if leaves <= 1:
        await cpu(WORK)
        wg.done()
        return
    for i in range(FAN):
        part = leaves * (i + 1) // FAN - leaves * i // FAN
        if part:
            gosched.go(tree, wg, part)


async def workload(leaves: int) -> None:
    wg = gosched.WaitGroup()
    wg.add(leaves)
    gosched.go(tree, wg, leaves)
    await wg


def played(leaves: int, procs: int) -> Result:
    return measure(workload, leaves, procs=procs)


def main() -> int:
    """Status 1: a bar was missed."""
    leaves, procs = (int(text) for text in (sys.argv[1:] + ["1000000", "1024"][len(sys.argv) - 1 :]))
    start = time.perf_counter()
    result = played(leaves, procs)
    seconds = time.perf_counter() - start
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"{result.goroutines:,} goroutines on {procs:,} Ps, gosched {gosched.__build__}")
    print(f"  took       {seconds:.1f} s (bar {SECONDS} s), {gigabytes:.2f} GB at its peak (bar {GIGABYTES} GB)")
    print(f"  makespan   {span(result.makespan * 1e9)} of virtual time, Ps busy for {result.utilisation * 100:.1f} % of it")
    print(f"  turns      {result.turns:,}; {result.steals:,} steals of {result.stolen:,} goroutines")
    return 0 if seconds <= SECONDS and gigabytes <= GIGABYTES else 1


if __name__ == "__main__":
    sys.exit(main())
