"""Group: structured concurrency. Goroutines that belong to a block, and are done when it ends.

The block's body and the tasks have the group's context as their current one; the first failure cancels it. What was only cut short by that is no
failure of its own: it is told by the error's origin (core/interrupt.py).

A task is in `_waiting` until it is started; `_places`, if there is a limit, has one place for each that runs. Who puts a task in, and who frees a
place, starts what can be started: either sees what the other did.

`_tasks` has all that are not done. The block makes a `_gate` to wait at before it looks whether there are any, and a task leaves before it looks for
a gate; the block closes before it looks a last time, and who comes from outside puts its task in before it looks whether the block is open.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine, Generator
from types import TracebackType
from typing import Any, Generic, TypeVar, overload

from gosched.context import Context, background, with_cancel
from gosched.core.g import Goroutine, Watcher
from gosched.core.interrupt import copy_of
from gosched.core.native import ThreadWords, current_m
from gosched.core.queues import EventCore, SemaphoreCore
from gosched.core.spawn import caller_here, is_function, spawn, spawn_outside
from gosched.core.states import RETURNED
from gosched.errors import Canceled, DeadlineExceeded, Goexit, GoschedError, no_runtime
from gosched.spelling import Guard, block, iterate, twin, wait

__all__ = ["Group", "Task"]

T = TypeVar("T")
Kind = type[BaseException] | None


class Task(Watcher, Generic[T]):
    """One goroutine of a group, and its outcome.

    >>> import gosched
    >>> async def main():
    ...     async with gosched.Group() as group:
    ...         task = group.go(pow, 2, 10)
    ...         return await task
    >>> gosched.run(main)
    1024
    """

    def __init__(self, group: Group, fn: Any, args: tuple[Any, ...], name: str | None, origin: ThreadWords) -> None:
        self._group = group
        self._start: tuple[Any, tuple[Any, ...], ThreadWords] | None = (fn, args, origin)
        """Until it is begun."""
        self._over = EventCore()
        self._value: Any = None
        self._error: BaseException | None = None
        self.name = name or getattr(fn, "__qualname__", None) or repr(fn)
        self.goroutine: Goroutine | None = None
        """None while the group's limit keeps it waiting."""

    @property
    def done(self) -> bool:
        """It has returned, failed or was cancelled."""
        return bool(self._over.is_set())

    def result(self) -> T:
        """What it returned, or its failure, raised. Before it is done: RuntimeError."""
        if not self.done:
            raise GoschedError(f"task {self.name} is not done: wait for it, or leave the group's block first")
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[no-any-return]

    def wait(self, timeout: float | None = None, ctx: Context | None = None) -> T:
        """Waits until it is done; then as `result`."""
        block("Task.wait", self._over.wait_for_it, self._over.withdraw, Guard(timeout, ctx))
        return self.result()

    @twin
    def await_(self, timeout: float | None = None, ctx: Context | None = None) -> Generator[Any, Any, T]:
        """`wait`, awaited; `await task` is short for it."""
        yield from wait("Task.wait", self._over.wait_for_it, self._over.withdraw, Guard(timeout, ctx))  # type: ignore[misc]
        return self.result()

    def __await__(self) -> Generator[Any, Any, T]:
        return iterate(self.await_())

    def goroutine_done(self, g: Goroutine, outcome: int, value: Any) -> None:
        if outcome == RETURNED:
            self._finish(value, None)
        elif isinstance(value, SystemExit):  # it ends the program, wherever it is raised
            self._finish(None, value)
            end_program(g, value)
        else:
            self._finish(None, value)
        self._group._ended(self)

    def _finish(self, value: Any, error: BaseException | None) -> None:
        self._value = value
        self._error = error
        self._over.set()

    def __repr__(self) -> str:
        state = "waiting for a place" if self.goroutine is None and not self.done else "done" if self.done else "running"
        return f"<Task {self.name!r} {state}>"


def end_program(g: Goroutine, error: BaseException) -> None:
    """As if g belonged to no group."""
    m = current_m()
    assert m is not None
    m.sched.host.failed(g, error)


class Group:
    """Goroutines that belong together: the block ends when all are done, and the first failure cancels the rest.

    limit    how many run at the same time; the others wait for a place
    ctx      what the group's context is made from; by default the current context

    What failed is raised at the end of the block, as an ExceptionGroup.

    >>> import gosched
    >>> async def fetch(x):
    ...     await gosched.asleep(0.001)
    ...     return x * x
    >>> async def main():
    ...     async with gosched.Group(limit=2) as group:
    ...         tasks = [group.go(fetch, x) for x in range(4)]
    ...     return [task.result() for task in tasks]
    >>> gosched.run(main)
    [0, 1, 4, 9]
    """

    def __init__(self, limit: int | None = None, ctx: Context | None = None) -> None:
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int)):
            raise TypeError(f"Group(): limit must be an int, or None for no limit, not {type(limit).__name__}")
        if limit is not None and limit < 1:
            raise ValueError(f"Group(): limit must be 1 or more, or None for no limit, not {limit}")
        if ctx is not None and not isinstance(ctx, Context):
            raise TypeError(f"Group(): ctx must be a Context, or left out for the current one, not {type(ctx).__name__}")
        m = current_m()
        if m is None:
            raise no_runtime("Group()", "run(main)")
        self.ctx: Context
        """The group's context: cancelled by the first failure, and at the end of the block."""
        self._sched = m.sched
        self._given = ctx
        self._open = False
        self._places = None if limit is None else SemaphoreCore(limit)
        self._waiting: deque[Task[Any]] = deque()
        self._tasks: dict[Task[Any], None] = {}
        self._gate: EventCore | None = None
        self._waited = False
        self._failures: list[BaseException] = []

    # ---- starting ----

    @overload
    def go(self, fn: Callable[..., Coroutine[Any, Any, T]], /, *args: Any, name: str | None = None) -> Task[T]: ...
    @overload
    def go(self, fn: Coroutine[Any, Any, T], /, *, name: str | None = None) -> Task[T]: ...
    @overload
    def go(self, fn: Callable[..., T], /, *args: Any, name: str | None = None) -> Task[T]: ...
    def go(self, fn: Any, /, *args: Any, name: str | None = None) -> Task[Any]:
        """Starts a goroutine in the group, or queues it if the group is at its limit; never blocks. Tasks may start others."""
        if name is not None and not isinstance(name, str):
            raise TypeError(f"Group.go(): name must be a str or None, not {type(name).__name__}")
        is_function(fn, args)
        task: Task[Any] = Task(self, fn, args, name, caller_here(self._sched))
        self._tasks[task] = None
        if not self._open:
            self._done(task)
            raise GoschedError("Group.go(): outside of the group's block: use `with Group() as group:`")
        self._waiting.append(task)
        self._start_waiting()
        return task

    def _start_waiting(self) -> None:
        """Starts as many as there are places for. Cancelled: nobody starts any more."""
        while self._waiting and (self._places is None or self.ctx.over() or self._places.take_now(1)):
            try:
                task = self._waiting.popleft()
            except IndexError:  # race: another one has started the last
                if self._places is not None and not self.ctx.over():
                    self._places.give_back(1)
                continue
            self._begin(task)

    def _begin(self, task: Task[Any]) -> None:
        start = task._start
        assert start is not None
        fn, args, origin = start
        task._start = None
        if self.ctx.over():
            if hasattr(fn, "close") and not callable(fn):
                fn.close()  # a coroutine that will never be awaited
            task._finish(None, copy_of(self.ctx.error))  # type: ignore[arg-type]
            self._done(task)
            return
        try:
            m = current_m()
            if m is not None and m.sched is self._sched:
                task.goroutine = spawn(m, fn, args, task.name, task, self.ctx, origin)
            else:
                task.goroutine = spawn_outside(self._sched, fn, args, task.name, task, False, self.ctx, origin)
        except BaseException as error:  # arguments that do not fit
            task._finish(None, error)
            self._ended(task)

    def _ended(self, task: Task[Any]) -> None:
        """One has; by its goroutine, on its way out."""
        if task._error is not None:
            self._failed(task._error)
        if self._places is not None:
            self._places.give_back(1)
            self._start_waiting()
        self._done(task)

    def _done(self, task: Task[Any]) -> None:
        del self._tasks[task]
        if not self._tasks and self._gate is not None:
            self._gate.set()

    def _failed(self, error: BaseException) -> None:
        if self._is_failure(error):
            self._failures.append(error)
            self.ctx.cancel(error)

    def _is_failure(self, error: BaseException) -> bool:
        """Not what only says that this group, or what is around it, was cancelled, or that the program is over."""
        if isinstance(error, Canceled | Goexit | GeneratorExit | SystemExit):
            return False
        return not (isinstance(error, DeadlineExceeded) and self._is_echo(error))

    def _is_echo(self, error: BaseException) -> bool:
        return self.ctx.error is not None and getattr(error, "origin", None) is self.ctx.error

    # ---- the block ----

    def __enter__(self) -> Group:
        self._enter()
        return self

    def __exit__(self, kind: Kind, error: BaseException | None, traceback: TracebackType | None) -> bool:
        self._leave(error)
        while (gate := self._next_gate(error)) is not None:
            block("Group", gate.wait_for_it, gate.withdraw, Guard(None, background()))
        return self._end(error)

    async def __aenter__(self) -> Group:
        self._enter()
        return self

    async def __aexit__(self, kind: Kind, error: BaseException | None, traceback: TracebackType | None) -> bool:
        self._leave(error)
        while (gate := self._next_gate(error)) is not None:
            await wait("Group", gate.wait_for_it, gate.withdraw, Guard(None, background()))
        return self._end(error)

    def _enter(self) -> None:
        if self._open or hasattr(self, "ctx"):
            raise GoschedError("with: this group has been used: make a new one for each block")
        self.ctx = with_cancel(self._given)
        self._parent = self.ctx.parent
        self._open = True
        self.ctx.__enter__()

    def _leave(self, error: BaseException | None) -> None:
        """The body is done. What it raised cancels the tasks."""
        if error is not None:
            if self._is_failure(error):
                self._failures.insert(0, error)
            self.ctx.cancel(error)

    def _next_gate(self, error: BaseException | None) -> EventCore | None:
        """Where to wait for the tasks. None: all are done, and no other will come; or the program is over, and nobody can wait."""
        self._gate = EventCore()
        if not self._tasks:
            self._open = False
            if not self._tasks:
                return None
            self._open = True  # another thread has started one at this moment
        self._waited = True
        return None if isinstance(error, Goexit) else self._gate

    def _end(self, error: BaseException | None) -> bool:
        """All are done: raises what there is to raise. True: what the body raised was only the group's own cancellation."""
        self._open = False
        cut_short = self.ctx.err
        self.ctx.__exit__(None, None, None)
        if isinstance(error, Goexit | SystemExit | KeyboardInterrupt):
            return False
        if self._failures:
            failures = list({id(failure): failure for failure in self._failures}.values())  # who waits for a task that fails, fails with it
            raise BaseExceptionGroup(f"{len(failures)} of the group failed", failures) from None
        outside = self._parent.err if isinstance(self._parent, Context) else None
        if error is None:
            if self._waited and outside is not None and cut_short is outside:
                raise copy_of(outside)
            return False
        return isinstance(error, Canceled) and self._is_echo(error) and outside is None
