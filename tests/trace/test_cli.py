"""gosched trace: what it prints, word for word, and what it says of what cannot be read."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gosched.cli.trace
from gosched.cli import main
from gosched.core.events import E_GO_BLOCK, E_GO_END, E_GO_START, E_GO_UNBLOCK, OUTSIDE
from gosched.core.states import W_RECV
from tests.trace.making import Simulation, Story, begin
from tests.trace.test_perfetto import validate
from tests.trace.test_summary import REPORT, day

Captured = pytest.CaptureFixture[str]


def short() -> Story:
    return begin().m(0, E_GO_START, 1).m(0, E_GO_BLOCK, W_RECV).tell(OUTSIDE, E_GO_UNBLOCK, 1, 0, after=5_000)


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with some traces."""
    monkeypatch.chdir(tmp_path)
    Path("short.trace").write_bytes(short().data())
    Path("day.trace").write_bytes(day().data())
    Path("wrong.trace").write_bytes(begin().m(0, E_GO_END).data())
    Path("cut.trace").write_bytes(short().data()[:-20])
    Path("other.txt").write_text("no trace")
    return tmp_path


def test_summary(at: Path, capsys: Captured) -> None:
    assert main(["trace", "summary", "day.trace"]) == 0
    head = "python app.py (pid 4711), gosched 0.1.0 (compiled), Python 3.14.0 free-threaded\n"
    assert capsys.readouterr() == (head + REPORT, "")


EVENTS = """\
     0.000010 ms  gomaxprocs is 2
     0.000020 ms  a thread outside started goroutine 1 (main)
     0.000030 ms  M0 begins
     0.000040 ms  M0 takes P0
     0.000050 ms  P0 runs goroutine 1 (main) after 30 ns in a queue
     0.000060 ms  goroutine 1 (main) waits: chan receive
     0.005060 ms  goroutine 1 (main) was woken after 5.00 µs (chan receive) by no goroutine: a timer, the network, a thread
"""


def test_events(at: Path, capsys: Captured) -> None:
    assert main(["trace", "events", "short.trace"]) == 0
    assert capsys.readouterr() == (EVENTS, "")


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        (["--limit", "2"], [0, 1]),
        (["--limit", "0"], []),
        (["--kind", "go_start"], [4]),
        (["--kind", "M_START"], [2]),
        (["--goroutine", "1"], [1, 4, 5, 6]),
        (["--goroutine", "1", "--limit", "1"], [1]),
        (["--goroutine", "2"], []),
    ],
)
def test_some_events(at: Path, capsys: Captured, options: list[str], lines: list[int]) -> None:
    assert main(["trace", "events", "short.trace", *options]) == 0
    assert capsys.readouterr().out.splitlines() == [EVENTS.splitlines()[i] for i in lines]


def test_check(at: Path, capsys: Captured) -> None:
    assert main(["trace", "check", "short.trace"]) == 0
    assert capsys.readouterr() == ("legal: 7 events of 1 goroutine, 1 M and 1 P in 5.06 µs\n", "")


def test_check_of_a_file_that_was_cut_off(at: Path, capsys: Captured) -> None:
    assert main(["trace", "check", "cut.trace"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "legal: 7 events of 1 goroutine, 1 M and 1 P in 5.06 µs"
    assert out[1].startswith("note: cut off in the middle of a record: the last ")
    assert out[2] == "note: not closed: the program was killed, or still runs"


WRONG = (
    "gosched trace: wrong.trace: GO_END by M0 at 0.000050 ms, in trail 1, is illegal: M0 runs nothing and has P0; it would have to run a goroutine\n"
)


@pytest.mark.parametrize("action", [["check"], ["summary"], ["events"], ["export", "--perfetto"]])
@pytest.mark.parametrize(
    ("file", "wrong"),
    [
        ("wrong.trace", WRONG),
        ("other.txt", "gosched trace: other.txt, byte 0: not a gosched trace: it would begin with b'gosched trace 1\\n'\n"),
        ("none.trace", "gosched trace: none.trace: No such file or directory\n"),
    ],
)
def test_what_cannot_be_read(at: Path, capsys: Captured, action: list[str], file: str, wrong: str) -> None:
    assert main(["trace", *action, file]) == 1
    assert capsys.readouterr().err == wrong
    assert sorted(p.name for p in at.iterdir()) == ["cut.trace", "day.trace", "other.txt", "short.trace", "wrong.trace"]


def test_export(at: Path, capsys: Captured) -> None:
    assert main(["trace", "export", "--perfetto", "day.trace"]) == 0
    events = json.loads(Path("day.trace.json").read_text())["traceEvents"]
    validate(events)
    assert capsys.readouterr().out == f"day.trace.json: {len(events)} events; open it in https://ui.perfetto.dev\n"
    assert main(["trace", "export", "--perfetto", "day.trace", "-o", "there.json", "--goroutines", "1"]) == 0
    assert "(the 1 busiest)" in Path("there.json").read_text()
    capsys.readouterr()
    assert main(["trace", "export", "--perfetto", "day.trace", "-o", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["traceEvents"] == events


def test_export_to_where_nothing_can_be_written(at: Path, capsys: Captured) -> None:
    assert main(["trace", "export", "--perfetto", "day.trace", "-o", "no/where.json"]) == 1
    assert capsys.readouterr().err == "gosched trace: no/where.json.part: No such file or directory\n"


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        (["export", "day.trace"], "one of the arguments --perfetto --svg is required"),
        (["events", "day.trace", "--kind", "dance"], "argument --kind: invalid choice: 'dance'"),
        (["events", "day.trace", "--limit", "-1"], "argument --limit: must be a number, not '-1'"),
        (["events", "day.trace", "--goroutine", "x"], "argument --goroutine: must be a number, not 'x'"),
        ([], "the following arguments are required: ACTION"),
    ],
)
def test_what_is_not_understood(at: Path, capsys: Captured, options: list[str], wrong: str) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["trace", *options])
    assert caught.value.code == 2
    assert wrong in capsys.readouterr().err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_how_far_it_is(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("long.trace").write_bytes(Simulation(1).run(300).data(piece=20))
    monkeypatch.setattr(gosched.cli.trace, "LONG", -1.0)
    monkeypatch.setattr(gosched.cli.trace, "OFTEN", -1.0)
    monkeypatch.setattr(gosched.cli.trace, "BATCH", 100)
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    assert main(["trace", "check", "long.trace"]) == 0
    said = screen.getvalue().split("\r")[1:]
    assert said[0].startswith("100 events, ")
    assert said[0].endswith(" %")
    assert said[-1] == "\x1b[K"


def test_a_reader_that_leaves(at: Path) -> None:
    """As in `gosched trace events FILE | head -1`."""
    Path("long.trace").write_bytes(Simulation(1).run(3000).data())
    ours, theirs = os.pipe()
    os.close(ours)
    code = "import sys; from gosched.cli import main; sys.exit(main(['trace', 'events', 'long.trace']))"
    done = subprocess.run([sys.executable, "-c", code], stdout=theirs, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (1, "")
