"""A chat server, as Go would write it: a goroutine reads from each client, one writes to it, and one knows them all.

python examples/chat.py 127.0.0.1:7000      and then, for everybody who wants to talk:  nc 127.0.0.1 7000
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from gosched import Chan, aselect, go, net, run

LIMIT, ROOM = 1024, 64  # bytes in a line; lines that may wait for a client: who is further behind is dropped


@dataclass(eq=False)
class Client:
    name: str
    conn: net.Conn
    lines: Chan[str] = field(default_factory=lambda: Chan[str](ROOM))


entering, leaving, messages = Chan[Client](), Chan[Client](), Chan[str]()


async def hub() -> None:
    """The only one that touches `clients`, and it never waits for one of them."""
    clients: set[Client] = set()
    while True:
        match await aselect(entering.recv, leaving.recv, messages.recv):
            case 0, client:
                line = f"* {client.name} has joined, {len(clients)} were here\n"
                clients.add(client)
            case 1, client:
                line = f"* {client.name} has left\n"
                clients.remove(client)
                client.lines.close()
            case _, line:
                pass
        for client in clients:
            if not client.lines.try_send(line):
                client.conn.close()  # too slow: its reader gets an error, and takes leave


async def write(client: Client) -> None:
    try:
        async for line in client.lines:
            await client.conn.awrite(line.encode())
    except OSError:
        pass  # gone; the reader sees it, too


async def read(conn: net.Conn) -> None:
    with conn:
        try:
            await conn.awrite(b"Your name?\n")
            name = (await conn.aread_line(LIMIT)).decode(errors="replace").strip()
            client = Client(name or "nobody", conn)
            go(write, client)
            await entering.asend(client)
            try:
                while line := await conn.aread_line(LIMIT):
                    await messages.asend(f"{client.name}: {line.decode(errors='replace').strip()}\n")
            finally:
                await leaving.asend(client)
        except (OSError, ValueError):
            pass  # reset, dropped, or a line that is too long


async def main(address: str) -> None:
    go(hub)
    async with net.listen(address) as listener:
        print(f"listening on {listener.address}", flush=True)
        async for conn in listener:
            go(read, conn)


if __name__ == "__main__":
    run(main, sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:7000")
