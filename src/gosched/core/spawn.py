"""New goroutines.

An async function whose arguments fit is kept as it is, and its coroutine is made when the goroutine first runs: a crowd that waits for its first turn
needs half the memory, and what a short goroutine uses is still in the cache. What may run Python (the call of any other async function, the copy of
the context, the look at the caller's frame) is done before the runtime is entered.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from os import getpid
from types import CoroutineType
from typing import TYPE_CHECKING, Any

from gosched.errors import no_runtime, not_a_goroutine_body

from .bodies import copy_context, is_coroutine, is_coroutine_function, look_at_caller, look_outside, may_wait
from .entry import enter_runtime, leave_runtime
from .events import E_GO_CREATE, OUTSIDE
from .g import Goroutine
from .interrupt import enter_scope
from .native import ThreadWords, current_m, own
from .states import EXITING, ID_BATCH, OWN_THREAD, RUNNABLE
from .telling import name_number, start_name, tell_create
from .wake import submit, submit_global

if TYPE_CHECKING:
    from .g import Watcher
    from .interrupt import Cancellation
    from .m import M
    from .sched import Scheduler


def go(fn: Callable[..., object] | Coroutine[Any, Any, object], /, *args: Any, thread: bool = False, name: str | None = None) -> Goroutine:
    """Starts a goroutine: an async function, a plain function, or a coroutine.

    Keywords for `fn`: use :func:`functools.partial`. A coroutine that a plain function returns is awaited. With `thread=True` the goroutine has a
    thread of its own, which ends with it.

    >>> import gosched
    >>> async def hello(wg, name):
    ...     print("hello", name)
    ...     wg.done()
    >>> async def main():
    ...     wg = gosched.WaitGroup()
    ...     wg.add(1)
    ...     gosched.go(hello, wg, "world")
    ...     await wg
    >>> gosched.run(main)
    hello world
    """
    m: M | None = current_m()
    if m is None:
        raise no_runtime("go()", "run(main), or rt.go(fn) from another thread")
    if name is not None and not isinstance(name, str):
        raise TypeError(f"go(): name must be a str or None, not {type(name).__name__}")
    if thread:
        return spawn_thread(m, fn, args, name)
    return spawn(m, fn, args, name, None)


def spawn(
    m: M,
    fn: Any,
    args: tuple[Any, ...],
    name: str | None,
    watcher: Watcher | None,
    ctx: Cancellation | None = None,
    origin: ThreadWords | None = None,
) -> Goroutine:
    """From user code on m: a goroutine that runs next on m's P. ctx: its current context. origin: where it was asked for, if not by the caller."""
    if is_coroutine_function(fn):
        if may_wait(fn, args, m.sched.nproc == 1):
            return launch(m, fn, args, name, watcher, 0, ctx, origin)
        return launch(m, fn(*args), None, name, watcher, 0, ctx, origin)
    return launch(m, fn, args if is_function(fn, args) else None, name, watcher, 0, ctx, origin)


def spawn_thread(m: M, fn: Any, args: tuple[Any, ...], name: str | None) -> Goroutine:
    """The same, with a thread of its own from its first turn on: as if it began with lock_os_thread()."""
    if is_coroutine_function(fn):
        fn, args = fn(*args), ()  # so that arguments that do not fit are the caller's error
    if not is_function(fn, args):
        name = name or getattr(fn, "__qualname__", None)
        coroutine = fn
        fn, args = lambda: coroutine, ()
    return launch(m, fn, args, name, None, OWN_THREAD, None, None)


def spawn_outside(
    s: Scheduler,
    fn: Any,
    args: tuple[Any, ...],
    name: str | None,
    watcher: Watcher | None,
    system: bool,
    ctx: Cancellation | None = None,
    origin: ThreadWords | None = None,
) -> Goroutine:
    """From a thread that is no M of s: a goroutine in the global queue. A system goroutine still gets its first turns when the program ends."""
    if is_coroutine_function(fn):
        return launch_outside(s, fn(*args), None, name, watcher, system, ctx, origin)
    return launch_outside(s, fn, args if is_function(fn, args) else None, name, watcher, system, ctx, origin)


class AsyncgenFinisher:
    """The hook for async generators that were dropped in the middle: a goroutine runs their finally blocks. Compiled, so that Goexit does not strike
    it: it is called out of the collector, where an exception is lost."""

    def __init__(self, sched: Scheduler) -> None:
        self.sched = sched
        self.pid = getpid()

    def __call__(self, agen: Any) -> None:
        if self.sched.phase() != EXITING and getpid() == self.pid:  # a forked child has none of the threads
            spawn_outside(self.sched, agen.aclose(), (), f"aclose of {getattr(agen, '__qualname__', agen)}", None, True)


def launch(
    m: M, body: Any, args: Any, name: str | None, watcher: Watcher | None, phase: int, ctx: Cancellation | None, origin: ThreadWords | None
) -> Goroutine:
    """args is None for a coroutine."""
    context = copy_context()
    place: ThreadWords = m
    if origin is None:
        look_at_caller(m)
    else:
        place = origin
    number = 0 if m.trail is None else name_number(m, body, name)
    if watcher is not None:
        watcher.note_start()
    nested = m.in_runtime
    if not nested and enter_runtime(m):
        g = fresh(m)
    else:
        g = fresh_outside(m.sched)
    g.take_caller(place)
    g.creator = place.goid
    fill(g, body, args, context, name, watcher, False)
    g.phase = phase
    if ctx is not None:
        enter_scope(g, ctx)
    if m.trail is not None:
        tell_create(m, g, number)
    if not nested:
        submit(m, g)
        leave_runtime(m)
    elif m.resting:
        submit_global(m.sched, g)
    else:
        m.late_put(g)
    return g


def launch_outside(
    s: Scheduler, body: Any, args: Any, name: str | None, watcher: Watcher | None, system: bool, ctx: Cancellation | None, origin: ThreadWords | None
) -> Goroutine:
    context = copy_context()
    place = caller_here(s) if origin is None else origin
    number = 0 if s.trails is None else s.trails.number(start_name(body, name))
    if watcher is not None:
        watcher.note_start()
    g = fresh_outside(s)
    g.take_caller(place)
    g.creator = place.goid
    fill(g, body, args, context, name, watcher, system)
    if ctx is not None:
        enter_scope(g, ctx)
    if s.trail is not None:
        s.trail.tell3(OUTSIDE, E_GO_CREATE, g.id, 0, number)
    submit_global(s, g)
    return g


def caller_here(s: Scheduler) -> ThreadWords:
    """Where somebody outside the package asks for a goroutine of s, and who that is: it is perhaps started later, and by another one."""
    m: M | None = current_m()
    place = ThreadWords()
    look_outside(place)
    if m is not None and m.sched is s:
        place.goid = m.goid
    return place


def fresh(m: M) -> Goroutine:
    """With a P: a goroutine from its spares, with an id from its batch."""
    g: Goroutine | None = m.p.spare_take()
    if g is None:
        g = Goroutine.__new__(Goroutine)
    if m.p.next_id == m.p.last_id:
        m.p.next_id = m.sched.take_ids()
        m.p.last_id = m.p.next_id + ID_BATCH
    m.p.next_id += 1
    g.id = m.p.next_id
    own(g)
    m.p.live.add(g)
    return g


def fresh_outside(s: Scheduler) -> Goroutine:
    """Without a P."""
    g = Goroutine.__new__(Goroutine)
    s.acquire()
    s.next_goid += 1
    g.id = s.next_goid
    s.release()
    own(g)
    s.outside.add(g)
    return g


def fill(g: Goroutine, body: Any, args: Any, context: Any, name: Any, watcher: Any, system: bool) -> None:
    g.body = body
    g.args = args
    g.context = context
    g.given_name = name
    g.watcher = watcher
    g.reason = 0
    g.phase = 0
    g.system = system
    g.told = False
    g.locks = 0
    g.home = None
    g.scope = None
    g.struck = False
    g.set_state(RUNNABLE)


def is_function(fn: Any, args: tuple[Any, ...]) -> bool:
    """True for a plain function, False for a coroutine; what is neither, or cannot be started, is an error."""
    if not is_coroutine(fn) and not isinstance(fn, Coroutine):
        if not callable(fn):
            raise not_a_goroutine_body(fn)
        return True
    if args:
        raise TypeError(f"go(): a coroutine takes no arguments here, got {len(args)}; pass the async function itself")
    if isinstance(fn, CoroutineType) and inspect.getcoroutinestate(fn) != inspect.CORO_CREATED:
        raise ValueError(f"go(): the coroutine {fn.__qualname__} has been started before; pass a new one")
    return False
