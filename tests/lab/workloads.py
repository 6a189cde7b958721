"""Programs for the laboratory's tests, and runs of them of which everything is written down."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from gosched import Chan, Mutex, Policy, WaitGroup, asleep, ayield_now, go
from gosched.core.events import E_GO_CREATE, E_GO_END, E_GO_START, NAMES
from gosched.core.yielding import YIELD_BEHIND
from gosched.lab import call, cpu, io, syscall
from gosched.lab.clockwork import Clockwork
from gosched.lab.costs import FREE, Costs
from gosched.policy import GO
from gosched.trace.files import Recording, parse
from gosched.trace.record import VirtualRecorder
from gosched.trace.replay import Replay
from gosched.trace.things import Step

Program = Callable[..., Coroutine[Any, Any, Any]]

MS = 1_000_000


@dataclass
class Tape:
    """A run to its end. `steps` are its events as the replay has checked them; times in them count from the beginning, in ns."""

    recording: Recording
    steps: list[Step]
    names: dict[int, str]
    value: Any = None
    error: BaseException | None = None

    def of(self, kind: int, name: str = "") -> list[Step]:
        return [step for step in self.steps if step.kind == kind and (not name or self.names.get(step.g) == name)]

    def turns(self) -> list[str]:
        """Whose, in their order."""
        return [self.names[step.g] for step in self.of(E_GO_START)]

    def first(self, kind: int, name: str) -> int:
        """When."""
        return self.of(kind, name)[0].time

    def lost(self) -> set[str]:
        """Goroutines that never ended."""
        return {self.names[g] for g in {step.g for step in self.of(E_GO_CREATE)} - {step.g for step in self.of(E_GO_END)}}

    def told(self) -> list[tuple[Any, ...]]:
        """All that was told, without who runs where the trace was made."""
        return [(step.time, step.who, NAMES[step.kind], *step.args) for step in self.steps]

    def digest(self) -> str:
        return hashlib.sha256(json.dumps([self.told(), self.recording.strings]).encode()).hexdigest()


def play(
    program: Program,
    *args: Any,
    procs: int = 1,
    seed: int = 1,
    policy: Policy = GO,
    costs: Costs = FREE,
    queues: bool = True,
    runtime: type[Clockwork] = Clockwork,
) -> Tape:
    recorder = VirtualRecorder(queues=queues)
    value: Any = None
    error: BaseException | None = None
    try:
        value = runtime(procs, seed, policy, costs, recorder).run(program, *args)
    except Exception as raised:
        error = raised
    return tape_of(parse(recorder.data, "a run"), value, error)


def tape_of(recording: Recording, value: Any = None, error: BaseException | None = None) -> Tape:
    replay = Replay.of(recording)
    names: dict[int, str] = {}
    steps: list[Step] = []
    for step in replay.run():
        if step.kind == E_GO_CREATE:
            names[step.args[0]] = replay.string(step.args[2])
        steps.append(step._replace(time=step.time - recording.header.begun))
    return Tape(recording, steps, names, value, error)


# ---- programs ----


async def idles() -> None:
    """Its turn takes no time."""


async def crew(*ms: float) -> None:
    """Workers a, b, c, … in the order of their starts, one for each number, all started by main."""
    wg = WaitGroup()
    for number, each in enumerate(ms):
        wg.add(1)
        go(member, wg, each, name=chr(ord("a") + number))
    await wg


async def member(wg: WaitGroup, ms: float) -> None:
    await cpu(ms / 1e3)
    wg.done()


async def mixed(size: int = 6) -> int:
    """A little of everything: work, calls, network, timers, channels, locks, yields, children."""
    wg, lock, pipe, total = WaitGroup(), Mutex(), Chan[int](2), [0]

    async def worker(i: int) -> None:
        await cpu(0.0003 * (i + 1))
        async with lock:
            await cpu(0.0001)
            total[0] += i

    async def caller(i: int) -> None:
        await (syscall if i % 2 else call)(0.0004)
        await ayield_now()
        await pipe.asend(i)

    async def client(i: int) -> None:
        await io(0.0005 * i)
        wg.go(worker, i)

    async def sleeper(i: int) -> None:
        await asleep(0.0007)
        await ayield_now()
        total[0] += i

    async def hog() -> None:
        await cpu(0.025)

    wg.go(hog)
    for i in range(size):
        for kind in (worker, caller, client, sleeper):
            wg.go(kind, i)
    for _ in range(size):
        got = await pipe.arecv()
        total[0] += got
    await wg
    return total[0]


async def hogs_and_shorts(hog_ms: float = 60.0) -> None:
    """Five that need half a millisecond each stand behind one that needs many."""
    wg = WaitGroup()
    wg.add(6)
    for _ in range(5):
        go(member, wg, 0.5, name="short")
    go(member, wg, hog_ms, name="hog")
    await wg


async def client_and_server() -> None:
    """A server waits for a request, three workers are queued, and a client is about to ask."""
    requests, answers, wg = Chan[int](), Chan[int](), WaitGroup()
    wg.add(5)

    async def asks() -> None:
        await requests.asend(1)
        await answers.arecv()
        wg.done()

    async def serves() -> None:
        question = await requests.arecv()
        await cpu(0.0005)
        await answers.asend(question)
        wg.done()

    go(serves, name="serves")
    await ayield_now()
    for _ in range(3):
        go(member, wg, 2, name="worker")
    go(asks, name="asks")
    await wg


async def pair_beside_a_worker() -> None:
    """Two who wake each other, for 24 ms, in turns of 0.2 ms; a worker is queued."""
    there, back, wg = Chan[int](), Chan[int](), WaitGroup()
    wg.add(2)

    async def ping() -> None:
        for i in range(60):
            await cpu(0.0002)
            await there.asend(i)
            await back.arecv()
        there.close()
        wg.done()

    async def pong() -> None:
        async for i in there:
            await cpu(0.0002)
            await back.asend(i)

    go(pong, name="pong")
    go(member, wg, 1, name="worker")
    go(ping, name="ping")
    await wg


async def one_polite_of_four() -> None:
    """Three that go to the tail of their P's queue again and again, 61 turns each, and one that goes to the global queue, once."""
    wg = WaitGroup()
    wg.add(4)

    async def busy() -> None:
        for _ in range(60):
            await YIELD_BEHIND
        wg.done()

    async def polite() -> None:
        await ayield_now()
        wg.done()

    for _ in range(3):
        go(busy, name="busy")
    go(polite, name="polite")
    await wg
