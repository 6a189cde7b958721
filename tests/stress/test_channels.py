"""Channels, select and timers under real threads: goroutines in both spellings, threads of no runtime, two runtimes, and ends of programs.

Each test counts what went in and what came out: nothing lost, nothing doubled. A hang is the other failure: a watchdog dumps all threads
(faulthandler_timeout).
"""

from __future__ import annotations

import random
import threading
import time

import pytest

from gosched import Chan, DeadlineExceeded, EndOfChannel, Runtime, Ticker, Timer, WaitGroup, after_func, asleep, go, run
from tests.stress import actors
from tests.stress.actors import Crew, Ledger, Tally, anap, nap

pytestmark = [pytest.mark.stress, pytest.mark.timeout(0)]


@pytest.mark.parametrize("capacity", [0, 1, 8])
def test_both_spellings_and_threads_on_one_channel(stress_seconds: float, capacity: int) -> None:
    ch, ledger = Chan[int](capacity), Ledger()
    end = time.monotonic() + stress_seconds
    with Crew() as receivers, Runtime(gomaxprocs=4) as rt:

        async def main() -> None:
            receiving, sending = WaitGroup(), WaitGroup()
            for _ in range(2):
                receiving.go(actors.awaited_receiver, ch, ledger.receiver())
                receiving.go(actors.plain_receiver, ch, ledger.receiver())
                sending.go(actors.awaited_sender, ch, ledger.sender(), end)
                sending.go(actors.plain_sender, ch, ledger.sender(), end)
            await sending
            outside.join()
            ch.close()
            await receiving

        outside = Crew()
        for _ in range(2):
            receivers.start(actors.plain_receiver, ch, ledger.receiver())
            outside.start(actors.plain_sender, ch, ledger.sender(), end)
        rt.run(main)
    assert len(ch) == 0
    print(ledger.check())


def test_select_on_three_channels(stress_seconds: float) -> None:
    chs, ledger = [Chan[int](capacity) for capacity in (0, 0, 2)], Ledger()
    end = time.monotonic() + stress_seconds
    with Crew() as receivers, Runtime(gomaxprocs=4) as rt:

        async def main() -> None:
            receiving, sending = WaitGroup(), WaitGroup()
            for _ in range(2):
                receiving.go(actors.awaited_select_receiver, chs, ledger.receiver())
                receiving.go(actors.plain_select_receiver, chs, ledger.receiver())
                sending.go(actors.awaited_select_sender, chs, ledger.sender(), end)
                sending.go(actors.plain_select_sender, chs, ledger.sender(), end)
            for ch in chs:
                sending.go(actors.awaited_sender, ch, ledger.sender(), end)
                receiving.go(actors.awaited_receiver, ch, ledger.receiver())
            await sending
            outside.join()
            for ch in chs:
                ch.close()
            await receiving

        outside = Crew()
        for _ in range(2):
            receivers.start(actors.plain_select_receiver, chs, ledger.receiver())
            outside.start(actors.plain_select_sender, chs, ledger.sender(), end)
        rt.run(main)
    print(ledger.check())


def test_closing_while_they_send(stress_seconds: float) -> None:
    """Many short lives of channels: senders go on until the channel is closed under them. What was sent without an error is received."""
    end = time.monotonic() + stress_seconds
    lives = 0
    ledger = Ledger()
    far = end + 1000

    async def life(ch: Chan[int], rng: random.Random) -> None:
        wg = WaitGroup()
        for _ in range(2):
            wg.go(actors.awaited_receiver, ch, ledger.receiver())
            wg.go(actors.awaited_sender, ch, ledger.sender(), far)
        wg.go(actors.plain_sender, ch, ledger.sender(), far)
        wg.go(actors.plain_receiver, ch, ledger.receiver())
        await anap(rng)
        ch.close()
        await wg

    with Runtime(gomaxprocs=4) as rt:
        while time.monotonic() < end:
            ch, rng = Chan[int](lives % 3), random.Random(lives)
            with Crew() as crew:
                crew.start(actors.plain_sender, ch, ledger.sender(), far)
                crew.start(actors.plain_receiver, ch, ledger.receiver())
                rt.run(life, ch, rng)
            lives += 1
            if lives % 50 == 0:
                ledger.check()
                ledger.sent.clear()
                ledger.received.clear()
    print(f"{lives} channels; the last: {ledger.check()}")


def test_a_ring_in_alternating_spellings(stress_seconds: float) -> None:
    """Tokens go round through goroutines that await here and wait with their stacks there: locked Ms and free ones on 4 Ps."""
    links = [Chan[int](i % 2) for i in range(12)]
    tokens = 4
    end = time.monotonic() + stress_seconds

    async def node(i: int, seen: list[int]) -> None:
        rng = random.Random(i)
        source, target = links[i], links[(i + 1) % len(links)]
        while True:
            plain = rng.random() < 0.3
            value, ok = source.recv_ok() if plain else await source.arecv_ok()
            if not ok or value is None:
                target.close()
                return
            seen[i] += value
            if i == 0 and time.monotonic() >= end:
                seen[-1] += 1
                if seen[-1] == tokens:
                    target.close()
                    return
                continue
            if rng.random() < 0.5:
                target.send(value)
            else:
                await target.asend(value)

    async def main() -> list[int]:
        wg, seen = WaitGroup(), [0] * (len(links) + 1)
        for i in range(len(links)):
            wg.go(node, i, seen)
        for _ in range(tokens):
            await links[0].asend(1)
        # Node 0 closes its link when it has taken all tokens out; the end goes round to link 0.
        await wg
        return seen

    seen = run(main, gomaxprocs=4)
    assert seen[-1] == tokens
    assert {n - tokens for n in seen[:1]} == set(seen[1:-1]), "every link has seen every token as often"
    assert links[0].closed
    print(f"{seen[0]:,} rounds")


def test_two_runtimes(stress_seconds: float) -> None:
    """Goroutines of two runtimes and a thread between them. Each wakes those of the other."""
    there, back, ledger = Chan[int](), Chan[int](3), Ledger()
    end = time.monotonic() + stress_seconds

    async def relay() -> None:
        async for value in there:
            await back.asend(value)

    def plain_relay() -> None:
        for value in there:
            back.send(value)

    async def left() -> None:
        sending, receiving = WaitGroup(), WaitGroup()
        for _ in range(3):
            sending.go(actors.awaited_sender, there, ledger.sender(), end)
            receiving.go(actors.awaited_receiver, back, ledger.receiver())
        sending.go(actors.plain_sender, there, ledger.sender(), end)
        await sending
        there.close()
        await receiving

    async def right() -> None:
        wg = WaitGroup()
        for _ in range(3):
            wg.go(relay)
        wg.go(plain_relay)
        await wg
        between.join()
        back.close()

    with Crew() as crew:
        between = Crew()
        between.start(plain_relay)
        crew.start(lambda: run(left, gomaxprocs=2))
        crew.start(lambda: run(right, gomaxprocs=3))
    print(ledger.check())


def test_the_end_of_a_program_that_others_send_to(stress_seconds: float) -> None:
    """run() returns while threads outside send and receive: they go on. Lost is only what a goroutine had in its hands when it was ended."""
    end = time.monotonic() + stress_seconds
    runs = lost = 0
    while time.monotonic() < end:
        rng = random.Random(runs)
        ch, ledger, over = Chan[int](runs % 3), Ledger(), threading.Event()
        ended = rng.randrange(1, 5)

        def outside(ch: Chan[int], tally: Tally, over: threading.Event) -> None:
            while not over.is_set():
                value = tally.next_value()
                try:
                    ch.send(value, timeout=1e-3)
                    tally.add(value)
                except DeadlineExceeded:
                    tally.timeouts += 1

        async def main(ch: Chan[int], ledger: Ledger, ended: int, rng: random.Random) -> None:
            for i in range(ended):
                go(actors.plain_receiver if i % 2 else actors.awaited_receiver, ch, ledger.receiver())
            mine = ledger.receiver()
            for _ in range(rng.randrange(20)):
                mine.add(await ch.arecv())

        with Crew() as crew:
            for _ in range(3):
                crew.start(outside, ch, ledger.sender(), over)
            run(main, ch, ledger, ended, rng, gomaxprocs=1 + runs % 4)
            mine = ledger.receiver()
            for _ in range(5):
                mine.add(ch.recv(timeout=30))
            over.set()
        while True:
            value, ok = ch.try_recv()
            if not ok or value is None:
                break
            mine.add(value)
        sent, received = ledger.counts()
        assert 0 <= sent - received <= ended, f"{sent} sent, {received} received, {ended} ended"
        lost += sent - received
        runs += 1
    print(f"{runs} programs; {lost} values in the hands of goroutines that were ended")


# ---- timers ----


def test_timers_from_many_threads(stress_seconds: float) -> None:
    """Functions: set, stopped and reset from all sides while they fire. Each setting fires, or somebody is told that it was pending."""
    end = time.monotonic() + stress_seconds
    fired: list[int] = []

    async def main() -> None:
        timers = [after_func(1e-4, fired.append, i) for i in range(8)]
        tallies = [[len(timers), 0]]

        def meddle(seed: int, tally: list[int]) -> None:
            rng = random.Random(seed)
            while time.monotonic() < end:
                timer = rng.choice(timers)
                if rng.random() < 0.3:
                    tally[1] += timer.stop()
                else:
                    tally[1] += timer.reset(rng.choice((0.0, 1e-6, 1e-5, 1e-4, 1e-3)))
                    tally[0] += 1

        wg, crew = WaitGroup(), Crew()
        for seed in range(6):
            tallies.append([0, 0])
            if seed < 3:
                crew.start(meddle, seed, tallies[-1])
            else:
                wg.go(meddle, seed, tallies[-1])
        await wg
        crew.join()
        tallies[0][1] += sum(timer.stop() for timer in timers)
        expected = sum(a for a, _ in tallies) - sum(b for _, b in tallies)
        deadline = time.monotonic() + 30
        while len(fired) < expected and time.monotonic() < deadline:  # the goroutines that are started may still have to run
            await asleep(1e-3)
        await asleep(5e-3)
        assert len(fired) == expected, f"{len(fired)} fired, {expected} should have"
        print(f"{sum(a for a, _ in tallies):,} settings, {expected:,} fired")

    run(main, gomaxprocs=4)


def test_channel_timers_from_many_threads(stress_seconds: float) -> None:
    """The same with channels: each setting is received once, or taken back once. No value comes before its time."""
    end = time.monotonic() + stress_seconds

    async def main() -> None:
        timers = [Timer(1e-4) for _ in range(6)]
        tallies = [[len(timers), 0, 0]]
        over = threading.Event()

        def meddle(seed: int, tally: list[int]) -> None:
            rng = random.Random(seed)
            while time.monotonic() < end:
                timer = rng.choice(timers)
                if rng.random() < 0.3:
                    tally[1] += timer.stop()
                else:
                    tally[1] += timer.reset(rng.choice((0.0, 1e-6, 1e-5, 1e-4, 1e-3)))
                    tally[0] += 1
                nap(rng)

        def receive(seed: int, tally: list[int]) -> None:
            rng = random.Random(seed)
            while not over.is_set():
                timer = rng.choice(timers)
                try:
                    if rng.random() < 0.3:
                        tally[2] += timer.c.try_recv()[1]
                    else:
                        assert timer.c.recv(timeout=rng.choice((0.0, 1e-5, 1e-3))) <= time.monotonic()
                        tally[2] += 1
                except DeadlineExceeded:
                    pass

        async def areceive(seed: int, tally: list[int]) -> None:
            rng = random.Random(seed)
            while not over.is_set():
                try:
                    await rng.choice(timers).c.arecv(timeout=1e-3)
                    tally[2] += 1
                except DeadlineExceeded:
                    pass

        meddling, receiving, meddlers, receivers = WaitGroup(), WaitGroup(), Crew(), Crew()
        for seed in range(2):
            tallies.extend([0, 0, 0] for _ in range(5))
            meddlers.start(meddle, seed, tallies[-1])
            meddling.go(meddle, seed + 10, tallies[-2])
            receivers.start(receive, seed + 20, tallies[-3])
            receiving.go(receive, seed + 30, tallies[-4])
            receiving.go(areceive, seed + 40, tallies[-5])
        await meddling
        meddlers.join()
        over.set()
        await receiving
        receivers.join()
        tallies[0][1] += sum(timer.stop() for timer in timers)
        for timer in timers:
            assert timer.c.try_recv() == (None, False), "a stale value after stop"
        settings, taken_back, received = (sum(column) for column in zip(*tallies, strict=True))
        assert settings == taken_back + received, f"{settings} set, {taken_back} taken back, {received} received"
        print(f"{settings:,} settings, {received:,} received")

    run(main, gomaxprocs=4)


def test_a_ticker_that_is_reset_and_closed_over(stress_seconds: float) -> None:
    """Tickers come and go, and are garbage while they tick: nobody waits for them, then somebody does."""
    end = time.monotonic() + stress_seconds

    async def main() -> int:
        ticks = 0
        rng = random.Random(1)
        while time.monotonic() < end:
            with Ticker(1e-4) as ticker, Crew() as crew:
                crew.start(ticker.reset, rng.choice((1e-5, 1e-4)))
                crew.start(ticker.c.recv)
                last = 0.0
                for _ in range(5):
                    tick = await ticker.c.arecv()
                    assert tick > last
                    last = tick
                    ticks += 1
            for _ in range(3):
                Ticker(1e-4)
        return ticks

    print(f"{run(main, gomaxprocs=3):,} ticks")


def test_end_of_channel_for_all_who_iterate(stress_seconds: float) -> None:
    """for and async for over one channel, in threads and goroutines: all end when it is closed, and have shared the values."""
    end = time.monotonic() + stress_seconds
    lives = 0

    async def main(ch: Chan[int], ledger: Ledger) -> None:
        async def iterate(tally: Tally) -> None:
            async for value in ch:
                tally.add(value)

        wg, tally = WaitGroup(), ledger.sender()
        for _ in range(3):
            wg.go(iterate, ledger.receiver())
        for _ in range(50):
            value = tally.next_value()
            await ch.asend(value)
            tally.add(value)
        ch.close()
        await wg

    def iterate(ch: Chan[int], tally: Tally) -> None:
        for value in ch:
            tally.add(value)
        with pytest.raises(EndOfChannel):
            ch.recv()

    with Runtime(gomaxprocs=3) as rt:
        while time.monotonic() < end:
            ch, ledger = Chan[int](lives % 3), Ledger()
            with Crew() as crew:
                for _ in range(2):
                    crew.start(iterate, ch, ledger.receiver())
                rt.run(main, ch, ledger)
            ledger.check()
            lives += 1
    print(f"{lives} channels")
