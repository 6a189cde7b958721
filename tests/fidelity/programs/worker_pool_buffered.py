"""Four workers behind a buffer of three, each job a yield long."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    jobs = gosched.Chan[int](3)
    wg.add(4)

    async def worker(i: int) -> None:
        async for job in jobs:
            say(f"worker {i} takes {job}")
            await gosched.ayield_now()
            say(f"worker {i} has done {job}")
        say(f"worker {i} ends")
        wg.done()

    for i in range(4):
        gosched.go(worker, i)
    for job in range(14):
        await jobs.asend(job)
        say(f"main has queued {job}, {len(jobs)} in the buffer")
    jobs.close()
    await wg
    say("main ends")
