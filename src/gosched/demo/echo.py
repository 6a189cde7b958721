"""Act 6: a goroutine for each connection of a server, and one for each caller. The server is a second process, so that each stays within its limit of
descriptors, and so that its memory is its own."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter

import gosched
from gosched import net
from gosched.demo.outcome import Figure, Plain, expect, size
from gosched.demo.server import Served
from gosched.demo.sizes import Sizes
from gosched.demo.stage import Stage
from gosched.trace.units import count, span

ABOUT = "A goroutine for each connection in a server, a second process, and one for each caller here. All talk at once, and check what comes back."
# What a process has open beside its connections, generously.
OTHERS = 100
# At once under way: what has arrived and was not accepted yet stands in a queue of the kernel, and its length is bounded.
DIALLING = 200


@dataclass
class Calls:
    """What the callers know. Lists are what several threads can count in."""

    stood: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    """Who got an answer that was what had been said, each time."""
    dialled: float = 0.0
    """Seconds until all connections stood."""
    talked: float = 0.0
    """Seconds until all answers had come."""


@dataclass(frozen=True)
class Echoes(Plain):
    wanted: int
    limit: int
    """How many descriptors a process may have."""
    connections: int
    right: int
    dialled: float
    talked: float
    served: Served

    def words(self) -> list[str]:
        fewer = f"a process may have {self.limit:,} descriptors here: {self.connections:,} connections instead of {self.wanted:,}"
        return [
            *([fewer] if self.connections < self.wanted else []),
            f"{self.connections:,} connections stood after {span(self.dialled * 1e9)}; "
            f"the server needs {size(self.bytes_of_one)} for each, and {count(self.served.threads, 'thread')} for all",
            f"{self.right:,} messages came back, each as it was sent, in {span(self.talked * 1e9)}: {self.right / self.talked:,.0f} a second",
        ]

    def figures(self) -> list[Figure]:
        return [
            Figure(f"{self.connections:,}", "connections at once"),
            Figure(f"{self.right:,}", "right answers"),
            Figure(f"{self.right / self.talked:,.0f}", "of them a second"),
            Figure(size(self.bytes_of_one), "for each connection in the server"),
            Figure(str(self.served.threads), "threads in the server"),
        ]

    @property
    def bytes_of_one(self) -> float:
        return self.served.bytes / self.connections


def title(sizes: Sizes) -> str:
    return f"{'Ten thousand' if sizes.connections == 10_000 else f'{sizes.connections:,}'} connections, echoing"


def play(stage: Stage, sizes: Sizes) -> Echoes:
    limit = raise_limit(sizes.connections + OTHERS)
    n = min(sizes.connections, limit - OTHERS)
    expect(n > 0, f"a process may have {limit} descriptors here, which is too few for this act")
    with subprocess.Popen([sys.executable, "-m", "gosched.demo.server", str(n)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            calls, served = gosched.run(talk, stage, server, n, sizes.echoes)
        except BaseException:
            server.kill()
            raise
    expect(len(calls.stood) == n == served.connections, f"of {n:,} connections, {len(calls.stood):,} were made and {served.connections:,} served")
    expect(len(calls.right) == n * sizes.echoes, f"of {n * sizes.echoes:,} messages, {len(calls.right):,} came back as they were sent")
    return Echoes(sizes.connections, limit, n, len(calls.right), calls.dialled, calls.talked, served)


def raise_limit(needed: int) -> int:
    """The soft limit of descriptors goes up as far as it has to and may. What it is then, or what is needed if that is less."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed:
        wanted = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        with suppress(ValueError, OSError):  # some systems have a limit below the hard one
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return needed if soft == resource.RLIM_INFINITY else min(soft, needed)


async def talk(stage: Stage, server: subprocess.Popen[str], n: int, echoes: int) -> tuple[Calls, Served]:
    """From the port that the server prints first to what it prints last."""
    assert server.stdout is not None
    port = gosched.blocking(server.stdout.readline)
    if not port:
        fail(server)
    calls = Calls()
    with stage.telling(lambda: f"{len(calls.stood):,} connections, {len(calls.right):,} answers"):
        await call(calls, int(port), n, echoes)
    report, _ = gosched.blocking(server.communicate)
    if server.returncode:
        fail(server)
    return calls, Served(**json.loads(report))


def fail(server: subprocess.Popen[str]) -> None:
    _, complaint = gosched.blocking(server.communicate)
    expect(False, f"the server ended with status {server.returncode}:\n{complaint}")


async def call(calls: Calls, port: int, n: int, echoes: int) -> None:
    """All stand before one of them talks."""
    dialling, standing, talking, everybody = gosched.Semaphore(DIALLING), gosched.WaitGroup(), gosched.WaitGroup(), gosched.Event()

    async def caller(me: int) -> None:
        async with dialling:
            conn = await net.adial(f"127.0.0.1:{port}")
        async with conn:
            calls.stood.append(me)
            standing.done()
            await everybody
            for i in range(echoes):
                said = b"%d says %d\n" % (me, i)
                await conn.awrite(said)
                if await conn.aread_exactly(len(said)) == said:
                    calls.right.append(me)

    standing.add(n)
    begin = perf_counter()
    for me in range(n):
        talking.go(caller, me)
    await standing
    calls.dialled = perf_counter() - begin
    begin = perf_counter()
    everybody.set()
    await talking
    calls.talked = perf_counter() - begin
