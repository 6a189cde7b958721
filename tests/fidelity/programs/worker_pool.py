"""Three workers, nine jobs on an unbuffered channel, results on another: who gets which job."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    jobs, results = gosched.Chan[int](), gosched.Chan[int]()
    wg.add(3)

    async def worker(i: int) -> None:
        async for job in jobs:
            say(f"worker {i} takes {job}")
            await results.asend(job * job)
            say(f"worker {i} has done {job}")
        say(f"worker {i} ends")
        wg.done()

    for i in range(3):
        gosched.go(worker, i)

    async def hands_out() -> None:
        for job in range(9):
            say(f"hands out {job}")
            await jobs.asend(job)
        jobs.close()
        say("all handed out")
        await wg
        results.close()
        say("all done")

    gosched.go(hands_out)
    async for result in results:
        say(f"result {result}")
    say("main ends")
