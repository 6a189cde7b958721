"""Programs of the memory model: data in plain objects, guarded by one sync object alone. Each complains if what happened before is not seen.

On a free-threaded build goroutines and threads run at the same time: a missing barrier, or a wake-up that comes too early, shows as a stale value.
Every program takes a number of rounds. The names say what happens before what, in the words of Go's memory model.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from gosched import Chan, Cond, EndOfChannel, Event, Mutex, Once, RWMutex, Semaphore, WaitGroup, aselect, ayield_now, go, once_value

CELLS = 64


class Box:
    """Two plain fields that are written together."""

    def __init__(self) -> None:
        self.x = 0
        self.y = 0

    def write(self, value: int) -> None:
        self.x = value
        self.y = value

    def check(self, value: int) -> None:
        assert (self.y, self.x) == (value, value), f"stale: {(self.y, self.x)}, not {value}"


# ---- channels ----


async def _message_passing(rounds: int, capacity: int) -> None:
    """A write before a send is seen after the receive of what was sent. What the receiver wrote comes back by a second channel."""
    there, back = Chan[int](capacity), Chan[int](CELLS)
    cells = [Box() for _ in range(CELLS + capacity + 2)]
    wg = WaitGroup()

    async def sender() -> None:
        for i in range(rounds):
            if i >= CELLS:
                await back.arecv()
            cells[i % len(cells)].write(i)
            await there.asend(i)
        there.close()

    async def receiver() -> None:
        async for i in there:
            cells[i % len(cells)].check(i)
            await back.asend(i)

    wg.go(receiver)
    wg.go(sender)
    await wg


async def send_before_receive_unbuffered(rounds: int) -> None:
    await _message_passing(rounds, 0)


async def send_before_receive_buffered(rounds: int) -> None:
    await _message_passing(rounds, 3)


async def receive_before_send_completes(rounds: int) -> None:
    """Unbuffered: what the receiver wrote before its receive is seen when the send returns."""
    ch, box, wg = Chan[int](), Box(), WaitGroup()
    ready = Chan[None](1)

    async def receiver() -> None:
        for i in range(rounds):
            box.write(i)
            assert await ch.arecv() == i
            await ready.arecv()

    async def sender() -> None:
        for i in range(rounds):
            await ch.asend(i)
            box.check(i)
            await ready.asend(None)

    wg.go(receiver)
    wg.go(sender)
    await wg


async def kth_receive_before_k_plus_c_th_send(rounds: int) -> None:
    """A channel of capacity 1 is a mutex, one of capacity 3 a semaphore: no update of what it guards is lost."""
    lock, limit = Chan[None](1), Chan[None](3)
    box, inside, most, guard = Box(), [0], [0], Mutex()
    wg = WaitGroup()

    async def worker() -> None:
        for _ in range(rounds):
            await lock.asend(None)
            box.check(box.x)
            box.write(box.x + 1)
            await lock.arecv()
            await limit.asend(None)
            async with guard:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
            async with guard:
                inside[0] -= 1
            await limit.arecv()

    for _ in range(4):
        wg.go(worker)
    await wg
    box.check(4 * rounds)
    assert inside[0] == 0
    assert most[0] <= 3


async def close_before_receive_that_returns_by_it(rounds: int) -> None:
    for i in range(rounds):
        ch, box, wg = Chan[int](i % 2), Box(), WaitGroup()
        await _closed_under(ch, box, wg, i)


async def _closed_under(ch: Chan[int], box: Box, wg: WaitGroup, value: int) -> None:
    async def receives() -> None:
        try:
            await ch.arecv()
        except EndOfChannel:
            box.check(value)

    async def selects() -> None:
        assert await aselect(ch.recv_ok) == (0, (None, False))
        box.check(value)

    wg.go(receives)
    wg.go(selects)
    await ayield_now()
    box.write(value)
    ch.close()
    await wg


async def select_passes_messages(rounds: int) -> None:
    """Through whichever of two channels a select takes, on both sides."""
    a, b, back = Chan[int](), Chan[int](2), Chan[int](CELLS)
    cells = [Box() for _ in range(CELLS + 4)]
    wg = WaitGroup()

    async def sender() -> None:
        for i in range(rounds):
            if i >= CELLS:
                await back.arecv()
            cells[i % len(cells)].write(i)
            await aselect((a.send, i), (b.send, i))

    async def receiver() -> None:
        for _ in range(rounds):
            _, i = await aselect(a.recv, b.recv)
            cells[i % len(cells)].check(i)
            await back.asend(i)

    wg.go(receiver)
    wg.go(sender)
    await wg
    assert len(back) == min(rounds, CELLS)


# ---- sync ----


async def unlock_before_next_lock(rounds: int) -> None:
    mutex, box, wg = Mutex(), Box(), WaitGroup()

    async def worker() -> None:
        for _ in range(rounds):
            async with mutex:
                box.check(box.x)
                box.write(box.x + 1)

    async def tries() -> None:
        for _ in range(rounds):
            while not mutex.try_lock():
                await ayield_now()
            box.check(box.x)
            box.write(box.x + 1)
            mutex.unlock()

    for fn in (worker, worker, tries):
        wg.go(fn)
    await wg
    box.check(3 * rounds)


async def write_unlock_before_read_lock(rounds: int) -> None:
    """Readers see whole updates, and a writer sees what readers did before it."""
    rw, box, wg = RWMutex(), Box(), WaitGroup()
    reading = [0, 0]

    async def writer() -> None:
        for _ in range(rounds):
            async with rw:
                assert reading == [0, 0]
                box.check(box.x)
                box.write(box.x + 1)

    async def reader(n: int) -> None:
        last = 0
        for _ in range(rounds):
            async with rw.reader():
                reading[n] = 1
                box.check(box.x)
                assert box.x >= last
                last = box.x
                reading[n] = 0

    wg.go(writer)
    wg.go(writer)
    wg.go(reader, 0)
    wg.go(reader, 1)
    await wg
    box.check(2 * rounds)


async def release_before_acquire(rounds: int) -> None:
    sem, box, wg = Semaphore(2), Box(), WaitGroup()

    async def worker() -> None:
        for _ in range(rounds):
            await sem.aacquire(2)
            box.check(box.x)
            box.write(box.x + 1)
            sem.release(2)

    for _ in range(3):
        wg.go(worker)
    await wg
    box.check(3 * rounds)


async def once_before_do_returns(rounds: int) -> None:
    for i in range(rounds):
        box, wg, calls = Box(), WaitGroup(), list[int]()
        await _once(box, wg, calls, i)
        assert len(calls) == 2


async def _once(box: Box, wg: WaitGroup, calls: list[int], value: int) -> None:
    once = Once()

    def first() -> None:
        calls.append(1)
        box.write(value)

    @once_value
    async def found() -> list[int]:
        calls.append(1)
        await ayield_now()
        return [value]

    async def user() -> None:
        await once.ado(first)
        box.check(value)
        assert await found() == [value]

    for _ in range(3):
        wg.go(user)
    await wg


async def done_before_wait_returns(rounds: int) -> None:
    cells = [0] * 4
    for i in range(rounds):
        wg = WaitGroup()
        wg.add(len(cells))
        for k in range(len(cells)):
            go(_fills, cells, k, i, wg)
        await wg
        assert cells == [i] * len(cells)


async def _fills(cells: list[int], k: int, value: int, wg: WaitGroup) -> None:
    cells[k] = value
    wg.done()


async def set_before_wait_returns(rounds: int) -> None:
    for i in range(rounds):
        box, event, wg = Box(), Event(), WaitGroup()
        for _ in range(2):
            wg.go(_after, event, box, i)
        await ayield_now()
        box.write(i)
        event.set()
        await wg


async def _after(event: Event, box: Box, value: int) -> None:
    await event
    box.check(value)


async def notify_before_wait_returns(rounds: int) -> None:
    """Ping-pong on a Cond."""
    mutex, turn, box, wg = Mutex(), [0], Box(), WaitGroup()
    cond = Cond(mutex)

    async def player(me: int) -> None:
        for i in range(rounds):
            async with mutex:
                await cond.await_for(lambda: turn[0] == me)
                box.check(2 * i + me)
                box.write(2 * i + me + 1)
                turn[0] = 1 - me
            cond.notify_all()

    wg.go(player, 0)
    wg.go(player, 1)
    await wg


async def go_before_the_goroutine_begins(rounds: int) -> None:
    for i in range(rounds):
        box, wg = Box(), WaitGroup()
        box.write(i)
        for _ in range(3):
            wg.go(box.check, i)
        await wg


# ---- with a thread of no runtime at the other end ----


async def thread_and_goroutine(rounds: int) -> None:
    """Message passing, mutex and event between a goroutine and a plain thread."""
    there, back = Chan[int](), Chan[int](1)
    box, reply, mutex, shared, ended = Box(), Box(), Mutex(), Box(), Event()
    errors: list[BaseException] = []

    def thread() -> None:
        try:
            for i in there:
                box.check(i)
                reply.write(i)
                back.send(i)
                with mutex:
                    shared.check(shared.x)
                    shared.write(shared.x + 1)
        except BaseException as error:
            errors.append(error)
            back.close()
        ended.set()

    t = threading.Thread(target=thread)
    t.start()
    for i in range(rounds):
        box.write(i)
        await there.asend(i)
        assert await back.arecv() == i
        reply.check(i)
        async with mutex:
            shared.check(shared.x)
            shared.write(shared.x + 1)
    there.close()
    await ended
    shared.check(2 * rounds)
    t.join()
    assert not errors


Program = Callable[[int], Any]
# With the number of rounds that take some tenths of a second.
PROGRAMS: dict[Program, int] = {
    send_before_receive_unbuffered: 32000,
    send_before_receive_buffered: 32000,
    receive_before_send_completes: 32000,
    kth_receive_before_k_plus_c_th_send: 6400,
    close_before_receive_that_returns_by_it: 8000,
    select_passes_messages: 16000,
    unlock_before_next_lock: 24000,
    write_unlock_before_read_lock: 12000,
    release_before_acquire: 12000,
    once_before_do_returns: 4000,
    done_before_wait_returns: 8000,
    set_before_wait_returns: 8000,
    notify_before_wait_returns: 8000,
    go_before_the_goroutine_begins: 8000,
    thread_and_goroutine: 4000,
}
