"""Figures of a trace that can be reckoned by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gosched.core.events import (
    E_ASK,
    E_BLOCKED,
    E_GC_BEGIN,
    E_GC_END,
    E_GO_BLOCK,
    E_GO_CREATE,
    E_GO_END,
    E_GO_START,
    E_GO_STOP,
    E_GO_UNBLOCK,
    E_LOST,
    E_M_PARK,
    E_M_START,
    E_NETPOLL,
    E_PROC_LOST,
    E_PROC_START,
    E_PROC_STEAL,
    E_PROC_STOP,
    E_PROCS,
    E_REGION_BEGIN,
    E_REGION_END,
    E_STEAL,
    E_SYSCALL_BEGIN,
    E_SYSCALL_END,
    E_TASK_BEGIN,
    E_TASK_END,
    E_TIMERS,
    OUTSIDE,
    PREEMPTED,
    SYSMON,
)
from gosched.core.states import W_RECV, W_SLEEP
from gosched.trace.figures import Figures
from gosched.trace.report import report
from gosched.trace.summary import summarize
from gosched.trace.units import moment, share, span
from tests.trace.making import BEGUN, Simulation, Story

US, MS = 1_000, 1_000_000


def day() -> Story:
    """Two Ps, two threads, two goroutines, three milliseconds."""
    story = Story()
    story.tell(OUTSIDE, E_PROCS, 2, after=0)
    story.tell(OUTSIDE, E_GO_CREATE, 1, 0, 0, after=0)
    story.m(0, E_M_START, after=0)
    story.m(0, E_PROC_START, 0, after=0)
    story.m(0, E_GO_START, 1, after=100 * US)  # latency 100 µs
    story.m(0, E_TASK_BEGIN, 1, 0, 4, after=0)
    story.m(0, E_GO_CREATE, 2, 1, 1, after=100 * US)
    story.m(1, E_M_START, after=0)
    story.m(1, E_PROC_START, 1, after=100 * US)
    story.m(1, E_STEAL, 0, 1, after=0)
    story.m(1, E_GO_START, 2, after=100 * US)  # latency 200 µs
    story.m(1, E_REGION_BEGIN, 3, after=0)
    story.m(0, E_GC_BEGIN, 2, after=0)
    story.m(0, E_GC_END, 5, after=50 * US)
    story.m(0, E_GO_BLOCK, W_RECV, after=50 * US)  # at 500: main ran 400 µs
    story.m(0, E_TIMERS, 0, after=0)
    story.m(0, E_PROC_STOP, after=100 * US)
    story.m(0, E_M_PARK, after=0)
    story.m(1, E_SYSCALL_BEGIN, after=400 * US)  # at 1,000: worker ran 600 µs
    story.tell(SYSMON, E_BLOCKED, 1, 2, 100 * US, after=100 * US)
    story.tell(SYSMON, E_PROC_STEAL, 1, 1, after=0)  # P 1 was used for 700 µs
    story.m(1, E_SYSCALL_END, after=900 * US)  # at 2,000: 1,000 µs in a call
    story.m(1, E_PROC_LOST, after=0)
    story.m(1, E_PROC_START, 0, after=0)
    story.tell(SYSMON, E_ASK, 1, 2, 10 * MS, after=100 * US)
    story.m(1, E_REGION_END, 3, after=0)  # after 1,700 µs
    story.m(1, E_GO_STOP, PREEMPTED, after=100 * US)  # at 2,200
    story.m(1, E_GO_START, 2, after=300 * US)  # latency 300 µs
    story.m(1, E_GO_UNBLOCK, 1, 2, after=100 * US)  # main waited 2,100 µs
    story.m(1, E_GO_END, after=100 * US)
    story.m(1, E_NETPOLL, 3, after=0)
    story.m(1, E_GO_START, 1, after=100 * US)  # latency 200 µs
    story.m(1, E_TASK_END, 1, after=100 * US)  # at 2,900, after 2,800 µs
    story.m(1, E_GO_BLOCK, W_SLEEP, after=0)  # main ran 100 µs more
    story.m(1, E_TIMERS, 1, after=100 * US)  # at 3,000 main still sleeps
    return story


def test_the_figures() -> None:
    s = summarize(day().recording())
    assert (s.begun, s.ended - s.begun, s.events) == (BEGUN, 3_000 * US, 35)
    assert (s.goroutines, s.gone, s.alive) == (2, 1, 1)
    assert (s.latency.count, s.latency.smallest, s.latency.largest, s.latency.total) == (4, 100 * US, 300 * US, 800 * US)
    assert s.running == (400 + 600 + 200 + 200 + 100) * US
    assert s.runnable == 800 * US
    assert s.calls == 1_000 * US
    assert s.waiting == {"chan receive": 2_100 * US, "sleep": 100 * US}
    assert (s.steals, s.stolen, s.handoffs, s.asked, s.preempted, s.blocked) == (1, 1, 1, 1, 1, 1)
    assert (s.netpolls, s.netpolled, s.timers) == (1, 3, 2)
    assert (s.collections.count, s.collections.total) == (1, 50 * US)
    assert (s.procs[0].held, s.procs[0].running, s.procs[0].turns) == ((600 + 1_000) * US, (400 + 200 + 200 + 100) * US, 3)
    assert (s.procs[1].held, s.procs[1].running, s.procs[1].turns) == (800 * US, 700 * US, 1)
    assert (s.procs[1].stole, s.procs[1].lost) == (1, 1)
    main, worker = s.functions["main"], s.functions["worker"]
    assert (main.count, main.running, main.calls) == (1, 500 * US, 0)
    assert (worker.count, worker.running, worker.calls, worker.waiting) == (1, 1_000 * US, 1_000 * US, {})
    assert main.waiting == {"chan receive": 2_100 * US, "sleep": 100 * US}
    assert [(x.ns, x.g, x.p, x.name) for x in s.longest[:2]] == [(700 * US, 2, 1, "worker"), (400 * US, 1, 0, "main")]
    assert s.regions["parse"].total == 1_700 * US
    assert s.tasks["request"].total == 2_800 * US
    assert s.notes == []


REPORT = """\
35 events in 3.00 ms
2 goroutines created, 1 ended, 1 alive at the end; gomaxprocs 2

what all goroutines did     time   share
running                  1.50 ms  27.3 %
runnable                  800 µs  14.5 %
in calls                 1.00 ms  18.2 %
waiting: chan receive    2.10 ms  38.2 %
waiting: sleep            100 µs   1.8 %

from runnable to running     p50     p90     p99     max
4 times                   201 µs  300 µs  300 µs  300 µs

what happened                   times
steals                              1  1 goroutine
Ps taken from threads in calls      1
calls seen that nobody marked       1
asked to let others run             1
preempted                           1
looks at descriptors                1  3 goroutines
rounds of timers                    2
runs of the collector               1  50.0 µs, the longest 50.0 µs

P     runs   share  has a thread   share  turns  stole  taken away
P0  900 µs  30.0 %       1.60 ms  53.3 %      3      0           0
P1  700 µs  23.3 %        800 µs  26.7 %      1      1           1

started as  count  running  in calls  queued p99  waited most for
worker          1  1.00 ms   1.00 ms      300 µs
main            1   500 µs      0 ns      200 µs  chan receive 2.10 ms, sleep 100 µs

longest on a P
        700 µs  at 0.400000 ms  P1  goroutine 2 (worker)
        400 µs  at 0.100000 ms  P0  goroutine 1 (main)
        200 µs  at 2.500000 ms  P0  goroutine 2 (worker)
        200 µs  at 2.000000 ms  P0  goroutine 2 (worker)
        100 µs  at 2.800000 ms  P0  goroutine 1 (main)

region  count    total      p50      p90      p99      max
parse       1  1.70 ms  1.70 ms  1.70 ms  1.70 ms  1.70 ms

task     count    total      p50      p90      p99      max
request      1  2.80 ms  2.80 ms  2.80 ms  2.80 ms  2.80 ms
"""


def test_the_text() -> None:
    assert report(summarize(day().recording())) == REPORT


def test_of_nothing() -> None:
    assert report(summarize(Story().recording())) == "0 events in 0 ns\n0 goroutines created, 0 ended, 0 alive at the end; gomaxprocs unknown\n"


@pytest.mark.parametrize("seed", range(10))
def test_the_parts_make_the_whole(seed: int) -> None:
    story = Simulation(seed, late=False, ties=False).run(500)
    s = summarize(story.recording())
    lived = sum((e[0] for e in story.told if e[3] == E_GO_CREATE), 0)
    ended = sum(g.since for g in s.replay.world.goroutines.values() if g.state == 5) + s.alive * s.ended
    assert s.running + s.runnable + s.calls + sum(s.waiting.values()) == ended - lived
    assert sum(f.running for f in s.functions.values()) == s.running
    assert sum(f.latency.count for f in s.functions.values()) == s.latency.count
    for p in s.procs.values():
        assert p.running <= p.held <= s.ended - s.begun


def test_what_was_lost_is_counted_nowhere() -> None:
    story = Story().tell(OUTSIDE, E_GO_CREATE, 1, 0, 0).m(0, E_M_START).m(0, E_PROC_START, 0).m(0, E_GO_START, 1)
    story.m(0, E_LOST, 5, after=MS).m(0, E_GO_END, after=MS)
    s = summarize(story.recording())
    assert (s.running, s.gone) == (0, 0)
    assert s.notes == ["5 events lost: the reader was too slow, and what they told is unknown"]


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=200), st.sampled_from([50, 90, 99, 100]))
def test_percentiles_are_no_more_than_three_percent_too_high(values: list[int], percent: int) -> None:
    f = Figures()
    for value in values:
        f.add(value)
    exact = sorted(values)[max(0, -(-len(values) * percent // 100) - 1)]
    assert exact <= f.percentile(percent) <= exact + exact // 32
    assert (f.count, f.total, f.largest, f.smallest, f.mean) == (len(values), sum(values), max(values), min(values), sum(values) / len(values))
    assert Figures().percentile(percent) == Figures().mean == 0


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"),
        (950, "950 ns"),
        (999, "999 ns"),
        (1_000, "1.00 µs"),
        (999_999, "1.00 ms"),
        (12_345, "12.3 µs"),
        (99_960, "100 µs"),
        (45_600_000, "45.6 ms"),
        (789 * 10**9, "789 s"),
        (12_345 * 10**9, "12,345 s"),
    ],
)
def test_how_long(ns: int, text: str) -> None:
    assert span(ns) == text


def test_when_and_how_much() -> None:
    assert moment(1_234_567) == "1.234567 ms"
    assert share(1, 3) == "33.3 %"
    assert share(1, 0) == "-"
