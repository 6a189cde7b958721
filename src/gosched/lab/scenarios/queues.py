"""Scenarios of queues: who stands where, who takes what from whom."""

from __future__ import annotations

from typing import Any

from gosched.core.spawn import go
from gosched.core.yielding import YIELD_BEHIND
from gosched.runtime import ayield_now
from gosched.sync import WaitGroup
from gosched.trace.units import count

from ..work import cpu
from .scenario import Bend, Mark, Paragraph, Scenario, Story, ms


async def worker(wg: WaitGroup, seconds: float) -> None:
    await cpu(seconds)
    wg.done()


async def crowd(n: int, seconds: float, pause: float = 0.0) -> None:
    """n workers, all started by the one that calls."""
    wg = WaitGroup()
    wg.add(n)
    for _ in range(n):
        go(worker, wg, seconds)
        if pause:
            await cpu(pause)
    await wg


# ---- load imbalance ----


async def imbalance() -> None:
    await crowd(12, 0.002)


def imbalance_facts(story: Story) -> dict[str, Any] | None:
    created = story.all("GO_CREATE", "worker")
    mine = sum(1 for frame in story.all("GO_START", "worker") if frame["p"] == created[0]["p"])
    raids = len(story.all("STEAL"))
    rest = f"the rest was stolen, in {count(raids, 'raid')}" if raids else "nobody stole any"
    return {"mine": mine, "all": len(created), "rest": rest, "end": ms(story.end())}


IMBALANCE = Scenario(
    "imbalance",
    "Load imbalance",
    imbalance,
    4,
    (
        Paragraph(
            "A goroutine that is started with `go` is put where its creator runs. Here main starts twelve workers, and all of them end up with P0: "
            "one in its `next` slot, the others in its queue. Three other Ps stand by with nothing to do.",
            Mark("GO_BLOCK", 1, "main"),
        ),
        Paragraph(
            "Each start also wakes one thread, if a P is idle and nobody is looking for work already. The thread comes with an empty queue, so it "
            "looks into the queues of the others, in a random order, and takes half of the first that has anything.",
            Mark("STEAL"),
        ),
        Paragraph(
            "The thief was the one thread that looked for work. Now that it has some, it wakes the next. So the Ps come to life one after the "
            "other, and the work spreads without anybody who would hand it out.",
            Mark("STEAL", 3),
        ),
    ),
    "Twelve goroutines were queued with one P. How many of them does it run itself?",
    "It runs {mine} of {all}; {rest}, and all is done after {end}.",
    imbalance_facts,
    (Bend("Without stealing", {"steal": False}, "One P does everything while three stand idle."),),
    shows=Mark("GO_END", 12, "worker"),
)


# ---- steal half ----


async def steal_half() -> None:
    await crowd(9, 0.004)


def steal_half_facts(story: Story) -> dict[str, Any] | None:
    raid = story.first("STEAL")
    before = None if raid is None else story.proc_before(raid, raid["args"][0])
    if raid is None or not before or not before[4]:
        return None
    n, oldest = raid["args"][1], before[5][0]
    run = next(frame for frame in story.between(raid, None, "GO_START") if frame["p"] == raid["p"])
    g = run["event"][4]
    first = "and it runs that one" if g == oldest else f"but it runs G{g} first: the newest of its share"
    return {"queued": before[4], "n": n, "oldest": oldest, "first": first, "thief": raid["p"]}


STEAL_HALF = Scenario(
    "steal-half",
    "Steal half",
    steal_half,
    2,
    (
        Paragraph(
            "Nine workers on two Ps. Main has started them all before it waits: the last one is next on P0, eight stand in its queue, the oldest in "
            "front.",
            Mark("GO_BLOCK", 1, "main"),
        ),
        Paragraph(
            "P1's thread takes half of the queue, rounded up, from its front: those that have waited longest. One swap of the queue's head commits "
            "the theft, and if somebody else was quicker, it is tried again. No lock is taken.",
            Mark("STEAL"),
        ),
        Paragraph(
            "Half is a good share: with less the thief would be back soon, with all of it the other P would be the next thief. And of what it took "
            "it runs the newest first: the others are already where they can be stolen again.",
            Mark("GO_START", 1, says="newest of what it stole"),
        ),
    ),
    "How many goroutines does P1 take, and is the first one it runs the oldest of them?",
    "Of {queued} P{thief} takes {n}. The oldest was G{oldest}, {first}.",
    steal_half_facts,
    (
        Bend("Steal one at a time", {"share": 0.01}, "The thief comes back again and again."),
        Bend("Steal all", {"share": 1.0}, "P0 is robbed of everything, and becomes a thief itself."),
    ),
    shows=Mark("STEAL"),
)


# ---- ring overflow ----


async def overflow() -> None:
    await crowd(300, 0.00001)


def overflow_facts(story: Story) -> dict[str, Any] | None:
    waits = story.first("GO_BLOCK", "main")
    spill = story.first("GO_CREATE", "worker", "is full")
    before = None if spill is None else story.proc_before(spill, spill["p"])
    if waits is None or spill is None or not before:
        return None
    slot = ", one is next" if before[6] else ""
    return {"common": waits["queue"][0], "nth": story.all("GO_CREATE", "worker").index(spill) + 1, "ring": before[4], "slot": slot}


OVERFLOW = Scenario(
    "overflow",
    "The ring overflows",
    overflow,
    1,
    (
        Paragraph(
            "A P's queue is a ring of 256 places, so that it needs no memory of its own while it is used, and no lock. Main starts 300 goroutines "
            "without a pause. One stands in `next`, the others fill the ring.",
            Mark("GO_CREATE", 200, "worker"),
        ),
        Paragraph(
            "When the ring is full, half of it goes to the global queue at once, and the one that found no place behind it. Moving 129 together "
            "means that the global queue's lock is taken once, not 129 times.",
            Mark("GO_CREATE", 1, "worker", "is full"),
        ),
        Paragraph(
            "There they wait for any P that has nothing of its own. A P that comes takes its share: the queue's length divided by the number of Ps, "
            "plus one, and at most 128.",
            Mark("REFILL"),
        ),
    ),
    "At which start does the ring overflow, and how many goroutines are in the global queue when main has started all 300?",
    "At start number {nth}: {ring} fill the ring{slot}, and one more is too many. In the end {common} are in the global queue.",
    overflow_facts,
    (
        Bend("A ring of 16", {"ring": 16}, "It overflows again and again, and the global queue holds nearly everything."),
        Bend("A ring of 1,024", {"ring": 1024}, "Nothing overflows; but somebody pays for the memory, on every P."),
    ),
    shows=Mark("GO_BLOCK", 1, "main"),
)


# ---- the 61st tick ----


async def busy(wg: WaitGroup, rounds: int) -> None:
    """Goes to the tail of its own P's queue, again and again."""
    for _ in range(rounds):
        await cpu(0.00002)
        await YIELD_BEHIND
    wg.done()


async def polite(wg: WaitGroup) -> None:
    """Goes to the tail of the global queue, once."""
    await ayield_now()
    await cpu(0.00002)
    wg.done()


async def tick_61() -> None:
    wg = WaitGroup()
    wg.add(4)
    for _ in range(3):
        go(busy, wg, 60)
    go(polite, wg)
    await wg


def tick_facts(story: Story) -> dict[str, Any] | None:
    stop = story.first("GO_STOP", "polite")
    runs = [] if stop is None else story.between(stop, None, "GO_START", "polite")
    if stop is None or not runs:
        return None
    run = runs[0]
    tick = next(p[7] for p in run["ps"] if p[0] == run["p"]) - 1
    why = f"at its tick {tick} the P looks at the global queue first" if "one of every" in run["event"][3] else "then no other is left before it"
    return {"others": len(story.between(stop, run, "GO_START")), "waited": ms(run["t"] - stop["t"]), "why": why}


TICK_61 = Scenario(
    "tick-61",
    "The 61st tick",
    tick_61,
    1,
    (
        Paragraph(
            "One P, and three goroutines that keep its own queue busy: each works a little and goes to the tail of that queue. A fourth one is "
            "polite: it calls Gosched, which sends it to the tail of the global queue.",
            Mark("GO_STOP", 1, "polite"),
        ),
        Paragraph(
            "A P looks at its own queue first, and that is never empty here. If it were left at that, whoever stands in the global queue would "
            "wait until the others are done: perhaps for ever.",
            Mark("GO_START", 40),
        ),
        Paragraph(
            "So every 61st time that a P begins a new slice, it looks at the global queue first, and takes one goroutine from it. 61 is a prime: "
            "it does not fall in step with how a program happens to be built.",
            Mark("GO_START", 1, "polite", "one of every"),
        ),
    ),
    "The polite one stands alone in the global queue. How many others have a turn before it does?",
    "{others}, which takes {waited}: {why}.",
    tick_facts,
    (
        Bend("Never look there first", {"fairness": 0}, "It waits until everybody else has ended."),
        Bend("Every 5th tick", {"fairness": 5}, "It comes soon; but each look at the global queue takes its lock."),
    ),
    shows=Mark("GO_START", 2, "polite"),
)
