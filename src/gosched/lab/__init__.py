"""Schedulers under glass. All of them run the scheduler's own code.

virtual      virtual time for tests, in which the clock stands still while anybody can go on
explorer     interleavings, one shared word at a time; explored, purecore: what it explores
clockwork    virtual time in which work takes its time: the laboratory; costs: what the scheduler itself takes
work         what goroutines do there: cpu, syscall, call, io
experiment   a workload, measured; sweep: many, over processes; report: as tables and plots
scenarios    small programs that teach; explain: events in sentences; script, kinds: what its page can play
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .costs import Costs as Costs
    from .experiment import Result as Result
    from .experiment import measure as measure
    from .work import call as call
    from .work import cpu as cpu
    from .work import io as io
    from .work import syscall as syscall

HOMES = {"Costs": "costs", "Result": "experiment", "measure": "experiment", "call": "work", "cpu": "work", "io": "work", "syscall": "work"}


def __getattr__(name: str) -> Any:
    """What workloads use is imported when it is first asked for: tests want virtual time alone."""
    if name in HOMES:
        return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
