"""What `gosched top` is told: stats() of every open runtime as JSON, and what a reader wants to know beside it.

    functions    what the goroutines run, the most frequent first
    running      the goroutines on threads, and for how long they have not entered the runtime
    longest      who has waited longest, of those that have one name and wait for one thing

Rates are for the reader to make, of two answers: the program keeps no history, and pays nothing when nobody asks. A runtime's `id` is the same in
both. What this costs the program is in docs/top.md.
"""

from __future__ import annotations

import dataclasses
import heapq
import json
import os
import platform
import sys
from collections import Counter
from operator import itemgetter
from typing import Any

from gosched.core.frames import roll_call
from gosched.core.g import Goroutine
from gosched.core.native import now
from gosched.core.sched import REALM, Scheduler
from gosched.core.snapshot import in_turn_for
from gosched.dump import function_name
from gosched.stats import collect
from gosched.system.cpus import gil_enabled, num_cpu

# Changes when a reader of the old one would misread the new one.
FORMAT = 1
# So many of a list are told, and so many characters of a name.
TOLD = 20
NAME = 120
# Goroutines that are looked at in one go. On a free-threaded build the world stands still for it, with a GIL nobody else gets that meanwhile.
AT_ONCE = 1_000


def figures_all(scheds: list[Scheduler]) -> str:
    return json.dumps(figures(scheds))


def figures(scheds: list[Scheduler]) -> dict[str, Any]:
    import gosched

    return {
        "format": FORMAT,
        "pid": os.getpid(),
        "argv": sys.orig_argv,
        "python": platform.python_version(),
        "gil": gil_enabled(),
        "cpus": num_cpu(),
        "gosched": gosched.__version__,
        "build": gosched.__build__,
        "runtimes": [of_runtime(sched) for sched in scheds],
    }


class Groups:
    """The goroutines of one runtime, by name and state: how many, and who has waited longest. Those on threads one by one."""

    def __init__(self, holders: dict[int, int]) -> None:
        self.holders = holders
        self.groups: dict[tuple[str, str], list[Any]] = {}
        self.held: list[tuple[int, int, str, str]] = []

    def add(self, sched: Scheduler, goroutines: list[Goroutine]) -> None:
        groups = self.groups
        for goid, given, body, state, waits in roll_call(sched, goroutines):
            name = given if given is not None else function_name(body)
            group = groups.get((name, state))
            if group is None:
                group = groups[name, state] = [0, waits, goid]
            group[0] += 1
            if waits > group[1]:
                group[1:] = waits, goid
            if goid in self.holders and state in ("running", "syscall"):
                self.held.append((self.holders[goid], goid, name, state))

    def functions(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for (name, _), (n, _, _) in self.groups.items():
            found[shortened(name)] += n
        return found

    def longest(self) -> list[dict[str, Any]]:
        waiting = [(name, reason, *figures) for (name, reason), figures in self.groups.items() if figures[1] >= 0]
        found = heapq.nlargest(TOLD, waiting, key=itemgetter(3))
        return [{"id": goid, "name": shortened(name), "reason": reason, "seconds": waits, "count": n} for name, reason, n, waits, goid in found]

    def running(self, spans: dict[int, int]) -> list[dict[str, Any]]:
        """In the order of their threads. `seconds` is None where there is no telling."""
        found = []
        for m, goid, name, state in sorted(self.held):
            span = spans.get(m, -1)
            found.append({"id": goid, "name": shortened(name), "state": state, "m": m, "seconds": None if span < 0 else span / 1e9})
        return found


def of_runtime(sched: Scheduler) -> dict[str, Any]:
    clock = now()
    goroutines = sched.goroutines()
    stats = collect(sched, goroutines)
    spans = {m.id: in_turn_for(m, sched.host.now()) for m in list(sched.allm)}
    groups = Groups({m.goroutine: m.id for m in stats.ms if m.goroutine is not None})
    for i in range(0, len(goroutines), AT_ONCE):
        groups.add(sched, goroutines[i : i + AT_ONCE])
    functions = groups.functions()
    return {
        "id": sched.realm // REALM,
        "clock": clock / 1e9,
        "stats": dataclasses.asdict(stats),
        "functions": functions.most_common(TOLD),
        "more_functions": max(0, len(functions) - TOLD),
        "running": groups.running(spans),
        "longest": groups.longest(),
    }


def shortened(name: object) -> str:
    return str(name)[:NAME]
