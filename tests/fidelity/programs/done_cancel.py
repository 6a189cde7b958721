"""A done channel ends three workers that select on it; each clears up and reports."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    done, jobs = gosched.Chan[None](), gosched.Chan[int]()
    wg.add(3)

    async def worker(i: int) -> None:
        handled = 0
        running = True
        while running:
            say(f"worker {i} waits")
            match await gosched.aselect(jobs.recv, done.recv_ok):
                case 0, job:
                    handled += 1
                    say(f"worker {i} handles {job}")
                case 1, _:
                    running = False
        say(f"worker {i} ends after {handled}")
        wg.done()

    for i in range(3):
        gosched.go(worker, i)
    for job in range(7):
        await jobs.asend(job)
        say(f"main has sent {job}")
    await gosched.ayield_now()
    done.close()
    say("main has closed")
    await wg
    say("main ends")
