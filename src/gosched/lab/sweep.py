"""Experiments: workloads × numbers of Ps × policies × seeds, over processes.

A file of workloads is a Python file. Every public async function in it that needs no arguments is a workload, and every gosched.Policy that stands in
it by name is a policy, beside those of POLICIES. Each process loads the file for itself: what it does at import it does in each.
"""

from __future__ import annotations

import inspect
import os
import runpy
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from typing import Any

from gosched.errors import GoschedError
from gosched.policy import Policy

from .experiment import Result, Workload, measure

POLICIES: dict[str, Policy] = {
    "go": Policy(),
    "no-runnext": Policy(runnext=False),
    "no-inherit": Policy(inherit=False),
    "no-fairness": Policy(fairness=0),
    "no-preempt": Policy(preempt=False),
    "no-steal": Policy(steal=False),
    "central": Policy(central=True),
    "lifo": Policy(lifo=True),
}
PROCS = 1_024


class ExperimentError(GoschedError):
    """What was asked for cannot be run: what, and what would do."""


@dataclass(frozen=True)
class Cell:
    """One run."""

    workload: str
    procs: int
    policy: str
    seed: int


@dataclass(frozen=True)
class Row:
    """And its outcome. `took`: real seconds."""

    cell: Cell
    result: Result
    took: float

    def flat(self) -> dict[str, Any]:
        figures = asdict(self.result)
        figures["value"] = repr(self.result.value)[:200]
        return {**asdict(self.cell), **figures, "took": round(self.took, 3)}


@dataclass(frozen=True)
class Book:
    """What a file has."""

    workloads: dict[str, Workload]
    policies: dict[str, Policy]


def load(path: str) -> Book:
    """Raises ExperimentError if it is no such file; what the file itself raises is its own."""
    if not os.path.isfile(path):
        raise ExperimentError(f"{path}: there is no such file")
    names = runpy.run_path(path, run_name="gosched_workloads")
    workloads = {name: value for name, value in names.items() if is_workload(name, value)}
    if not workloads:
        raise ExperimentError(f"{path}: no workload in it: a workload is a public async function that needs no arguments")
    mine = {name: value for name, value in names.items() if isinstance(value, Policy) and not name.startswith("_")}
    return Book(workloads, {**POLICIES, **mine})


def is_workload(name: str, value: object) -> bool:
    if name.startswith("_") or not inspect.iscoroutinefunction(value) or value.__globals__.get("__name__") != "gosched_workloads":
        return False
    needed = (p for p in inspect.signature(value).parameters.values() if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))
    return not any(needed)


def plan(book: Book, procs: list[int], policies: list[str], seeds: list[int], only: list[str] | None = None) -> list[Cell]:
    """All runs, the largest first: they take longest."""
    for name in policies:
        if name not in book.policies:
            raise ExperimentError(f"policies: there is no {name!r}; there are {', '.join(book.policies)}")
    for name in only or []:
        if name not in book.workloads:
            raise ExperimentError(f"workloads: there is no {name!r}; there are {', '.join(book.workloads)}")
    for n in procs:
        if not 1 <= n <= PROCS:
            raise ExperimentError(f"procs: from 1 to {PROCS:,}, not {n}")
    names = only or list(book.workloads)
    return [Cell(name, n, policy, seed) for n in sorted(procs, reverse=True) for name in names for policy in policies for seed in seeds]


def run(path: str, cells: list[Cell], jobs: int, done: Callable[[Row], object]) -> list[Row]:
    """Plays all, several at once, each row told to `done` as it comes. In the order of the plan."""
    rows: dict[Cell, Row] = {}
    if jobs == 1:
        _open(path)
        for cell in cells:
            rows[cell] = _play(cell)
            done(rows[cell])
        return list(rows.values())
    with ProcessPoolExecutor(jobs, get_context("spawn"), _open, (path,)) as pool:
        futures = {pool.submit(_play, cell): cell for cell in cells}
        try:
            for future in as_completed(futures):
                row = future.result()
                rows[row.cell] = row
                done(row)
        except BrokenProcessPool as error:
            raise ExperimentError("a process of the sweep died, perhaps for want of memory: --jobs 1 shows which run it is") from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [rows[cell] for cell in cells]


_book: Book | None = None


def _open(path: str) -> None:
    """In each process, once."""
    global _book
    _book = load(path)


def _play(cell: Cell) -> Row:
    assert _book is not None
    start = time.perf_counter()
    try:
        result = measure(_book.workloads[cell.workload], procs=cell.procs, policy=_book.policies[cell.policy], seed=cell.seed)
    except Exception as error:
        error.add_note(f"in workload {cell.workload}, {cell.procs} Ps, policy {cell.policy}, seed {cell.seed}")
        raise
    return Row(cell, result, time.perf_counter() - start)
