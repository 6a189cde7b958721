"""Connections that open, reset, expire, half-close and close, all at once: no byte is wrong, and nothing is left behind."""

from __future__ import annotations

import gc
import os
import random
import socket
import struct
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

import gosched
from gosched import DeadlineExceeded, WaitGroup, asleep, go, net, now, run
from gosched.core.native import current_m
from gosched.core.netpoll import anybody_waits

pytestmark = [pytest.mark.stress, pytest.mark.timeout(0)]
WORKERS = 12
PATIENCE = 60.0
Do = Callable[..., Awaitable[Any]]
# What a peer may do to us; anything else is a bug.
EXPECTED = (DeadlineExceeded, ConnectionError, EOFError)


async def awaited(thing: Any, op: str, *args: Any, **options: Any) -> Any:
    return await getattr(thing, f"a{op}")(*args, **options)


async def plain(thing: Any, op: str, *args: Any, **options: Any) -> Any:
    return getattr(thing, op)(*args, **options)


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def reset(conn: net.Conn) -> None:
    """Closes it with a reset."""
    with socket.socket(fileno=os.dup(conn.fileno())) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    conn.close()


class Storm:
    def __init__(self, seed: int, until: float, ends: list[net.Listener]) -> None:
        self.seed = seed
        self.until = until
        self.ends = ends
        self.counts: Counter[str] = Counter()
        self.wrong: list[Any] = []

    def wish(self, dice: random.Random) -> dict[str, float]:
        """Sometimes a timeout, short or not."""
        return {"timeout": dice.choice((0.0, 0.001, 0.01, 1.0))} if dice.random() < 0.2 else {}

    # ---- servers ----

    async def accept(self, do: Do, listener: net.Listener, seed: int) -> None:
        dice = random.Random(seed)
        with suppress(net.ClosedError):
            while True:
                try:
                    conn = await do(listener, "accept", **self.wish(dice))
                except DeadlineExceeded:
                    self.counts["accepts expired"] += 1
                    continue
                go(self.serve, awaited if dice.random() < 0.5 else plain, conn, dice.random())

    async def serve(self, do: Do, conn: net.Conn, chance: float) -> None:
        """Echoes; some have a short temper."""
        with conn:
            try:
                if chance < 0.1:
                    conn.set_deadline(now() + 0.005)
                while data := await do(conn, "read", 1 + int(chance * 30_000)):
                    await do(conn, "write", data)
                    if chance > 0.97:
                        reset(conn)
                        return
                if chance > 0.5:
                    conn.close_write()
            except EXPECTED as error:
                self.counts[f"server {type(error).__name__}"] += 1

    # ---- clients ----

    async def client(self, do: Do, i: int) -> None:
        dice = random.Random(self.seed + i)
        kinds = [self.echo, self.echo, self.hang_up, self.both_ways, self.close_under, self.move_deadlines, self.half_close]
        while time.monotonic() < self.until or not self.counts["echo"]:
            try:
                conn = await do(net, "dial", str(dice.choice(self.ends).address), **self.wish(dice))
            except EXPECTED as error:
                self.counts[f"dial {type(error).__name__}"] += 1
                continue
            kind = dice.choice(kinds)
            with conn:
                try:
                    await kind(do, conn, dice, bytes([65 + i]))
                    self.counts[kind.__name__] += 1
                except EXPECTED as error:
                    self.counts[f"{kind.__name__} {type(error).__name__}"] += 1

    async def echo(self, do: Do, conn: net.Conn, dice: random.Random, mine: bytes) -> None:
        for _ in range(dice.randrange(1, 6)):
            line = mine * dice.randrange(1, 20_000) + b"\n"
            await do(conn, "write", line, **self.wish(dice))
            self.same(await do(conn, "read_line", **self.wish(dice)), line)

    async def hang_up(self, do: Do, conn: net.Conn, dice: random.Random, mine: bytes) -> None:
        """In the middle of an answer, or before there is one."""
        await do(conn, "write", mine * dice.randrange(1, 100_000), **self.wish(dice))
        if dice.random() < 0.5:
            self.only(await do(conn, "read", 10), mine)
        if dice.random() < 0.7:
            reset(conn)

    async def both_ways(self, do: Do, conn: net.Conn, dice: random.Random, mine: bytes) -> None:
        """One goroutine writes, more than all buffers hold, while this one reads."""
        n = dice.randrange(1, 1_000_000)
        wg = WaitGroup()
        wg.go(self.write_and_end, do, conn, mine * n)
        got = 0
        try:
            while data := await do(conn, "read"):
                self.only(data, mine)
                got += len(data)
            if got > n:
                self.wrong.append((mine, n, got))
        finally:
            conn.close()
            await wg

    async def write_and_end(self, do: Do, conn: net.Conn, data: bytes) -> None:
        with suppress(*EXPECTED):
            await do(conn, "write", data)
            conn.close_write()

    async def close_under(self, do: Do, conn: net.Conn, dice: random.Random, mine: bytes) -> None:
        """Several wait for one connection when it is closed."""
        wg = WaitGroup()
        for _ in range(dice.randrange(1, 4)):
            wg.go(self.read_on, do, conn, mine)
        wg.go(self.write_and_end, do, conn, mine * dice.randrange(1, 3_000_000))
        await asleep(dice.random() * 0.003)
        (reset if dice.random() < 0.3 and not conn.closed else type(conn).close)(conn)
        await wg

    async def read_on(self, do: Do, conn: net.Conn, mine: bytes) -> None:
        with suppress(*EXPECTED):
            while data := await do(conn, "read"):
                self.only(data, mine)

    async def move_deadlines(self, do: Do, conn: net.Conn, dice: random.Random, mine: bytes) -> None:
        """While somebody waits, there and back."""
        wg = WaitGroup()
        wg.go(self.read_on, do, conn, mine)
        for _ in range(dice.randrange(1, 10)):
            conn.set_read_deadline(dice.choice((None, 0.001, 0.002, 1.0, -1.0)))
            await asleep(dice.choice((0.0, 0.001)))
        conn.set_deadline(None)
        line = mine * 100 + b"\n"
        await do(conn, "write", line)
        conn.set_deadline(0)
        await wg

    async def half_close(self, do: Do, conn: net.Conn, dice: random.Random, mine: bytes) -> None:
        n = dice.randrange(1, 50_000)
        await do(conn, "write", mine * n)
        conn.close_write()
        self.same(await do(conn, "read_exactly", n), mine * n)
        self.same(await do(conn, "read"), b"")

    def same(self, got: bytes, meant: bytes) -> None:
        """At the end of a connection less may have come."""
        if not meant.startswith(got):
            self.wrong.append((meant[:20], len(meant), got[:20], len(got)))

    def only(self, got: bytes, mine: bytes) -> None:
        if got.strip(mine + b"\n"):
            self.wrong.append((mine, got[:50]))


@pytest.mark.parametrize("poller", ["epoll", "selectors"])
@pytest.mark.parametrize("procs", [1, 2, 4])
def test_storm(stress_seconds: float, procs: int, poller: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """At its end: no goroutine, no waiter, no descriptor."""
    monkeypatch.setenv("GOSCHED_POLLER", poller)
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")

    async def settled(reached: Callable[[], object], what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not reached():
            assert time.monotonic() < end, f"{what}\n{gosched.stats()}"
            await asleep(0.001)

    async def main() -> Storm:
        with net.listen("127.0.0.1:0") as tcp, net.listen(f"unix:{tmp_path}/s") as unix:
            at_first = descriptors()
            storm = Storm(seed, time.monotonic() + stress_seconds, [tcp, unix])
            for i, listener in enumerate((tcp, unix, tcp, unix)):
                go(storm.accept, plain if i < 2 else awaited, listener, seed - i)
            clients = WaitGroup()
            for i in range(WORKERS):
                clients.go(storm.client, plain if i % 2 else awaited, i)
            await clients.await_(timeout=stress_seconds + 3 * PATIENCE)
            await settled(lambda: gosched.num_goroutine() == 5, "goroutines beside those that accept")
            await settled(lambda: descriptors() <= at_first, "descriptors are left")
        await settled(lambda: gosched.num_goroutine() == 1, "goroutines are left")
        m: Any = current_m()
        await settled(lambda: not anybody_waits(m.sched), "waiters are left")
        return storm

    gc.collect()
    before = descriptors()
    storm = run(main, gomaxprocs=procs, grace=10)
    print(f"{sum(storm.counts.values()):,}: {dict(storm.counts.most_common())}")
    assert storm.wrong == []
    gc.collect()
    assert descriptors() <= before
    assert storm.counts["echo"] > 0
