"""A trace as a picture: what is in it, and that it can be read."""

from __future__ import annotations

import random
import sys
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

import gosched
from gosched.cli import main as command
from gosched.core.events import E_GO_CREATE, E_GO_END, E_GO_START, OUTSIDE
from gosched.lab import cpu
from gosched.lab.clockwork import Clockwork
from gosched.trace import files
from gosched.trace.files import Recording
from gosched.trace.record import VirtualRecorder
from gosched.trace.sheet import width_of
from gosched.trace.svg import Note, draw
from gosched.trace.timeline import (
    BARE,
    HELD,
    IN_CALL,
    MOST,
    NEXT,
    OF_GLOBAL,
    OF_M,
    OF_P,
    OF_SYSMON,
    RING,
    ROBS,
    RUN,
    RUNS,
    SEARCH,
    SLEEP,
    WAKES,
    TooMuch,
    timeline,
)
from tests.trace.making import Simulation, begin
from tests.trace.test_summary import day

SPACE = "{http://www.w3.org/2000/svg}"
Box = tuple[float, float, float, float]
P0, P1, M0, M1, SYSMON = (OF_P, 0), (OF_P, 1), (OF_M, 0), (OF_M, 1), (OF_SYSMON, 0)


# ---- what every picture must be ----


def words(svg: str) -> list[tuple[str, Box]]:
    """Every text of a picture, and the box that it takes: left, top, right, bottom."""
    found = []
    for text in ElementTree.fromstring(svg).iter(f"{SPACE}text"):
        size, x, y = (float(text.get(name, "0")) for name in ("font-size", "x", "y"))
        width = width_of(text.text or "", size, "code" in text.get("class", ""), text.get("font-weight") is not None)
        left = x - {"middle": width / 2, "end": width}.get(text.get("text-anchor", ""), 0)
        found.append((text.text or "", (left, y - 0.8 * size, left + width, y + 0.2 * size)))
    return found


def check_picture(svg: str) -> None:
    """Well-formed, nothing written outside of it, and nothing over anything else."""
    root = ElementTree.fromstring(svg)
    _, _, width, height = (float(n) for n in root.get("viewBox", "").split())
    found = words(svg)
    for text, (left, top, right, bottom) in found:
        assert text.strip()
        assert 0 <= left <= right <= width, text
        assert 0 <= top <= bottom <= height, text
    for (text, a), (other, b) in combinations(found, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], f"{text!r} and {other!r}"
    for box in root.iter(f"{SPACE}rect"):
        x, y, wide, high = (float(box.get(name, "0")) for name in ("x", "y", "width", "height"))
        assert 0 <= x <= x + wide <= width + 2
        assert 0 <= y <= y + high <= height


@pytest.mark.parametrize("seed", range(12))
def test_a_picture_can_be_read(seed: int) -> None:
    recording = Simulation(seed).run(250).recording(complete=seed % 3 > 0, piece=40)
    found = timeline(recording)
    picture = draw(found, "a simulation")
    check_picture(picture)
    assert picture == draw(timeline(recording), "a simulation")
    asked = random.Random(seed)
    for _ in range(3):
        start, end = sorted(asked.sample(range(found.end + 1), 2))
        check_picture(draw(timeline(recording, start, end, threads=asked.random() < 0.5), "a part"))


def test_a_check_that_fails() -> None:
    picture = draw(timeline(day().recording()), "a day")
    check_picture(picture)
    for wrong in ('<text x="950" y="20" font-size="12">too long</text>', '<text x="16" y="24" font-size="12">over</text>'):
        with pytest.raises(AssertionError):
            check_picture(picture.replace("</svg>", f"{wrong}</svg>"))


# ---- what is in it ----


def test_what_a_day_looks_like() -> None:
    found = timeline(day().recording())
    assert found.lanes == [SYSMON, P0, P1, M0, M1]
    spans = [(s.lane, s.begin // 1000, s.end // 1000, s.look, s.g) for s in found.spans if s.row == RUNS]
    assert [s for s in spans if s[0] == P0] == [(P0, 100, 500, RUN, 1), (P0, 2000, 2200, RUN, 2), (P0, 2500, 2700, RUN, 2), (P0, 2800, 2900, RUN, 1)]
    assert [s for s in spans if s[0] == P1] == [(P1, 400, 1000, RUN, 2), (P1, 1000, 1100, IN_CALL, 2)]
    assert (M1, 1000, 2000, IN_CALL, 2) in spans
    assert [s[3] for s in spans if s[0] == M0] == [SEARCH, RUN, SEARCH, SLEEP]
    assert [(s.text, s.begin // 1000, s.end // 1000) for s in found.spans if s.lane == P1 and s.row == HELD] == [("M1", 300, 1100)]
    assert [(mark.lane, mark.text) for mark in found.marks][:6] == [
        (P0, "starts G2"),
        (P1, "steals 1 from P0"),
        (P0, "waits: chan receive"),
        (P0, "a timer is due"),
        (P1, "enters a call"),
        (SYSMON, "takes P1 from M1"),
    ]
    assert [(a.lane, a.at // 1000, a.to, a.lands // 1000) for a in found.arrows if a.kind == WAKES] == [(P0, 2600, P0, 2800)]
    assert [(a.lane, a.to) for a in found.arrows if a.kind == ROBS] == [(P0, P1)]
    assert found.names == {1: "main", 2: "worker"}


def test_the_end() -> None:
    assert [text for _, text in timeline(Simulation(1).run(50).recording()).moments] == ["main is over", "threads leave"]


def test_without_threads() -> None:
    found = timeline(day().recording(), threads=False)
    assert found.lanes == [SYSMON, P0, P1]
    assert {mark.lane for mark in found.marks} <= {SYSMON, P0, P1}


def test_a_window() -> None:
    found = timeline(day().recording(), 450_000, 1_050_000)
    assert (found.begin, found.end) == (450_000, 1_050_000)
    assert [(s.lane, s.begin, s.end, s.g) for s in found.spans if s.row == RUNS and s.lane[0] == OF_P] == [
        (P0, 450_000, 500_000, 1),
        (P1, 450_000, 1_000_000, 2),
        (P1, 1_000_000, 1_050_000, 2),
    ]
    assert [mark.text for mark in found.marks] == ["waits: chan receive", "a timer is due", "enters a call"]


def played(main: object, procs: int = 1) -> Recording:
    recorder = VirtualRecorder(queues=True)
    Clockwork(procs, seed=1, recorder=recorder).run(main)
    return files.parse(recorder.data, "the laboratory")


async def worker() -> None:
    await cpu(10e-6)


async def crowd() -> None:
    wg = gosched.WaitGroup()
    for _ in range(12):
        wg.go(worker)
    await gosched.ayield_now()
    await wg


def test_queues() -> None:
    recording = played(crowd)
    found = timeline(recording, rows=4)
    first = {span.row: (span.g, span.text) for span in reversed(found.spans) if span.lane == P0 and span.row >= NEXT}
    assert first == {NEXT: (13, ""), RING: (2, ""), RING + 1: (3, ""), RING + 2: (4, ""), RING + 3: (0, "8 more")}
    assert [span.g for span in found.spans if span.lane == (OF_GLOBAL, 0)] == [1, 1]
    assert found.depths == {P0: 5, (OF_GLOBAL, 0): 2}
    assert not timeline(recording, rows=0).depths


def test_a_call_without_a_p() -> None:
    looks = {span.look for seed in range(8) for span in timeline(Simulation(seed).run(250).recording()).spans}
    assert BARE in looks


def test_notes() -> None:
    picture = draw(timeline(day().recording()), "a day", [Note(P0, 100_000), Note(P0, 101_000), Note(SYSMON, 1_100_000), Note(M1, 400_000, -1)])
    check_picture(picture)
    assert [text for text, _ in words(picture) if text in {"1", "2", "3", "4"}] == ["1", "2", "3", "4"]


def test_names_that_xml_cannot_have() -> None:
    story = begin()
    story.strings[0] = "<a & b>\x00\x01"
    story.m(0, E_GO_START, 1).m(0, E_GO_END, after=100_000)
    picture = draw(timeline(story.recording()), "]]> " * 200)
    check_picture(picture)
    assert "G1 <a & b>??" in [text for text, _ in words(picture)]


def test_too_much() -> None:
    story = begin()
    for g in range(2, MOST + 3):
        story.tell(OUTSIDE, E_GO_CREATE, g, 0, 1).m(0, E_GO_START, g).m(0, E_GO_END, after=50)
    recording = story.recording()
    with pytest.raises(TooMuch, match=r"^more than 4,000 slices are no picture: choose a part of the time$"):
        timeline(recording)
    assert len(timeline(recording, 1000, 3000).spans) < 200


# ---- gosched trace export --svg ----


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "day.trace"
    path.write_bytes(day().data())
    return path


def test_export(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["trace", "export", "--svg", str(path)]) == 0
    check_picture(path.with_name("day.trace.svg").read_text())
    assert capsys.readouterr().out == f"{path}.svg: 22 slices\n"
    assert command(["trace", "export", "--svg", "-o", "-", "--from", "0.45", "--to", "1.05", str(path)]) == 0
    assert capsys.readouterr().out == draw(timeline(files.read(path), 450_000, 1_050_000), "day.trace: 600 µs")
    assert sorted(p.name for p in path.parent.iterdir()) == ["day.trace", "day.trace.svg"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--from", "2", "--to", "1"], "gosched trace: --to must be later than --from\n"),
        (["--from", "soon"], "must be a number of milliseconds, not 'soon'"),
        (["--to", "-1"], "must be a number of milliseconds, not '-1'"),
        (["--perfetto"], "not allowed with argument --svg"),
    ],
)
def test_export_of_nonsense(path: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        sys.exit(command(["trace", "export", "--svg", *options, str(path)]))
    assert said in capsys.readouterr().err
    assert not path.with_name("day.trace.svg").exists()
