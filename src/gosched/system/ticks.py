"""What sysmon does every so often: errands with periods of their own, on the one tick that its watch has.

The watch ticks at the greatest period that divides them all, so each errand is done at its own. Its clock is read in C, before this thread has the
GIL, ours afterwards: what is due within half a tick is done now, or an errand with the period of the tick would miss every other one.
"""

from __future__ import annotations

import math
from collections.abc import Callable


class Errand:
    def __init__(self, ns: int, act: Callable[[int], None]) -> None:
        self.ns = ns
        self.act = act
        self.due = 0


class Ticks:
    """
    >>> ticks = Ticks()
    >>> ticks.every(4, lambda now: print("four", now))
    >>> ticks.every(6, lambda now: print("six", now))
    >>> ticks.period
    2
    >>> for now in range(10, 20, 2):
    ...     ticks.tick(now)
    four 10
    six 10
    four 14
    six 16
    four 18
    """

    def __init__(self) -> None:
        self.errands: list[Errand] = []

    @property
    def period(self) -> int:
        """In ns, for the watch. 0: there is nothing to do."""
        return math.gcd(*(errand.ns for errand in self.errands))

    def every(self, ns: int, act: Callable[[int], None]) -> None:
        """At the first tick, and then whenever so much time is over."""
        self.errands.append(Errand(ns, act))

    def tick(self, now: int) -> None:
        slack = self.period // 2
        for errand in self.errands:
            if now + slack >= errand.due:
                errand.due = now + errand.ns
                errand.act(now)
