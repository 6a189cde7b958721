"""Tests of concurrent programs without sleeping and without luck: virtual time, seeds, many interleavings, leaks. The pytest plugin is plugin.py.

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

import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, Literal, TypedDict, TypeVar, Unpack, overload

from gosched.core.plain import forbid_plain
from gosched.lab.virtual import VirtualRuntime
from gosched.policy import Policy, checked_policy
from gosched.runtime import checked_procs

from .leaks import LeakError as LeakError
from .leaks import blocked
from .leaks import check_leaks as check_leaks

__all__ = ["LeakError", "check_leaks", "explore", "forbid_plain_in_async", "virtual_run", "wait_all_blocked"]

T = TypeVar("T")
Body = Callable[..., Any] | Coroutine[Any, Any, Any]
PlainInAsync = Literal["allow", "error"]
_forbidding = threading.Lock()


class Options(TypedDict, total=False):
    """What virtual_run() takes."""

    gomaxprocs: int
    seed: int
    shuffle: bool
    plain_in_async: PlainInAsync
    policy: Policy | None


@overload
def virtual_run(main: Callable[..., Coroutine[Any, Any, T]], /, *args: Any, **options: Unpack[Options]) -> T: ...
@overload
def virtual_run(main: Coroutine[Any, Any, T], /, **options: Unpack[Options]) -> T: ...
@overload
def virtual_run(main: Callable[..., T], /, *args: Any, **options: Unpack[Options]) -> T: ...
def virtual_run(
    main: Body,
    /,
    *args: Any,
    gomaxprocs: int = 1,
    seed: int = 0,
    shuffle: bool = False,
    plain_in_async: PlainInAsync = "allow",
    policy: Policy | None = None,
) -> Any:
    """`gosched.run` in virtual time: nothing sleeps, one thread plays all, and the same seed gives the same run. The clock begins at 1.0, stands
    still while anybody can go on, and then jumps to the next timer.

    gomaxprocs       the number of Ps; the seed decides whose turn it is, so with one P there is but one order
    shuffle          the seed also decides the order of goroutines that can run, and who is interrupted between two operations: see `explore`
    plain_in_async   "error": as `forbid_plain_in_async`
    policy           other rules than Go's

    >>> import gosched
    >>> from gosched.testing import virtual_run
    >>> async def main():
    ...     await gosched.asleep(3600)
    ...     return gosched.now()
    >>> virtual_run(main)
    3601.0
    """
    checked_procs(gomaxprocs)
    checked_seed(seed, "virtual_run(): seed")
    rules = checked_policy(policy)
    if plain_in_async not in ("allow", "error"):
        raise ValueError(f"virtual_run(): plain_in_async must be 'allow' or 'error', not {plain_in_async!r}")
    with forbid_plain_in_async() if plain_in_async == "error" else nullcontext():
        return VirtualRuntime(gomaxprocs, seed, shuffle=shuffle, policy=rules).run(main, *args)


def explore(
    main: Callable[..., Any],
    /,
    *args: Any,
    seeds: Iterable[int] = range(200),
    gomaxprocs: int = 2,
    plain_in_async: PlainInAsync = "allow",
) -> int:
    """Runs main once per seed, in virtual time, each time in another order of what several goroutines do, and returns how many runs there were. The
    first failure, a deadlock among them, is raised with a note that says how to run it again. main makes anew what it uses: it is run many times.

    Goroutines are interleaved at operations of gosched. Code in between is one piece: a race of two `x += 1` on threads is not found.

    >>> import gosched
    >>> from gosched.testing import explore
    >>> async def main():
    ...     total, wg = [0], gosched.WaitGroup()
    ...     async def adds(ch):
    ...         seen = total[0]
    ...         await ch.asend(seen)
    ...         total[0] = seen + 1
    ...     ch = gosched.Chan(2)
    ...     wg.go(adds, ch)
    ...     wg.go(adds, ch)
    ...     await wg
    ...     assert total[0] == 2, "an update was lost"
    >>> try:
    ...     explore(main)
    ... except AssertionError as error:
    ...     print(error)
    an update was lost
    """
    if not callable(main):
        raise TypeError(f"explore(): main must be a function, which is run many times, not {type(main).__name__}")
    if not isinstance(seeds, Iterable):
        raise TypeError(f"explore(): seeds must be several ints, such as range(200), not {type(seeds).__name__}")
    runs = 0
    for seed in seeds:
        checked_seed(seed, "explore(): each of seeds")
        try:
            virtual_run(main, *args, gomaxprocs=gomaxprocs, seed=seed, shuffle=True, plain_in_async=plain_in_async)
        except BaseException as error:
            name = getattr(main, "__name__", "main") + ", *args" * bool(args)
            error.add_note(f"found by explore at seed {seed}; again: virtual_run({name}, gomaxprocs={gomaxprocs}, seed={seed}, shuffle=True)")
            raise
        runs += 1
    if not runs:
        raise ValueError("explore(): seeds must not be empty")
    return runs


def checked_seed(seed: int, what: str) -> int:
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise TypeError(f"{what} must be an int, not {type(seed).__name__}")
    if not 0 <= seed < 1 << 63:
        raise ValueError(f"{what} must be from 0 to 2**63 - 1, not {seed}")
    return seed


async def wait_all_blocked() -> None:
    """Waits until every other goroutine is blocked: what they could do by now, they have done. The clock does not move. In virtual time only.

    >>> import gosched
    >>> from gosched.testing import virtual_run, wait_all_blocked
    >>> async def main():
    ...     ch = gosched.Chan[str]()
    ...     g = gosched.go(ch.asend, "hello")
    ...     await wait_all_blocked()
    ...     return g.wait_reason
    >>> virtual_run(main)
    'chan send'
    """
    await blocked()


@contextmanager
def forbid_plain_in_async() -> Iterator[None]:
    """While the block runs, in every runtime of the process: an async goroutine that would wait by the plain spelling gets a RuntimeError that names
    the twin, instead of its stack being set aside.

    >>> import gosched
    >>> from gosched.testing import forbid_plain_in_async
    >>> async def main():
    ...     gosched.sleep(0.001)
    >>> with forbid_plain_in_async():
    ...     gosched.run(main)
    Traceback (most recent call last):
        ...
    RuntimeError: sleep() in an async goroutine waits with its stack, which is forbidden here: await asleep()
    """
    with _forbidding:
        forbid_plain(1)
    try:
        yield
    finally:
        with _forbidding:
            forbid_plain(-1)
