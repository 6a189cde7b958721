"""A parallel quicksort: a goroutine for each part that is large enough. They are plain functions, and spread over all cores by work stealing on a
free-threaded Python; with a GIL they take turns.

python examples/quicksort.py 100000
"""

from __future__ import annotations

import sys
from random import Random

from gosched import Chan, go, run
from progress import follow

SMALL = 2_000


def quicksort(items: list[int], low: int, high: int, done: Chan[int]) -> None:
    """Sorts items[low:high], and tells how many have found their place."""
    while high - low > SMALL:
        middle = partition(items, low, high)
        go(quicksort, items, low, middle, done)
        low = middle
    items[low:high] = sorted(items[low:high])
    done.send(high - low)


def partition(items: list[int], low: int, high: int) -> int:
    """Hoare's: none in front of the place that it returns is larger than one behind it, and neither part is empty."""
    pivot = items[(low + high - 1) // 2]
    i, j = low, high - 1
    while True:
        while items[i] < pivot:
            i += 1
        while items[j] > pivot:
            j -= 1
        if i >= j:
            return j + 1
        items[i], items[j] = items[j], items[i]
        i, j = i + 1, j - 1


def main(n: int) -> None:
    items = list(range(n))
    Random(1).shuffle(items)
    done = Chan[int](64)
    go(quicksort, items, 0, n, done)
    follow("sorting", done, n)
    print(f"{n} numbers, in order: {items == list(range(n))}")


if __name__ == "__main__":
    run(main, int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
