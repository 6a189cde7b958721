"""Trails become one legal sequence, or it is said why not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

import pytest

from gosched.core.events import (
    ARGS,
    E_GC_BEGIN,
    E_GC_END,
    E_GO_BLOCK,
    E_GO_CREATE,
    E_GO_END,
    E_GO_START,
    E_GO_STOP,
    E_GO_UNBLOCK,
    E_LOST,
    E_M_END,
    E_M_PARK,
    E_M_START,
    E_M_WAKE,
    E_NOTHING,
    E_PHASE,
    E_PROC_LOST,
    E_PROC_START,
    E_PROC_STEAL,
    E_PROC_STOP,
    E_PROCS,
    E_QUEUE,
    E_REGION_BEGIN,
    E_STACK,
    E_STEAL,
    E_SYSCALL_BEGIN,
    E_SYSCALL_END,
    E_TASK_BEGIN,
    E_TASK_END,
    FIRST_M,
    NAMES,
    NO_P,
    OUTSIDE,
    SYSMON,
    YIELDS,
)
from gosched.core.states import EXITING, W_RECV
from gosched.trace.files import Piece, Recording
from gosched.trace.replay import PATIENCE_NS, IllegalTrace, Replay
from gosched.trace.things import NONE, PARKED, RUNNABLE, RUNNING, UNKNOWN, WAITING, Step
from gosched.trace.units import count
from tests.trace.making import BEGUN, STRINGS, Simulation, Story, Told, begin, encode, encode_some
from tests.trace.proof import prove


def played(recording: Recording) -> list[Step]:
    return list(Replay.of(recording).run())


def parsed(told: list[Told], **how: object) -> Recording:
    story = Story()
    story.told = told
    return story.recording(**how)


@pytest.mark.parametrize("seed", range(60))
def test_what_a_scheduler_tells_is_legal(seed: int) -> None:
    story = Simulation(seed, procs=1 + seed % 4, ms=1 + seed % 7, one=seed % 10 == 9, late=seed % 10 != 9).run(400)
    replay = Replay.of(story.recording(piece=1 + seed * 3))
    steps = list(replay.run())
    assert len(steps) == len(story.told) == replay.steps
    assert all(a.time <= b.time for a, b in pairwise(steps))
    prove(steps)


def test_in_one_trail_the_order_is_that_of_the_trail() -> None:
    story = Simulation(7, one=True, late=False).run(300)
    assert [(s.time, s.who, s.kind, s.args) for s in played(story.recording())] == [(t, w, k, a) for t, _, w, k, a in story.told]


# ---- one rule after the other: what is legal before, what is not, and what is said ----

CASES: list[tuple[Story, str]] = [
    (begin().m(0, E_GO_START, 2), "goroutine 2 was never created; it would have to be runnable"),
    (begin().m(0, E_GO_START, 1).m(0, E_GO_START, 1), "goroutine 1 is running on M0 since 0.000050 ms; it would have to be runnable"),
    (
        begin(ms=2).m(0, E_GO_START, 1).m(1, E_GO_START, 1),
        "GO_START(g 1) by M1 at 0.000080 ms, in trail 2, is illegal: goroutine 1 is running on M0 since 0.000070 ms; it would have to be runnable",
    ),
    (begin().m(0, E_GO_START, 1).m(0, E_GO_BLOCK, W_RECV).m(0, E_GO_START, 1), "goroutine 1 is waiting (chan receive) since"),
    (begin().m(0, E_GO_START, 1).m(0, E_GO_END).m(0, E_GO_START, 1), "goroutine 1 is gone since"),
    (
        begin().tell(OUTSIDE, E_GO_CREATE, 2, 0, 0).m(0, E_GO_START, 1).m(0, E_GO_START, 2),
        "M0 runs goroutine 1 and has P0; it would have to be awake",
    ),
    (begin().tell(OUTSIDE, E_GO_START, 1), "a thread outside has neither goroutine nor P; only an M can tell this"),
    (begin().tell(SYSMON, E_GO_START, 1), "sysmon has neither goroutine nor P; only an M can tell this"),
    (begin(ms=0).m(0, E_M_START).m(0, E_GO_START, 1), "M0 runs nothing and has no P; it would have to have a P"),
    (begin().m(0, E_GO_BLOCK, W_RECV), "M0 runs nothing and has P0; it would have to run a goroutine"),
    (begin().m(0, E_GO_END), "M0 runs nothing and has P0; it would have to run a goroutine"),
    (begin().m(0, E_GO_STOP, YIELDS), "M0 runs nothing and has P0; it would have to run a goroutine"),
    (begin().m(0, E_GO_START, 1).m(0, E_GO_STOP, NO_P), "M0 runs goroutine 1 and has P0; it would have to have no P, as it says"),
    (begin().m(0, E_GO_START, 1).m(0, E_GO_STOP, 3), "stop reason 3; the last is 2"),
    (begin().m(0, E_QUEUE, 1, 3, 0), "place 3; the last is 2"),
    (begin().m(0, E_GO_START, 1).m(0, E_GO_BLOCK, 77), "wait reason 77; the last is 15"),
    (begin().m(0, E_GO_START, 1).m(0, E_SYSCALL_BEGIN).m(0, E_GO_END), "goroutine 1 is in a call on M0 since"),
    (begin().m(0, E_GO_START, 1).m(0, E_SYSCALL_BEGIN).m(0, E_SYSCALL_BEGIN), "it would have to be running"),
    (begin().m(0, E_GO_START, 1).m(0, E_SYSCALL_END), "goroutine 1 is running on M0 since 0.000050 ms; it would have to be in a call"),
    (begin().m(0, E_SYSCALL_BEGIN), "M0 runs nothing and has P0; it would have to be awake and run a goroutine"),
    (begin().tell(OUTSIDE, E_GO_UNBLOCK, 1, 0), "goroutine 1 is runnable since 0.000020 ms; it would have to be waiting"),
    (begin().m(0, E_GO_START, 1).m(0, E_GO_BLOCK, W_RECV).tell(OUTSIDE, E_GO_UNBLOCK, 1, 9), "who woke it: goroutine 9 was never created"),
    (begin().tell(OUTSIDE, E_GO_CREATE, 1, 0, 0), "goroutine 1 is runnable since 0.000020 ms; it would have to be new"),
    (begin().tell(OUTSIDE, E_GO_CREATE, 0, 0, 0), "goroutine 0; numbers begin with 1"),
    (begin().tell(OUTSIDE, E_GO_CREATE, 2, 7, 0), "its creator: goroutine 7 was never created; it would have to be there"),
    (begin(ms=2).m(0, E_PROC_START, 1), "M0 runs nothing and has P0; it would have to be awake and have no P"),
    (begin().m(1, E_M_START).m(1, E_PROC_START, 0), "P0 belongs to M0 since 0.000040 ms; it would have to be nobody's"),
    (begin().m(0, E_PROC_STOP).m(0, E_PROC_STOP), "M0 runs nothing and has no P; it would have to have a P"),
    (begin().m(0, E_GO_START, 1).m(0, E_PROC_STOP), "its goroutine would go on without a P"),
    (begin().tell(SYSMON, E_PROC_STEAL, 1, 0), "P1 belongs to nobody; it would have to be M0's"),
    (begin(ms=2).tell(SYSMON, E_PROC_STEAL, 0, 1), "P0 belongs to M0 since 0.000040 ms; it would have to be M1's"),
    (begin().m(0, E_PROC_LOST), "M0 runs nothing and has P0; it would have to have had its P stolen"),
    (begin().tell(SYSMON, E_PROC_STEAL, 0, 0).m(0, E_PROC_START, 1), "it would have to have noticed the loss of its P"),
    (begin().m(0, E_STEAL, 0, 1), "P0 would steal from itself; it would have to be another's"),
    (begin().m(0, E_STEAL, 1, 0), "no goroutine was stolen; that is not told"),
    (begin().m(0, E_GO_START, 1).m(0, E_STEAL, 1, 1), "M0 runs goroutine 1 and has P0; it would have to have a P and run nothing"),
    (begin().m(0, E_M_PARK), "M0 runs nothing and has P0; it would have to be awake, run nothing and have no P"),
    (begin().m(0, E_PROC_STOP).m(0, E_M_PARK).m(0, E_M_PARK), "M0 is parked; it would have to be awake"),
    (begin().m(0, E_PROC_STOP).m(0, E_M_PARK).m(0, E_PROC_START, 0), "M0 is parked; it would have to be awake and have no P"),
    (begin().m(0, E_M_WAKE), "M0 runs nothing and has P0; it would have to be parked or polling"),
    (begin().m(0, E_M_START), "M0 runs nothing and has P0; it would have to have ended, or to be new"),
    (begin().m(0, E_M_END), "M0 runs nothing and has P0; it would have to run nothing and have no P"),
    (begin().m(0, E_PROC_STOP).m(0, E_M_END).m(0, E_M_PARK), "M0 is ended; it would have to be awake"),
    (begin().m(0, E_PROC_STOP).m(0, E_M_END).m(0, E_M_END), "M0 is ended"),
    (begin().tell(OUTSIDE, E_PROCS, 0), "gomaxprocs is 0; it would have to be at least 1"),
    (begin().tell(OUTSIDE, E_PHASE, 3), "phase 3 after phase 0; they go from 0 to 2"),
    (begin().tell(OUTSIDE, E_PHASE, 2).tell(OUTSIDE, E_PHASE, 1), "phase 1 after phase 2"),
    (begin().m(0, E_GC_END, 0), "M0 is not in the collector"),
    (begin().m(0, E_GC_BEGIN, 0).m(0, E_GC_BEGIN, 0), "M0 is in the collector; it would have to leave it first"),
    (begin().m(0, E_REGION_BEGIN, 3), "it would have to run the goroutine whose region it is"),
    (begin().m(0, E_TASK_BEGIN, 1, 0, 0).m(0, E_TASK_BEGIN, 1, 0, 0), "task 1 has begun already"),
    (begin().m(0, E_TASK_END, 1), "task 1 is not open"),
]


@pytest.mark.parametrize(("story", "why"), CASES, ids=[f"{NAMES[story.told[-1][3]]}-{i}" for i, (story, _) in enumerate(CASES)])
def test_a_rule(story: Story, why: str) -> None:
    played(parsed(story.told[:-1]))
    with pytest.raises(IllegalTrace) as caught:
        played(story.recording())
    error = caught.value
    assert why in str(error)
    assert (error.time, error.trail, error.who, error.kind, error.args_of_event) == story.told[-1]


def test_after_exiting_threads_run_without_a_p() -> None:
    story = begin().m(0, E_PROC_STOP).tell(OUTSIDE, E_PHASE, EXITING).m(0, E_GO_START, 1).m(0, E_GO_END).m(0, E_M_END)
    assert played(story.recording())[-3].p == NONE


def test_in_virtual_time_a_p_may_go_under_a_goroutine() -> None:
    story = begin().m(0, E_GO_START, 1).m(0, E_PROC_STOP).m(0, E_GO_STOP, NO_P)
    played(story.recording(virtual=True))
    with pytest.raises(IllegalTrace):
        played(story.recording())


# ---- held back ----


def test_a_loss_that_was_noticed_before_it_was_told_is_held_back() -> None:
    story = begin().m(0, E_GO_START, 1).m(0, E_PROC_LOST, after=5).m(0, E_GO_BLOCK, W_RECV, after=5)
    story.tell(SYSMON, E_PROC_STEAL, 0, 0, after=100)
    replay = Replay.of(story.recording())
    steps = list(replay.run())
    assert [NAMES[s.kind] for s in steps[-4:]] == ["GO_START", "PROC_STEAL", "PROC_LOST", "GO_BLOCK"]
    assert [s.time - steps[-3].time for s in steps[-3:]] == [0, 0, 0]
    assert replay.held == 1
    assert replay.held_ns == 105
    assert replay.notes() == ["1 event held back until what they need was told, for at most 105 ns"]


@pytest.mark.parametrize("first", [0, 1])
def test_at_the_same_time_causes_come_first(first: int) -> None:
    """Whichever trail has the lower number."""
    one, other = (FIRST_M + first, FIRST_M + 1 - first)
    story = Story()
    story.tell(OUTSIDE, E_GO_CREATE, 1, 0, 0).tell(one, E_M_START).tell(one, E_PROC_START, 0).tell(other, E_M_START).tell(other, E_PROC_START, 1)
    story.tell(one, E_GO_START, 1)
    story.tell(one, E_GO_STOP, YIELDS).tell(other, E_GO_START, 1, after=0).tell(one, E_PROC_STOP, after=0)
    story.tell(other, E_GO_END, after=0).tell(other, E_PROC_STOP, after=0).tell(other, E_PROC_START, 0, after=0)
    prove(played(story.recording()))


def test_a_stack_stays_with_its_event() -> None:
    story = begin(ms=2).m(0, E_GO_START, 1)
    story.m(0, E_GO_BLOCK, W_RECV, after=0).tell(OUTSIDE, E_GO_UNBLOCK, 1, 0, after=0).m(0, E_STACK, 7, after=0)
    assert [NAMES[s.kind] for s in played(story.recording())[-3:]] == ["GO_BLOCK", "STACK", "GO_UNBLOCK"]


# ---- mutations ----


def corruptions(told: list[Told], at: int) -> Iterator[list[Told]]:
    """Every way in which one event can be wrong."""
    time, trail, who, kind, args = told[at]
    yield told[:at] + told[at + 1 :]
    yield [*told[: at + 1], told[at], *told[at + 1 :]]
    for other in (who - 1, who + 1):
        if other >= 0:
            yield [*told[:at], (time, trail, other, kind, args), *told[at + 1 :]]
    for i, value in enumerate(args):
        for wrong in {0, 1, value + 1, max(0, value - 1), 1_000} - {value}:
            yield [*told[:at], (time, trail, who, kind, (*args[:i], wrong, *args[i + 1 :])), *told[at + 1 :]]
    for other in range(E_NOTHING, len(NAMES)):
        if other not in (kind, E_LOST, 1) and len(ARGS[other]) == len(args):
            yield [*told[:at], (time, trail, who, other, args), *told[at + 1 :]]
    if at:
        yield [*told[: at - 1], told[at], told[at - 1], *told[at + 1 :]]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_what_was_corrupted_is_found_or_is_legal(seed: int) -> None:
    told = Simulation(seed, procs=2, ms=3).run(90).told
    found = 0
    for at in random.Random(seed).sample(range(len(told)), 25):
        for wrong in corruptions(told, at):
            try:
                steps = played(parsed(wrong))
            except IllegalTrace:
                found += 1
            else:
                prove(steps)
    assert found > 100


@pytest.mark.parametrize("kind", [E_GO_CREATE, E_GO_START, E_GO_BLOCK, E_GO_UNBLOCK, E_GO_STOP, E_PROC_START, E_PROC_STOP, E_PROC_STEAL, E_M_WAKE])
def test_what_others_need_must_not_be_missing(kind: int) -> None:
    told = Simulation(1, procs=2, ms=3, late=False).run(400).told
    for at in [i for i, event in enumerate(told[:300]) if event[3] == kind][:5]:
        left = told[:at] + told[at + 1 :]
        try:
            steps = played(parsed(left))
        except IllegalTrace:
            continue
        prove(steps)  # nobody needed it: the goroutine never ran again


# ---- recordings with holes ----


def cut(told: list[Told], seed: int, piece: int = 7) -> list[Told]:
    """What a flight recorder has left: of each trail, some of the first pieces are missing, but never the last."""
    draw = random.Random(seed)
    trails: dict[int, list[Told]] = {}
    for event in told:
        trails.setdefault(event[1], []).append(event)
    gone = {id(event) for events in trails.values() for event in events[: draw.randrange(1 + (len(events) - 1) // piece) * piece]}
    return [event for event in told if id(event) not in gone]


@pytest.mark.parametrize("seed", range(40))
def test_a_flight_recording_begins_in_the_middle(seed: int) -> None:
    story = Simulation(seed, procs=3, ms=4, ties=False).run(500)
    left = cut(story.told, seed)
    replay = Replay.of(parsed(left, complete=False, piece=7))
    steps = list(replay.run())
    assert replay.skipped + len(steps) == len(left)
    whole = Replay.of(story.recording()).play()
    for number, g in replay.world.goroutines.items():
        assert g.state in (UNKNOWN, whole.world.goroutines[number].state)


def test_what_the_first_event_tells() -> None:
    story = Story()
    story.m(0, E_GO_START, 5).m(0, E_GO_BLOCK, W_RECV).tell(OUTSIDE, E_GO_UNBLOCK, 6, 7).m(1, E_GO_END).m(2, E_M_WAKE).m(3, E_PROC_STOP)
    story.m(3, E_M_PARK).tell(SYSMON, E_PROC_STEAL, 2, 4).m(4, E_PROC_LOST).m(5, E_SYSCALL_END).m(5, E_GC_END, 1).m(0, E_TASK_END, 4)
    replay = Replay.of(story.recording(complete=False, cut=[]))
    steps = list(replay.run())
    assert len(steps) == len(story.told)
    world = replay.world
    assert {number: g.state for number, g in world.goroutines.items()} == {5: WAITING, 6: RUNNABLE, 7: UNKNOWN}
    assert world.ms[3].state == PARKED
    assert world.ps[2].m is None
    with pytest.raises(IllegalTrace):
        played(story.recording())


def test_a_flight_recording_is_not_believed_either() -> None:
    story = Story().m(0, E_GO_START, 5).m(1, E_GO_START, 5)
    with pytest.raises(IllegalTrace, match="goroutine 5 is running on M0"):
        played(story.recording(complete=False, cut=[]))


def test_trails_that_began_later_are_not_cut() -> None:
    story = Story().m(0, E_GO_START, 5).m(0, E_GO_BLOCK, W_RECV).m(1, E_M_START, after=1000).m(1, E_PROC_START, 0)
    assert len(played(story.recording(complete=False))) == 4
    assert len(played(story.recording(complete=False, cut=[0, 1, 2]))) == 2


@pytest.mark.parametrize("seed", range(40))
def test_lost_events(seed: int) -> None:
    """Anything may be missing in one trail, and there LOST says so: it is legal, and nothing wrong is said of what is certain at the end."""
    draw = random.Random(seed)
    story = Simulation(seed, procs=3, ms=4, ties=False).run(500)
    trail = draw.choice(sorted({event[1] for event in story.told}))
    mine = [i for i, event in enumerate(story.told) if event[1] == trail]
    first = draw.randrange(len(mine))
    lost = mine[first : first + draw.randint(1, 40)]
    last = story.told[lost[-1]]
    left = [event for i, event in enumerate(story.told) if i not in lost]
    place = sum(i < lost[-1] for i in range(len(story.told)) if i not in lost)
    left.insert(place, (last[0], trail, last[2], E_LOST, (len(lost),)))
    replay = Replay.of(parsed(left))
    assert len(list(replay.run())) == len(left)
    assert replay.lost == len(lost)
    assert not replay.gaps
    assert replay.notes()[0] == f"{count(len(lost), 'event')} lost: the reader was too slow, and what they told is unknown"
    whole = Replay.of(story.recording()).play()
    for number, g in replay.world.goroutines.items():
        assert g.state in (UNKNOWN, whole.world.goroutines[number].state)


@pytest.mark.parametrize("seed", range(20))
def test_lost_events_of_which_no_trail_tells(seed: int) -> None:
    """There was no room at the end of a trail, not even for LOST."""
    story = Simulation(seed, procs=3, ms=4, ties=False).run(500)
    trail = random.Random(seed).choice(sorted({event[1] for event in story.told}))
    mine = [event for event in story.told if event[1] == trail]
    lost = {id(event) for event in mine[len(mine) // 2 :]}
    left = [event for event in story.told if id(event) not in lost]
    replay = Replay.of(parsed(left, lost=len(lost)))
    assert len(list(replay.run())) == len(left)
    assert replay.notes()[0] == f"{count(len(lost), 'event')} lost: the reader was too slow, and what they told is unknown"


def test_a_file_whose_writer_died_may_lack_what_events_need() -> None:
    story = begin().tell(OUTSIDE, E_GO_CREATE, 2, 0, 0).m(0, E_GO_START, 2).m(0, E_GO_END)
    recording = story.recording()
    recording.end = None
    recording.pieces = [piece for piece in recording.pieces if piece.trail == 1]
    replay = Replay.of(recording)
    assert [NAMES[step.kind] for step in replay.run()] == ["M_START", "PROC_START"]
    assert replay.notes()[-1].startswith("the end is missing, and so is what this needs: GO_START(g 2) by M0 at 0.000060 ms")


@pytest.mark.parametrize(("late", "legal"), [(10, True), (11, False)])
def test_a_file_written_while_others_ran_on(late: int, legal: bool) -> None:
    """Its trails were read one after the other: the one of the thread outside before it told of a goroutine, M0's after that one ran."""
    story = begin().m(0, E_GO_START, 2)
    recording = story.recording(why="asked", read_from=story.now - 10 + late)
    replay = Replay.of(recording)
    if legal:
        assert [NAMES[step.kind] for step in replay.run()][-2:] == ["M_START", "PROC_START"]
        assert "GO_START(g 2)" in replay.notes()[-1]
    else:
        with pytest.raises(IllegalTrace, match="GO_START"):
            list(replay.run())


# ---- live ----


@pytest.mark.parametrize("seed", range(20))
def test_piece_by_piece_it_is_the_same(seed: int) -> None:
    """The reader takes what is there, of all trails, now and then."""
    story = Simulation(seed).run(400)
    expected = played(story.recording())
    live = Replay(BEGUN, strings=STRINGS)
    steps: list[Step] = []
    last = 0
    while last < len(story.told):
        n = last + 37
        fresh = story.told[last:n]
        for trail in sorted({event[1] for event in fresh}):
            live.feed(Piece(trail, encode_some(trail, [event for event in fresh if event[1] == trail])[9:]))
        steps += live.run(until=fresh[-1][0] - 1)
        last = n
    steps += live.run()
    live.close()
    assert sorted((s.who, s.kind, s.args, s.g) for s in steps) == sorted((s.who, s.kind, s.args, s.g) for s in expected)
    prove(steps)
    assert list(live.run()) == []


def test_a_time_can_be_gone_to() -> None:
    story = begin().m(0, E_GO_START, 1, after=1000).m(0, E_GO_BLOCK, W_RECV, after=1000)
    replay = Replay.of(story.recording())
    assert [NAMES[s.kind] for s in replay.run(until=BEGUN + 100)][-1] == "PROC_START"
    assert replay.world.goroutines[1].state == RUNNABLE
    assert [NAMES[s.kind] for s in replay.run(until=story.now - 1)] == ["GO_START"]
    assert replay.world.goroutines[1].state == RUNNING
    assert replay.world.goroutines[1].p == 0
    assert [NAMES[s.kind] for s in replay.run()] == ["GO_BLOCK"]
    assert replay.world.goroutines[1].state == WAITING
    assert replay.progress() == 1


def test_who_looks_on_may_leave_and_come_back() -> None:
    replay = Replay.of(Simulation(2).run(300).recording())
    steps = [next(replay.run()) for _ in range(50)]
    steps += replay.run()
    assert steps == played(Simulation(2).run(300).recording())


def test_live_what_is_illegal_is_an_error_after_a_while() -> None:
    live = Replay(BEGUN)
    live.feed(Piece(1, encode_some(1, [(BEGUN, 1, FIRST_M, E_GO_START, (1,))])[9:]))
    assert list(live.run(until=BEGUN + 10)) == []
    with pytest.raises(IllegalTrace, match="goroutine 1 was never created"):
        list(live.run(until=BEGUN + PATIENCE_NS + 1))


def test_observers_see_every_step() -> None:
    seen: list[Step] = []
    replay = Replay.of(begin().recording())
    replay.watch(seen.append)
    assert list(replay.run()) == seen
    assert replay.name_of(1) == "main"
    assert replay.name_of(2) == ""
    assert replay.string(99) == "string 99"


def test_an_empty_recording() -> None:
    assert encode([], []).startswith(b"gosched trace 1\n")
    assert played(Story().recording()) == []
