"""Scenarios of threads: blocked ones, those that look for work, and the one that waits for the network."""

from __future__ import annotations

from typing import Any

from gosched.core.spawn import go
from gosched.sync import WaitGroup
from gosched.trace.units import count

from ..work import call, cpu, io, syscall
from .queues import crowd, worker
from .scenario import Bend, Mark, Paragraph, Scenario, Story, ms


async def reads_file(wg: WaitGroup, seconds: float) -> None:
    """As a read of a file: it may be quick, it may be slow."""
    await syscall(seconds)
    await cpu(0.0002)
    wg.done()


async def asks_library(wg: WaitGroup, seconds: float) -> None:
    """As a call into a library that is known to wait."""
    await call(seconds)
    await cpu(0.0002)
    wg.done()


# ---- hand-off ----


async def handoff() -> None:
    wg = WaitGroup()
    wg.add(5)
    for _ in range(2):
        go(worker, wg, 0.001)
    go(asks_library, wg, 0.006)
    go(worker, wg, 0.001)
    go(reads_file, wg, 0.006)
    await wg


def handoff_facts(story: Story) -> dict[str, Any] | None:
    begun = story.first("SYSCALL_BEGIN", "reads_file")
    taken = story.first("PROC_STEAL", "reads_file")
    marked = story.first("SYSCALL_BEGIN", "asks_library")
    if begun is None or taken is None or marked is None:
        return None
    given = next(frame for frame in story.between(marked, None, "PROC_STOP") if frame["m"] == marked["m"])
    return {"optimist": ms(taken["t"] - begun["t"]), "pessimist": ms(given["t"] - marked["t"]), "threads": len(story.all("M_START"))}


HANDOFF = Scenario(
    "handoff",
    "Hand-off of a blocked thread",
    handoff,
    1,
    (
        Paragraph(
            "One P. A goroutine that reads a file enters a system call, and its thread stands still until the kernel lets it go on. The P is not "
            "taken away at once: most such calls are short, and then the goroutine simply goes on with it. That is the optimistic way.",
            Mark("SYSCALL_BEGIN", 1, "reads_file"),
        ),
        Paragraph(
            "This call is not short. Sysmon sees the P in the same call on two looks, while others wait in its queue. It takes the P from the "
            "blocked thread and hands it to another one, which is started if none is idle.",
            Mark("PROC_STEAL"),
        ),
        Paragraph(
            "A call that is known to block does not wait for sysmon: the goroutine hands over its P before it enters the call. That is the "
            "pessimistic way. In gosched you choose it with `blocking(fn)`; any other call is seen by sysmon.",
            Mark("SYSCALL_BEGIN", 1, "asks_library"),
        ),
    ),
    "How long does the P stay with a blocked thread: on the optimistic way, and on the pessimistic one?",
    "{optimist} until sysmon has taken it; {pessimist} if it is handed over before the call. {threads} threads were needed in all.",
    handoff_facts,
    real=False,
    shows=Mark("PROC_STOP", 1, says="gives up"),
)


# ---- return from a call ----


async def returns() -> None:
    wg = WaitGroup()
    wg.add(4)
    for _ in range(3):
        go(worker, wg, 0.004)
    go(asks_library, wg, 0.002)
    await wg


def returns_facts(story: Story) -> dict[str, Any] | None:
    back = story.first("SYSCALL_END", "asks_library")
    runs = [] if back is None else story.between(back, None, "GO_START", "asks_library")
    if back is None or not runs:
        return None
    m, other = back["m"], runs[0]["m"]
    return {"waited": ms(runs[0]["t"] - back["t"]), "m": m, "who": f"M{other}" if m != other else "and the same thread"}


RETURNS = Scenario(
    "return",
    "Back from a call",
    returns,
    1,
    (
        Paragraph(
            "A goroutine has handed over its P and is in a call that blocks. Meanwhile another thread runs the workers with that P.",
            Mark("GO_START", 1, "worker"),
        ),
        Paragraph(
            "The call is over, and its thread could go on; but it has no P, and without a P it must not run Go code. It tries to get its old one "
            "back, or any that is idle. There is none.",
            Mark("SYSCALL_END"),
        ),
        Paragraph(
            "So the goroutine goes to the tail of the global queue, and its thread lies down to sleep. Whoever takes the goroutine from there goes "
            "on with it: it is not tied to the thread that made the call.",
            Mark("GO_STOP", 1, "asks_library"),
        ),
    ),
    "The call is over. How long does the goroutine wait for a P, and is it the same thread that goes on with it?",
    "It waits {waited}. M{m} made the call, {who} goes on.",
    returns_facts,
    real=False,
    shows=Mark("GO_START", 2, "asks_library"),
)


# ---- the netpoller ----


async def client(wg: WaitGroup, seconds: float) -> None:
    await io(seconds)
    await cpu(0.0003)
    wg.done()


async def netpoller() -> None:
    wg = WaitGroup()
    wg.add(6)
    for i in range(6):
        go(client, wg, 0.002 + 0.001 * (i // 2))
    await wg


def netpoller_facts(story: Story) -> dict[str, Any] | None:
    waiting = max(frame["net"] for frame in story.frames)
    blocked = {m[0] for frame in story.frames for m in frame["ms"] if m[1] == "blocked"}
    threads = count(len(story.all("M_START")), "thread")
    return {"waiting": waiting, "blocked": len(blocked), "threads": threads, "ps": count(story.frames[0]["procs"], "P")}


NETPOLLER = Scenario(
    "netpoller",
    "The netpoller",
    netpoller,
    2,
    (
        Paragraph(
            "Six goroutines wait for an answer from the network. None of them blocks a thread: the descriptor is registered with the kernel, the "
            "goroutine is parked, and its thread runs the next one.",
            Mark("GO_BLOCK", 6, "client"),
        ),
        Paragraph(
            "When a thread finds nothing to run, it is the one that waits for the kernel to tell of ready descriptors, and for the next timer: there "
            "is no thread that does nothing else. All other idle threads sleep.",
            Mark("M_POLL"),
        ),
        Paragraph(
            "Answers arrive. The thread that waited makes all goroutines runnable whose descriptors are ready, takes a P, and runs the first of "
            "them; if there are more, it wakes another thread. A P that is busy looks at the network in passing, when its own queue is empty.",
            Mark("NETPOLL"),
        ),
    ),
    "Six goroutines wait for the network at the same time. How many threads are blocked by that?",
    "{blocked}. At one moment {waiting} goroutines wait; {threads} and {ps} are enough.",
    netpoller_facts,
    real=False,
    shows=Mark("M_POLL"),
)


# ---- spinning ----


async def spinning() -> None:
    await crowd(8, 0.001)


def spinning_facts(story: Story) -> dict[str, Any] | None:
    most = 0
    now: set[int] = set()
    for frame in story.frames:
        for m in frame["ms"]:
            (now.add if m[1] == "spinning" else now.discard)(m[0])
        most = max(most, len(now))
    created = story.last("GO_CREATE", "worker")
    begun = [f for f in story.all("M_START") if created is not None and f["t"] <= created["t"] + 0.000_021]
    first, threads = len(begun) - 1, len(story.all("M_START"))
    others = f"{threads - 1 - first} more are woken by those that found work" if threads > first + 1 else "nobody else is woken"
    return {"most": most, "first": first, "others": others}


SPINNING = Scenario(
    "spinning",
    "Threads that spin",
    spinning,
    8,
    (
        Paragraph(
            "Main starts eight goroutines, and seven Ps are idle. Eight wake-ups at once would be a stampede: most of those threads would find that "
            "another was quicker.",
            Mark("GO_BLOCK", 1, "main"),
        ),
        Paragraph(
            "So a thread that looks for work is counted as spinning, and while anybody spins, nobody else is woken. The first one has come, and "
            "searches.",
            Mark("SPIN", 2),
        ),
        Paragraph(
            "It has found something: it stops spinning, and only now wakes the next one, which searches in turn. And who finds nothing, looks "
            "at every queue once more after it has ceased to be counted, before it sleeps: work that came in between was left to it.",
            Mark("STEAL", 2),
        ),
    ),
    "Eight goroutines are started at once and seven Ps are idle. How many threads does main wake, and how many ever spin at the same time?",
    "Main wakes {first}; {others}. The most that spin at the same time: {most}.",
    spinning_facts,
    (Bend("Without stealing", {"steal": False}, "The one that was woken searches, finds nothing that it may take, and sleeps again."),),
    shows=Mark("STEAL", 2),
)
