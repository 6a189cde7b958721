"""Once and once_value: what is done a single time, whoever comes first."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Coroutine
from types import TracebackType
from typing import Any, ParamSpec, TypeVar, overload

from gosched.sync import Mutex

P = ParamSpec("P")
T = TypeVar("T")


class Once:
    """Go's sync.Once. Who comes while it is being done waits until it is. An exception counts as done.

    >>> import gosched
    >>> once, log = gosched.Once(), []
    >>> async def main():
    ...     await once.ado(log.append, 1)
    ...     once.do(log.append, 2)
    ...     return log
    >>> gosched.run(main)
    [1]
    """

    __slots__ = ("__weakref__", "_done", "_mutex")

    def __init__(self) -> None:
        self._done = False
        self._mutex = Mutex()

    def do(self, fn: Callable[P, object], /, *args: P.args, **kwargs: P.kwargs) -> None:
        """Calls fn, if nobody has."""
        if self._done:
            return
        with self._mutex:
            if not self._done:  # whoever waited for the mutex comes too late
                try:
                    fn(*args, **kwargs)
                finally:
                    self._done = True

    async def ado(self, fn: Callable[P, object], /, *args: P.args, **kwargs: P.kwargs) -> None:
        """`do`, awaited: fn may be an async function."""
        if self._done:
            return
        async with self._mutex:
            if not self._done:
                try:
                    result = fn(*args, **kwargs)
                    if inspect.isawaitable(result):
                        await result
                finally:
                    self._done = True


@overload
def once_value(fn: Callable[[], Coroutine[Any, Any, T]]) -> Callable[[], Awaitable[T]]: ...
@overload
def once_value(fn: Callable[[], T]) -> Callable[[], T]: ...
def once_value(fn: Callable[[], Any]) -> Callable[[], Any]:
    """Go's sync.OnceValue: a function that calls fn once, and gives its value, or raises its exception, every time. Of an async fn: an async one.

    >>> import gosched
    >>> @gosched.once_value
    ... def config():
    ...     print("read")
    ...     return 42
    >>> config(), config()
    read
    (42, 42)
    """
    if not callable(fn):
        raise TypeError(f"once_value() needs a function without arguments, not {type(fn).__name__}")
    outcome = Outcome(fn)
    if inspect.iscoroutinefunction(fn):

        @functools.wraps(fn)
        async def async_value() -> Any:
            await outcome.once.ado(outcome.find_async)
            return outcome.get()

        del async_value.__wrapped__  # fn is let go once it has been called
        return async_value

    @functools.wraps(fn)
    def value() -> Any:
        outcome.once.do(outcome.find)
        return outcome.get()

    del value.__wrapped__
    return value


class Outcome:
    """What once_value keeps: the value or the exception. fn itself is let go."""

    def __init__(self, fn: Callable[[], Any]) -> None:
        self.fn: Callable[[], Any] | None = fn
        self.once = Once()
        self.value: Any = None
        self.error: BaseException | None = None
        self.origin: TracebackType | None = None

    def find(self) -> None:
        fn, self.fn = self.fn, None
        assert fn is not None
        try:
            self.value = fn()
        except BaseException as error:
            self.error = error
            self.origin = error.__traceback__

    async def find_async(self) -> None:
        fn, self.fn = self.fn, None
        assert fn is not None
        try:
            self.value = await fn()
        except BaseException as error:
            self.error = error
            self.origin = error.__traceback__

    def get(self) -> Any:
        if self.error is not None:
            raise self.error.with_traceback(self.origin)
        return self.value
