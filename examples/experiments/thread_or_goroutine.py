"""A thread or a goroutine? What it costs to start one and to go from one to another, what one takes while it waits, and how many there can be.

No more than 5,000 threads are started: far more would be at the expense of everything else on the machine.

python examples/experiments/thread_or_goroutine.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from threading import Semaphore, Thread

from measuring import CPU, Reading, arguments, in_child, medians, number, resident, show, timed

from gosched import Chan, WaitGroup

KINDS = ("async goroutine", "plain goroutine", "thread")
# How many are alive at once. A goroutine that awaits takes so little that more are needed to see it.
MANY = {"async goroutine": 1_000_000, "plain goroutine": 100_000, "thread": 5_000}


async def start_async(n: int) -> int:
    ended: list[int] = []
    wg = WaitGroup()

    async def body() -> None:
        ended.append(1)

    for _ in range(n):
        wg.go(body)
    await wg
    return len(ended)


def start_plain(n: int) -> int:
    ended: list[int] = []
    wg = WaitGroup()
    for _ in range(n):
        wg.go(ended.append, 1)
    wg.wait()
    return len(ended)


def start_threads(n: int) -> int:
    ended: list[int] = []
    for _ in range(n):  # one after the other: a thousand at once is another question
        thread = Thread(target=ended.append, args=(1,))
        thread.start()
        thread.join()
    return len(ended)


async def hop_async(n: int) -> int:
    there, back = Chan[int](), Chan[int]()
    wg = WaitGroup()

    async def pong() -> None:
        async for v in there:
            await back.asend(v + 1)

    wg.go(pong)
    v = 0
    for _ in range(n):
        await there.asend(v)
        v = await back.arecv()
    there.close()
    await wg
    return v


def hop_plain(n: int) -> int:
    there, back = Chan[int](), Chan[int]()
    wg = WaitGroup()

    def pong() -> None:
        for v in there:
            back.send(v + 1)

    wg.go(pong)
    v = 0
    for _ in range(n):
        there.send(v)
        v = back.recv()
    there.close()
    wg.wait()
    return v


def hop_threads(n: int) -> int:
    there: SimpleQueue[int | None] = SimpleQueue()
    back: SimpleQueue[int] = SimpleQueue()

    def pong() -> None:
        while (v := there.get()) is not None:
            back.put(v + 1)

    other = Thread(target=pong)
    other.start()
    v = 0
    for _ in range(n):
        there.put(v)
        v = back.get()
    there.put(None)
    other.join()
    return v


async def crowd_async(n: int, see: Callable[[], None]) -> int:
    """All wait at once; then `see`; then all end."""
    begun, ended, gate, awake = WaitGroup(), WaitGroup(), Chan[int](), []

    async def wait() -> None:
        begun.done()
        await gate.arecv_ok()
        awake.append(1)

    begun.add(n)
    for _ in range(n):
        ended.go(wait)
    await begun
    see()
    gate.close()
    await ended
    return len(awake)


def crowd_plain(n: int, see: Callable[[], None]) -> int:
    begun, ended, gate, awake = WaitGroup(), WaitGroup(), Chan[int](), []

    def wait() -> None:
        begun.done()
        gate.recv_ok()
        awake.append(1)

    begun.add(n)
    for _ in range(n):
        ended.go(wait)
    begun.wait()
    see()
    gate.close()
    ended.wait()
    return len(awake)


def crowd_threads(n: int, see: Callable[[], None]) -> int:
    begun, gate, awake = Semaphore(0), Semaphore(0), []

    def wait() -> None:
        begun.release()
        gate.acquire()
        awake.append(1)

    threads = [Thread(target=wait) for _ in range(n)]
    for thread in threads:
        thread.start()
    for _ in threads:
        begun.acquire()
    see()
    for _ in threads:
        gate.release()
    for thread in threads:
        thread.join()
    return len(awake)


def outside(work: Callable[[int], int], n: int) -> Reading:
    """For threads, which need no runtime."""
    begin = CPU()
    answer = work(n)
    return Reading(answer, CPU() - begin)


def alive(kind: str, n: int) -> None:
    """In a process of its own: how many were alive at once, bytes for each, and seconds from the first start to the last end."""
    seen: list[int] = []
    before, begin = resident(), time.perf_counter()
    if kind == "thread":
        answer = crowd_threads(n, lambda: seen.append(resident()))
    else:
        crowd = crowd_async if kind == "async goroutine" else crowd_plain
        answer = timed(crowd, n, lambda: seen.append(resident())).answer
    assert answer == n
    print(answer, (seen[0] - before) / n, time.perf_counter() - begin)


def costs(starts: int, hops: int, rounds: int) -> None:
    starting = medians(
        {
            "async goroutine": partial(timed, start_async, starts),
            "plain goroutine": partial(timed, start_plain, starts),
            "thread": partial(outside, start_threads, starts),
        },
        starts,
        rounds,
    )
    hopping = medians(
        {
            "async goroutine": partial(timed, hop_async, hops),
            "plain goroutine": partial(timed, hop_plain, hops),
            "thread": partial(outside, hop_threads, hops),
        },
        hops,
        rounds,
    )
    rows = [(kind, number(starting[kind] / starts * 1e6), number(hopping[kind] / hops / 2 * 1e6)) for kind in KINDS]
    show("one after the other", ("µs of CPU to start and end", "µs of CPU for a hop"), rows)


def how_many(small: bool) -> None:
    rows = []
    for kind in KINDS:
        n, each, seconds = in_child(kind, 50 if small else MANY[kind])
        rows.append((kind, f"{n:,.0f}", number(each / 1e3), number(seconds)))
    show("all at once", ("how many waited", "kB each", "seconds in all"), rows)


def main() -> None:
    options = arguments(__doc__)
    if options.child:
        alive(options.child[0], int(options.child[1]))
        return
    costs(*((50, 50, 1) if options.small else (10_000, 20_000, options.rounds)))
    how_many(options.small)


if __name__ == "__main__":
    main()
