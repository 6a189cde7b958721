"""GOSCHED_DEBUG=schedtrace: Go's lines, exactly, of schedulers in virtual time and of real programs."""

from __future__ import annotations

import itertools
import os
import re
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gosched
from gosched.core.sched import Scheduler
from gosched.lab.virtual import VirtualRuntime
from gosched.system.schedtrace import Schedtrace, detailed, short

N = r"(\d+)"
HEAD = rf"SCHED {N}ms: gomaxprocs={N} idleprocs={N} threads={N} spinningthreads={N} needspinning=([01]) idlethreads={N} runqueue={N}"  #
SHORT = re.compile(rf"{HEAD} \[((?: \d+)+) \] schedticks=\[((?: \d+)+) \]\n")
DETAIL = re.compile(rf"{HEAD} gcwaiting=false nmidlelocked={N} stopwait=0 sysmonwait=false\n")
P_LINE = re.compile(rf"  P{N}: status=([014]) schedtick={N} syscalltick={N} m=(\d+|nil) runqsize={N} gfreecnt={N} timerslen={N}\n")
M_LINE = re.compile(
    rf"  M{N}: p=(\d+|nil) curg=(\d+|nil) mallocing=0 throwing=0 preemptoff= locks={N} dying=0 "
    r"spinning=(true|false) blocked=(true|false) lockedg=(\d+|nil)\n"
)
G_LINE = re.compile(rf"  G{N}: status=([0-9])\(([A-Za-z. ()]*)\) m=(\d+|nil) lockedm=(\d+|nil)\n")
KEYS = ("ms", "procs", "idle", "threads", "spinning", "wanted", "parked", "runqueue")


class Nobody:
    """A host for a scheduler that runs nothing."""


def test_a_scheduler_that_has_just_been_made() -> None:
    s = Scheduler(Nobody(), 4)
    head = "gomaxprocs=4 idleprocs=4 threads=1 spinningthreads=0 needspinning=0 idlethreads=0 runqueue=0"
    assert short(s) == f"{head} [ 0 0 0 0 ] schedticks=[ 0 0 0 0 ]\n"
    p = "status=0 schedtick=0 syscalltick=0 m=nil runqsize=0 gfreecnt=0 timerslen=0"
    assert detailed(s) == f"{head} gcwaiting=false nmidlelocked=0 stopwait=0 sysmonwait=false\n" + "".join(f"  P{i}: {p}\n" for i in range(4))


def test_time_counts_from_the_first_line() -> None:
    s, trace = Scheduler(Nobody(), 1), Schedtrace(False)
    texts = [trace.text(s, 7_000_000_000 + ns) for ns in (0, 999_999, 1_004_999_999)]
    assert [text.split(": ")[0] for text in texts] == ["SCHED 0ms", "SCHED 0ms", "SCHED 1004ms"]


def test_nobody_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(fd: int, data: bytes) -> int:
        assert fd == 2
        raise BrokenPipeError

    monkeypatch.setattr(os, "write", fails)
    Schedtrace(True).print(Scheduler(Nobody(), 1), 0)


async def waits(ch: gosched.Chan[int]) -> None:
    await ch.arecv()


async def nothing() -> None:
    pass


def seen(look: Callable[[Scheduler], str], scene: Callable[[], Any], procs: int = 1) -> str:
    """What `look` says in the middle of a program in virtual time."""
    rt = VirtualRuntime(procs)

    async def main() -> str:
        await scene()
        return look(rt.sched)

    found = rt.run(main)
    assert isinstance(found, str)
    return found


async def five_ready() -> None:
    """The last one stands in `next`, which Go does not count."""
    for _ in range(5):
        gosched.go(nothing)


async def three_wait_and_a_timer() -> None:
    ch = gosched.Chan[int]()
    for _ in range(2):
        gosched.go(waits, ch)
    gosched.go(gosched.asleep, 5)
    await gosched.asleep(1)
    gosched.go(nothing)


def test_runnext_is_not_counted() -> None:
    text = seen(short, five_ready)
    assert text == "gomaxprocs=1 idleprocs=0 threads=2 spinningthreads=0 needspinning=1 idlethreads=0 runqueue=0 [ 4 ] schedticks=[ 1 ]\n"


def test_every_p_m_and_g() -> None:
    text = seen(detailed, three_wait_and_a_timer)
    ticks = re.search(r"schedtick=(\d+)", text)
    assert ticks
    spares = re.search(r"gfreecnt=(\d+)", text)
    assert spares
    assert text == (
        "gomaxprocs=1 idleprocs=0 threads=2 spinningthreads=0 needspinning=1 idlethreads=0 runqueue=0 "
        "gcwaiting=false nmidlelocked=0 stopwait=0 sysmonwait=false\n"
        f"  P0: status=1 schedtick={ticks[1]} syscalltick=0 m=0 runqsize=0 gfreecnt={spares[1]} timerslen=1\n"
        "  M0: p=0 curg=1 mallocing=0 throwing=0 preemptoff= locks=0 dying=0 spinning=false blocked=false lockedg=nil\n"
        "  G1: status=2() m=0 lockedm=nil\n"
        "  G2: status=4(chan receive) m=nil lockedm=nil\n"
        "  G3: status=4(chan receive) m=nil lockedm=nil\n"
        "  G4: status=4(sleep) m=nil lockedm=nil\n"
        "  G5: status=1() m=nil lockedm=nil\n"
    )


def test_a_goroutine_that_has_locked_its_thread() -> None:
    async def scene() -> None:
        gosched.lock_os_thread()

    text = seen(detailed, scene, procs=2)
    assert "  M0: p=0 curg=1 mallocing=0 throwing=0 preemptoff= locks=1 dying=0 spinning=false blocked=false lockedg=1\n" in text
    assert "  G1: status=2() m=0 lockedm=0\n" in text


# ---- real programs ----

# Runs until its input ends. All kinds of goroutines: they wait, yield, sleep on a thread of their own, block, burn.
PROGRAM = """
import sys, time
import gosched

async def waits(ch):
    await ch.arecv()

def locked(ch):
    gosched.lock_os_thread()
    ch.recv()

async def yields():
    while True:
        for _ in range(1000):
            await gosched.ayield_now()
        await gosched.asleep(0.001)

def blocks():
    while True:
        time.sleep(0.03)

def burns():
    while True:
        pass

async def main():
    ch = gosched.Chan()
    for _ in range(5):
        gosched.go(waits, ch)
    gosched.go(locked, ch)
    if "busy" in sys.argv:
        for fn in (yields, yields, blocks, burns):
            gosched.go(fn)
    gosched.blocking(sys.stdin.read)

gosched.run(main, gomaxprocs=3)
"""

Trace = Callable[..., Iterator[str]]


@pytest.fixture
def trace(tmp_path: Path) -> Iterator[Trace]:
    """The lines that a program prints to stderr, for as long as they are read."""
    started: list[subprocess.Popen[str]] = []

    def lines(words: str, *args: str) -> Iterator[str]:
        path = tmp_path / "program.py"
        path.write_text(textwrap.dedent(PROGRAM))
        env = {**os.environ, "GOSCHED_DEBUG": words}
        process = subprocess.Popen([sys.executable, str(path), *args], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
        started.append(process)
        assert process.stderr is not None
        yield from process.stderr

    yield lines
    for process in started:
        process.send_signal(signal.SIGKILL)
        process.communicate()


def header(match: re.Match[str] | None) -> dict[str, int]:
    """The figures of a first line, which agree with each other."""
    assert match
    found = dict(zip(KEYS, map(int, match.groups()), strict=False))
    assert found["procs"] == 3
    assert found["idle"] <= 3
    assert found["spinning"] <= 3
    assert 1 + found["parked"] <= found["threads"] < 20
    return found


@pytest.mark.slow
@pytest.mark.parametrize("args", [(), ("busy",)], ids=["idle", "busy"])
def test_lines_of_a_real_program(trace: Trace, args: tuple[str, ...]) -> None:
    """Also while every P is idle: sysmon does not sleep deeply."""
    before, ticks = -1, [0, 0, 0]
    for n, line in enumerate(trace("schedtrace=20", *args)):
        match = SHORT.fullmatch(line)
        found = header(match)
        assert match
        if n == 0:
            assert found["ms"] == 0
        assert found["ms"] > before
        queues, now = ([int(figure) for figure in group.split()] for group in match.groups()[8:])
        assert len(queues) == len(now) == 3
        assert max(queues) <= 256
        assert all(new >= old for new, old in zip(now, ticks, strict=True))
        before, ticks = found["ms"], now
        if n == 8:
            break
    assert before >= 8 * 10, "not more often than asked, but for how late the first was seen"
    assert sum(ticks) >= 1


@pytest.mark.slow
@pytest.mark.parametrize("args", [(), ("busy",)], ids=["idle", "busy"])
def test_details_of_a_real_program(trace: Trace, args: tuple[str, ...]) -> None:
    """Until the five, and the one that is locked to its thread, are seen to wait."""
    blocks: list[list[str]] = []
    for line in trace("schedtrace=20,scheddetail=1", *args):
        if line.startswith("SCHED "):
            if len(blocks) >= 6 and waiting(blocks[-1]) == 6:
                break
            blocks.append([])
        blocks[-1].append(line)
    assert waiting(blocks[-1]) == 6
    for block in blocks:
        check_block(block)


def waiting(block: list[str]) -> int:
    return sum(match[3] == "chan receive" for line in block if (match := G_LINE.fullmatch(line)))


def check_block(block: list[str]) -> None:
    head = DETAIL.fullmatch(block[0])
    found = header(head)
    ps = [match.groups() for line in block if (match := P_LINE.fullmatch(line))]
    ms = {match[1]: match for line in block if (match := M_LINE.fullmatch(line))}
    gs = {match[1]: match for line in block if (match := G_LINE.fullmatch(line))}
    assert head
    assert len(block) == 1 + len(ps) + len(ms) + len(gs), block
    assert [p[0] for p in ps] == ["0", "1", "2"]
    assert list(map(int, ms)) == sorted(map(int, ms))
    assert list(map(int, gs)) == sorted(map(int, gs))
    assert len(ms) <= found["threads"]
    for number, _, _, _, m, *_ in ps:
        assert m == "nil" or ms[m][2] == number
    for m, match in ms.items():
        if match[2] != "nil":
            assert ps[int(match[2])][4] == m
        if match[3] in gs:
            assert gs[match[3]][4] == m
    for g, match in gs.items():
        assert match[2] in "123469"
        assert bool(match[3]) == (match[2] == "4")
        if match[5] != "nil":
            assert ms[match[5]][7] == g


@pytest.mark.slow
def test_beside_the_watchdog(trace: Trace) -> None:
    """Each has its own period: the one of 5 ms finds the blocked call, the other prints its lines no more often than asked for."""
    lines, named = [], False
    for line in trace("schedtrace=100,blocking", "busy"):
        if line.startswith("SCHED "):
            lines.append(header(SHORT.fullmatch(line))["ms"])
        named |= "has not entered the runtime for" in line
        if named and len(lines) >= 4:
            break
    gaps = [b - a for a, b in itertools.pairwise(lines)]
    assert min(gaps) >= 90, gaps
