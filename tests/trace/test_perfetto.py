"""The export: what a viewer demands of it, and what it shows."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import pytest

from gosched.core.events import E_GO_BLOCK, E_GO_CREATE, E_GO_END, E_GO_START, E_LOST, E_REGION_BEGIN, E_REGION_END, OUTSIDE
from gosched.core.states import W_RECV
from gosched.trace.files import Recording
from gosched.trace.perfetto import GOROUTINES, MS, PROCESSES, PROGRAM, PS, TASKS, as_text
from tests.trace.making import Simulation, begin
from tests.trace.test_summary import day

# What an event of each phase must have, beside ph, pid, tid, ts and name.
NEEDED = {
    "M": {"args"},
    "B": set(),
    "E": set(),
    "i": {"s"},
    "C": {"args"},
    "s": {"id", "cat"},
    "f": {"id", "cat", "bp"},
    "b": {"id", "cat"},
    "e": {"id", "cat"},
}


def exported(recording: Recording, tracks: int = 100) -> list[dict[str, Any]]:
    told = json.loads(as_text(recording, tracks))
    assert told["displayTimeUnit"] == "ns"
    assert told["otherData"]["pid"] == 4711
    events: list[dict[str, Any]] = told["traceEvents"]
    return events


def validate(events: list[dict[str, Any]]) -> None:
    """By the rules of the format."""
    last = 0.0
    slices: dict[tuple[int, int], list[str]] = defaultdict(list)
    spans: dict[tuple[str, int], list[str]] = defaultdict(list)
    flows: dict[int, str] = {}
    named = set()
    for event in events:
        assert event.keys() >= {"ph", "pid", "tid", "ts", "name"} | NEEDED[event["ph"]]
        assert event["ts"] >= last
        last = event["ts"]
        assert event["pid"] in PROCESSES
        track = event["pid"], event["tid"]
        phase, name = event["ph"], event["name"]
        assert name
        if phase == "M":
            named.add((*track, name))
        elif event["pid"] not in (PROGRAM, TASKS):
            assert (*track, "thread_name") in named
        if phase == "B":
            assert not slices[track]
            slices[track].append(name)
        elif phase == "E":
            assert slices[track].pop() == name
        elif phase == "b":
            spans[event["cat"], event["id"]].append(name)
        elif phase == "e":
            assert spans[event["cat"], event["id"]].pop() == name
        elif phase == "s":
            assert event["id"] not in flows
            assert slices[track], "an arrow begins in a slice"
            flows[event["id"]] = "s"
        elif phase == "f":
            assert flows[event["id"]] == "s"
            flows[event["id"]] = "f"
    assert not any(slices.values())
    assert not any(spans.values())
    assert set(flows.values()) <= {"f"}
    assert {(pid, 0, "process_name") for pid in PROCESSES} <= named


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("tracks", [0, 3, 100])
def test_it_is_what_the_format_demands(seed: int, tracks: int) -> None:
    events = exported(Simulation(seed).run(400).recording(complete=seed % 3 > 0, piece=40), tracks)
    validate(events)
    assert len({e["tid"] for e in events if e["pid"] == GOROUTINES and e["ph"] == "B"}) <= tracks


def slices_of(events: list[dict[str, Any]], pid: int, tid: int) -> list[tuple[str, float, float]]:
    """name, from, to: in µs."""
    found, begun = [], 0.0
    for event in events:
        if (event["pid"], event["tid"]) == (pid, tid):
            if event["ph"] == "B":
                begun = event["ts"]
            elif event["ph"] == "E":
                found.append((event["name"], begun, event["ts"]))
    return found


def test_what_it_shows() -> None:
    events = exported(day().recording())
    validate(events)
    assert slices_of(events, PS, 1) == [("worker", 400, 1100)]
    assert slices_of(events, PS, 0) == [("main", 100, 500), ("worker", 2000, 2200), ("worker", 2500, 2700), ("main", 2800, 2900)]
    assert slices_of(events, MS, 0) == [("looks for work", 0, 100), ("main", 100, 500), ("looks for work", 500, 600), ("parked", 600, 3000)]
    assert slices_of(events, GOROUTINES, 2) == [
        ("runnable", 200, 400),
        ("running", 400, 1000),
        ("in a call", 1000, 1100),
        ("in a call, without a P", 1100, 2000),
        ("running, without a P", 2000, 2000),
        ("running", 2000, 2200),
        ("runnable", 2200, 2500),
        ("running", 2500, 2700),
    ]
    assert ("chan receive", 500, 2600) in slices_of(events, GOROUTINES, 1)
    assert [(e["ts"], e["name"]) for e in events if e["ph"] == "i"] == [
        (300, "steal"),
        (1100, "blocked"),
        (1100, "P taken"),
        (2100, "asked"),
        (2200, "preempted"),
        (2700, "netpoll"),
    ]
    assert next(e for e in events if e["name"] == "steal")["args"] == {"what": "P1 found its queue empty and stole 1 goroutine from P0"}
    assert [(e["ph"], e["pid"], e["tid"], e["ts"], e["name"]) for e in events if e["ph"] in "sf"] == [
        ("s", PS, 0, 200, "start"),
        ("s", GOROUTINES, 1, 200, "start"),
        ("f", GOROUTINES, 2, 200, "start"),
        ("f", PS, 1, 400, "wake"),
        ("s", PS, 0, 2600, "wake"),
        ("s", GOROUTINES, 2, 2600, "wake"),
        ("f", GOROUTINES, 1, 2600, "wake"),
        ("f", PS, 0, 2800, "wake"),
    ]
    assert [(e["ph"], e["ts"], e["name"]) for e in events if e["ph"] in "be"] == [
        ("b", 100, "request"),
        ("b", 400, "parse"),
        ("e", 2100, "parse"),
        ("e", 2900, "request"),
    ]
    assert [e["args"]["value"] for e in events if e["ph"] == "C" and e["name"] == "goroutines"] == [1, 2, 1]
    names = [e["args"]["name"] for e in events if e["name"] in ("process_name", "thread_name")]
    assert names[:6] == ["program", "Ps", "threads", "goroutines (the 2 busiest)", "collector", "tasks"]
    assert {"P0", "P1", "M0", "M1", "1 main", "2 worker"} <= set(names)


def test_the_busiest_have_tracks() -> None:
    story = begin()
    for g, ns in ((2, 50), (3, 500), (4, 5)):
        story.tell(OUTSIDE, E_GO_CREATE, g, 0, 1).m(0, E_GO_START, g).m(0, E_GO_END, after=ns)
    story.m(0, E_GO_START, 1).tell(OUTSIDE, E_GO_CREATE, 9, 0, 0, after=100)  # main is still running
    shown = {e["tid"] for e in exported(story.recording(), 2) if e["pid"] == GOROUTINES and e["ph"] == "B"}
    assert shown == {1, 3}


def test_where_events_were_lost_slices_end() -> None:
    story = begin().m(0, E_GO_START, 1).m(0, E_LOST, 3).m(0, E_GO_BLOCK, W_RECV, after=1000)
    events = exported(story.recording())
    validate(events)
    assert slices_of(events, PS, 0) == [("main", 0.05, 0.06)]


def test_regions_that_are_not_nested() -> None:
    story = begin().m(0, E_GO_START, 1).m(0, E_REGION_BEGIN, 3).m(0, E_REGION_BEGIN, 4).m(0, E_REGION_END, 3).m(0, E_REGION_END, 4)
    validate(exported(story.recording()))
