"""GOSCHED_DEBUG=schedtrace=1000: a line about the scheduler every so often, as Go's GODEBUG prints it; with scheddetail=1 every P, M and G.

Whoever reads Go's lines, by eye or by a tool, can read these. What a field means here is in docs/top.md; what has no meaning here (gcwaiting,
mallocing, dying, …) has the value that it has in a Go program to which nothing happens.

Sysmon prints, on its own thread. It stops nothing: the header is read under the scheduler's lock, as anybody takes it, the rest while it changes. A
text is one write to descriptor 2, below `sys.stderr`, whose lock a goroutine may hold that is suspended.
"""

from __future__ import annotations

import contextlib
import os
from operator import attrgetter
from typing import TYPE_CHECKING

from gosched.core.snapshot import header_figures, locked_to, m_figures, p_figures, spare_goroutines

if TYPE_CHECKING:
    from gosched.core.g import Goroutine
    from gosched.core.m import M
    from gosched.core.sched import Scheduler

# Go's numbers.
G_STATUS = {"runnable": 1, "running": 2, "syscall": 3, "waiting": 4, "dead": 6, "preempted": 9}
# An M that sleeps at its note.
ASLEEP = {"parked", "locked"}


class Schedtrace:
    """One runtime's lines. Time counts from the first."""

    def __init__(self, detail: bool) -> None:
        self.detail = detail
        self.begun: int | None = None

    def print(self, s: Scheduler, now: int) -> None:
        with contextlib.suppress(OSError):  # nobody reads it any more
            write(2, self.text(s, now).encode())

    def text(self, s: Scheduler, now: int) -> str:
        if self.begun is None:
            self.begun = now
        ms = (now - self.begun) // 1_000_000
        return f"SCHED {ms}ms: {detailed(s) if self.detail else short(s)}"


def write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


def header(s: Scheduler) -> tuple[int, int, str]:
    """How many Ps, how many threads sleep locked, and the text. Sysmon is a thread that the scheduler does not count."""
    procs, idle, threads, spinning, wanted, parked, queue, locked = header_figures(s)
    text = f"gomaxprocs={procs} idleprocs={idle} threads={threads + 1} spinningthreads={spinning} needspinning={int(wanted)}"
    return procs, locked, f"{text} idlethreads={parked} runqueue={queue}"


def short(s: Scheduler) -> str:
    procs, _, head = header(s)
    figures = [p_figures(p) for p in s.allp[:procs]]
    queues = " ".join(str(figure[2]) for figure in figures)
    ticks = " ".join(str(figure[4]) for figure in figures)
    return f"{head} [ {queues} ] schedticks=[ {ticks} ]\n"


def detailed(s: Scheduler) -> str:
    procs, locked, head = header(s)
    ms = sorted(s.allm, key=attrgetter("id"))
    figures_by_m = {figure[0]: figure for figure in map(m_figures, ms)}
    goroutines = s.goroutines()
    homes = {g.id: m for g in goroutines if g.locks for m in ms if locked_to(g, m)}
    lines = [f"{head} gcwaiting=false nmidlelocked={locked} stopwait=0 sysmonwait=false"]
    drivers = {p: number for number, (_, _, p, _) in figures_by_m.items() if p is not None}
    runners = {goid: number for number, (_, state, _, goid) in figures_by_m.items() if goid is not None and state not in ASLEEP}
    lines += p_lines(s, procs, drivers)
    lockers: dict[int, int] = {}
    for goid, m in homes.items():
        lockers.setdefault(m.id, goid)
    lines += [m_line(m, figures_by_m[m.id][1:], drivers, runners, lockers.get(m.id)) for m in ms]
    blocked = s.blocked_goroutines()
    for g in goroutines:
        home = homes.get(g.id)
        lines.append(f"  G{g.id}: status={status(g, blocked)} m={or_nil(runners.get(g.id))} lockedm={or_nil(None if home is None else home.id)}")
    return "\n".join(lines) + "\n"


def status(g: Goroutine, blocked: set[int]) -> str:
    state = g.state_given(blocked)
    if state != "waiting":
        return f"{G_STATUS[state]}()"
    reason = g.wait_reason
    return f"{G_STATUS['runnable']}()" if reason is None else f"{G_STATUS[state]}({reason})"  # race: it was woken between the two looks


def p_lines(s: Scheduler, procs: int, drivers: dict[int, int]) -> list[str]:
    found = []
    for p in s.allp[:procs]:
        number, status, queue, _, schedtick, _, _, _, _, retakes, _, _, timers = p_figures(p)
        text = f"  P{number}: status={status} schedtick={schedtick} syscalltick={retakes} m={or_nil(drivers.get(number))}"
        found.append(f"{text} runqsize={queue} gfreecnt={spare_goroutines(p)} timerslen={timers}")
    return found


def m_line(m: M, figures: tuple[str, int | None, int | None], drivers: dict[int, int], runners: dict[int, int], locker: int | None) -> str:
    """A P or a goroutine that has gone from one M to another while they were looked at is named by one of them alone."""
    state, p, goid = figures
    drives = p if p is not None and drivers[p] == m.id else None
    runs = goid if goid is not None and runners.get(goid) == m.id else None  # it may sleep with one on its stack, which waits: Go's curg is nil then
    text = f"  M{m.id}: p={or_nil(drives)} curg={or_nil(runs)} mallocing=0 throwing=0 preemptoff= locks={m.locks} dying=0"
    return f"{text} spinning={yes(state == 'spinning')} blocked={yes(state in ASLEEP)} lockedg={or_nil(locker)}"


def or_nil(number: int | None) -> str:
    return "nil" if number is None else str(number)


def yes(value: bool) -> str:
    return "true" if value else "false"
