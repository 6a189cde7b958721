"""Code that never comes to the runtime, of every kind.

Each kind is one construct that does not end before the flag is raised, and tells whether its result was right. `ticks` is an iterator that runs no
bytecode of its own, so the construct itself is what is suspended.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

from .waiting import spin

Flag = list[int]


def ticks(flag: Flag) -> Iterator[int]:
    """0, 0, 0, … until the flag is raised."""
    return iter(flag.__len__, 1)


def numbered(flag: Flag) -> tuple[Iterator[tuple[int, int]], Callable[[], int]]:
    """(0, 0), (1, 0), … until the flag is raised; and what the numbers should have summed up to."""
    numbers = itertools.count()
    return zip(numbers, ticks(flag), strict=False), lambda: sum(range(next(numbers) - 1))


def tight_while(flag: Flag) -> bool:
    n = 0
    while not flag:
        n += 1
    return n > 0


def empty_while(flag: Flag) -> bool:
    while not flag:
        pass
    return True


def for_over_range(flag: Flag) -> bool:
    last = -1
    for i in range(1 << 60):
        if i != last + 1 or flag:
            break
        last = i
    return bool(flag) and last >= 0


def nested_calls(flag: Flag) -> bool:
    def third(x: int) -> int:
        return x + 1

    def second(x: int) -> int:
        return third(x) + 1

    def first(x: int) -> int:
        return second(x) + 1

    x = n = 0
    while not flag:
        x = first(x)
        n += 1
    return x == 3 * n


def comprehension(flag: Flag) -> bool:
    return [x for x in ticks(flag) if x] == []


def generator_expression(flag: Flag) -> bool:
    pairs, expected = numbered(flag)
    return sum(i for i, _ in pairs) == expected()


def generator_function(flag: Flag) -> bool:
    pairs, expected = numbered(flag)

    def numbers() -> Iterator[int]:
        for i, _ in pairs:
            yield i

    total = 0
    for i in numbers():
        total += i
    return total == expected()


def recursion(flag: Flag) -> bool:
    """Ever larger problems: the last one alone takes longer than all before."""

    def fib(n: int) -> int:
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    a, b = 0, 1
    for n in itertools.count():
        if fib(n) != a or flag:
            return bool(flag)
        a, b = b, a + b
    return False


def exceptions(flag: Flag) -> bool:
    raised = caught = 0
    while not flag:
        try:
            raised += 1
            raise KeyError(raised)
        except KeyError as error:
            caught += error.args == (raised,)
    return 0 < raised == caught


def with_statements(flag: Flag) -> bool:
    class Counts:
        entered = left = 0

        def __enter__(self) -> None:
            self.entered += 1

        def __exit__(self, *_: object) -> None:
            self.left += 1

    counts = Counts()
    while not flag:
        with counts:
            pass
    return 0 < counts.entered == counts.left


def mapped_by_c(flag: Flag) -> bool:
    """The loop is in C, and comes to bytecode only in the function."""
    pairs, expected = numbered(flag)

    def number(pair: tuple[int, int]) -> int:
        return pair[0]

    return sum(map(number, pairs)) == expected()


def sorted_by_key(flag: Flag) -> bool:
    def key(x: int) -> int:
        return -x

    while not flag:
        if sorted(range(1000), key=key) != list(range(999, -1, -1)):
            return False
    return True


def inside_a_lock(flag: Flag) -> bool:
    lock, n = threading.Lock(), 0
    with lock:
        while not flag:
            n += lock.locked()
    return n > 0 and not lock.locked()


def finaliser(flag: Flag) -> bool:
    """The hog is a __del__."""
    log: list[int] = []

    class Slow:
        def __del__(self) -> None:
            log.append(spin(flag))

    Slow()
    return len(log) == 1


async def asynchronous(flag: Flag) -> bool:
    n = 0
    while not flag:
        n += 1
    return n > 0


async def awaits_what_never_waits(flag: Flag) -> bool:
    async def ready(x: int) -> int:
        return x + 1

    x = n = 0
    while not flag:
        x = await ready(x)
        n += 1
    return x == n > 0


PLAIN: list[Callable[[Flag], Any]] = [
    tight_while,
    empty_while,
    for_over_range,
    nested_calls,
    comprehension,
    generator_expression,
    generator_function,
    recursion,
    exceptions,
    with_statements,
    mapped_by_c,
    sorted_by_key,
    inside_a_lock,
    finaliser,
]
ASYNC: list[Callable[[Flag], Any]] = [asynchronous, awaits_what_never_waits]
