"""A user's own words in a trace: regions of a goroutine's time, tasks that pass from one goroutine to another, and log lines.

While nothing is recorded each costs a look and no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from gosched.core.events import E_LOG, E_REGION_BEGIN, E_REGION_END, E_TASK_BEGIN, E_TASK_END
from gosched.core.telling import is_told, tell_user, user_number, user_task

_current: ContextVar[Task | None] = ContextVar("gosched.trace.task", default=None)


def is_enabled() -> bool:
    """Whether what the calling goroutine does is being recorded.

    >>> import gosched
    >>> from gosched import trace
    >>> async def main():
    ...     return trace.is_enabled()
    >>> gosched.run(main)
    False
    """
    return is_told()


@contextmanager
def region(name: str) -> Iterator[None]:
    """A part of what one goroutine does, with a name: `with trace.region("parse"):`. Regions nest.

    >>> import gosched
    >>> from gosched import trace
    >>> async def main():
    ...     with trace.region("think"):
    ...         await gosched.asleep(0)
    >>> gosched.run(main)
    """
    if not isinstance(name, str):
        raise TypeError(f"trace.region: name must be a str, not {type(name).__name__}")
    begun = tell_user(E_REGION_BEGIN, (user_number(name),)) if is_told() else False
    try:
        yield
    finally:
        if begun and is_told():
            tell_user(E_REGION_END, (user_number(name),))


class Task:
    """A piece of work that may pass through several goroutines. Made by :func:`task`; those that are started inside of it belong to it.

    >>> import gosched
    >>> from gosched import trace
    >>> async def main():
    ...     with trace.task("request") as request, trace.task("query") as query:
    ...         return query.parent is request
    >>> gosched.run(main)
    True
    """

    def __init__(self, name: str, parent: Task | None) -> None:
        self.name = name
        self.parent = parent
        self.id = user_task() if is_told() else 0

    def log(self, category: str, message: str) -> None:
        """A line about this task."""
        if is_told():
            tell_user(E_LOG, (self.id, user_number(category), user_number(message)))


@contextmanager
def task(name: str) -> Iterator[Task]:
    """A piece of work with a name: `with trace.task("request") as task:`. Goroutines started inside of it belong to it, by their contextvars.

    >>> import gosched
    >>> from gosched import trace
    >>> async def main():
    ...     with trace.task("request") as task:
    ...         task.log("size", "12")
    ...         return task.name
    >>> gosched.run(main)
    'request'
    """
    if not isinstance(name, str):
        raise TypeError(f"trace.task: name must be a str, not {type(name).__name__}")
    mine = Task(name, _current.get())
    begun = tell_user(E_TASK_BEGIN, (mine.id, mine.parent.id if mine.parent else 0, user_number(name))) if mine.id else False
    token = _current.set(mine)
    try:
        yield mine
    finally:
        _current.reset(token)
        if begun:
            tell_user(E_TASK_END, (mine.id,))


def log(category: str, message: str) -> None:
    """A line about the task that the calling goroutine works on, or about none.

    >>> import gosched
    >>> from gosched import trace
    >>> gosched.run(trace.log, "cache", "cold")
    """
    mine = _current.get()
    if is_told():
        tell_user(E_LOG, (mine.id if mine else 0, user_number(category), user_number(message)))
