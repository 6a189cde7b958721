"""An echo server: a goroutine for each connection, straight-line code.

python examples/echo_server.py 127.0.0.1:7007      and then:  nc 127.0.0.1 7007
"""

from __future__ import annotations

import sys

from gosched import go, net, run


async def handle(conn: net.Conn) -> None:
    async with conn:
        try:
            while data := await conn.aread():  # waits here, and keeps no thread
                await conn.awrite(data)  # and here, if the client does not read
        except OSError:
            pass  # gone


async def main(address: str) -> None:
    async with net.listen(address) as listener:
        print(f"listening on {listener.address}", flush=True)
        async for conn in listener:
            go(handle, conn)


if __name__ == "__main__":
    run(main, sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:7007")
