"""The cases on plain threads. Only what a thread pool is used for."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from gosched.bench.work import Reading, Size, now


def run(case: Callable[[Size], Reading], size: Size) -> Reading:
    return case(size)


def case_blocking(size: Size) -> Reading:
    zeros = 0
    with ThreadPoolExecutor(1) as pool:
        begin = now()
        for _ in range(size.n):
            zeros += pool.submit(int).result() == 0
        return Reading(zeros, now() - begin)
