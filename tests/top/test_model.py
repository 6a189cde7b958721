"""What two answers tell together: rates, turns, hints; and names that a terminal must not obey."""

from __future__ import annotations

import json

import pytest

from gosched.cli.top import model
from gosched.cli.top.model import History, duration
from gosched.system.asker import NoAnswer

from .answers import answer, p, runtime


def test_rates_are_made_of_two_answers() -> None:
    history = History()
    first = history.add(answer(runtime(10.0, [p(0, schedtick=100, usertick=1000), p(1)])))
    assert (first.runtimes[0].rates, first.runtimes[0].ps[0].ticks) == ({}, None)
    ps = [p(0, schedtick=150, usertick=1600, steals=1, handoffs=2), p(1, usertick=40, retakes=4)]
    second = history.add(answer(runtime(12.0, ps, preemptions=3, blocking_calls=5, plain_parks=8)))
    assert [(row.ticks, row.steals, row.handoffs) for row in second.runtimes[0].ps] == [(25.0, 0.5, 1.0), (0.0, 0.0, 0.0)]
    assert second.runtimes[0].rates == {
        "turns": 320.0,
        "preemptions": 1.5,
        "blocking_calls": 2.5,
        "plain_parks": 4.0,
        "steals": 0.5,
        "handoffs": 1.0,
        "retakes": 2.0,
    }


def test_a_p_that_is_new_and_a_runtime_that_is_new_have_no_rates() -> None:
    history = History()
    history.add(answer(runtime(10.0, [p(0)])))
    view = history.add(answer(runtime(11.0, [p(0), p(1, schedtick=5)]), runtime(11.0, [p(0, schedtick=9)], id=2)))
    assert [row.ticks for row in view.runtimes[0].ps] == [0.0, None]
    assert view.runtimes[1].rates == {}


def test_the_same_answer_twice() -> None:
    history = History()
    history.add(answer(runtime(10.0, [p(0)])))
    assert history.add(answer(runtime(10.0, [p(0)]))).runtimes[0].rates == {}


def test_queues_are_remembered() -> None:
    history = History()
    for n in range(300):
        view = history.add(answer(runtime(float(n), [p(0, queue=n, runnext=True), p(1, queue=2)], global_queue=10)))
    assert view.runtimes[0].queued == [n + 13 for n in range(60, 300)]


def test_who_runs_on_a_p_is_named() -> None:
    view = History().add(answer(runtime(1.0, [p(0, status="running"), p(1)])))
    assert [row.goroutine for row in view.runtimes[0].ps] == ["1 main", ""]
    assert view.runtimes[0].ms == {"running": 1, "parked": 1}


def test_a_turn_that_goes_on_from_answer_to_answer() -> None:
    """Sysmon begins anew with a goroutine that nobody waits for; its P's count of turns does not."""
    history = History()
    views = [history.add(answer(runtime(10.0 + n, [p(0, usertick=7 if n < 4 else 8)]))) for n in range(6)]
    assert [view.runtimes[0].running[0]["seconds"] for view in views] == [0.0, 1.0, 2.0, 3.0, 0.0, 1.0]
    assert [len(view.runtimes[0].hints) for view in views] == [0, 1, 1, 1, 0, 1]
    assert views[3].runtimes[0].hints == ["goroutine 1 (main) has not entered the runtime for 3.0 s"]


def test_without_a_p_only_the_program_knows_for_how_long() -> None:
    history = History()
    ms = [{"id": 0, "state": "running", "p": None, "goroutine": 1}]
    for seconds in (0.5, None, 2.0):
        running = [{"id": 1, "name": "main", "state": "syscall", "m": 0, "seconds": seconds}]
        view = history.add(answer(runtime(10.0, [p(0)], ms=ms, running=running)))
        assert view.runtimes[0].running[0]["seconds"] == seconds


def test_hints() -> None:
    crowd = runtime(1.0, [p(0)], by_state={"runnable": 90, "preempted": 11}, threads=51)
    assert History().add(answer(crowd)).runtimes[0].hints == [
        "101 goroutines wait for a turn on 1 P; there are 4 CPUs",
        "51 threads: goroutines block in calls, or wait by the plain spelling on threads of their own",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (9.96, "10.0 s"), (10.9, "10 s"), (61.0, "1 min 1 s"), (3661.0, "1 h 1 min"), (90000.0, "1 d 1 h")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_names_cannot_move_the_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = answer(runtime(1.0, [p(0)], functions=[["\x1b[2Jboo\udc80", 1]], by_state={"wait\ning": 1}))
    sent["argv"] = ["a\tb", "é"]
    monkeypatch.setattr(model, "fetch", lambda pid, kind: json.dumps(sent) + "\n")
    got = model.ask(4711)
    assert got["argv"] == ["a?b", "é"]
    assert got["runtimes"][0]["functions"] == [["?[2Jboo?", 1]]
    assert got["runtimes"][0]["stats"]["by_state"] == {"wait?ing": 1}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("what?\n", "process 4711 sent no figures: it may run another gosched"),
        ('{"format": 2, "gosched": "0.9"}\n', "process 4711 runs another gosched, 0.9: ask with that one's command"),
    ],
)
def test_an_answer_that_is_none(text: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "fetch", lambda pid, kind: text)
    with pytest.raises(NoAnswer) as caught:
        model.ask(4711)
    assert str(caught.value) == why
