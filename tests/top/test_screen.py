"""The screen of `gosched top`, painted by rich at fixed sizes, and its keys."""

from __future__ import annotations

import io

import pytest
from rich.console import Console, Group

from gosched.cli.top.model import History, View
from gosched.cli.top.screen import ASCII, UNICODE, Looks, bar, render, sparkline
from gosched.cli.top.text import plain

from .answers import answer, p, runtime


def busy(ps: int = 2) -> View:
    history = History()
    history.add(answer(runtime(10.0, [p(i, usertick=i) for i in range(ps)])), 70.0)
    rows = [p(i, usertick=1000 * i, schedtick=100 * (i + 1), queue=4 * i, status="running", runnext=i == 1, timers=i) for i in range(ps)]
    return history.add(answer(runtime(12.0, rows, global_queue=5, preemptions=4)), 72.0)


def painted(view: View, looks: Looks, width: int, height: int, colours: bool = False) -> list[str]:
    system = "truecolor" if colours else None
    out = io.StringIO()
    console = Console(file=out, width=width, height=height, force_terminal=colours, color_system=system)  # type: ignore[arg-type]
    console.print(Group(*render(view, looks, width, height)))
    return out.getvalue().splitlines()


def test_a_screen_of_80_by_24() -> None:
    lines = [line.rstrip() for line in painted(busy(), Looks(1.0), 80, 24)]
    assert lines == [
        " gosched top  pid 4711  python app.py",
        "Python 3.14.0 free-threaded, gosched 0.1.0 compiled, up 1 min 12 s",
        "GOMAXPROCS 2  goroutines 3  threads 2  (1 parked, 1 running)",
        "turns 500/s  preemptions 2/s  blocking calls 0/s  plain parks 0/s",
        "queued 10  global 5  idle Ps 0  ▁█",
        "",
        "  P status  queue        next  ticks/s steals/s handoffs/s timers  running",
        "  0 running            0    -       50        0          0      0  1 main",
        "  1 running ██         4  yes      100        0          0      1  -",
        "",
        "by state                          functions",
        "         2  waiting                        2  serve",
        "         1  running                        1  main",
        "waiting for                       waiting longest",
        "         2  chan receive           1 min 1 s  2 serve [chan receive] and 1 more",
        *[""] * 7,
        "▲ goroutine 1 (main) has not entered the runtime for 2.0 s",
        " q  quit   p  pause   s  sort: P  every 1 s",
    ]


@pytest.mark.parametrize("width", [1, 20, 79, 80, 119, 120, 200])
@pytest.mark.parametrize("height", [1, 2, 5, 10, 24, 60])
@pytest.mark.parametrize("ps", [1, 4, 128])
def test_any_size_is_filled_and_not_exceeded(width: int, height: int, ps: int) -> None:
    lines = painted(busy(ps), Looks(1.0), width, height)
    assert len(lines) == height
    assert max(len(line) for line in lines) <= width
    if height >= 10 and width >= 80:
        assert lines[-1].startswith(" q  quit")
        assert any(line.startswith("  P status") for line in lines)


def test_ps_for_which_there_is_no_room_are_counted() -> None:
    lines = painted(busy(128), Looks(1.0), 80, 24)
    shown = [line for line in lines if line[4:11] == "running"]
    assert f"    and {128 - len(shown)} more Ps" in [line.rstrip() for line in lines]
    assert 4 <= len(shown) <= 12


def test_wide_screens_have_three_columns() -> None:
    assert any("functions" in line and "waiting longest" in line and "by state" in line for line in painted(busy(), Looks(1.0), 140, 40))


def order(looks: Looks) -> list[int]:
    lines = painted(busy(3), looks, 80, 24)
    return [int(line[:3]) for line in lines if line[4:11] == "running"]


def test_the_keys() -> None:
    looks = Looks(1.0)
    assert order(looks) == [0, 1, 2]
    assert looks.key("s")
    assert order(looks) == [2, 1, 0]
    assert "sort: queue" in painted(busy(), looks, 80, 24)[-1]
    assert looks.key("s")
    assert "sort: ticks" in painted(busy(), looks, 80, 24)[-1]
    assert looks.key("s")
    assert order(looks) == [0, 1, 2]
    assert looks.key("p")
    assert painted(busy(), looks, 80, 24)[-1].rstrip().endswith("p  go on   s  sort: P  PAUSED")
    assert looks.key("p")
    assert looks.key("x")
    assert not looks.key("q")


def test_several_runtimes_and_none() -> None:
    looks = Looks(1.0)
    two = History().add(answer(runtime(1.0, [p(0)]), runtime(1.0, [p(0), p(1)], id=2)))
    assert "r  runtime 1 of 2" in painted(two, looks, 80, 24)[-1]
    assert looks.key("r")
    lines = painted(two, looks, 80, 24)
    assert "r  runtime 2 of 2" in lines[-1]
    assert lines[2].startswith("GOMAXPROCS 2")
    assert painted(History().add(answer()), looks, 80, 24)[2].rstrip() == "no runtime is open"
    assert "runtime 2 of 2\nGOMAXPROCS 2" in plain(two)


def test_a_note_comes_before_the_hints() -> None:
    lines = painted(busy(), Looks(1.0, note="process 4711 did not answer"), 80, 24)
    assert [line.rstrip() for line in lines[-3:-1]] == [
        "▲ process 4711 did not answer",
        "▲ goroutine 1 (main) has not entered the runtime for 2.0 s",
    ]


def test_colours_say_nothing_that_words_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = "\n".join(painted(busy(), Looks(1.0), 80, 24, colours=True))
    assert "38;2;86;180;233" in coloured, "blue"
    assert "38;2;230;159;0" in coloured, "orange"
    assert "\x1b[31m" not in coloured
    assert "\x1b[32m" not in coloured


def test_terminals_without_unicode() -> None:
    lines = painted(busy(), Looks(1.0, glyphs=ASCII), 80, 24)
    assert all(line.isascii() for line in lines)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "        "), (1, "▌       "), (8, "████    "), (9, "████▌   "), (16, "████████"), (99, "████████")],
)
def test_bars(value: int, text: str) -> None:
    assert bar(value, 16, 8, UNICODE) == text


def test_the_least_is_seen() -> None:
    assert bar(1, 256, 8, UNICODE) == "▏       "
    assert bar(1, 256, 8, ASCII) == "-       "


def test_sparklines() -> None:
    assert sparkline([0, 1, 100, 50], 10, UNICODE) == "▁▂█▅"
    assert sparkline([9, 0, 0], 2, UNICODE) == "▁▁"
    assert sparkline([1, 2], 0, UNICODE) == ""
    assert sparkline([], 5, UNICODE) == ""


def test_plain_text() -> None:
    assert (
        plain(busy())
        == """\
pid 4711: python app.py
Python 3.14.0 free-threaded, gosched 0.1.0 compiled, up 1 min 12 s

GOMAXPROCS 2, goroutines 3, threads 2: 1 parked, 1 running
global queue 5, idle Ps 0, stacks aside 0
turns 500/s, preemptions 2/s, blocking calls 0/s, plain parks 0/s

  P status   queue next      ticks   steals handoffs timers  running
  0 running      0 -           100        0        0      0  1 main
  1 running      4 yes         200        0        0      1  -

goroutines by state:
           2  waiting
           1  running

waiting for:
           2  chan receive

functions:
           2  serve
           1  main

waiting longest:
   1 min 1 s  goroutine 2 (serve) [chan receive] and 1 more

hints:
  goroutine 1 (main) has not entered the runtime for 2.0 s
"""
    )
