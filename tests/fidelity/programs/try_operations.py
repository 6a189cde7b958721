"""Operations that do not wait, against waiting peers, a buffer and a closed channel."""

from __future__ import annotations

from collections.abc import Callable

import gosched


async def main(say: Callable[[str], None]) -> None:
    wg = gosched.WaitGroup()
    plain, buffered = gosched.Chan[int](), gosched.Chan[int](1)

    def yes(value: bool) -> str:
        return str(value).lower()

    say(f"nobody there: {yes(plain.try_send(1))}")
    _, got = plain.try_recv()
    say(f"nothing there: {yes(got)}")
    wg.add(2)

    async def receiver() -> None:
        say("receiver waits")
        say(f"receiver got {await plain.arecv()}")
        wg.done()

    gosched.go(receiver)
    await gosched.ayield_now()
    say(f"to a receiver: {yes(plain.try_send(2))}")
    say(f"again: {yes(plain.try_send(3))}")
    await gosched.ayield_now()

    async def sender() -> None:
        say("sender sends")
        await plain.asend(4)
        say("sender has sent")
        wg.done()

    gosched.go(sender)
    await gosched.ayield_now()
    v, got = plain.try_recv()
    say(f"from a sender: {v} {yes(got)}")
    _, got = plain.try_recv()
    say(f"again: {yes(got)}")
    say(f"into the buffer: {yes(buffered.try_send(5))}")
    say(f"full: {yes(buffered.try_send(6))}")
    v, got = buffered.try_recv()
    say(f"out of the buffer: {v} {yes(got)}")
    await wg
    say("main ends")
