"""The public names: there, documented, and with examples that run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import pytest

import gosched

PUBLIC = sorted(n for n in vars(gosched) if not n.startswith("_") and not inspect.ismodule(getattr(gosched, n)))
EXPECTED = {
    *("AbandonedThreadWarning", "ClosedChannelError", "DeadlineExceeded", "DeadlockError", "EndOfChannel", "Goexit", "GoschedError"),
    *("Canceled", "SyncError", "ThreadLimitError"),
    *("Context", "Group", "Task", "background", "with_cancel", "with_deadline", "with_timeout", "with_value", "without_cancel"),
    *("Deadlock", "find_deadlocks"),
    *("Goroutine", "MStats", "PStats", "Policy", "Runtime", "RuntimeStats"),
    *("ayield_now", "blocking", "current", "go", "gomaxprocs", "lock_os_thread", "num_cpu", "num_goroutine", "run", "stats", "unlock_os_thread"),
    *("notify", "notify_context", "stack", "stop_notify", "yield_now"),
    *("Chan", "RecvChan", "SendChan", "aselect", "default", "nil", "select"),
    *("Cond", "Event", "Mutex", "Once", "Pool", "RWMutex", "Semaphore", "WaitGroup", "once_value"),
    *("Ticker", "Timer", "after", "after_func", "asleep", "now", "sleep"),
}


def test_names() -> None:
    assert sorted(EXPECTED) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_documented(name: str) -> None:
    assert (getattr(gosched, name).__doc__ or "").strip()


def modules() -> list[str]:
    return [m.name for m in pkgutil.walk_packages(gosched.__path__, "gosched.") if not m.name.endswith("__main__")]


@pytest.mark.parametrize("name", modules())
def test_examples(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if name.rpartition(".")[0] != "gosched.bench.runtimes":
            raise
        pytest.skip(f"{error.name} is not installed: a peer that only the benchmarks need")
    except RuntimeWarning as warning:
        if name != "gosched.bench.runtimes.gevent":
            raise
        pytest.skip(f"a peer that a free-threaded Python refuses to import quietly: {warning}")
    results = doctest.testmod(module)
    assert results.failed == 0


def test_examples_of_the_compiled_core_run() -> None:
    """doctest finds nothing in extension modules by itself."""
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    tried = 0
    for target in (gosched.go, gosched.WaitGroup, gosched.Goroutine, gosched.run, gosched.Runtime, gosched.RuntimeStats):
        for test in finder.find(target, target.__name__, globs={}):
            tried += runner.run(test).attempted
    assert runner.failures == 0
    assert tried >= 15


def test_build_says_which() -> None:
    assert gosched.__build__ == "compiled" or gosched.__build__.startswith("pure: ")
