"""What the experiments share: several ways to do one thing, measured in turns and shown as a table."""

from __future__ import annotations

import argparse
import inspect
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import gosched

Clock = Callable[[], float]
# Of this process, all threads: what other programs do on the machine does not count. For what never waits.
CPU: Clock = time.process_time
WALL: Clock = time.perf_counter


class Reading(NamedTuple):
    """What one run gives: its answer, and what was measured."""

    answer: Any
    figure: float


def arguments(about: str | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="sizes that take no time and say nothing: does it run?")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="the median of so many is shown (5)")
    parser.add_argument("--child", nargs=2, metavar=("NAME", "N"), help=argparse.SUPPRESS)
    return parser.parse_args()


def timed(work: Callable[..., Any], *args: Any, clock: Clock = CPU, procs: int = 1, **options: Any) -> Reading:
    """Runs an async or a plain function as main of a runtime, and measures it there: the runtime's own beginning and end do not count."""

    async def awaiting() -> Reading:
        begin = clock()
        answer = await work(*args)
        return Reading(answer, clock() - begin)

    def calling() -> Reading:
        begin = clock()
        answer = work(*args)
        return Reading(answer, clock() - begin)

    return gosched.run(awaiting if inspect.iscoroutinefunction(work) else calling, gomaxprocs=procs, **options)


def medians(ways: dict[str, Callable[[], Reading]], answer: Any, rounds: int) -> dict[str, float]:
    """Every way once, and again, so that a bad moment of the machine hits all of them. Each must give the right answer."""
    figures: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            found = way()
            if found.answer != answer:
                raise SystemExit(f"{name}: the answer is {found.answer!r}, and should be {answer!r}")
            figures[name].append(found.figure)
    return {name: statistics.median(values) for name, values in figures.items()}


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """In Markdown."""
    print(f"| {title} | {' | '.join(columns)} |")
    print(f"|---|{'--:|' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print(flush=True)


def compare(title: str, unit: str, ways: dict[str, Callable[[], Reading]], answer: Any, rounds: int, scale: float) -> None:
    """A table of medians, and how many times the first row's each is."""
    found = medians(ways, answer, rounds)
    first = next(iter(found.values())) or 1.0
    show(title, (unit, "times the first"), [(name, number(figure * scale), number(figure / first)) for name, figure in found.items()])


def number(value: float) -> str:
    """Three digits are all that was measured."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def resident() -> int:
    """Bytes of memory that this process has now."""
    return memory("VmRSS")


def highest() -> int:
    """The most that it ever had."""
    return memory("VmHWM")


def memory(field: str) -> int:
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field))


def in_child(name: str, n: int) -> list[float]:
    """The program itself in a fresh process, as `--child NAME N`: what it prints there. Memory is measured so."""
    done = subprocess.run([sys.executable, sys.argv[0], "--child", name, str(n)], stdout=subprocess.PIPE, text=True, check=True)
    return [float(word) for word in done.stdout.split()]
