"""A server that answers each request on the channel the request brings, three clients with two requests each."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    requests = gosched.Chan[tuple[int, gosched.Chan[int]]]()

    async def server() -> None:
        async for number, reply in requests:
            say(f"server has {number}")
            await reply.asend(number * 10)
            say(f"server has answered {number}")
        say("server ends")

    gosched.go(server)
    wg.add(3)

    async def client(i: int) -> None:
        reply = gosched.Chan[int]()
        for n in range(2):
            say(f"client {i} asks")
            await requests.asend((i * 10 + n, reply))
            say(f"client {i} waits")
            say(f"client {i} got {await reply.arecv()}")
        wg.done()

    for i in range(3):
        gosched.go(client, i)
    await wg
    requests.close()
    say("main has closed")
    await gosched.ayield_now()
    say("main ends")
