"""Goroutines that a test has left behind."""

from __future__ import annotations

from types import TracebackType

from gosched.context import background
from gosched.core.g import Goroutine
from gosched.core.native import current_m
from gosched.core.sched import Scheduler
from gosched.core.snapshot import current_goroutine, left_behind
from gosched.dump import dump_some
from gosched.errors import no_runtime
from gosched.lab.virtual import VirtualRuntime
from gosched.sync import WaitGroup
from gosched.timing import asleep, now, sleep

# How often a program in real time looks whether those that are left have ended by now, in seconds.
LOOK = 0.001


class LeakError(AssertionError):
    """Goroutines were still there when all should have ended. `goroutines` are those.

    >>> import gosched
    >>> from gosched.testing import LeakError, check_leaks, virtual_run
    >>> async def main():
    ...     try:
    ...         async with check_leaks():
    ...             gosched.go(gosched.Chan[int]().arecv, name="forgotten")
    ...     except LeakError as error:
    ...         return [g.name for g in error.goroutines]
    >>> virtual_run(main)
    ['forgotten']
    """

    def __init__(self, sched: Scheduler, goroutines: list[Goroutine]) -> None:
        n = len(goroutines)
        title = f"{n} goroutine{'s' * (n != 1)} leaked: started in the block, and still there at its end"
        super().__init__(f"{title}\n\n{dump_some(sched, goroutines)}")
        self.goroutines = goroutines


class check_leaks:  # noqa: N801 - it reads as the function that it is to its callers
    """A block, inside a goroutine, at whose end every goroutine that was started in it must have ended; else it raises LeakError, which says where
    each waits and where it was started. An exception that leaves the block is left alone.

    With `with` or `async with`. In virtual time those that can go on do so first, until all are blocked, and the clock stands still; in real time
    they have up to `grace` seconds to end.

    >>> import gosched
    >>> from gosched.testing import check_leaks, virtual_run
    >>> async def main():
    ...     async with check_leaks():
    ...         gosched.go(gosched.Chan[int]().arecv, name="forgotten")
    >>> virtual_run(main)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gosched.testing.leaks.LeakError: 1 goroutine leaked: started in the block, and still there at its end
    <BLANKLINE>
    goroutine 2 [chan receive] {name: "forgotten"}:
    ...
    """

    def __init__(self, grace: float = 1.0) -> None:
        if isinstance(grace, bool) or not isinstance(grace, int | float) or not grace >= 0:
            raise ValueError(f"check_leaks(): grace must be seconds, 0 or more, not {grace!r}")
        self.grace = grace
        self.sched: Scheduler | None = None
        self.before: set[int] = set()

    def __enter__(self) -> None:
        m = current_m()
        if m is None:
            raise no_runtime("check_leaks()", "virtual_run(main) or run(main)")
        self.sched = m.sched
        self.before = {g.id for g in left_behind(m.sched)}

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if error is None:
            if self.virtual():
                blocked().wait(ctx=background())
            else:
                until = now() + self.grace
                while self.leaked() and now() < until:
                    sleep(LOOK, ctx=background())
            self.judge()

    async def __aenter__(self) -> None:
        self.__enter__()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if error is None:
            if self.virtual():
                await blocked().await_(ctx=background())
            else:
                until = now() + self.grace
                while self.leaked() and now() < until:
                    await asleep(LOOK, ctx=background())
            self.judge()

    def virtual(self) -> bool:
        return self.sched is not None and isinstance(self.sched.host, VirtualRuntime)

    def leaked(self) -> list[Goroutine]:
        assert self.sched is not None
        me = current_goroutine()
        return [g for g in left_behind(self.sched) if g is not me and g.id not in self.before]

    def judge(self) -> None:
        leaked = self.leaked()
        if leaked:
            assert self.sched is not None
            raise LeakError(self.sched, leaked)


def blocked() -> WaitGroup:
    """Done when every goroutine is blocked. In virtual time only."""
    m = current_m()
    host = None if m is None else m.sched.host
    if not isinstance(host, VirtualRuntime):
        raise no_runtime("wait_all_blocked()", "virtual_run(main)")
    wg = WaitGroup()
    wg.add(1)
    host.blocked_waiters.append(wg)
    return wg
