"""P: the right to run goroutines, with a queue of its own. There are gomaxprocs of them.

A P belongs to one M, to the idle list, or to whoever just took it from there: only its owner touches tail, next, ticks, random state and caches.
`m` and `status` are written by the owner or under the scheduler's lock, and read by anybody as a hint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .native import GoroutineList, RunQueue
from .states import LOW_32, P_DEAD
from .timers import TimerHeap

if TYPE_CHECKING:
    from .m import M


class P(RunQueue):
    def __init__(self, number: int, ring: int, seed: int) -> None:
        super().__init__()
        self.open_ring(ring)
        self.id = number
        self.status = P_DEAD
        self.m: M | None = None
        self.link: P | None = None
        self.next_id = 0
        self.last_id = 0
        self.random_state = (seed * 0x9E3779B1 + number * 0x85EBCA6B + 1) & 0xFFFFFFFF or 1
        self.live = GoroutineList()
        self.timers = TimerHeap()
        self.steps: list[int] = []
        self.steps_for = 0
        self.steals = 0
        self.stolen = 0
        self.handoffs = 0
        self.retakes = 0
        self.blocks = 0
        self.forced = 0

    def random_step(self, n: int) -> int:
        """A random step that visits each of n Ps once before coming back."""
        if self.steps_for != n:
            self.steps = coprimes_of(n)
            self.steps_for = n
        return self.steps[self.random() % len(self.steps)]

    def random(self) -> int:
        """32 random bits (xorshift): same seed, same run, compiled or not."""
        x = self.random_state
        x ^= (x << 13) & LOW_32
        x ^= x >> 17
        x ^= (x << 5) & LOW_32
        self.random_state = x
        return x


def coprimes_of(n: int) -> list[int]:
    """The steps that visit each of n Ps once before coming back."""
    steps = []
    for step in range(1, n + 1):
        a, b = step, n
        while b:
            a, b = b, a % b
        if a == 1:
            steps.append(step)
    return steps
