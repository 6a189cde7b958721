"""Plain and async goroutines, threads outside, the collector, and the ends of many programs: no value is lost, no stack is left."""

from __future__ import annotations

import gc
import random
import threading
import time
import warnings

import pytest

import gosched
from gosched import (
    AbandonedThreadWarning,
    Chan,
    Event,
    WaitGroup,
    aselect,
    asleep,
    ayield_now,
    blocking,
    go,
    lock_os_thread,
    run,
    select,
    sleep,
    unlock_os_thread,
    yield_now,
)

pytestmark = [pytest.mark.stress, pytest.mark.timeout(0)]
KINDS = ["greenlet", "thread"]
WORKERS = 8


def trouble(dice: random.Random, goroutine: bool = True) -> None:
    """What a plain goroutine may do between two values; a thread has no thread to lock."""
    kind = dice.randrange(8)
    if kind == 0:
        time.sleep(dice.random() * 0.002)
    elif kind == 1:
        blocking(time.sleep, dice.random() * 0.002)
    elif kind == 2:
        end = time.monotonic() + dice.random() * 0.02
        while time.monotonic() < end:
            pass
    elif kind == 3 and goroutine:
        lock_os_thread()
        sleep(0.0005)
        unlock_os_thread()
    elif kind == 4:
        sleep(dice.random() * 0.002)
    elif kind == 5 and dice.random() < 0.1:
        gc.collect()
    else:
        yield_now()


def deep(n: int, out: Chan[int], value: int) -> None:
    """Sends from some way down."""
    if n:
        deep(n - 1, out, value)
    else:
        out.send(value)


def plain_producer(seed: int, out: Chan[int], until: float, sent: list[int], goroutine: bool = True) -> None:
    dice = random.Random(seed)
    n = 0
    while time.monotonic() < until:
        n += 1
        if dice.random() < 0.6:
            deep(dice.randrange(30), out, n)
        else:
            while select((out.send, n), timeout=dice.random() * 0.002)[0] is None:
                pass
        if dice.random() < 0.1:
            trouble(dice, goroutine)
    sent.append(n * (n + 1) // 2)


async def mixed_producer(seed: int, out: Chan[int], until: float, sent: list[int]) -> None:
    dice = random.Random(seed)
    n = 0
    while time.monotonic() < until:
        n += 1
        if dice.random() < 0.5:
            await out.asend(n)
        else:
            out.send(n)
        if dice.random() < 0.1:
            trouble(dice)
            await ayield_now()
    sent.append(n * (n + 1) // 2)


def plain_consumer(numbers: Chan[int], total: list[int]) -> None:
    total.append(sum(numbers))


async def mixed_consumer(seed: int, numbers: Chan[int], total: list[int]) -> None:
    dice = random.Random(seed)
    mine = 0
    while True:
        if dice.random() < 0.5:
            value, ok = numbers.recv_ok()
        elif dice.random() < 0.5:
            value, ok = await numbers.arecv_ok()
        else:
            index, got = await aselect(numbers.recv_ok, timeout=dice.random() * 0.002)
            if index is None:
                continue
            assert got is not None
            value, ok = got
        if not ok:
            break
        assert value is not None
        mine += value
    total.append(mine)


def failures(seed: int, until: float, raised: list[int]) -> None:
    """Starts such that raise out of their waits, one after the other."""
    dice = random.Random(seed)

    def fails(gate: Event) -> None:
        try:
            raise KeyError
        except KeyError:
            gate.wait()
            raise LookupError from None

    while time.monotonic() < until:
        gate, n = Event(), dice.randrange(1, 20)
        them = [go(fails, gate) for _ in range(n)]
        sleep(0.001)
        gate.set()
        while not all(g.is_dead() for g in them):
            sleep(0.001)
        raised.append(n)


@pytest.mark.parametrize("stacks", KINDS)
@pytest.mark.parametrize("procs", [1, 2])
def test_values(stress_seconds: float, stacks: str, procs: int) -> None:
    """Every value that was sent is received once, by whomever."""
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    caught: list[int] = []
    sent, received, raised = list[int](), list[int](), list[int]()

    async def main() -> int:
        until = time.monotonic() + stress_seconds
        channels: list[Chan[int]] = [Chan(size) for size in (0, 1, 10)]
        producers, consumers, others = WaitGroup(), WaitGroup(), WaitGroup()
        for i in range(WORKERS):
            producers.go(plain_producer if i % 2 else mixed_producer, seed + i, channels[i % 3], until, sent)
            if i % 2:
                consumers.go(plain_consumer, channels[i % 3], received)
            else:
                consumers.go(mixed_consumer, seed - i, channels[i % 3], received)
        outside = [threading.Thread(target=plain_producer, args=(seed + 100 + i, channels[i], until, sent, False)) for i in range(3)]
        outside += [threading.Thread(target=plain_consumer, args=(channels[i], received)) for i in range(3)]
        for thread in outside:
            thread.start()
        others.go(failures, seed, until, raised)
        await producers
        while any(thread.is_alive() for thread in outside[:3]):
            await asleep(0.001)
        for channel in channels:
            channel.close()
        await consumers
        await others
        while any(thread.is_alive() for thread in outside) or gosched.num_goroutine() > 1:
            await asleep(0.001)
        return gosched.stats().stacks_aside

    aside = run(main, gomaxprocs=procs, stacks=stacks, grace=10, on_uncaught=lambda g, error: caught.append(1))
    print(f"{sum(sent):,} sent, {sum(raised):,} raised")
    assert sum(received) == sum(sent)
    assert len(caught) == sum(raised)
    assert aside == 0


@pytest.mark.parametrize("stacks", KINDS)
def test_ends(stress_seconds: float, stacks: str) -> None:
    """Many short programs: each ends at a moment of its own, with goroutines in every state. All that began to wait unwind."""
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    dice = random.Random(seed)
    end = time.monotonic() + stress_seconds
    rounds = 0
    while time.monotonic() < end:
        began, unwound = list[int](), list[int]()

        def waits(i: int, ch: Chan[int]) -> None:
            try:
                began.append(i)  # noqa: B023
                while True:
                    ch.recv()
                    ch.send(i)
            finally:
                unwound.append(i)  # noqa: B023

        async def mixed(i: int, ch: Chan[int]) -> None:
            try:
                began.append(i)  # noqa: B023
                while True:
                    await ch.asend(i)
                    ch.recv()
                    await ayield_now()
            finally:
                unwound.append(i)  # noqa: B023

        def main(n: int, turns: int) -> None:
            ch: Chan[int] = Chan(dice.randrange(3))
            for i in range(n):
                go(mixed if i % 3 else waits, i, ch)
            for _ in range(turns):
                yield_now()
            if dice.random() < 0.3:
                gc.collect()

        run(main, dice.randrange(40), dice.randrange(10), gomaxprocs=dice.randrange(1, 4), stacks=stacks, grace=10)
        assert set(began) <= set(unwound)  # one may be told to end in its first line
        assert len(set(unwound)) == len(unwound)
        rounds += 1
    print(f"{rounds} programs")


@pytest.mark.parametrize("stacks", KINDS)
def test_abandoned(stress_seconds: float, stacks: str) -> None:
    """Programs whose threads are left behind in foreign calls, with stacks on them, and come back when the program is long over."""
    end = time.monotonic() + stress_seconds
    rounds = 0
    while time.monotonic() < end:
        gate = threading.Event()

        def waits() -> None:
            Event().wait()

        def blocks(begun: list[int], gate: threading.Event) -> None:
            begun.append(1)
            gate.wait()
            yield_now()

        async def main(gate: threading.Event) -> None:
            begun: list[int] = []
            for _ in range(5):
                go(waits)
            await ayield_now()
            for _ in range(2):
                go(blocks, begun, gate)
            while not begun:
                await asleep(0.001)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AbandonedThreadWarning)
            run(main, gate, gomaxprocs=1 + rounds % 2, stacks=stacks, grace=0.02)
        gate.set()
        rounds += 1
        if rounds % 5 == 0:
            gc.collect()
    print(f"{rounds} programs")
