"""A barrier of three from a mutex and a condition, three rounds; the last to arrive goes on first."""

from __future__ import annotations

from collections.abc import Callable

import gosched

TIMED = True


async def main(say: Callable[[str], None]) -> None:
    mu = gosched.Mutex()
    wg = gosched.WaitGroup()
    cond = gosched.Cond(mu)
    arrived, generation = 0, 0
    wg.add(3)

    async def party(i: int) -> None:
        nonlocal arrived, generation
        for n in range(3):
            await mu.alock()
            say(f"{i} arrives in round {n}")
            arrived += 1
            if arrived == 3:
                arrived = 0
                generation += 1
                cond.notify_all()
            else:
                mine = generation
                while mine == generation:
                    await cond
            say(f"{i} passes round {n}")
            mu.unlock()
        wg.done()

    for i in range(3):
        gosched.go(party, i)
    await wg
    say("main ends")
