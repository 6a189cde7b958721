"""Scenarios of waiting: for the clock, for each other, for a crowd."""

from __future__ import annotations

from typing import Any

from gosched.channels import Chan
from gosched.core.spawn import go
from gosched.runtime import ayield_now
from gosched.sync import Mutex, WaitGroup
from gosched.timing import asleep
from gosched.trace.units import count

from ..work import cpu
from .scenario import Bend, Mark, Paragraph, Scenario, Story, ms

# ---- timers ----


async def sleeper(wg: WaitGroup, seconds: float) -> None:
    await asleep(seconds)
    await cpu(0.0005)
    wg.done()


async def timers() -> None:
    wg = WaitGroup()
    wg.add(4)
    for seconds in (0.3, 0.1, 0.4, 0.2):
        go(sleeper, wg, seconds)
    await wg


def timers_facts(story: Story) -> dict[str, Any] | None:
    woken = story.all("GO_UNBLOCK", "sleeper")
    slept = {frame["event"][4]: frame["t"] for frame in story.all("GO_BLOCK", "sleeper")}
    spans = [frame["t"] - slept[frame["event"][4]] for frame in woken]
    late = round(max(span - round(span, 1) for span in spans), 9)
    waits = len(story.between(story.frames[0], woken[-1], "M_POLL"))
    return {
        "order": ", ".join(f"G{frame['event'][4]}" for frame in woken),
        "late": f"the latest is {ms(late)} behind its time" if late > 0 else "none is late",
        "polls": count(waits, "time"),
    }


TIMERS = Scenario(
    "timers",
    "Timers",
    timers,
    2,
    (
        Paragraph(
            "Four goroutines sleep: 300, 100, 400 and 200 ms. No thread sleeps for them. Each P has a heap of timers, and a goroutine that sleeps "
            "puts one into the heap of the P on which it runs.",
            Mark("GO_BLOCK", 4, "sleeper"),
        ),
        Paragraph(
            "Before a P looks for a goroutine, it runs those of its timers that are due. When there is nothing to run at all, the last thread waits "
            "for the network until the earliest timer of any P.",
            Mark("M_POLL"),
        ),
        Paragraph(
            "It wakes up in time, takes a P, and runs what is due. If that P was not the one with the timer, never mind: who looks for work to steal "
            "runs the timers of others, too.",
            Mark("GO_UNBLOCK", 1, "sleeper"),
        ),
    ),
    "In which order do they wake, and how late is the latest?",
    "{order}: by their times, whoever was started first; and {late}. A thread had to wait for the clock {polls}.",
    timers_facts,
    shows=Mark("GO_UNBLOCK", 4, "sleeper"),
)


# ---- a deadlock ----


async def transfer(mine: Mutex, theirs: Mutex) -> None:
    async with mine:
        await cpu(0.001)
        await ayield_now()
        async with theirs:
            await cpu(0.001)


async def deadlock() -> None:
    a, b, done = Mutex(), Mutex(), Chan[None]()
    go(transfer, a, b, name="from A to B")
    go(transfer, b, a, name="from B to A")
    await done.arecv()


def deadlock_facts(story: Story) -> dict[str, Any] | None:
    waits = story.all("GO_BLOCK", says="Mutex")
    if story.over != "deadlock" or len(waits) < 2:
        return None
    return {"a": waits[-2]["event"][4], "b": waits[-1]["event"][4], "end": ms(waits[-1]["t"])}


DEADLOCK = Scenario(
    "deadlock",
    "A deadlock",
    deadlock,
    2,
    (
        Paragraph(
            "Two transfers between two accounts, each with a lock. One locks A and then B, the other B and then A. Each has its first lock, "
            "works a little, and lets others run.",
            Mark("GO_START", 2, says="from"),
        ),
        Paragraph(
            "Now each wants what the other has. A goroutine that waits for a lock is parked: it costs no thread and no time, so nothing seems to be "
            "wrong.",
            Mark("GO_BLOCK", 1, says="Mutex"),
        ),
        Paragraph(
            "But when the last thread has nothing to do, and no timer, no descriptor and nothing outside could wake a goroutine, the runtime knows "
            "that nobody ever will, and says so: all goroutines are asleep - deadlock!",
            Mark("GO_BLOCK", 2, says="Mutex"),
        ),
    ),
    "Who waits for whom, and when does the runtime know that it is over?",
    "G{a} and G{b} wait for each other's lock, main for a channel that nobody sends on: known after {end}, at once when the last has parked.",
    deadlock_facts,
    (Bend("With the global queue only", {"central": True}, "Queues have no part in it: it is the order of the locks."),),
    shows=Mark("GO_BLOCK", 2, says="Mutex"),
)


# ---- skynet ----


async def node(answers: Chan[int], number: int, size: int) -> None:
    if size == 1:
        await cpu(0.00001)
        await answers.asend(number)
        return
    mine = Chan[int](4)
    for i in range(4):
        go(node, mine, number + i * size // 4, size // 4)
    total = 0
    for _ in range(4):
        total += await mine.arecv()
    await answers.asend(total)


async def skynet() -> int:
    answers = Chan[int](1)
    go(node, answers, 0, 256)
    return await answers.arecv()


def skynet_facts(story: Story) -> dict[str, Any] | None:
    started = story.all("GO_START", "node")
    raids = story.all("STEAL")
    return {
        "moved": sum(frame["args"][1] for frame in raids),
        "raids": count(len(raids), "raid"),
        "ps": f"{count(len({frame['p'] for frame in started}), 'P')} worked on it",
        "alive": max(frame["total"] for frame in story.frames),
        "end": ms(story.end()),
    }


SKYNET = Scenario(
    "skynet",
    "Skynet",
    skynet,
    4,
    (
        Paragraph(
            "A tree of goroutines: each starts four, down to 256 leaves, and each sums up what its four report. It is the benchmark that is called "
            "skynet, with fewer leaves. All of it begins on one P.",
            Mark("GO_CREATE", 8, "node"),
        ),
        Paragraph(
            "Since the newest is run first and the oldest are stolen, a thief gets a piece near the root of the tree: a large one, from which it can "
            "start goroutines of its own. So few raids spread the whole tree.",
            Mark("STEAL", 2),
        ),
        Paragraph(
            "Answers flow back. A parent that is woken by a child is next on that child's P: goroutines move to where the data is.",
            Mark("GO_END", 300, "node"),
        ),
    ),
    "341 goroutines begin on one P. How many of them are stolen?",
    "{moved}, in {raids}. {ps}, and it is done after {end}. At most {alive} were alive at the same time.",
    skynet_facts,
    (
        Bend("Without stealing", {"steal": False}, "One P does it alone."),
        Bend("One central queue", {"central": True}, "All Ps are busy; but each start and each wake takes the one lock."),
        Bend("Newest first", {"lifo": True}, "The tree is gone through depth first: far fewer are alive at the same time."),
    ),
    shows=Mark("GO_END", 341, "node"),
)
