"""Act 5: calls that block their threads, unmarked, while others go on. One P."""

from __future__ import annotations

import time
from dataclasses import dataclass
from time import perf_counter, perf_counter_ns

import gosched
from gosched.demo.outcome import Bar, Chart, Figure, Plain, expect
from gosched.demo.sizes import Sizes
from gosched.demo.stage import Stage
from gosched.trace.units import count, span

ABOUT = "Python's own time.sleep, of which gosched knows nothing, beside two goroutines that play ping-pong. One P."


@dataclass(frozen=True)
class Naps(Plain):
    calls: int
    nap: float
    slept: float
    """Seconds, by all of them."""
    wall: float
    hops: int
    """Of the ping-pong beside them."""
    longest: int
    """What passed between two returns of the ball, at most, in nanoseconds."""
    threads: int

    def words(self) -> list[str]:
        return [
            f"{self.calls} calls of {self.nap:g} s slept {self.slept:.1f} s in all, and were over after {span(self.wall * 1e9)}; "
            f"there were {count(self.threads, 'thread')} then",
            f"meanwhile the ball went over the net {self.hops:,} times; the longest it took to come back was {span(self.longest)}",
        ]

    def figures(self) -> list[Figure]:
        return [
            Figure(span(self.wall * 1e9), f"for {self.calls} calls of {self.nap:g} s"),
            Figure(f"{self.hops:,}", "hops beside them"),
            Figure(str(self.threads), "threads"),
        ]

    def charts(self) -> list[Chart]:
        return [
            Chart(
                f"{self.calls} calls that block for {self.nap:g} s",
                (Bar("they took", self.wall, span(self.wall * 1e9)), Bar("they slept", self.slept, f"{self.slept:.1f} s", ours=False)),
            )
        ]


def title(sizes: Sizes) -> str:
    return f"{sizes.calls} blocking calls that stall nobody"


def play(stage: Stage, sizes: Sizes) -> Naps:
    naps = gosched.run(block_and_play, stage, sizes, gomaxprocs=1)
    expect(naps.hops > 0, "nothing happened beside the calls")
    return naps


async def block_and_play(stage: Stage, sizes: Sizes) -> Naps:
    slept: list[float] = []
    game = Game()
    sleepers, players = gosched.WaitGroup(), gosched.WaitGroup()

    def nap() -> None:
        begin = perf_counter()
        time.sleep(sizes.nap)
        slept.append(perf_counter() - begin)

    with stage.telling(lambda: f"done: {len(slept)} of {sizes.calls}; {game.hops:,} hops beside them"):
        players.go(game.serve)
        players.go(game.answer)
        begin = perf_counter()
        for _ in range(sizes.calls):
            sleepers.go(nap)
        await sleepers
        wall = perf_counter() - begin
        threads = gosched.stats().threads
        game.over = True
        await players
    expect(len(slept) == sizes.calls, f"of {sizes.calls} calls, {len(slept)} came back")
    return Naps(sizes.calls, sizes.nap, sum(slept), wall, game.hops, game.longest, threads)


class Game:
    """Ping-pong over unbuffered channels, until it is over."""

    def __init__(self) -> None:
        self.there: gosched.Chan[int] = gosched.Chan()
        self.back: gosched.Chan[int] = gosched.Chan()
        self.over = False
        self.hops = 0
        self.longest = 0

    async def serve(self) -> None:
        last = perf_counter_ns()
        while not self.over:
            await self.there.asend(1)
            self.hops += 1 + await self.back.arecv()
            now = perf_counter_ns()
            self.longest = max(self.longest, now - last)
            last = now
        self.there.close()

    async def answer(self) -> None:
        async for ball in self.there:
            await self.back.asend(ball)
