"""AfterFunc runs its functions in the order of their deadlines; a stopped one never; one may start another."""

from __future__ import annotations

from collections.abc import Callable

import gosched

TIMED = True


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    wg.add(4)

    def tell(name: str) -> None:
        say(name)
        wg.done()

    def twenty() -> None:
        tell("20")
        gosched.after_func(0.040, tell, "20 + 40")

    gosched.after_func(0.040, tell, "40")
    gosched.after_func(0.020, twenty)
    stopped = gosched.after_func(0.050, tell, "never said")
    gosched.after_func(0.080, tell, "80")
    say("main waits")
    await gosched.asleep(0.030)
    say(f"stopped: {str(stopped.stop()).lower()}")
    say(f"stopped again: {str(stopped.stop()).lower()}")
    await wg
    say("main ends")
