"""What `gosched top` shows: an answer of the program, and what two answers tell together.

An answer (figures.py) has counters; their rates per second, how the queues went up and down, and since when a goroutine is in one turn, are made
here, of answer after answer. Names come from another process: what could move the cursor is taken out of them before anything is shown.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from gosched.system.asker import NoAnswer, fetch

FORMAT = 1
# Answers that the sparkline remembers.
REMEMBERED = 240
# Hints: a turn that long, so many goroutines that can run for each P, so many threads for each P.
LONG_TURN = 1.0
CROWD = 100
MANY_THREADS = 50

# Counters of a P and of a runtime that are shown as rates.
P_COUNTERS = ("schedtick", "usertick", "steals", "handoffs", "retakes")
COUNTERS = ("preemptions", "blocking_calls", "plain_parks")


@dataclass
class PRow:
    """One P. The rates are per second, None in the first answer."""

    id: int
    status: str
    queue: int
    runnext: bool
    timers: int
    goroutine: str
    ticks: float | None = None
    steals: float | None = None
    handoffs: float | None = None


@dataclass
class RuntimeView:
    """One runtime, ready to be shown."""

    id: int
    stats: dict[str, Any]
    ps: list[PRow]
    ms: dict[str, int]
    functions: list[tuple[str, int]]
    more_functions: int
    running: list[dict[str, Any]]
    longest: list[dict[str, Any]]
    rates: dict[str, float] = field(default_factory=dict)
    queued: list[int] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)


@dataclass
class View:
    """A program, ready to be shown."""

    pid: int
    command: str
    python: str
    build: str
    uptime: float | None
    runtimes: list[RuntimeView]


def ask(pid: int) -> dict[str, Any]:
    """One answer, in words if there is none."""
    try:
        answer: dict[str, Any] = json.loads(fetch(pid, "stats"), object_pairs_hook=cleaned)
    except ValueError:
        raise NoAnswer(f"process {pid} sent no figures: it may run another gosched") from None
    if answer.get("format") != FORMAT:
        raise NoAnswer(f"process {pid} runs another gosched, {answer.get('gosched')}: ask with that one's command")
    return answer


def cleaned(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {printable(key): clean(value) for key, value in pairs}


def clean(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    return [clean(item) for item in value] if isinstance(value, list) else value


def printable(text: str) -> str:
    """Without what a terminal would obey."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


class History:
    """Turns answers into views. One per program that is looked at."""

    def __init__(self) -> None:
        self.before: dict[int, dict[str, Any]] = {}
        self.queued: dict[int, deque[int]] = {}
        # By runtime, thread and goroutine: the turn in which it was seen, and the time of the first answer that did.
        self.turns: dict[tuple[int, int, int], tuple[int, float]] = {}

    def add(self, answer: dict[str, Any], uptime: float | None = None) -> View:
        runtimes = [self._runtime(found) for found in answer["runtimes"]]
        self.before = {found["id"]: found for found in answer["runtimes"]}
        for view in runtimes:
            view.hints = list(hints(view, answer))
        lock = "with the GIL" if answer["gil"] else "free-threaded"
        return View(
            answer["pid"],
            " ".join(answer["argv"]),
            f"Python {answer['python']} {lock}",
            f"gosched {answer['gosched']} {answer['build']}",
            uptime,
            runtimes,
        )

    def _runtime(self, found: dict[str, Any]) -> RuntimeView:
        stats = found["stats"]
        before = self.before.get(found["id"])
        self._keep_turns(found)
        names = {g["id"]: g["name"] for g in found["running"]}
        on_p = {m["p"]: m["goroutine"] for m in stats["ms"] if m["p"] is not None and m["goroutine"] is not None}
        rows = [PRow(p["id"], p["status"], p["queue"], p["runnext"], p["timers"], named(on_p.get(p["id"]), names)) for p in stats["ps"]]
        states: dict[str, int] = {}
        for m in stats["ms"]:
            states[m["state"]] = states.get(m["state"], 0) + 1
        queued = self.queued.setdefault(found["id"], deque(maxlen=REMEMBERED))
        queued.append(stats["global_queue"] + sum(p["queue"] + p["runnext"] for p in stats["ps"]))
        functions = [(name, n) for name, n in found["functions"]]
        view = RuntimeView(
            found["id"], stats, rows, states, functions, found["more_functions"], found["running"], found["longest"], queued=list(queued)
        )
        if before is not None and found["clock"] > before["clock"]:
            add_rates(view, before["stats"], found["clock"] - before["clock"])
        return view

    def _keep_turns(self, found: dict[str, Any]) -> None:
        """A goroutine that is in the same turn as in the answer before has been there for as long as we have watched: sysmon does not keep that
        of one that nobody waits for."""
        ticks = {p["id"]: p["usertick"] for p in found["stats"]["ps"]}
        places = {m["id"]: ticks.get(m["p"], -1) for m in found["stats"]["ms"]}
        seen = {}
        for g in found["running"]:
            key = (found["id"], g["m"], g["id"])
            place = places.get(g["m"], -1)
            if place < 0:  # without a P nobody counts its turns
                continue
            tick, since = self.turns.get(key, (-1, 0.0))
            if tick != place:
                tick, since = place, found["clock"] - (g["seconds"] or 0.0)
            seen[key] = (tick, since)
            g["seconds"] = max(g["seconds"] or 0.0, found["clock"] - since)
        self.turns = {key: turn for key, turn in self.turns.items() if key[0] != found["id"]} | seen


def named(goid: int | None, names: dict[int, str]) -> str:
    return "" if goid is None else f"{goid} {names.get(goid, '')}".rstrip()


def add_rates(view: RuntimeView, before: dict[str, Any], seconds: float) -> None:
    ps = {p["id"]: p for p in before["ps"]}
    sums = dict.fromkeys(P_COUNTERS, 0.0)
    for row, p in zip(view.ps, view.stats["ps"], strict=True):
        old = ps.get(p["id"])
        if old is not None:
            rates = {name: max(0, p[name] - old[name]) / seconds for name in P_COUNTERS}
            row.ticks, row.steals, row.handoffs = rates["schedtick"], rates["steals"], rates["handoffs"]
            for name in P_COUNTERS:
                sums[name] += rates[name]
    view.rates = {name: max(0, view.stats[name] - before[name]) / seconds for name in COUNTERS}
    view.rates |= {"turns": sums["usertick"], "steals": sums["steals"], "handoffs": sums["handoffs"], "retakes": sums["retakes"]}


def hints(view: RuntimeView, answer: dict[str, Any]) -> Iterator[str]:
    """What a reader should not have to find by himself."""
    procs, stats = view.stats["gomaxprocs"], view.stats
    for g in view.running:
        if g["seconds"] is not None and g["seconds"] >= LONG_TURN:
            yield f"goroutine {g['id']} ({g['name']}) has not entered the runtime for {duration(g['seconds'])}"
    able = stats["by_state"].get("runnable", 0) + stats["by_state"].get("preempted", 0)
    if able > CROWD * procs:
        more = "" if answer["gil"] or procs >= answer["cpus"] else f"; there are {answer['cpus']} CPUs"
        yield f"{able:,} goroutines wait for a turn on {procs} P{'s' * (procs > 1)}{more}"
    if stats["threads"] > MANY_THREADS * procs:
        yield f"{stats['threads']:,} threads: goroutines block in calls, or wait by the plain spelling on threads of their own"


def duration(seconds: float) -> str:
    if seconds < 10:
        return f"{seconds:.1f} s"
    n = int(seconds)
    if n < 60:
        return f"{n} s"
    if n < 3600:
        return f"{n // 60} min {n % 60} s"
    if n < 86400:
        return f"{n // 3600} h {n % 3600 // 60} min"
    return f"{n // 86400} d {n % 86400 // 3600} h"


def uptime(pid: int) -> float | None:
    """For how long the process has lived, where /proc says so."""
    try:
        with open(f"/proc/{pid}/stat") as line, open("/proc/uptime") as machine:
            started = int(line.read().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
            return max(0.0, float(machine.read().split()[0]) - started)
    except (OSError, ValueError, IndexError):
        return None
