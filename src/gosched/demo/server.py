"""`python -m gosched.demo.server N`: echoes what N connections say until the last one has ended. Prints its port, then what it measured as JSON."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass

import gosched
from gosched import net
from gosched.demo.outcome import memory

# Whoever called has gone, or there is something wrong.
PATIENCE = 60.0


@dataclass(frozen=True)
class Served:
    connections: int
    bytes: int
    """What all of them took, when they stood."""
    threads: int


class Server:
    """A goroutine for each connection. Lists are what several threads can count in."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.came: list[None] = []
        self.all = gosched.WaitGroup()
        self.all.add(n)
        self.before = memory()
        self.bytes = 0

    async def accept(self, listener: net.Listener) -> None:
        async for conn in listener:
            gosched.go(self.echo, conn)

    async def echo(self, conn: net.Conn) -> None:
        self.came.append(None)
        if len(self.came) == self.n:
            self.bytes = memory() - self.before
        async with conn:
            while data := await conn.aread():
                await conn.awrite(data)
        self.all.done()


async def main(n: int) -> Served:
    server = Server(n)
    async with net.listen("127.0.0.1:0") as listener:
        print(listener.address.port, flush=True)
        gosched.go(server.accept, listener)
        await server.all.await_(timeout=PATIENCE)
    return Served(len(server.came), server.bytes, gosched.stats().threads)


if __name__ == "__main__":
    print(json.dumps(asdict(gosched.run(main, int(sys.argv[1])))))
