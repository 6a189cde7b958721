"""Functions that are due at once become goroutines when the scheduler looks next: the newest is in runnext, the others at the tail of the ring."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    wg.add(4)

    def tell(name: str) -> None:
        say(name)
        wg.done()

    gosched.go(tell, "goroutine 1")
    gosched.go(tell, "goroutine 2")
    gosched.after_func(0, tell, "timer 1")
    gosched.after_func(0, tell, "timer 2")
    say("main waits")
    await wg
    say("main ends")
