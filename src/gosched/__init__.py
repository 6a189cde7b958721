"""gosched: Go's scheduler for Python.

Where things are, from the top down (a module imports only from rows below its own; tests/test_layers.py holds it to that):

    testing, cli          what users run:           virtual time, exploration, leaks, the pytest plugin; the command line
    web                   pages:                    live, a recorded trace, the laboratory
    lab                   schedulers under glass:   virtual time, the laboratory, the interleaving explorer
    net                   what users call:          listen, dial, Conn; TCP, Unix sockets, TLS
    deadlocks             "                         find_deadlocks, the wait-for graph
    signals               "                         notify, stop_notify, notify_context
    runtime               "                         Runtime, run, go, gomaxprocs, stats
    group                 "                         Group, Task
    context               "                         Context, with_cancel, with_timeout, …
    once, pool, sync      "                         Once, Pool; Mutex, RWMutex, Cond, WaitGroup, Semaphore, Event
    timing, selecting     "                         sleep, after, Timer, Ticker; select
    channels              "                         Chan, nil
    spelling              one operation, two spellings: plain and awaited
    quitting              SIGQUIT; the answers to `gosched dump PID` and `gosched top PID`
    program               a program's life and end on any host
    trace                 what happened:            recorders, files, replay, summary, Perfetto
    figures               what `gosched top` is told
    dump, stats           what all goroutines do, as text and as figures
    system                the edge:                 threads, poller, signal handlers, CPUs and cgroups
    policy                the scheduler's rules, to be bent
    core                  the scheduler:            G, M, P, queues, finding work, waking, parking   (compiled)
    errors                the exceptions and their messages
"""

from importlib import import_module as _import_module
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING

from gosched._pure import choose as _choose

__build__: str = _choose()
"""Which core runs: "compiled", or "pure" with the reason."""

from gosched.channels import Chan as Chan
from gosched.channels import RecvChan as RecvChan
from gosched.channels import SendChan as SendChan
from gosched.channels import nil as nil
from gosched.context import Context as Context
from gosched.context import background as background
from gosched.context import with_cancel as with_cancel
from gosched.context import with_deadline as with_deadline
from gosched.context import with_timeout as with_timeout
from gosched.context import with_value as with_value
from gosched.context import without_cancel as without_cancel
from gosched.core.g import Goroutine as Goroutine
from gosched.core.spawn import go as go
from gosched.deadlocks import Deadlock as Deadlock
from gosched.deadlocks import find_deadlocks as find_deadlocks
from gosched.errors import AbandonedThreadWarning as AbandonedThreadWarning
from gosched.errors import Canceled as Canceled
from gosched.errors import ClosedChannelError as ClosedChannelError
from gosched.errors import DeadlineExceeded as DeadlineExceeded
from gosched.errors import DeadlockError as DeadlockError
from gosched.errors import EndOfChannel as EndOfChannel
from gosched.errors import Goexit as Goexit
from gosched.errors import GoschedError as GoschedError
from gosched.errors import SyncError as SyncError
from gosched.errors import ThreadLimitError as ThreadLimitError
from gosched.group import Group as Group
from gosched.group import Task as Task
from gosched.once import Once as Once
from gosched.once import once_value as once_value
from gosched.policy import Policy as Policy
from gosched.pool import Pool as Pool
from gosched.runtime import Runtime as Runtime
from gosched.runtime import ayield_now as ayield_now
from gosched.runtime import blocking as blocking
from gosched.runtime import current as current
from gosched.runtime import gomaxprocs as gomaxprocs
from gosched.runtime import lock_os_thread as lock_os_thread
from gosched.runtime import num_cpu as num_cpu
from gosched.runtime import num_goroutine as num_goroutine
from gosched.runtime import run as run
from gosched.runtime import stack as stack
from gosched.runtime import stats as stats
from gosched.runtime import unlock_os_thread as unlock_os_thread
from gosched.runtime import yield_now as yield_now
from gosched.selecting import aselect as aselect
from gosched.selecting import default as default
from gosched.selecting import select as select
from gosched.signals import notify as notify
from gosched.signals import notify_context as notify_context
from gosched.signals import stop_notify as stop_notify
from gosched.stats import MStats as MStats
from gosched.stats import PStats as PStats
from gosched.stats import RuntimeStats as RuntimeStats
from gosched.sync import Cond as Cond
from gosched.sync import Event as Event
from gosched.sync import Mutex as Mutex
from gosched.sync import RWMutex as RWMutex
from gosched.sync import Semaphore as Semaphore
from gosched.sync import WaitGroup as WaitGroup
from gosched.timing import Ticker as Ticker
from gosched.timing import Timer as Timer
from gosched.timing import after as after
from gosched.timing import after_func as after_func
from gosched.timing import asleep as asleep
from gosched.timing import now as now
from gosched.timing import sleep as sleep

__version__ = "0.1.0"

if _TYPE_CHECKING:
    from gosched import net as net
    from gosched import trace as trace


def __getattr__(name: str) -> _ModuleType:
    """gosched.net is imported when it is first used: it brings `ssl` along. So is gosched.trace."""
    if name in ("net", "trace"):
        return _import_module(f"gosched.{name}")
    raise AttributeError(f"module 'gosched' has no attribute {name!r}")
