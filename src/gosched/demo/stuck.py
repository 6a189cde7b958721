"""Act 7: two goroutines that lock two accounts in opposite order. They are found while main goes on; when all sleep, the program says so and ends."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import gosched
from gosched.demo.outcome import Figure, Plain, expect
from gosched.demo.sizes import Sizes
from gosched.demo.stage import Stage
from gosched.trace.units import span

ABOUT = "One transfer locks Ann's account, then Bob's; the other one Bob's, then Ann's. Each holds what the other one waits for."
PATIENCE = 10.0
NAME = "bank.py"
# Not a module of gosched's: dumps leave out what is inside of the package.
PROGRAM = """\
async def transfer(source, target, both):
    async with source:
        both.done()
        await both  # from here on each has one lock
        async with target:
            print("never")

async def main(look):
    ann, bob, both, done = Mutex(), Mutex(), WaitGroup(), WaitGroup()
    both.add(2)
    done.go(transfer, ann, bob, both)
    done.go(transfer, bob, ann, both)
    await look()  # find_deadlocks(), until it finds something
    await done
"""


@dataclass(frozen=True)
class Stuck(Plain):
    found: str
    """What find_deadlocks() said while main went on."""
    goroutines: int
    """How many it named."""
    raised: str
    """What the program ended with when main waited, too."""
    seconds: float
    """All of it."""

    def words(self) -> list[str]:
        return [
            f"find_deadlocks(), called while the program goes on, names the {self.goroutines} that wait for each other, and where",
            "when main waits, too, the program does not hang: run() raises DeadlockError, with a dump of every goroutine",
            f"all of that took {span(self.seconds * 1e9)}",
        ]

    def figures(self) -> list[Figure]:
        return [Figure(str(self.goroutines), "goroutines that wait for each other, named"), Figure(span(self.seconds * 1e9), "until all was said")]

    def texts(self) -> list[str]:
        numbered = "\n".join(f"{n:2d}  {line}".rstrip() for n, line in enumerate(PROGRAM.splitlines(), 1))
        return [f"{NAME}\n{numbered}", f"{self.found}\n\n{self.raised}"]


def title(sizes: Sizes) -> str:
    return "A deadlock, explained"


def play(stage: Stage, sizes: Sizes) -> Stuck:
    found: list[gosched.Deadlock] = []

    async def look() -> None:
        with gosched.with_timeout(PATIENCE):
            while not found:
                await gosched.asleep(0.001)
                found.extend(gosched.find_deadlocks())

    program: dict[str, Any] = {"Mutex": gosched.Mutex, "WaitGroup": gosched.WaitGroup}
    exec(compile(PROGRAM, NAME, "exec"), program)
    begin = perf_counter()
    raised = ending(program["main"], look)
    seconds = perf_counter() - begin
    expect(raised != "", "two goroutines locked each other out, and run() came back as if nothing were wrong")
    expect([deadlock.kind for deadlock in found] == ["cycle"], f"one cycle was to be found, and what was found is {found}")
    return Stuck(str(found[0]), len(found[0].goroutines), raised, seconds)


def ending(main: Any, look: Any) -> str:
    """What the DeadlockError says, if there is one."""
    try:
        gosched.run(main, look)
    except gosched.DeadlockError as error:
        return str(error)
    return ""
