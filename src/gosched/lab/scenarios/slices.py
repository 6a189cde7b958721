"""Scenarios of time: who is next, whose slice it is, and when it is over."""

from __future__ import annotations

from typing import Any

from gosched.channels import Chan
from gosched.core.spawn import go
from gosched.runtime import ayield_now
from gosched.sync import WaitGroup

from ..work import cpu
from .queues import worker
from .scenario import Bend, Mark, Paragraph, Scenario, Story, ms

# ---- who is next ----


async def asks(requests: Chan[int], answers: Chan[int], wg: WaitGroup) -> None:
    await requests.asend(1)
    await answers.arecv()
    wg.done()


async def serves(requests: Chan[int], answers: Chan[int], wg: WaitGroup) -> None:
    question = await requests.arecv()
    await cpu(0.0005)
    await answers.asend(question)
    wg.done()


async def who_is_next() -> None:
    requests, answers, wg = Chan[int](), Chan[int](), WaitGroup()
    wg.add(5)
    go(serves, requests, answers, wg)
    await ayield_now()
    for _ in range(3):
        go(worker, wg, 0.002)
    go(asks, requests, answers, wg)
    await wg


def next_facts(story: Story) -> dict[str, Any] | None:
    woken, done = story.first("GO_UNBLOCK", "serves"), story.first("GO_END", "asks")
    if woken is None or done is None:
        return None
    after = story.between(woken, None, "GO_START")[0]
    workers = len(story.between(story.frames[0], done, "GO_START", "worker"))
    when = f"after {workers} of the workers" if workers else "before any of the workers"
    return {"first": after["event"][4], "name": story.name(after), "done": ms(done["t"]), "when": when}


NEXT = Scenario(
    "runnext",
    "Who is next",
    who_is_next,
    1,
    (
        Paragraph(
            "One P. A server waits for a request; three workers are queued; and a client is about to ask. A queue that is served in the order of "
            "arrival would make the answer wait for everything that is queued, twice.",
            Mark("GO_CREATE", 1, "asks"),
        ),
        Paragraph(
            "But who becomes runnable is put into its P's `next` slot, and who stood there goes to the tail. When the client sends its request the "
            "server is next, and what it needs is still in the processor's cache.",
            Mark("GO_UNBLOCK", 1),
        ),
        Paragraph(
            "So the two pass work to each other without a detour through the queue. What that costs the others is the subject of the next chapter.",
            Mark("GO_END", 1, "asks"),
        ),
    ),
    "Three workers were queued before. Who runs when the client has woken the server, and when has the client its answer?",
    "G{first} ({name}). The client has its answer after {done}: {when}.",
    next_facts,
    (Bend("Without `next`", {"runnext": False}, "The answer waits for the workers."),),
    shows=Mark("GO_END", 1, "asks"),
)


# ---- the slice is inherited ----


async def ping(there: Chan[int], back: Chan[int], rounds: int, wg: WaitGroup) -> None:
    for i in range(rounds):
        await cpu(0.0002)
        await there.asend(i)
        await back.arecv()
    there.close()
    wg.done()


async def pong(there: Chan[int], back: Chan[int]) -> None:
    async for i in there:
        await cpu(0.0002)
        await back.asend(i)


async def inheritance() -> None:
    there, back, wg = Chan[int](), Chan[int](), WaitGroup()
    wg.add(2)
    go(pong, there, back)
    go(worker, wg, 0.001)
    go(ping, there, back, 60, wg)
    await wg


def inheritance_facts(story: Story) -> dict[str, Any] | None:
    run = story.first("GO_START", "worker")
    if run is None:
        return None
    begin = story.frames[0]
    turns = len(story.between(begin, run, "GO_START", "ping") + story.between(begin, run, "GO_START", "pong"))
    expired = story.between(begin, run, "EXPIRE")
    why = "the slice that they share, 10 ms by Go's rules, and the time until sysmon has noticed its end" if expired else "nothing stopped them"
    return {"waited": ms(run["t"]), "turns": turns, "why": why}


INHERITANCE = Scenario(
    "inheritance",
    "A slice is inherited",
    inheritance,
    1,
    (
        Paragraph(
            "Ping and pong wake each other, and each time the one that was woken is next. The worker stands in the queue and waits. If everybody "
            "who is next had a time slice of its own, the pair would never have used up theirs: neither of them works for long.",
            Mark("GO_START", 20),
        ),
        Paragraph(
            "So who comes from `next` does not begin a slice; it has what is left of the one that its waker began. The pair shares ten milliseconds, "
            "however often they take turns.",
            Mark("GO_START", 45),
        ),
        Paragraph(
            "When the slice is over, who is next loses that place and goes to the tail of the global queue. Now the worker has its turn. It is "
            "sysmon that measures slices, and it looks every few milliseconds only: so it is somewhat late.",
            Mark("GO_START", 1, "worker"),
        ),
    ),
    "The worker needs one millisecond. How long does it wait for it, beside a pair that would go on for 24 ms?",
    "{waited}, which is {turns} turns of the pair: {why}.",
    inheritance_facts,
    (
        Bend("No inheritance", {"inherit": False}, "Each turn is a slice of its own: the worker waits until the pair is done."),
        Bend("Slices of 2 ms", {"slice": 0.002}, "The worker comes sooner, and everybody is interrupted more often."),
    ),
    shows=Mark("GO_START", 1, "worker"),
)


# ---- the convoy ----


async def hog(wg: WaitGroup) -> None:
    await cpu(0.06)
    wg.done()


async def short(wg: WaitGroup) -> None:
    await cpu(0.0005)
    wg.done()


async def convoy() -> None:
    wg = WaitGroup()
    wg.add(6)
    for _ in range(5):
        go(short, wg)
    go(hog, wg)
    await wg


def convoy_facts(story: Story) -> dict[str, Any] | None:
    ends, hog_ends = story.all("GO_END", "short"), story.first("GO_END", "hog")
    if len(ends) < 5 or hog_ends is None:
        return None
    last = ends[-1]
    stopped = story.between(story.frames[0], last, "GO_STOP", "hog")
    waited = story.between(hog_ends, None, "GO_START", "short")
    why = "the hog had to let them run" if stopped else "they had to wait for the hog" if waited else "the hog was not in their way"
    return {"done": ms(last["t"]), "why": why, "end": ms(story.end())}


CONVOY = Scenario(
    "convoy",
    "The convoy",
    convoy,
    1,
    (
        Paragraph(
            "A hog was started last, so it is next, and it works for 60 ms without a pause. Five others need half a millisecond each, and stand "
            "behind it like cars behind a lorry.",
            Mark("GO_START", 1, "hog"),
        ),
        Paragraph(
            "Nothing the hog does gives others a chance. But sysmon, a thread that needs no P, looks at all Ps again and again. It sees the same "
            "turn go on for ten milliseconds while others wait, and asks the hog to stop.",
            Mark("ASK"),
        ),
        Paragraph(
            "The hog goes to the tail of the global queue, in the middle of its work, and the five are done in a moment. Then it goes on where it "
            "was stopped. In Go before 1.14 a loop without calls could not be stopped at all.",
            Mark("GO_END", 5, "short"),
        ),
    ),
    "When are the five short ones done, if the hog needs 60 ms?",
    "After {done}: {why}. Everything is done after {end}: whoever goes first, it is the same work.",
    convoy_facts,
    (Bend("Without preemption", {"preempt": False}, "The five wait for the hog's whole 60 ms."),),
    shows=Mark("GO_END", 5, "short"),
)
