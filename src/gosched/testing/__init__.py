"""Tests of concurrent programs without sleeping and without luck: virtual time, seeds, many interleavings.

>>> from gosched import WaitGroup, ayield_now
>>> from gosched.testing import virtual_run
>>> async def worker(log, name, wg):
...     for i in range(2):
...         log.append(name)
...         await ayield_now()
...     wg.done()
>>> async def main():
...     log, wg = [], WaitGroup()
...     wg.add(2)
...     import gosched
...     gosched.go(worker, log, "a", wg)
...     gosched.go(worker, log, "b", wg)
...     await wg
...     return "".join(log)
>>> virtual_run(main)
'baba'
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from gosched.core.native import current_m
from gosched.errors import no_runtime
from gosched.lab.virtual import VirtualRuntime
from gosched.sync import WaitGroup

__all__ = ["explore", "virtual_run", "wait_all_blocked"]

Body = Callable[..., Any] | Coroutine[Any, Any, Any]


def virtual_run(main: Body, /, *args: Any, gomaxprocs: int = 1, seed: int = 0) -> Any:
    """Runs main in virtual time: same seed, same run. Nothing sleeps, and one thread plays all."""
    return VirtualRuntime(gomaxprocs, seed).run(main, *args)


def explore(main: Callable[..., Any], /, *args: Any, seeds: Iterable[int] = range(200), gomaxprocs: int = 2) -> int:
    """Runs main once per seed and returns how many runs there were. The first failure is raised with a note that tells its seed."""
    runs = 0
    for seed in seeds:
        try:
            virtual_run(main, *args, gomaxprocs=gomaxprocs, seed=seed)
        except BaseException as error:
            error.add_note(f"found by explore at seed {seed}; again: virtual_run(main, gomaxprocs={gomaxprocs}, seed={seed})")
            raise
        runs += 1
    return runs


async def wait_all_blocked() -> None:
    """Waits until every other goroutine is blocked. In virtual time only."""
    m = current_m()
    host = None if m is None else m.sched.host
    if not isinstance(host, VirtualRuntime):
        raise no_runtime("wait_all_blocked()", "virtual_run(main)")
    wg = WaitGroup()
    wg.add(1)
    host.blocked_waiters.append(wg)
    await wg
