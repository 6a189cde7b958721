"""gosched demo: every act does what it says, both pictures show what was measured, and what goes wrong is said."""

from __future__ import annotations

import io
import os
import pty
import re
import resource
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from gosched.cli import main
from gosched.core.events import E_GO_CREATE, E_GO_END, E_GO_START, E_GO_STOP, E_M_START, E_PROC_START, E_PROCS, E_STEAL, OUTSIDE, PREEMPTED
from gosched.demo import crowd, echo, hog, hops, naps, outcome, show, stage, stealing, stuck
from gosched.demo.outcome import Bar, Chart, Failed, Figure, Plain
from gosched.demo.picture import Scene, page
from gosched.demo.sizes import FULL, FULL_PURE, QUICK, QUICK_PURE, chosen
from gosched.demo.stage import Stage
from gosched.demo.track import Raid, Stretch, Track, track
from tests.builds import NEVER_TOLD
from tests.trace.making import Story

TINY = replace(QUICK_PURE, goroutines=300, tasks=200, trips=50, queue_trips=60, pieces=12, count=20_000, ticks=50, calls=5, nap=0.02, connections=20)


# ---- all of it ----


def demo(*options: str, at: Path, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "faulthandler", "-m", "gosched", "demo", *options]
    return subprocess.run(command, cwd=at, env={**os.environ, **env}, capture_output=True, text=True, timeout=100, check=False)


@dataclass(frozen=True)
class Shown:
    text: str
    picture: str


@pytest.fixture(scope="module", params=["as it is", pytest.param("pure", marks=pytest.mark.slow)])
def shown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """A quick show, of this build and of the pure one."""
    here = tmp_path_factory.mktemp("demo")
    done = demo("--quick", at=here, **({"GOSCHED_PURE": "1"} if request.param == "pure" else {}))
    assert (done.returncode, done.stderr) == (0, "")
    return Shown(done.stdout, (here / "build/demo.html").read_text(encoding="utf-8"))


# Of each act, in their order: what its title says and a result that cannot be missing. Figures in groups are to be in the picture, too.
ACTS = (
    r"(?P<a>[\d,]+) goroutines, alive at once.* (?P=a) started and waiting after .* each.* asyncio, [\d,]+ tasks",
    r"A channel hop against asyncio.* a hop takes ([\d.,]+ \w+) \(.*; asyncio's ([\d.,]+ \w+) \(.*\): ([\d.,]+) times as long",
    r"Work stealing: (24) pieces.* P0 ran +(\d+) of 24; .* P1 ran +(\d+) of 24; it took \d+ from others in \d+ raids?",
    r"A CPU hog that starves nobody.* 200 ticks: 99 of 100 were at most ([\d.,]+ \w+) late, the latest ([\d.,]+ \w+)\b.* asyncio, with a hog",
    r"(\d+) blocking calls that stall nobody.* slept ([\d.]+ s) in all.* over the net ([\d,]+) times",
    r"(\d+) connections, echoing.* (?P<b>\d+) messages came back, each as it was sent, in .*: ([\d,]+) a second",
    r"A deadlock, explained.* the (2) that wait for each other.* all goroutines are asleep - deadlock!",
)


@pytest.mark.parametrize("number", range(1, 8))
def test_each_act_reports_and_is_in_the_picture(shown: Shown, number: int) -> None:
    text = " ".join(shown.text.split())
    found = re.search(rf"\b{number}\. {ACTS[number - 1]}", text)
    assert found, shown.text
    picture = "".join(ElementTree.fromstring(shown.picture).itertext())
    assert [figure for figure in found.groups() if figure not in picture] == []


def test_the_show_ends_with_bars_and_with_where_to_go(shown: Shown) -> None:
    end = shown.text[shown.text.index("7 acts in ") :]
    assert end.count("█") > 100
    assert "build/demo.html is a page" in end
    assert re.search(r"gosched view build/demo\.trace\n", end)
    assert re.search(r"gosched lab\n", end)


def test_a_pipe_gets_no_control_characters(shown: Shown) -> None:
    assert not re.search(r"[\r\x1b]", shown.text)


def test_smaller_sizes_are_said(shown: Shown) -> None:
    said = " ".join(shown.text.split())
    assert re.search(r"--quick makes the acts small: [\d,]+ goroutines instead of 1,000,000, \d+ blocking calls instead of 200", said)


def test_the_picture_stands_alone(shown: Shown) -> None:
    assert shown.picture.startswith("<!DOCTYPE html>")
    assert not re.search(r"(src|href)=|url\(|https?:|@import", shown.picture)
    assert "prefers-color-scheme: dark" in shown.picture
    lanes = ElementTree.fromstring(shown.picture).findall(".//svg")
    assert len(lanes) >= 2
    assert sum(len(lane.findall("rect")) for lane in lanes) >= 24


def test_a_terminal_sees_it_work(tmp_path: Path) -> None:
    """A line is rewritten in place, and taken away before the result is said."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "gosched", "demo", "--quick", "--only", "2"]
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm", "COLUMNS": "90"}
    with subprocess.Popen(command, cwd=tmp_path, env=env, stdout=theirs) as child:
        os.close(theirs)
        text = "".join(read_all(ours))
    assert child.returncode == 0
    assert "\r\x1b[2K   round 1 of 3\r\x1b[2K   round 2 of 3: so far " in text
    assert re.search(r"\r\x1b\[2K   - a hop takes", text)
    assert "\x1b[1m2. A channel hop against asyncio\x1b[m" in text


def read_all(terminal: int) -> list[str]:
    """Until the other side is closed, which Linux says by an error."""
    parts = []
    try:
        while data := os.read(terminal, 65_536):
            parts.append(data)
    except OSError:
        pass
    os.close(terminal)
    return [b"".join(parts).decode()]


def test_one_act_alone(tmp_path: Path) -> None:
    done = demo("--quick", "--only", "7", at=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^\d\. ", done.stdout, re.MULTILINE) == ["7. "]
    assert "1 act in " in done.stdout
    assert "demo.trace" not in done.stdout


@pytest.mark.parametrize("number", ["0", "8", "-1", "two", "1.5", ""])
def test_an_act_that_there_is_not(number: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        main(["demo", f"--only={number}"])
    said = capsys.readouterr()
    assert said.out == ""
    assert f"argument --only: must be the number of an act, from 1 to 7, not {number!r}" in said.err
    assert list(tmp_path.iterdir()) == []


# ---- acts ----


@pytest.fixture
def dark(tmp_path: Path) -> Stage:
    """A stage that nobody sees."""
    return Stage(io.StringIO(), tmp_path)


def test_a_crowd(dark: Stage) -> None:
    crowds = crowd.play(dark, TINY)
    assert (crowds.ours.n, crowds.ours.released, crowds.theirs.n, crowds.theirs.released) == (300, 300, 200, 200)


def test_hops(dark: Stage) -> None:
    played = hops.play(dark, TINY)
    assert (len(played.ours), len(played.theirs)) == (3, 3)
    assert min(played.ours + played.theirs) > 0


def test_stealing(dark: Stage) -> None:
    stolen = stealing.play(dark, TINY)
    assert sum(stolen.told.ran()) == 12
    assert len(stolen.told.ran()) == stolen.told.procs >= 2
    for p in range(stolen.told.procs):
        mine = sorted((stretch.begin, stretch.end) for stretch in stolen.told.stretches if stretch.p == p)
        assert all(end <= begin for (_, end), (begin, _) in pairwise(mine)), "two at once on one P"
    assert (dark.folder / "demo.trace").exists()


@NEVER_TOLD
def test_a_hog(dark: Stage) -> None:
    beside = hog.play(dark, TINY)
    assert (len(beside.ours), len(beside.theirs)) == (50, 200)
    assert beside.counted > 0


def test_naps(dark: Stage) -> None:
    slept = naps.play(dark, TINY)
    assert slept.calls == 5
    assert slept.slept >= 5 * 0.02
    assert slept.hops > 0
    assert slept.hops % 2 == 0


def test_echoes(dark: Stage) -> None:
    echoed = echo.play(dark, TINY)
    assert (echoed.connections, echoed.right, echoed.served.connections) == (20, 40, 20)
    assert echoed.words()[0].startswith("20 connections stood")


def test_stuck(dark: Stage) -> None:
    said = stuck.play(dark, TINY)
    assert said.goroutines == 2
    assert said.found.startswith("deadlock: 2 goroutines wait for each other")
    assert said.raised.startswith("all goroutines are asleep - deadlock!")
    assert "transfer" in said.raised
    assert "bank.py:11" in said.raised


# ---- what goes wrong ----


def test_fewer_connections_where_descriptors_are_few(script: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = script(
        """
        import io, resource
        from dataclasses import replace
        from pathlib import Path
        from gosched.demo import echo
        from gosched.demo.sizes import QUICK
        from gosched.demo.stage import Stage
        resource.setrlimit(resource.RLIMIT_NOFILE, (60, 130))
        echoed = echo.play(Stage(io.StringIO(), Path()), replace(QUICK, echoes=3))
        print(echoed.connections, echoed.right, resource.getrlimit(resource.RLIMIT_NOFILE))
        print(echoed.words()[0])
        """
    )
    assert done.stdout.splitlines() == ["30 90 (130, 130)", "a process may have 130 descriptors here: 30 connections instead of 200"], done.stderr


def test_a_limit_that_is_high_enough_stays() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert echo.raise_limit(20) == 20
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


def test_too_few_descriptors_for_anything(dark: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(echo, "raise_limit", lambda needed: 64)
    with pytest.raises(Failed, match="a process may have 64 descriptors here, which is too few"):
        echo.play(dark, TINY)


def test_a_server_that_fails(dark: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with pytest.raises(Failed, match="the server ended with status 1"):
        echo.play(dark, TINY)


def test_tasks_that_fail(dark: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with pytest.raises(Failed, match="the process with asyncio's tasks failed"):
        crowd.play(dark, TINY)


def fails(error: BaseException) -> SimpleNamespace:
    """An act."""

    def play(stage: Stage, sizes: object) -> None:
        raise error

    return SimpleNamespace(ABOUT="It goes wrong.", title=lambda sizes: "An act", play=play)


def test_an_act_that_fails_ends_the_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(show, "ACTS", (stuck, fails(Failed("9 of 10 came")), stuck))
    out = io.StringIO()
    assert show.show(out, "gosched", quick=True) == 1
    assert capsys.readouterr().err == "gosched demo: act 2 failed: 9 of 10 came\n"
    assert "\n2. An act\n" in out.getvalue()
    assert "3. " not in out.getvalue()
    assert not (tmp_path / "build/demo.html").exists()


def test_an_error_in_an_act_is_not_swallowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(show, "ACTS", (fails(ZeroDivisionError()),))
    with pytest.raises(ZeroDivisionError):
        show.show(io.StringIO(), "gosched", quick=True)
    assert capsys.readouterr().err == "gosched demo: stopped in act 1\n"


def test_where_nothing_can_be_written_the_picture_goes_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "build").write_text("a file")
    (tmp_path / "tmp").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(show.tempfile, "tempdir", str(tmp_path / "tmp"))
    place = show.folder()
    assert place.parent == tmp_path / "tmp"
    assert place.is_dir()


# ---- sizes ----


def test_sizes() -> None:
    assert [chosen(quick, pure) for quick in (False, True) for pure in (False, True)] == [FULL, FULL_PURE, QUICK, QUICK_PURE]
    assert (FULL.goroutines, FULL.calls, FULL.connections) == (1_000_000, 200, 10_000)


def test_the_pure_build_says_why_it_shows_less(dark: Stage) -> None:
    show.greet(dark, "gosched (pure)", FULL_PURE, quick=False)
    show.greet(dark, "gosched (compiled)", FULL, quick=False)
    assert isinstance(dark.out, io.StringIO)
    said = dark.out.getvalue()
    assert "The pure build is slower, so the acts are smaller: 20,000 goroutines instead of 1,000,000" in said
    assert said.endswith("\ngosched (compiled)\n")


# ---- drawing ----


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_goes_on_is_told_until_it_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal, asked = Terminal(), threading.Event()

    def words() -> str:
        asked.set()
        return "half done"

    with Stage(terminal, tmp_path).telling(words):
        assert asked.wait(60)
    assert "\r\x1b[2K   half done" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[2K")


def test_a_dumb_terminal_is_told_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    terminal = Terminal()
    with Stage(terminal, tmp_path).telling(lambda: pytest.fail("nobody sees it")):
        Stage(terminal, tmp_path).tell("half done")
    assert terminal.getvalue() == ""


def test_bars() -> None:
    chart = Chart("a hop", (Bar("gosched", 1, "1 µs"), Bar("asyncio", 8, "8 µs", ours=False), Bar("none", 0, "0 µs")))
    assert stage.drawn(chart, 80) == ["a hop", f"  gosched {'█' * 5} 1 µs", f"  asyncio {'█' * 40} 8 µs", "  none     0 µs"]
    assert stage.drawn(chart, 31)[2] == f"  asyncio {'█' * 14} 8 µs"


@pytest.mark.parametrize(("share", "bar"), [(0, ""), (0.0001, "▏"), (1 / 16, "▌"), (0.5, "████"), (1, "████████")])
def test_a_bar_is_never_nothing_if_there_is_something(share: float, bar: str) -> None:
    assert stage.blocks(share, 8) == bar


def test_a_sentence_is_wrapped_and_a_text_is_cut_between_paragraphs(dark: Stage) -> None:
    dark.width = 20
    dark.say("one two three four five six", "- ")
    dark.quote("a\n\tb\n\nc\n\nd\ne", 6)
    dark.quote("a\n\nb", 6)
    assert isinstance(dark.out, io.StringIO)
    assert dark.out.getvalue().splitlines() == [
        *("   - one two three", "     four five six"),
        *("   a", "       b", "", "   c", "   … and 3 more lines, which are in the page"),
        *("   a", "", "   b"),
    ]


TOLD = Track(2, (Stretch(0, 2, 0, 600, False), Stretch(1, 3, 200, 500, True), Stretch(0, 3, 700, 1_000, False)), (Raid(1, 1),))


@dataclass(frozen=True)
class Made(Plain):
    """Figures that nobody measured, for the drawing."""

    def words(self) -> list[str]:
        return []

    def figures(self) -> list[Figure]:
        return [Figure("1,234", "things & <more>")]

    def charts(self) -> list[Chart]:
        return [Chart("times", (Bar("gosched", 5, "5 s"), Bar("asyncio", 20, "20 s", ours=False)))]

    def track(self) -> Track:
        return TOLD

    def texts(self) -> list[str]:
        return ["goroutine 1 [select]:\n<module>"]


def test_the_picture_of_given_figures() -> None:
    text = page([Scene(3, "Ps & Ms", "about <it>", Made())], "gosched 1.0", "today")
    root = ElementTree.fromstring(text)
    assert [element.text for element in root.iter("h2")] == ["3. Ps & Ms"]
    assert [(div.find("dt").text, div.find("dd").text) for div in root.findall(".//dl/div")] == [("things & <more>", "1,234")]  # type: ignore[union-attr]
    fills = [(span.get("class"), span.get("style")) for span in root.iter("span") if span.get("style")]
    assert fills == [("fill ours", "width:25.00%"), ("fill", "width:100.00%")]
    lanes = [[(r.get("class"), r.get("x"), r.get("width")) for r in svg.findall("rect")] for svg in root.iter("svg")]
    assert lanes == [[(None, "0.00", "600.00"), (None, "700.00", "300.00")], [("moved", "200.00", "300.00")]]
    assert [svg.get("aria-label") for svg in root.iter("svg")] == ["P0 ran goroutines for 900 ns", "P1 ran goroutines for 300 ns"]
    assert [pre.text for pre in root.iter("pre")] == ["goroutine 1 [select]:\n<module>"]


# ---- tracks ----


def test_a_track_is_read_from_a_trace() -> None:
    """Main on P0 starts 2 and 3. M1 steals one with P1; it is stopped there, and ends on P0."""
    story = Story()
    story.tell(OUTSIDE, E_PROCS, 2).tell(OUTSIDE, E_GO_CREATE, 1, 0, 0)
    story.m(0, E_M_START).m(0, E_PROC_START, 0).m(0, E_GO_START, 1)
    story.m(0, E_GO_CREATE, 2, 1, 1).m(0, E_GO_CREATE, 3, 1, 1)
    story.m(1, E_M_START).m(1, E_PROC_START, 1).m(1, E_STEAL, 0, 1)
    story.m(1, E_GO_START, 3, after=100)
    story.m(0, E_GO_END).m(0, E_GO_START, 2, after=50)
    story.m(1, E_GO_STOP, PREEMPTED, after=200)
    story.m(0, E_GO_END, after=100).m(0, E_GO_START, 3, after=10).m(0, E_GO_END, after=40)
    told = track(story.recording())
    assert told == Track(2, (Stretch(1, 3, 0, 260, True), Stretch(0, 2, 60, 360, False), Stretch(0, 3, 370, 410, False)), (Raid(1, 1),))
    assert told.ran() == [2, 0]
    assert (told.taken(0), told.taken(1)) == ((0, 0), (1, 1))
    assert told.length == 410


# ---- words ----


@pytest.mark.parametrize(("number", "words"), [(0, "0 bytes"), (532.4, "532 bytes"), (1_371, "1.4 kB"), (53_000_000, "53 MB"), (2.5e9, "2.5 GB")])
def test_bytes(number: float, words: str) -> None:
    assert outcome.size(number) == words


@pytest.mark.parametrize(("theirs", "words"), [(0.228, "0.11"), (1.999, "1.0"), (8.4, "4.2"), (24.8, "12"), (2468, "1,234"), (-2, "-1.00")])
def test_times(theirs: float, words: str) -> None:
    assert outcome.times(theirs, 2) == words
    assert outcome.times(theirs, 0) == "?"


@pytest.mark.skipif(shutil.which("ps") is None, reason="the program ps, which knows the memory where there is no /proc, is not installed")
def test_memory_without_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    known = outcome.memory()
    monkeypatch.setattr(outcome, "STATM", Path("/nowhere/statm"))
    assert known / 2 < outcome.memory() < known * 2
