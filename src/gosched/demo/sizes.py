"""How large the acts are. The pure build gets smaller ones, so that the show takes no longer than a minute there either."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    """Of all acts."""

    goroutines: int
    tasks: int
    """Of asyncio, beside the goroutines."""
    trips: int
    """There and back over a channel, in each round."""
    queue_trips: int
    """The same over asyncio's queue."""
    rounds: int
    pieces: int
    """Of work, which spread over the Ps."""
    count: int
    """What each piece counts to."""
    ticks: int
    """Of a millisecond, beside the hog."""
    hogging: float
    """How long asyncio's hog computes, in seconds."""
    calls: int
    nap: float
    """How long each call blocks, in seconds."""
    connections: int
    echoes: int
    """Messages of each connection."""


FULL = Sizes(
    goroutines=1_000_000,
    tasks=100_000,
    trips=100_000,
    queue_trips=20_000,
    rounds=7,
    pieces=64,
    count=200_000,
    ticks=2_000,
    hogging=1.0,
    calls=200,
    nap=0.5,
    connections=10_000,
    echoes=5,
)
FULL_PURE = Sizes(
    goroutines=20_000,
    tasks=20_000,
    trips=4_000,
    queue_trips=20_000,
    rounds=5,
    pieces=64,
    count=200_000,
    ticks=2_000,
    hogging=1.0,
    calls=50,
    nap=0.5,
    connections=500,
    echoes=3,
)
QUICK = Sizes(
    goroutines=20_000,
    tasks=5_000,
    trips=2_000,
    queue_trips=1_000,
    rounds=3,
    pieces=24,
    count=40_000,
    ticks=200,
    hogging=0.1,
    calls=40,
    nap=0.1,
    connections=200,
    echoes=2,
)
QUICK_PURE = Sizes(
    goroutines=1_000,
    tasks=1_000,
    trips=200,
    queue_trips=200,
    rounds=3,
    pieces=24,
    count=40_000,
    ticks=200,
    hogging=0.1,
    calls=10,
    nap=0.1,
    connections=40,
    echoes=2,
)


def chosen(quick: bool, pure: bool) -> Sizes:
    if quick:
        return QUICK_PURE if pure else QUICK
    return FULL_PURE if pure else FULL
