"""Kinds of goroutines that the laboratory can start at the push of a button."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from gosched.channels import Chan
from gosched.core.spawn import go
from gosched.sync import Mutex
from gosched.timing import asleep

from .work import call, cpu, io, syscall

Body = Callable[[float], Coroutine[Any, Any, None]]


@dataclass(frozen=True)
class Kind:
    """`seconds`: of what it does, unless said otherwise. `starts`: so many goroutines in all."""

    title: str
    what: str
    body: Body
    seconds: float
    starts: int = 1


async def work(seconds: float) -> None:
    await cpu(seconds)


async def hog(seconds: float) -> None:
    await cpu(seconds)


async def network(seconds: float) -> None:
    for _ in range(3):
        await io(seconds)
        await cpu(0.0002)


async def blocks(seconds: float) -> None:
    await cpu(0.0001)
    await call(seconds)
    await cpu(0.0001)


async def system_call(seconds: float) -> None:
    await cpu(0.0001)
    await syscall(seconds)
    await cpu(0.0001)


async def sleeper(seconds: float) -> None:
    for _ in range(3):
        await asleep(seconds)
        await cpu(0.0002)


async def spawner(seconds: float) -> None:
    for _ in range(8):
        go(work, seconds)
        await cpu(0.00002)


async def ping(seconds: float) -> None:
    there, back = Chan[int](), Chan[int]()
    go(pong, there, back, seconds)
    for i in range(ROUNDS):
        await there.asend(i)
        await back.arecv()
        await cpu(seconds)
    there.close()


async def pong(there: Chan[int], back: Chan[int], seconds: float) -> None:
    async for i in there:
        await cpu(seconds)
        await back.asend(i)


async def fight(seconds: float) -> None:
    mutex = Mutex()
    for _ in range(3):
        go(fighter, mutex, seconds)
    await fighter(mutex, seconds)


async def fighter(mutex: Mutex, seconds: float) -> None:
    for _ in range(3):
        async with mutex:
            await cpu(seconds)


ROUNDS = 10
KINDS = {
    "cpu": Kind("CPU work", "works, and ends", work, 0.003),
    "hog": Kind("Hog", "works for very long without a pause", hog, 0.06),
    "ping": Kind("Ping-pong", f"two that hand a ball to each other over channels, {ROUNDS} times", ping, 0.0001, 2),
    "net": Kind("Network", "waits for the network three times, and works a little after each", network, 0.004),
    "call": Kind("Blocking call", "blocks its thread in a call that is known to block: its P is handed on before", blocks, 0.008),
    "syscall": Kind("System call", "blocks its thread in a call that may be short: its P stays until sysmon takes it", system_call, 0.008),
    "spawner": Kind("Spawner", "starts eight that work", spawner, 0.002, 9),
    "mutex": Kind("Mutex fight", "four that want the same lock, three times each", fight, 0.0005, 4),
    "sleep": Kind("Sleeper", "sleeps three times, and works a little after each", sleeper, 0.004),
}
