"""Contexts: Go's context package, and the current context of a goroutine.

A Context is a node of a tree; core/interrupt.py has what cancellation does to those that wait. Every context that is made here can be cancelled by
itself; its end is the end of all that were made from it.

Goroutines have a current context: the background; the group's, in a group; the new one inside of `with with_…`. What is about to park heeds it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from gosched.channels import Chan, RecvChan, nil
from gosched.core.afterfunc import FuncHeir
from gosched.core.chan import Channel
from gosched.core.interrupt import Cancellation, DeadlineTimer, Scope, current_scope, enter_scope, leave_scope
from gosched.core.native import current_m
from gosched.core.snapshot import current_goroutine
from gosched.core.timers import clock
from gosched.errors import Canceled, DeadlineExceeded, GoschedError, no_runtime
from gosched.spelling import after_ns, nanoseconds

if TYPE_CHECKING:
    from gosched.core.sched import Scheduler

__all__ = ["Context", "background", "with_cancel", "with_deadline", "with_timeout", "with_value", "without_cancel"]

Cancel = Callable[..., None]


class Context(Cancellation):
    """When to stop, and values that belong to a request. Made by `background`, `with_cancel`, `with_timeout`, `with_deadline` and `with_value`.

    Used with `with` it is the goroutine's current context inside of the block, and cancelled at its end; unpacked, it gives the context and its
    `cancel`.

    >>> import gosched
    >>> async def main():
    ...     ctx, cancel = gosched.with_cancel()
    ...     cancel()
    ...     return ctx.err
    >>> gosched.run(main)
    Canceled('context canceled')
    """

    __slots__ = ("_deadline", "_key", "_scope", "_used", "_value", "_values", "_what")

    def __init__(self, parent: Context | None, what: str, keeps: bool = True) -> None:
        super().__init__()
        self._what = what
        self._values = parent
        self._key: Hashable = None
        self._value: Any = None
        self._scope: Scope | None = None
        self._used = False
        self._deadline: int | None = parent._deadline if parent is not None and keeps else None
        if parent is None:
            self.endless = True
        elif keeps:
            self.depend_on(parent)

    @staticmethod
    def current() -> Context:
        """The current context of the goroutine that asks; of a thread that runs none, the background."""
        g = current_goroutine()
        ctx = None if g is None else current_scope(g)
        return ctx if isinstance(ctx, Context) else _background

    # ---- what it says ----

    @property
    def done(self) -> RecvChan[Any]:
        """A channel that closes when the context is over: `nil` for the background."""
        return nil if self.endless else self.done_channel()  # type: ignore[return-value]

    @property
    def err(self) -> BaseException | None:
        """None while it is not over; then Canceled or DeadlineExceeded."""
        return self.seen_error()

    def new_channel(self) -> Channel:
        return Chan[Any]()

    def value(self, key: Hashable) -> Any:
        """What `with_value` gave for key, here or in a context that this one was made from; else None."""
        ctx: Context | None = self
        while ctx is not None:
            if type(ctx._key) is type(key) and ctx._key == key and key is not None:
                return ctx._value
            ctx = ctx._values
        return None

    @property
    def deadline(self) -> float | None:
        """The time, as `now()` tells it, at which it is over at the latest; None: no such time."""
        return None if self._deadline is None else self._deadline / 1e9

    # ---- what it does ----

    def cancel(self, cause: BaseException | None = None) -> None:
        """Ends it, and all that were made from it: whoever waits under one of them gets Canceled. Only the first call counts. From any thread."""
        if self.endless:
            raise GoschedError("background() cannot be cancelled: make one that can, with_cancel()")
        if cause is not None and not isinstance(cause, BaseException):
            raise TypeError(f"cancel(): cause must be an exception, not {type(cause).__name__}")
        error = Canceled("context canceled")
        error.__cause__ = cause
        self.cancel_waits(error, error if cause is None else cause)

    def after_func(self, fn: Callable[..., Any], /, *args: Any) -> Callable[[], bool]:
        """Starts fn(*args) in a goroutine of its own when the context is over. Returns a function that takes this back: True if it did.

        >>> import gosched
        >>> async def main():
        ...     ctx, cancel = gosched.with_cancel()
        ...     ch = gosched.Chan[str]()
        ...     ctx.after_func(ch.asend, "cancelled")
        ...     cancel()
        ...     return await ch.arecv()
        >>> gosched.run(main)
        'cancelled'
        """
        if not callable(fn):
            raise TypeError(f"after_func(): needs a function, not {type(fn).__name__}")
        heir = FuncHeir(_scheduler("after_func()"), fn, args)
        if self.endless:
            pending = {heir: True}
            return lambda: pending.pop(heir, False)
        self.add_heir(heir)
        if self.over() and self.drop_heir(heir):  # race: it was cancelled before it could see us
            heir.told(self.error, self.cause)  # type: ignore[arg-type]
        return lambda: bool(self.drop_heir(heir))

    # ---- as a block, and unpacked ----

    def __enter__(self) -> Self:
        if self.endless:
            raise GoschedError("with background(): use without_cancel(Context.current()) for a block that heeds nobody")
        if self._used:
            raise GoschedError(f"with: {self!r} is used as a block already: with_cancel(ctx) makes one of its own for each")
        self._used = True
        g = current_goroutine()
        if g is not None:
            self._scope = enter_scope(g, self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if self._scope is not None:
            leave_scope(self._scope)
            self._scope = None  # it knows us, too: nothing is left for the collector
        self.cancel()

    def __iter__(self) -> Iterator[Any]:
        return iter((self, self.cancel))

    def __repr__(self) -> str:
        names: list[str] = []
        ctx: Context | None = self
        while ctx is not None:
            names.append(ctx._what if ctx._key is None else f"{ctx._what}({ctx._key!r})")
            ctx = ctx._values
        error = self.error
        return f"<Context {'.'.join(reversed(names))}{'' if error is None else f': {error}'}>"


_background = Context(None, "background")


def background() -> Context:
    """The context that is never over: the root of all. `ctx=background()` shields an operation from the goroutine's own context.

    >>> import gosched
    >>> gosched.background().err is None
    True
    """
    return _background


def with_cancel(ctx: Context | None = None) -> Context:
    """A context that `cancel` ends, and the end of `ctx`, by default the current context.

    >>> import gosched
    >>> async def worker(ch):
    ...     try:
    ...         await ch.arecv()
    ...     finally:
    ...         print("worker stops")
    >>> async def main():
    ...     with gosched.Group() as group:
    ...         group.go(worker, gosched.Chan())
    ...         await gosched.ayield_now()
    ...         group.ctx.cancel()
    >>> gosched.run(main)
    worker stops
    """
    return Context(_parent(ctx, "with_cancel()"), "with_cancel")


def with_timeout(seconds: float, ctx: Context | None = None) -> Context:
    """A context that is over after so many seconds: what waits under it raises DeadlineExceeded.

    >>> import gosched
    >>> async def main():
    ...     try:
    ...         with gosched.with_timeout(0.001):
    ...             await gosched.Chan().arecv()
    ...     except gosched.DeadlineExceeded as error:
    ...         return error
    >>> gosched.run(main)
    DeadlineExceeded('context deadline exceeded')
    """
    delay = nanoseconds(seconds, "with_timeout(): seconds")
    sched = _scheduler("with_timeout()")
    return _until(after_ns(clock(sched), delay), _parent(ctx, "with_timeout()"), sched, f"with_timeout({seconds:g} s)")


def with_deadline(t: float, ctx: Context | None = None) -> Context:
    """The same with a time, as `now()` tells it. Of the deadlines of a context and of those it was made from, the earliest counts.

    >>> import gosched
    >>> async def main():
    ...     with gosched.with_deadline(gosched.now() + 60) as ctx:
    ...         return ctx.err, ctx.deadline > gosched.now()
    >>> gosched.run(main)
    (None, True)
    """
    when = max(1, nanoseconds(t, "with_deadline(): t (a time of now())"))
    return _until(when, _parent(ctx, "with_deadline()"), _scheduler("with_deadline()"), f"with_deadline({t:g})")


def _until(when: int, parent: Context, sched: Scheduler, what: str) -> Context:
    ctx = Context(parent, what)
    if ctx._deadline is None or when < ctx._deadline:
        ctx._deadline = when
        error = DeadlineExceeded("context deadline exceeded")
        if when <= clock(sched):
            ctx.cancel_waits(error, error)
        else:
            timer = DeadlineTimer(sched, ctx, error)
            ctx.timer = timer
            timer.set_time(when, 0)
            if ctx.over():  # race: it was cancelled before there was a timer to stop
                timer.clear_time()
    return ctx


def with_value(key: Hashable, value: Any, ctx: Context | None = None) -> Context:
    """A context in which `ctx.value(key)` is value.

    >>> import gosched
    >>> async def main():
    ...     with gosched.with_value("user", "gopher"):
    ...         return gosched.Context.current().value("user")
    >>> gosched.run(main)
    'gopher'
    """
    if key is None:
        raise ValueError("with_value(): key must not be None")
    try:
        hash(key)
    except TypeError:
        raise TypeError(f"with_value(): key must be hashable, not {type(key).__name__}") from None
    made = Context(_parent(ctx, "with_value()"), "with_value")
    made._key, made._value = key, value
    return made


def without_cancel(ctx: Context) -> Context:
    """A context with the values of ctx that is not over when ctx is, and has no deadline. As a block it shields what it holds.

    >>> import gosched
    >>> async def main():
    ...     with gosched.with_cancel() as ctx:
    ...         ctx.cancel()
    ...         with gosched.without_cancel(ctx):
    ...             await gosched.asleep(0.001)
    ...             return "cleaned up"
    >>> gosched.run(main)
    'cleaned up'
    """
    if not isinstance(ctx, Context):
        raise TypeError(f"without_cancel(): ctx must be a Context, not {type(ctx).__name__}")
    return Context(ctx, "without_cancel", keeps=False)


def _parent(ctx: Context | None, what: str) -> Context:
    if ctx is None:
        return Context.current()
    if not isinstance(ctx, Context):
        raise TypeError(f"{what}: ctx must be a Context, or left out for the current one, not {type(ctx).__name__}")
    return ctx


def _scheduler(what: str) -> Scheduler:
    m = current_m()
    if m is None:
        raise no_runtime(what, "run(main)")
    return m.sched  # type: ignore[no-any-return]
