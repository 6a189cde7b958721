"""Experiments: workloads × numbers of Ps × policies × seeds, over processes.

A file of workloads is a Python file. Every public async function in it that needs no arguments is a workload, and every gosched.Policy that stands in
it by name is a policy, beside those of POLICIES. Each process loads the file for itself: what it does at import it does in each. Between processes go
names, figures and texts alone: what a workload returns or raises need not be picklable.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import runpy
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, replace
from multiprocessing import active_children, get_context
from typing import Any

from gosched.errors import GoschedError
from gosched.policy import Policy
from gosched.program import begin_outside
from gosched.trace.units import count

from . import experiment
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
NAME = "gosched_workloads"


class ExperimentError(GoschedError):
    """What was asked for cannot be run: what, and what would do. Or a workload failed: which, and how."""


@dataclass(frozen=True)
class Cell:
    """One run."""

    workload: str
    procs: int
    policy: str
    seed: int

    def __str__(self) -> str:
        return f"workload {self.workload}, {count(self.procs, 'P')}, policy {self.policy}, seed {self.seed}"


@dataclass(frozen=True)
class Row:
    """And its outcome, whose `value` is a text. `took`: real seconds."""

    cell: Cell
    result: Result
    took: float

    def flat(self) -> dict[str, Any]:
        return {**asdict(self.cell), **asdict(self.result), "took": round(self.took, 3)}


@dataclass(frozen=True)
class Book:
    """What a file has."""

    path: str
    workloads: dict[str, Workload]
    policies: dict[str, Policy]


def load(path: str) -> Book:
    """As `python PATH` would. Raises ExperimentError if it is no such file; what the file itself raises is its own."""
    if not os.path.isfile(path):
        raise ExperimentError(f"{path}: there is no such file")
    folder = os.path.dirname(os.path.abspath(path))
    if folder not in sys.path:
        sys.path.insert(0, folder)
    names = runpy.run_path(path, run_name=NAME)
    workloads = {name: value for name, value in names.items() if is_workload(name, value)}
    if not workloads:
        raise ExperimentError(f"{path}: no workload in it: a workload is a public async function that needs no arguments")
    mine = {name: value for name, value in names.items() if isinstance(value, Policy) and not name.startswith("_")}
    return Book(path, workloads, {**POLICIES, **mine})


def is_workload(name: str, value: object) -> bool:
    """Not what the file has imported."""
    inner = value
    while isinstance(inner, functools.partial):
        inner = inner.func
    if name.startswith("_") or not inspect.iscoroutinefunction(inner) or inner.__globals__.get("__name__") != NAME:
        return False
    parameters = inspect.signature(value).parameters.values()  # type: ignore[arg-type]
    return all(p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


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
    cells = (Cell(name, n, policy, seed) for n in sorted(procs, reverse=True) for name in names for policy in policies for seed in seeds)
    return list(dict.fromkeys(cells))


def run(book: Book, cells: list[Cell], jobs: int, done: Callable[[Row], object]) -> list[Row]:
    """Plays all, several at once, each row told to `done` as it comes. In the order of the plan. The first that fails ends it."""
    rows: dict[Cell, Row] = {}
    if jobs == 1:
        for cell in cells:
            rows[cell] = play(book, cell)
            done(rows[cell])
        return list(rows.values())
    others = set(active_children())
    with ProcessPoolExecutor(jobs, get_context("spawn"), _open, (book.path,)) as pool:
        try:
            with deaf():
                futures = [pool.submit(_play, cell) for cell in cells]
            for future in as_completed(futures):
                row = future.result()
                rows[row.cell] = row
                done(row)
        except BrokenProcessPool as error:
            raise ExperimentError("a process of the sweep died, perhaps for want of memory: --jobs 1 shows which run it is") from error
        except BaseException:  # nobody wants to know how the others would have ended
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(active_children()) - others:
                process.terminate()
            raise
    return [rows[cell] for cell in cells]


def play(book: Book, cell: Cell) -> Row:
    start = time.perf_counter()
    try:
        result = measure(book.workloads[cell.workload], procs=cell.procs, policy=book.policies[cell.policy], seed=cell.seed)
        result = replace(result, value=repr(result.value)[:200])
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        begin_outside(error, __file__)
        begin_outside(error, experiment.__file__)
        raise ExperimentError(f"{cell}, failed:\n{''.join(traceback.format_exception(error)).rstrip()}") from None
    return Row(cell, result, time.perf_counter() - start)


@contextlib.contextmanager
def deaf() -> Iterator[None]:
    """Processes that are started meanwhile hear no Ctrl-C, which goes to all of a terminal: who started them ends them."""
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


# ---- in each process ----

_book: Book | None = None


def _open(path: str) -> None:
    global _book
    _book = load(path)


def _play(cell: Cell) -> Row:
    assert _book is not None
    return play(_book, cell)
