"""gosched: Go's scheduler for Python.

Where things are, from the top down (a module imports only from rows below its own; tests/test_layers.py holds it to that):

    testing, cli          what users run:           virtual time and exploration in tests; the command line
    runtime               what users call:          Runtime, run, go, gomaxprocs, stats
    once, pool, sync      "                         Once, Pool; Mutex, RWMutex, Cond, WaitGroup, Semaphore, Event
    timing, selecting     "                         sleep, after, Timer, Ticker; select
    channels              "                         Chan, nil
    spelling              one operation, two spellings: plain and awaited
    lab                   virtual time, the interleaving explorer
    program, stats        a program's life and end on any host; figures
    system                the edge:                 threads, poller, CPUs and cgroups
    core                  the scheduler:            G, M, P, queues, finding work, waking, parking   (compiled)
    errors                the exceptions and their messages
"""

from gosched._pure import choose as _choose

__build__: str = _choose()
"""Which core runs: "compiled", or "pure" with the reason."""

from gosched.channels import Chan as Chan
from gosched.channels import RecvChan as RecvChan
from gosched.channels import SendChan as SendChan
from gosched.channels import nil as nil
from gosched.core.g import Goroutine as Goroutine
from gosched.core.spawn import go as go
from gosched.errors import AbandonedThreadWarning as AbandonedThreadWarning
from gosched.errors import ClosedChannelError as ClosedChannelError
from gosched.errors import DeadlineExceeded as DeadlineExceeded
from gosched.errors import DeadlockError as DeadlockError
from gosched.errors import EndOfChannel as EndOfChannel
from gosched.errors import Goexit as Goexit
from gosched.errors import GoschedError as GoschedError
from gosched.errors import SyncError as SyncError
from gosched.errors import ThreadLimitError as ThreadLimitError
from gosched.once import Once as Once
from gosched.once import once_value as once_value
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
from gosched.runtime import stats as stats
from gosched.runtime import unlock_os_thread as unlock_os_thread
from gosched.runtime import yield_now as yield_now
from gosched.selecting import aselect as aselect
from gosched.selecting import default as default
from gosched.selecting import select as select
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
