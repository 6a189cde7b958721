"""The tracer, read along by a page: all of it where that is little, the last of it where it is much, and nothing that is not so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gosched
from gosched import Chan, ayield_now, go
from gosched.core.events import E_GO_BLOCK, E_GO_CREATE, E_GO_END, E_GO_UNBLOCK, NAMES
from gosched.trace.record import FileRecorder, LiveRecorder
from gosched.trace.sentences import sentence
from gosched.web.following import BUDGET, Follower
from gosched.web.lints import Lints
from gosched.web.live import LiveFeed
from gosched.web.snapshot import Snapshot
from gosched.web.waiting import Waiting
from tests.calm import run_calmly

# What a program does, whatever the machine, sysmon and the collector do.
CERTAIN = (E_GO_CREATE, E_GO_BLOCK, E_GO_UNBLOCK, E_GO_END)


def told(follower: Follower) -> list[str]:
    return [plain(sentence(follower.replay, step)) for step in follower.steps() if step.kind in CERTAIN]


def plain(text: str) -> str:
    """Functions without what they are inside of."""
    return re.sub(r"\w+\.<locals>\.", "", text)


async def meet(ch: Chan[int]) -> None:
    await ch.arecv()


def test_every_step_is_told_once_and_in_its_order() -> None:
    recorder = LiveRecorder()

    async def main() -> list[list[str]]:
        follower = Follower(recorder, {})
        looks = [told(follower)]
        ch: Chan[int] = Chan()
        g = go(meet, ch, name="ann")
        looks.append(told(follower))
        while len(looks[1]) < 2:
            await ayield_now()
            looks[1] += told(follower)
        await ch.asend(1)
        while not g.is_dead():
            await ayield_now()
        looks += [told(follower), told(follower)]
        assert follower.skipped == 0
        return looks

    first, second, third, fourth = run_calmly(main, trace=recorder)
    assert first == ["a thread outside started goroutine 1 (main)"]
    assert second == ["goroutine 1 (main) started goroutine 2 (ann)", "goroutine 2 (ann) waits: chan receive"]
    assert third[0].startswith("goroutine 1 (main) woke goroutine 2 (ann) after ")
    assert third[0].endswith(" (chan receive)")
    assert third[1:] == ["goroutine 2 (ann) ends"]
    assert fourth == []


def test_beyond_the_budget_the_last_is_told_and_then_all_again() -> None:
    recorder = LiveRecorder()

    async def main() -> tuple[int, int, list[str]]:
        follower = Follower(recorder, {1: "main"})
        told(follower)
        for _ in range(50_000):
            await ayield_now()
        steps = list(follower.steps())
        skipped = follower.skipped
        go(meet, Chan(), name="bob")
        after = told(follower)
        while len(after) < 2:
            await ayield_now()
            after += told(follower)
        return skipped, len(steps), after

    skipped, n, after = run_calmly(main, trace=recorder)
    assert skipped > 1_000  # the recorder has freed pieces: nobody counts those
    assert 0 < n <= BUDGET
    assert after == ["goroutine 1 (main) started goroutine 2 (bob)", "goroutine 2 (bob) waits: chan receive"]


def test_what_the_recorder_took_away_is_a_gap(tmp_path: Path) -> None:
    """A file's recorder frees a piece as soon as it is written: the rest of it was never read."""
    recorder = FileRecorder(tmp_path / "a.trace")

    async def main() -> tuple[int, set[int]]:
        follower = Follower(recorder, {})
        told(follower)
        before = serials(recorder)
        while not any(n > before.get(trail, 0) for trail, n in serials(recorder).items()):
            await ayield_now()
        with recorder._reading:
            recorder.read()
        list(follower.steps())
        return follower.skipped, set(follower.places)

    skipped, trails = gosched.run(main, gomaxprocs=1, trace=recorder)
    assert skipped > 0
    assert len(trails) > 1


def serials(recorder: FileRecorder) -> dict[int, int]:
    """Of each trail's newest piece."""
    assert recorder.trails is not None
    return {trail.id: mark[0] for trail in recorder.trails.all for mark in trail.marks()[-1:]}


@pytest.mark.parametrize("procs", [1, 2])
def test_a_busy_program_is_followed_for_long(procs: int) -> None:
    """Whatever is skipped, what is told is legal: a replay that runs into a contradiction would hold events back for ever."""
    recorder = LiveRecorder()

    async def main() -> tuple[int, set[str]]:
        async def spawner() -> None:
            for _ in range(300):
                g = go(meet, ch)
                await ayield_now()
                await ch.asend(1)
                del g

        ch: Chan[int] = Chan()
        follower = Follower(recorder, {})
        kinds: set[str] = set()
        others = [go(spawner) for _ in range(3)]
        looks = 0
        while not all(g.is_dead() for g in others):
            kinds |= {NAMES[step.kind] for step in follower.steps()}
            looks += 1
            await ayield_now()
        kinds |= {NAMES[step.kind] for step in follower.steps()}
        held = [trail for trail in follower.replay.trails.values() if trail.complaint]
        assert len(held) <= procs
        return looks, kinds

    looks, kinds = gosched.run(main, gomaxprocs=procs, trace=recorder)
    assert looks > 0
    assert {NAMES[kind] for kind in CERTAIN} <= kinds


def test_the_page_is_told_of_what_happened_and_how_long_turns_took() -> None:
    recorder = LiveRecorder()

    async def main() -> tuple[list[str], float | None, list[str]]:
        feed = LiveFeed(gosched.Runtime.current().sched, recorder)
        feed.snapshot()
        ch: Chan[int] = Chan()
        g = go(meet, ch, name="ann")
        moment = feed.snapshot()
        while not any("waits" in event[3] for event in feed.events(0)[1]):
            await ayield_now()
            moment = feed.snapshot()
        found = feed.goroutine(g.id)
        assert found is not None
        cursor, events = feed.events(0)
        assert cursor == events[-1][0]
        await ch.asend(1)
        return [plain(event[3]) for event in events], moment.latency, [plain(entry[2]) for entry in found["history"]]

    texts, latency, history = run_calmly(main, trace=recorder)
    assert "goroutine 1 (main) started goroutine 2 (ann)" in texts
    assert "goroutine 2 (ann) waits: chan receive" in texts
    assert latency is not None
    assert 0 < latency < 30
    assert history[0] == "goroutine 1 (main) started goroutine 2 (ann)"
    assert history[-1] == "goroutine 2 (ann) waits: chan receive"


def lint_texts(lints: Lints, t: float) -> list[str]:
    now = Snapshot(t=t, ps=[], ms=[], queue=0, queued=[], net=0, timers=0, next_timer=None, total=0, counts={}, rows={}, groups=[])
    return [lint.text for lint in lints.look(now, Waiting.nothing())]


def test_who_is_asked_to_let_others_run_is_named() -> None:
    lints = Lints()
    lints.asked(1.0, 7, 0.0123)
    assert lint_texts(lints, 1.1) == ["Goroutine 7 held a P too long, up to 12 ms, once"]
    lints.asked(1.1, 9, 0.009)
    assert lint_texts(lints, 1.1) == ["2 goroutines held a P too long, up to 12 ms, once each"]
    lints.asked(1.2, 7, 0.02)
    lints.parked(7)
    assert lint_texts(lints, 1.3)[0] == "Goroutine 7 held its P too long, up to 20 ms, and was asked 2 times to let others run"
    for i in range(10):
        lints.asked(1.3 + i / 10, 8, 0.011)
    assert lint_texts(lints, 2.4)[0] == "Goroutine 8 never parks: in 900 ms it was asked 10 times to let others run"
    assert lint_texts(lints, 9.0) == []
    lints.asked(9.1, 7, 0.02)
    lints.forget()
    assert lint_texts(lints, 9.2) == []
