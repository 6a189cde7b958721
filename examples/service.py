"""A service that stops gracefully: after SIGTERM or Ctrl-C it takes no new connection, hangs up on those that ask for nothing, and finishes what was
begun. A second Ctrl-C does not wait.

A request is a number on each line, and an empty line at the end. The answer to each is the sum so far, to the last one the whole.

python examples/service.py 127.0.0.1:7070      and then:  nc 127.0.0.1 7070
"""

from __future__ import annotations

import signal
import sys

from gosched import Canceled, Context, Group, net, notify_context, run, with_timeout

LIMIT, LONGEST = 100, 60.0  # bytes in a line; seconds for a request


async def answer(conn: net.Conn, line: bytes) -> None:
    """One request, of which this is the first line. The signal does not reach it, its own time limit does."""
    total = 0
    with with_timeout(LONGEST):
        while line.strip():
            total += int(line)
            await conn.awrite(b"so far %d\n" % total)
            line = await conn.aread_line(LIMIT)
        await conn.awrite(b"sum %d\n" % total)


async def handle(conn: net.Conn, stop: Context) -> None:
    async with conn:
        try:
            while line := await conn.aread_line(LIMIT, ctx=stop):  # between two requests it may be ended
                await answer(conn, line)
        except (OSError, ValueError):
            pass  # gone, too slow, or no number


async def main(address: str) -> None:
    async with Group() as group:
        async with net.listen(address) as listener:
            print(f"listening on {listener.address}", flush=True)
            try:
                with notify_context(None, signal.SIGINT, signal.SIGTERM) as stop:
                    async for conn in listener:
                        group.go(handle, conn, stop)
            except Canceled:
                pass
        print(f"{stop.cause}: no more requests", flush=True)
    print("all are answered")


if __name__ == "__main__":
    run(main, sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:7070")
