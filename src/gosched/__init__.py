"""gosched: Go's scheduler for Python.

Where things are, from the top down (a module imports only from rows below its own; tests/test_layers.py holds it to that):

    testing, cli          what users run:           virtual time and exploration in tests; the command line
    runtime, sync         what users call:          Runtime, run, go, gomaxprocs, stats; WaitGroup
    lab                   virtual time, the interleaving explorer
    program, stats        a program's life and end on any host; figures
    system                the edge:                 threads, poller, CPUs and cgroups
    core                  the scheduler:            G, M, P, queues, finding work, waking, parking   (compiled)
    errors                the exceptions and their messages
"""

from gosched._pure import choose as _choose

__build__: str = _choose()
"""Which core runs: "compiled", or "pure" with the reason."""

from gosched.core.g import Goroutine as Goroutine
from gosched.core.spawn import go as go
from gosched.errors import AbandonedThreadWarning as AbandonedThreadWarning
from gosched.errors import DeadlockError as DeadlockError
from gosched.errors import Goexit as Goexit
from gosched.errors import GoschedError as GoschedError
from gosched.errors import SyncError as SyncError
from gosched.errors import ThreadLimitError as ThreadLimitError
from gosched.runtime import Runtime as Runtime
from gosched.runtime import ayield_now as ayield_now
from gosched.runtime import current as current
from gosched.runtime import gomaxprocs as gomaxprocs
from gosched.runtime import num_cpu as num_cpu
from gosched.runtime import num_goroutine as num_goroutine
from gosched.runtime import run as run
from gosched.runtime import stats as stats
from gosched.stats import MStats as MStats
from gosched.stats import PStats as PStats
from gosched.stats import RuntimeStats as RuntimeStats
from gosched.sync import WaitGroup as WaitGroup

__version__ = "0.1.0"
