"""Distributions in bounded memory: buckets whose widths grow with the values, as in HDR histograms.

A value falls into one of 32 buckets between two powers of two, so a percentile is said at most 1/32, some 3 %, too high; below 32 it is exact. The
number of values, their sum, the smallest and the largest are exact. There are at most 32 × 64 buckets, however many values.
"""

from __future__ import annotations

FINENESS = 5  # bits


class Figures:
    """Of times in ns, or of anything else that is no less than 0."""

    __slots__ = ("buckets", "count", "largest", "smallest", "total")

    def __init__(self) -> None:
        self.buckets: dict[int, int] = {}
        self.count = 0
        self.total = 0
        self.largest = 0
        self.smallest = 0

    def add(self, value: int) -> None:
        shift = value.bit_length() - FINENESS - 1
        key = value if shift <= 0 else (shift << FINENESS) + (value >> shift)
        self.buckets[key] = self.buckets.get(key, 0) + 1
        if value > self.largest:
            self.largest = value
        if value < self.smallest or not self.count:
            self.smallest = value
        self.count += 1
        self.total += value

    def percentile(self, percent: float) -> int:
        """So many of the values are no larger, but for the width of a bucket."""
        rank = max(1, -(-self.count * percent // 100))
        seen = 0
        for key in sorted(self.buckets):
            seen += self.buckets[key]
            if seen >= rank:
                return min(self.largest, upper(key))
        return 0

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0


def upper(key: int) -> int:
    """The largest value that falls into a bucket."""
    shift = max(0, (key >> FINENESS) - 1)
    low = key - (shift << FINENESS)
    return ((low + 1) << shift) - 1
