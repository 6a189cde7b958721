"""Everything that could stall, at once: blocking calls, hogs, locked threads, spawns, channels, timeouts, gomaxprocs changes. No value is lost."""

from __future__ import annotations

import gc
import random
import time

import pytest

import gosched
from gosched import Chan, WaitGroup, aselect, asleep, ayield_now, blocking, go, gomaxprocs, lock_os_thread, sleep, unlock_os_thread

pytestmark = [pytest.mark.stress, pytest.mark.timeout(0)]
WORKERS = 12


def burn(seconds: float) -> int:
    end = time.monotonic() + seconds
    n = 0
    while time.monotonic() < end:
        n += sum(i for i in range(50))
    return n


async def trouble(dice: random.Random) -> None:
    """One thing that a goroutine should not do to others, and may."""
    kind = dice.randrange(9)
    if kind == 0:
        time.sleep(dice.random() * 0.01)
    elif kind == 1:
        blocking(time.sleep, dice.random() * 0.01)
    elif kind == 2:
        burn(dice.random() * 0.03)
    elif kind == 3:
        lock_os_thread()
        await ayield_now()
        sleep(0.001)
        await asleep(0.001)
        unlock_os_thread()
    elif kind == 4:
        sum(range(dice.randrange(300_000)))
    elif kind == 5:
        sleep(dice.random() * 0.003)
    else:
        await ayield_now()


async def producer(seed: int, out: Chan[int], until: float, sent: list[int]) -> None:
    dice = random.Random(seed)
    n = 0
    while time.monotonic() < until:
        n += 1
        if dice.random() < 0.5:
            await out.asend(n)
        elif dice.random() < 0.5:
            out.send(n)
        else:
            while (await aselect((out.send, n), timeout=dice.random() * 0.002))[0] is None:
                pass
        if dice.random() < 0.1:
            await trouble(dice)
    sent.append(n * (n + 1) // 2)


async def consumer(seed: int, numbers: Chan[int], total: list[int]) -> None:
    dice = random.Random(seed)
    mine = 0
    while True:
        if dice.random() < 0.7:
            value, ok = await numbers.arecv_ok()
        else:
            index, got = await aselect(numbers.recv_ok, timeout=dice.random() * 0.002)
            if index is None:
                continue
            value, ok = got
        if not ok:
            break
        assert value is not None
        mine += value
        if dice.random() < 0.02:
            await trouble(dice)
    total.append(mine)


async def crowd(seed: int, until: float, ended: list[int]) -> None:
    """Goroutines that come and go, some with a thread of their own."""
    dice = random.Random(seed)
    started = 0
    wg = WaitGroup()

    def one_more() -> None:
        if dice.random() < 0.3:
            burn(0.001)
        wg.done()

    while time.monotonic() < until:
        for _ in range(20):
            wg.add(1)
            go(one_more, thread=dice.random() < 0.02)
            started += 1
        await asleep(0.002)
    await wg
    ended.append(started)


async def resizer(seed: int, until: float) -> None:
    dice = random.Random(seed)
    while time.monotonic() < until:
        gomaxprocs(dice.randrange(1, 5))
        await asleep(0.01)
        if dice.random() < 0.05:
            gc.collect()


@pytest.mark.share(10)  # a goroutine that two of its many steps could lose was lost once in 5 s
def test_chaos(stress_seconds: float) -> None:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")

    async def main() -> tuple[int, int, int]:
        until = time.monotonic() + stress_seconds
        sent, received, ended = list[int](), list[int](), list[int]()
        channels: list[Chan[int]] = [Chan(dice) for dice in (0, 1, 10)]
        producers, consumers, others = WaitGroup(), WaitGroup(), WaitGroup()
        for i in range(WORKERS):
            producers.go(producer, seed + i, channels[i % 3], until, sent)
            consumers.go(consumer, seed - i, channels[i % 3], received)
        others.go(crowd, seed, until, ended)
        others.go(resizer, seed, until)
        await producers
        for channel in channels:
            channel.close()
        await consumers
        await others
        return sum(sent), sum(received), sum(ended)

    sent, received, ended = gosched.run(main, gomaxprocs=2, grace=10)
    print(f"{sent:,} sent, {ended:,} goroutines")
    assert received == sent
