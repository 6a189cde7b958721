"""Running programs: Runtime, run, and what a goroutine asks of the runtime it is in.

The thread that calls run() runs no goroutine. It waits on a bell, open to signals, and judges what the Ms report: the end of main, an uncaught
exception, that all are asleep. So Ctrl-C ends a program in which every goroutine sleeps. And it runs errands: only the main thread can set handlers.
"""

from __future__ import annotations

import atexit
import os
import time
import warnings
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from importlib import import_module
from types import TracebackType
from typing import Any, ParamSpec, TypedDict, TypeVar, Unpack, overload

from gosched.core.bell import Bell
from gosched.core.blockcall import call_blocking
from gosched.core.ending import begin_ending, begin_exit, cut_off, fast_asleep, still_dead
from gosched.core.g import Goroutine, Watcher
from gosched.core.locked import lock_to, unlock_from
from gosched.core.native import current_m, set_current_m
from gosched.core.plain import yield_caller
from gosched.core.resize import resize
from gosched.core.sched import Scheduler
from gosched.core.snapshot import current_goroutine, left_behind
from gosched.core.spawn import AsyncgenFinisher, go, spawn, spawn_outside
from gosched.core.states import MAX_THREADS, RETURNED
from gosched.core.yielding import YIELD_NOW
from gosched.dump import dump, dump_all
from gosched.errors import AbandonedThreadWarning, Goexit, GoschedError, no_runtime
from gosched.policy import Policy, checked_policy
from gosched.program import Main, OnUncaught, Program, begin_outside, deadlock
from gosched.quitting import answering
from gosched.spelling import returns_op
from gosched.stacks.light import advisable, available
from gosched.stats import RuntimeStats, collect
from gosched.system.asking import lag
from gosched.system.cpus import default_gomaxprocs, num_cpu
from gosched.system.errands import Errands
from gosched.system.handlers import HANDLERS
from gosched.system.threads import ThreadHost, in_forked_child, outsiders
from gosched.trace.record import LiveRecorder, Recorder, recorder_for

__all__ = [
    "Runtime",
    "ayield_now",
    "blocking",
    "current",
    "go",
    "gomaxprocs",
    "lock_os_thread",
    "num_cpu",
    "num_goroutine",
    "run",
    "stack",
    "stats",
    "unlock_os_thread",
    "yield_now",
]

T = TypeVar("T")
P = ParamSpec("P")
Body = Callable[..., Any] | Coroutine[Any, Any, Any]

# A signal that arrives just before the main thread goes to sleep in a lock is handled when it wakes: let that be soon, whatever happens.
GLANCE = 0.5

# How long a goroutine has to notice that the program is over before it is told in the middle of its code.
SLICE = 0.01

_open: weakref.WeakSet[Runtime] = weakref.WeakSet()


class VIEW:
    """Whether a runtime that is not told has a live page: `gosched run --view` says so."""

    wanted = False


def open_view(rt: Runtime, recorder: Recorder | None) -> Any:
    """The page stands above us, and is imported only if it is wanted: it brings a web server along."""
    return import_module("gosched.web").open_view(rt, recorder)


class Runtime(Program):
    """A runtime that stays: `rt.run` may be called several times, and other threads may start goroutines on it.

    >>> import gosched
    >>> async def double(x):
    ...     return 2 * x
    >>> with gosched.Runtime() as rt:
    ...     print(rt.run(double, 21), rt.submit(double, 4).result())
    42 8
    """

    def __init__(
        self,
        *,
        gomaxprocs: int | None = None,
        trace: str | os.PathLike[str] | Recorder | None = None,
        on_uncaught: OnUncaught | None = None,
        deadlock: bool = True,
        stacks: str | None = None,
        view: bool | None = None,
        grace: float = 1.0,
        seed: int | None = None,
        max_threads: int = MAX_THREADS,
        policy: Policy | None = None,
    ) -> None:
        super().__init__(on_uncaught)
        rules = checked_policy(policy)
        recorder = recorder_for(trace)
        light = light_stacks(stacks)
        if on_uncaught is not None and not callable(on_uncaught):
            raise TypeError(f"on_uncaught must be a function of (goroutine, exception), not {type(on_uncaught).__name__}")
        if not isinstance(grace, int | float) or grace < 0:
            raise ValueError(f"grace must be seconds, 0 or more, not {grace!r}")
        if not isinstance(max_threads, int) or max_threads < 1:
            raise ValueError(f"max_threads must be a positive int, not {max_threads!r}")
        n = default_gomaxprocs() if gomaxprocs is None else checked_procs(gomaxprocs)
        self._detect = deadlock
        self._grace = float(grace)
        self._pid = os.getpid()
        self._bell = Bell()
        self._errands = Errands(self.changed)
        self._closed = False
        self._why = "end"
        self._host = ThreadHost(self, light=light)
        seed = time.monotonic_ns() & 0xFFFFFFFF if seed is None else seed
        self.sched = self._host.drive(Scheduler(self._host, n, seed, rules.ring, max_threads))
        rules.bend(self.sched)
        self._host.asyncgen_hooks = (None, AsyncgenFinisher(self.sched))
        rules.watch(self.sched, round(lag() * 1e9), self._host.ticks.period)
        viewed = view or (view is None and VIEW.wanted)
        self._recorder = recorder = LiveRecorder() if viewed and recorder is None else recorder
        self._view = open_view(self, recorder) if viewed else None
        if recorder is not None:
            try:
                recorder.open(self.sched)
            except BaseException:
                if self._view is not None:
                    self._view.close()
                raise
        _open.add(self)

    @staticmethod
    def current() -> Runtime:
        """The runtime of the goroutine that asks."""
        m = current_m()
        program = None if m is None else getattr(m.sched.host, "events", None)
        if not isinstance(program, Runtime):
            raise no_runtime("Runtime.current()", "run(main)")
        return program

    # ---- starting ----

    def run(self, main: Body, /, *args: Any) -> Any:
        """Runs main as a goroutine and returns its result. The others live on until the block ends."""
        try:
            with answering(self._living):
                return self._run(main, args, ends=False)
        except BaseException as error:
            begin_outside(error, __file__)
            raise

    def _run(self, main: Body, args: tuple[Any, ...], ends: bool) -> Any:
        if current_m() is not None:
            raise RuntimeError("run() inside a goroutine: use go(fn), or await the coroutine")
        self._check_open("run")
        self._raise_error()
        watcher = Main(self, ends)
        self.asleep = False
        with self._errands:
            spawn_outside(self.sched, main, args, None, watcher, False)
            try:
                self._wait_for(watcher)
            except BaseException as interrupt:  # Ctrl-C, or whatever another signal handler raised, out of the wait
                self.fatal(interrupt)
                self.close()
                raise
        self._raise_error()
        if watcher.error is not None:
            raise watcher.error
        return watcher.value

    def go(self, fn: Body, /, *args: Any, name: str | None = None) -> Goroutine:
        """Starts a goroutine on this runtime, from any thread."""
        return self._start(fn, args, name, None)

    def submit(self, fn: Body, /, *args: Any) -> Future[Any]:
        """Starts a goroutine and gives its outcome as a future, from any thread."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        self._start(fn, args, None, Outcome(future))
        return future

    def _start(self, fn: Body, args: tuple[Any, ...], name: str | None, watcher: Watcher | None) -> Goroutine:
        self._check_open("go")
        m = current_m()
        if m is not None and m.sched is self.sched:
            return spawn(m, fn, args, name, watcher)
        return spawn_outside(self.sched, fn, args, name, watcher, False)

    # ---- waiting ----

    def changed(self) -> None:
        self._bell.ring()

    def _wait_for(self, main: Main) -> None:
        """Until main is done or the program fails."""
        suspicion = 0.0
        while not main.done and self.error is None:
            self._errands.serve()
            if main.left and self.sched.live_count() == 0:
                self._deadlocked()
            elif self._detect and self._looks_dead() and not main.done:  # asked last: main may have ended since
                if self._beyond_help() and not main.done:
                    self._deadlocked()
                    break
                suspicion = min(1.0, suspicion * 2 or 0.001)  # mostly the last one has not quite fallen asleep
            else:
                suspicion = 0.0
            self._bell.listen(suspicion or GLANCE)

    def _looks_dead(self) -> bool:
        """All were asleep when that was last said, and are still."""
        if not self.asleep:
            return False
        self.asleep = False  # race: one is awake, and all fall asleep again after the next line: that is said again, and must not be taken back
        if not still_dead(self.sched):
            return False
        self.asleep = True
        return True

    def _deadlocked(self) -> None:
        self._why = "deadlock"
        if self._recorder is not None:
            self._recorder.alarm(self._why)
        self.fatal(deadlock(self.sched))

    def stuck(self, seconds: float) -> None:
        if self._recorder is not None:
            self._recorder.stalled(seconds)

    def _beyond_help(self) -> bool:
        """No thread outside can wake one of our goroutines, no signal, and none of another runtime can, through a channel that joins them.

        Who has just woken one may be gone or asleep again: so threads are asked first, all runtimes after that, and no goroutine had a turn
        since."""
        turns = self._turns()
        runtimes = (self, *list(_open))
        busy = outsiders() or HANDLERS.watched() or any(rt._host.helpers.pending for rt in runtimes)
        return not busy and all(fast_asleep(rt.sched) for rt in runtimes) and turns == self._turns()

    def _turns(self) -> list[int]:
        return [p.usertick for rt in (self, *list(_open)) for p in rt.sched.allp]

    def _wait_until(self, reached: Callable[[], bool]) -> None:
        """Until then, or until nothing has ended for as long as the grace: neither a goroutine nor a thread."""
        left: tuple[int, int] | None = None
        deadline = 0.0
        now = time.monotonic()
        while not reached():
            if left != (left := (self.sched.live_count(), self.sched.threads)):
                deadline = now + self._grace
            if now >= deadline:
                return
            if not self._bell.listen(min(deadline - now, SLICE)):
                self._host.end_hogs()
            before, now = now, time.monotonic()
            deadline += max(0.0, now - before - 2 * SLICE)  # race: if we wake late the others may have stood as well: that time is not theirs

    def _raise_error(self) -> None:
        error, self.error = self.error, None
        if error is not None:
            self.close()
            raise error

    # ---- the end ----

    def close(self) -> None:
        """Ends every goroutine with Goexit and the threads with them; waits no longer than the grace."""
        m = current_m()
        if m is not None and m.sched is self.sched:
            raise RuntimeError("close: a goroutine cannot close the runtime it runs on; return from main instead")
        if self._closed:
            return
        self._closed = True
        _open.discard(self)
        if in_forked_child(self._pid):
            return
        self._errands.shut()
        HANDLERS.drop_owner(self)  # first: Ctrl-C is Ctrl-C again, for who does not want to wait for the rest
        begin_ending(self.sched)
        try:
            self._wait_until(lambda: self.sched.live_count() == 0)
        finally:
            begin_exit(self.sched)
        self._wait_until(lambda: self.sched.threads == 0 and not self._host.watching)
        self._host.close()
        if self._recorder is not None:
            self._recorder.close(self._why)
        if self._view is not None:
            self._view.close()
        threads, goroutines = self.sched.threads, len(left_behind(self.sched))
        if threads or goroutines:
            warnings.warn(
                f"gosched: after {self._grace:g} s in which nothing ended, abandoned {threads} thread{'s' * (threads != 1)} "
                f"in foreign calls or endless code, with {goroutines} goroutine{'s' * (goroutines != 1)}",
                AbandonedThreadWarning,
                stacklevel=3,
            )

    def __enter__(self) -> Runtime:
        self._check_open("with")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()
        if error is None:
            self._raise_error()

    def _check_open(self, what: str) -> None:
        if in_forked_child(self._pid):
            raise RuntimeError(f"{what}: this runtime belongs to the parent process; start a new one with run()")
        if self._closed:
            raise RuntimeError(f"{what}: this runtime is closed; start a new one")

    def _living(self) -> list[Scheduler]:
        """Of whose goroutines a dump tells: this runtime is one of them also while it closes."""
        return [rt.sched for rt in dict.fromkeys((self, *_open)) if not in_forked_child(rt._pid)]

    def stats(self) -> RuntimeStats:
        """A snapshot of its scheduler, from any thread."""
        return collect(self.sched)


def light_stacks(stacks: str | None) -> bool:
    """Whether stacks are set aside: as asked for, by the argument or by GOSCHED_STACKS of the environment; else where that is safe."""
    where = "stacks"
    if stacks is None:
        where, stacks = "GOSCHED_STACKS", os.environ.get("GOSCHED_STACKS") or None
    if stacks not in (None, "greenlet", "thread"):
        raise ValueError(f"{where} must be 'greenlet' or 'thread', or left out, not {stacks!r}")
    if stacks == "greenlet" and not available():
        raise RuntimeError(f"{where}='greenlet' needs greenlet: pip install greenlet, or leave it out")
    return advisable() if stacks is None else stacks == "greenlet"


class Options(TypedDict, total=False):
    """What run() passes on to its Runtime."""

    gomaxprocs: int | None
    trace: str | os.PathLike[str] | Recorder | None
    on_uncaught: OnUncaught | None
    deadlock: bool
    stacks: str | None
    view: bool
    grace: float
    policy: Policy | None


class Outcome(Watcher):
    """A goroutine's outcome as a future."""

    def __init__(self, future: Future[Any]) -> None:
        self.future = future

    def goroutine_done(self, g: Goroutine, outcome: int, value: Any) -> None:
        if outcome == RETURNED:
            self.future.set_result(value)
        elif isinstance(value, Goexit):
            self.future.set_exception(GoschedError(f"goroutine {g.id} ({g.name}) was ended before it returned"))
        else:
            self.future.set_exception(value)


@overload
def run(main: Callable[..., Coroutine[Any, Any, T]], /, *args: Any, **options: Unpack[Options]) -> T: ...
@overload
def run(main: Coroutine[Any, Any, T], /, **options: Unpack[Options]) -> T: ...
@overload
def run(main: Callable[..., T], /, *args: Any, **options: Unpack[Options]) -> T: ...
def run(main: Body, /, *args: Any, **options: Unpack[Options]) -> Any:
    """Starts a runtime, runs main as goroutine 1 and returns its result.

    When main returns the program is over: the other goroutines are ended with Goexit, so their `finally` blocks run, and the threads stop. Threads
    still inside foreign calls after `grace` seconds in which nothing ended are abandoned with a warning.

    gomaxprocs    the number of Ps; by default GOMAXPROCS of the environment, else 1 with a GIL, else the CPUs
    on_uncaught   called with (goroutine, exception) instead of ending the program when an exception leaves a goroutine
    deadlock      False: do not look for deadlocks
    trace         the name of a file that what happens is written to, or a gosched.trace.FlightRecorder; by default GOSCHED_TRACE of the environment
    stacks        what a goroutine that waits by the plain spelling keeps: "greenlet", its stack, or "thread", its thread; by default
                  GOSCHED_STACKS of the environment, else greenlet where that is safe (docs/stacks.md)
    view          True: serve a page that shows live what all this does, and print its address (docs/view.md)
    policy        other rules than Go's for the scheduler: a gosched.Policy (docs/policies.md)

    >>> import gosched
    >>> async def main(name):
    ...     return f"hello {name}"
    >>> gosched.run(main, "gopher")
    'hello gopher'
    """
    try:
        rt = Runtime(**options)
        with answering(rt._living), rt:
            return rt._run(main, args, ends=True)
    except BaseException as error:
        begin_outside(error, __file__)
        raise


def yield_now() -> None:
    """Lets others run: this goroutine goes to the tail of the global queue, as Go's Gosched. A thread that is no goroutine lets other threads run.

    >>> import gosched
    >>> gosched.run(gosched.yield_now)
    """
    if not yield_caller():
        time.sleep(0)


@returns_op
def ayield_now() -> Any:
    """`yield_now`, awaited.

    >>> import gosched
    >>> async def main():
    ...     await gosched.ayield_now()
    >>> gosched.run(main)
    """
    return YIELD_NOW


def current() -> Goroutine:
    """The goroutine that asks.

    >>> import gosched
    >>> gosched.run(gosched.current).id
    1
    """
    g = current_goroutine()
    if g is None:
        raise no_runtime("current()", "run(main)")
    return g


def num_goroutine() -> int:
    """How many goroutines there are.

    >>> import gosched
    >>> gosched.run(gosched.num_goroutine)
    1
    """
    m = current_m()
    if m is None:
        raise no_runtime("num_goroutine()", "run(main)")
    return int(m.sched.live_count())


def gomaxprocs(n: int | None = None) -> int:
    """The number of Ps before the call; with n, sets it while the program runs.

    >>> import gosched
    >>> async def main():
    ...     return gosched.gomaxprocs(2), gosched.gomaxprocs()
    >>> gosched.run(main, gomaxprocs=1)
    (1, 2)
    """
    m = current_m()
    if m is None:
        if n is None:
            return default_gomaxprocs()
        raise no_runtime("gomaxprocs(n)", "run(main), or give run(main, gomaxprocs=n)")
    return int(m.sched.nproc if n is None else resize(m.sched, checked_procs(n)))


def checked_procs(n: int) -> int:
    if not isinstance(n, int) or isinstance(n, bool):
        raise TypeError(f"gomaxprocs must be an int, not {type(n).__name__}")
    if not 1 <= n <= 1024:
        raise ValueError(f"gomaxprocs must be between 1 and 1024, not {n}; gomaxprocs() without a number reads it")
    return n


def stats() -> RuntimeStats:
    """A snapshot of the scheduler that the calling goroutine runs on.

    >>> import gosched
    >>> gosched.run(gosched.stats).by_state
    {'running': 1}
    """
    m = current_m()
    if m is None:
        raise no_runtime("stats()", "run(main), or call rt.stats()")
    return collect(m.sched)


def stack(all: bool = True) -> str:  # noqa: A002 - Go's word for it
    """A goroutine dump in Go's layout: what each does or waits for, since when, where it is, and where it was started. The caller comes first.

    From a thread that is no goroutine: the dump of every runtime that is open. `all=False`: of the calling goroutine alone.

    >>> import gosched
    >>> async def main():
    ...     reader = gosched.go(gosched.Chan().arecv, name="reader")
    ...     while reader.state != "waiting":
    ...         await gosched.ayield_now()
    ...     return [line for line in gosched.stack().split("\\n") if line.startswith("goroutine")]
    >>> gosched.run(main, gomaxprocs=1)
    ['goroutine 1 [running]:', 'goroutine 2 [chan receive] {name: "reader"}:']
    """
    m = current_m()
    if m is not None:
        return dump(m.sched, current_goroutine(), only=not all)
    runtimes = list(_open)
    if not all or not runtimes:
        raise no_runtime("stack()" if all else "stack(all=False)", "run(main)" if not all else "run(main), or from a thread while one is open")
    return dump_all([rt.sched for rt in runtimes])


def schedulers() -> list[Scheduler]:
    """Of all open runtimes, and the caller's own, whatever plays its threads."""
    m = current_m()
    mine = [] if m is None else [m.sched]
    return mine + [rt.sched for rt in list(_open) if rt.sched not in mine]


def _close_all() -> None:
    for rt in list(_open):
        rt.close()


def _forget_parent() -> None:
    """In a forked child only the forking thread lives. It is no M any more, and the parent's runtimes are not its own."""
    set_current_m(None)
    for rt in list(_open):
        cut_off(rt.sched)
    _open.clear()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_forget_parent)


def blocking(fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls fn, which may block, so that other goroutines go on meanwhile. Outside of a goroutine it is just called. A call that is not marked is
    noticed, too, a few milliseconds later.

    >>> import gosched, time
    >>> async def main():
    ...     gosched.go(print, "meanwhile")
    ...     gosched.blocking(time.sleep, 0.01)
    ...     print("afterwards")
    >>> gosched.run(main, gomaxprocs=1)
    meanwhile
    afterwards
    """
    if not callable(fn):
        raise TypeError(f"blocking(): fn must be callable, not {type(fn).__name__}; pass the function, not what it returns")
    return call_blocking(fn, args, kwargs)  # type: ignore[no-any-return]


def lock_os_thread() -> None:
    """From now on this goroutine runs on the thread that it is on, and nothing else runs there. It nests. If the goroutine ends without as many
    unlocks, the thread ends with it.

    >>> import gosched, threading
    >>> async def main():
    ...     gosched.lock_os_thread()
    ...     before = threading.get_ident()
    ...     await gosched.asleep(0.001)
    ...     return threading.get_ident() == before
    >>> gosched.run(main)
    True
    """
    m = current_m()
    g = current_goroutine()
    if m is None or g is None:
        raise no_runtime("lock_os_thread()", "a goroutine: run(main), go(fn)")
    lock_to(m, g)


def unlock_os_thread() -> None:
    """Undoes one lock_os_thread(). One too many does nothing, as in Go.

    >>> import gosched
    >>> gosched.run(gosched.unlock_os_thread)
    """
    m = current_m()
    g = current_goroutine()
    if m is None or g is None:
        raise no_runtime("unlock_os_thread()", "a goroutine: run(main), go(fn)")
    unlock_from(m, g)
