"""The clients of test_ten_thousand.py, in a process of their own: `crowd_client.py ADDRESS HOW_MANY ROUNDS`. Each connects; when all have, each says
something and must hear it again, in every round. Says how many did."""

from __future__ import annotations

import sys

from gosched import Semaphore, WaitGroup, net, run

AT_ONCE = 200  # that connect: the listener's queue has an end


async def main(address: str, n: int, rounds: int) -> int:
    connects = Semaphore(AT_ONCE)
    conns: list[net.Conn] = []
    heard = [0] * n

    async def connect() -> None:
        async with connects:
            conns.append(await net.adial(address))

    async def talk(i: int, conn: net.Conn) -> None:
        for k in range(rounds):
            line = b"%d says %d\n" % (i, k)
            await conn.awrite(line)
            heard[i] += await conn.aread_line() == line

    comes = WaitGroup()
    for _ in range(n):
        comes.go(connect)
    await comes
    talks = WaitGroup()
    for i, conn in enumerate(conns):
        talks.go(talk, i, conn)
    await talks
    for conn in conns:  # not before: all are there at the same time
        conn.close()
    return sum(count == rounds for count in heard)


if __name__ == "__main__":
    print(run(main, sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
