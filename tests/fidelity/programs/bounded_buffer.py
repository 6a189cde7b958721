"""A buffer for two from a mutex and two conditions, two producers and two consumers: signals, barging and waiting again."""

from __future__ import annotations

from collections.abc import Callable

import gosched

TIMED = True


async def main(say: Callable[[str], None]) -> None:
    mu = gosched.Mutex()
    wg = gosched.WaitGroup()
    not_empty, not_full = gosched.Cond(mu), gosched.Cond(mu)
    items: list[str] = []
    wg.add(4)

    async def producer(i: int) -> None:
        for n in range(4):
            await mu.alock()
            while len(items) == 2:
                say(f"producer {i} waits")
                await not_full
            items.append("ab"[i] + str(n))
            say(f"producer {i} put {items[-1]}")
            not_empty.notify()
            mu.unlock()
        wg.done()

    async def consumer(i: int) -> None:
        for _ in range(4):
            await mu.alock()
            while len(items) == 0:
                say(f"consumer {i} waits")
                await not_empty
            item = items.pop(0)
            say(f"consumer {i} took {item}")
            not_full.notify()
            mu.unlock()
        wg.done()

    for i in range(2):
        gosched.go(producer, i)
        gosched.go(consumer, i)
    await wg
    say("main ends")
