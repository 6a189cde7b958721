"""Every kind of event has a sentence, and it is one that people can read."""

from __future__ import annotations

import pytest

from gosched.core.events import (
    AT_GLOBAL,
    AT_NEXT,
    AT_TAIL,
    E_ASK,
    E_BLOCKED,
    E_DRAIN,
    E_EXPIRE,
    E_GC_BEGIN,
    E_GC_END,
    E_GO_BLOCK,
    E_GO_CREATE,
    E_GO_END,
    E_GO_START,
    E_GO_STOP,
    E_GO_UNBLOCK,
    E_LOG,
    E_LOST,
    E_M_END,
    E_M_PARK,
    E_M_POLL,
    E_M_START,
    E_M_WAKE,
    E_NETPOLL,
    E_NOTHING,
    E_PHASE,
    E_PROC_LOST,
    E_PROC_STEAL,
    E_PROC_STOP,
    E_PROCS,
    E_QUEUE,
    E_REFILL,
    E_REGION_BEGIN,
    E_REGION_END,
    E_SPILL,
    E_SPIN,
    E_STACK,
    E_STEAL,
    E_SYSCALL_BEGIN,
    E_SYSCALL_END,
    E_TASK_BEGIN,
    E_TASK_END,
    E_TIMERS,
    NAMES,
    NO_P,
    OUTSIDE,
    PREEMPTED,
    SYSMON,
    YIELDS,
)
from gosched.core.states import ENDING, EXITING, W_NONE, W_RECV
from gosched.trace.replay import Replay
from gosched.trace.sentences import WORDS, sentence
from tests.trace.making import Simulation, Story, begin


def said(story: Story, **how: object) -> list[str]:
    replay = Replay.of(story.recording(**how))
    return [sentence(replay, step) for step in replay.run()]


def running(ms: int = 1) -> Story:
    return begin(ms=ms).m(0, E_GO_START, 1)


CASES: list[tuple[Story, str]] = [
    (begin().tell(OUTSIDE, E_NOTHING), "nothing"),
    (begin(), "M0 takes P0"),
    (begin().m(0, E_LOST, 7), "7 events not written: what happened meanwhile is unknown"),
    (begin().m(0, E_LOST, 1), "1 event not written: what happened meanwhile is unknown"),
    (begin().tell(OUTSIDE, E_PHASE, ENDING), "main is over, and the others are being ended"),
    (begin().tell(OUTSIDE, E_PHASE, EXITING), "the threads leave"),
    (begin().tell(OUTSIDE, E_PROCS, 4), "gomaxprocs is 4"),
    (begin().m(3, E_M_START), "M3 begins"),
    (begin().m(0, E_PROC_STOP), "M0 gives up P0"),
    (begin().m(0, E_PROC_STOP).m(0, E_M_END), "M0 ends"),
    (begin().m(0, E_PROC_STOP).m(0, E_M_PARK), "M0 found nothing to do and sleeps"),
    (begin().m(0, E_PROC_STOP).m(0, E_M_POLL), "M0 found nothing to do and waits for descriptors and timers"),
    (begin().m(0, E_PROC_STOP).m(0, E_M_POLL).m(0, E_M_WAKE), "M0 wakes up"),
    (running().tell(SYSMON, E_PROC_STEAL, 0, 0), "sysmon took P0 from M0, which runs goroutine 1 (main)"),
    (begin().tell(OUTSIDE, E_PROC_STEAL, 0, 0), "a thread outside took P0 from M0"),
    (begin().tell(SYSMON, E_PROC_STEAL, 0, 0).m(0, E_PROC_LOST), "M0 notices that its P is gone"),
    (begin(procs=3, ms=3).m(2, E_STEAL, 0, 3), "P2 found its queue empty and stole 3 goroutines from P0"),
    (begin().m(0, E_STEAL, 1, 1), "P0 found its queue empty and stole 1 goroutine from P1"),
    (running().m(0, E_GO_CREATE, 2, 1, 1), "goroutine 1 (main) started goroutine 2 (worker)"),
    (begin().tell(OUTSIDE, E_GO_CREATE, 2, 0, 1), "a thread outside started goroutine 2 (worker)"),
    (begin().m(0, E_GO_START, 1, after=4970), "P0 runs goroutine 1 (main) after 4.99 µs in a queue"),
    (running().m(0, E_GO_END), "goroutine 1 (main) ends"),
    (running().m(0, E_GO_STOP, YIELDS), "goroutine 1 (main) let others run"),
    (running().m(0, E_GO_STOP, PREEMPTED), "goroutine 1 (main) was stopped to let others run"),
    (running().tell(SYSMON, E_PROC_STEAL, 0, 0).m(0, E_PROC_LOST).m(0, E_GO_STOP, NO_P), "goroutine 1 (main) has lost its P and queues for another"),
    (running().m(0, E_GO_BLOCK, W_RECV), "goroutine 1 (main) waits: chan receive"),
    (running().m(0, E_GO_BLOCK, W_NONE), "goroutine 1 (main) waits"),
    (running().m(0, E_SYSCALL_BEGIN), "goroutine 1 (main) enters a blocking call"),
    (running().m(0, E_SYSCALL_BEGIN).m(0, E_SYSCALL_END), "goroutine 1 (main) is back from its call"),
    (
        running().m(0, E_GO_CREATE, 2, 1, 1).m(0, E_GO_BLOCK, W_RECV).m(0, E_GO_START, 2).m(0, E_GO_UNBLOCK, 1, 2, after=2_000_000),
        "goroutine 2 (worker) woke goroutine 1 (main) after 2.00 ms (chan receive)",
    ),
    (
        running().m(0, E_GO_BLOCK, W_NONE).m(0, E_GO_UNBLOCK, 1, 0),
        "goroutine 1 (main) was woken after 10 ns by no goroutine: a timer, the network, a thread",
    ),
    (running().tell(SYSMON, E_BLOCKED, 0, 1, 50_000), "sysmon sees goroutine 1 (main) on M0 for 50.0 µs in a call that nobody marked"),
    (running().tell(SYSMON, E_ASK, 0, 1, 10_000_000), "sysmon asks goroutine 1 (main) on M0 to let others run: it has kept its P for 10.0 ms"),
    (begin().m(0, E_NETPOLL, 2), "P0 finds descriptors ready: 2 goroutines can go on"),
    (begin().m(0, E_TIMERS, 1), "P0 runs timers of P1 that are due"),
    (begin().m(0, E_GC_BEGIN, 2), "the collector begins on M0, generation 2"),
    (begin().m(0, E_GC_BEGIN, 2).m(0, E_GC_END, 1), "the collector is done on M0: 1 object"),
    (running().m(0, E_REGION_BEGIN, 3), "goroutine 1 (main) enters region parse"),
    (running().m(0, E_REGION_END, 3), "goroutine 1 (main) leaves region parse"),
    (begin().tell(OUTSIDE, E_REGION_BEGIN, 3), "a thread outside enters region parse"),
    (begin().m(0, E_TASK_BEGIN, 8, 0, 4), "task 8 (request) began"),
    (begin().m(0, E_TASK_BEGIN, 8, 7, 4), "task 8 (request) began within task 7"),
    (begin().m(0, E_TASK_BEGIN, 8, 0, 4).m(0, E_TASK_END, 8), "task 8 ends"),
    (running().m(0, E_LOG, 0, 5, 6), "goroutine 1 (main) says: category: message"),
    (begin().m(0, E_LOG, 8, 99, 6), "M0 says in task 8: string 99: message"),
    (running().m(0, E_STACK, 7), "at work app.py:3 < main app.py:9"),
    (running().m(0, E_QUEUE, 1, AT_NEXT, 0), "goroutine 1 (main) goes to P0's next"),
    (running().m(0, E_QUEUE, 1, AT_TAIL, 0), "goroutine 1 (main) goes to the tail of P0's queue"),
    (running().m(0, E_QUEUE, 1, AT_GLOBAL, 0), "goroutine 1 (main) goes to the tail of the global queue"),
    (running().m(0, E_SPILL, 0, 128), "P0's queue is full: its 128 oldest go to the global queue"),
    (begin().m(0, E_REFILL, 0, 3), "P0 takes its share of the global queue: one to run, and 3 into its own"),
    (begin().m(0, E_DRAIN, 1), "P1 is no more: what it had goes to the head of the global queue"),
    (running().m(0, E_EXPIRE, 0), "the slice of P0 is over: who is next on it has no part in it any more"),
    (begin().m(0, E_SPIN), "M0 looks for work in the queues of others"),
]


@pytest.mark.parametrize(("story", "words"), CASES, ids=[f"{NAMES[story.told[-1][3]]}-{i}" for i, (story, _) in enumerate(CASES)])
def test_a_sentence(story: Story, words: str) -> None:
    assert said(story)[-1] == words


def test_every_kind_has_one() -> None:
    assert tuple(WORDS) == NAMES
    assert {story.told[-1][3] for story, _ in CASES} == set(range(len(NAMES))) - {NAMES.index("BY")}


def test_what_is_not_known_is_not_said() -> None:
    story = Story().m(0, E_GO_BLOCK, W_RECV).m(0, E_GO_START, 7).m(0, E_PROC_STOP).m(0, E_GO_BLOCK, W_RECV)
    story.told.insert(2, story.told.pop())
    assert said(story, complete=False, cut=[])[:4] == [
        "a goroutine waits: chan receive",
        "M0 runs goroutine 7",
        "goroutine 7 waits: chan receive",
        "M0 gives up its P",
    ]


def test_an_empty_stack() -> None:
    story = begin()
    story.strings.append("")
    assert said(story.m(0, E_STACK, 8))[-1] == "at no line of Python"


@pytest.mark.parametrize("seed", range(5))
def test_none_fails(seed: int) -> None:
    assert all(said(Simulation(seed).run(500), complete=seed > 2, piece=50))
