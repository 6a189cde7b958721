"""gosched top PID: real programs, real signals, a real terminal."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import gosched
from gosched.cli import main
from gosched.figures import figures
from gosched.lab.virtual import VirtualRuntime
from gosched.system import asker
from tests.conftest import Script
from tests.dumps.conftest import Start

from .terminal import Terminal

PROGRAM = """
    import sys, gosched
    async def waits(ch):
        await ch.arecv()
    async def yields():
        while True:
            for _ in range(100):
                await gosched.ayield_now()
            await gosched.asleep(0.001)
    async def main(n):
        ch = gosched.Chan()
        others = [gosched.go(waits, ch) for _ in range(n)]
        gosched.go(yields, name="the one that yields")
        while others[-1].state != "waiting":
            await gosched.ayield_now()
        print("up", flush=True)
        await gosched.asleep(1000)
    gosched.run(main, int(sys.argv[1]), gomaxprocs=2)
"""


def top(*args: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "gosched", "top", *map(str, args)], capture_output=True, text=True, timeout=60, check=False)


# ---- once ----


@pytest.mark.parametrize("n", [5, 10_000])
def test_json(start: Start, n: int) -> None:
    process = start(PROGRAM, str(n))
    done = top(process.pid, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert (found["format"], found["pid"], found["argv"][-1], found["build"]) == (1, process.pid, str(n), gosched.__build__)
    (runtime,) = found["runtimes"]
    assert runtime["stats"]["goroutines"] == n + 2
    assert sum(runtime["stats"]["by_state"].values()) == n + 2
    assert runtime["stats"]["by_wait_reason"]["chan receive"] == n
    assert [len(runtime["stats"][key]) for key in ("ps",)] == [2]
    assert runtime["functions"][0] == ["waits", n]
    assert sorted(runtime["functions"][1:]) == [["main", 1], ["the one that yields", 1]]
    waiting = {(g["name"], g["reason"]): g["count"] for g in runtime["longest"]}
    assert waiting["waits", "chan receive"] == n
    assert process.poll() is None
    assert process.pid not in [question.pid for question in asker.questions()]


@pytest.mark.slow
def test_counters_go_up_between_two_answers(start: Start) -> None:
    process = start(PROGRAM, "5")
    first, second = (json.loads(top(process.pid, "--json").stdout)["runtimes"][0] for _ in range(2))
    assert first["id"] == second["id"]
    assert second["clock"] > first["clock"]
    assert sum(p["usertick"] for p in second["stats"]["ps"]) > sum(p["usertick"] for p in first["stats"]["ps"])


def test_once(start: Start) -> None:
    process = start(PROGRAM, "1234")
    done = top(process.pid, "--once")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"pid {process.pid}: {sys.executable} ")
    for pattern in (
        r"^Python 3\.\S+ (with the GIL|free-threaded), gosched \S+ .*$",
        r"^GOMAXPROCS 2, goroutines 1,236, threads \d+: ",
        r"^ +1,234  waits$",
    ):
        assert re.search(pattern, done.stdout, re.MULTILINE), done.stdout
    assert "/s" not in done.stdout, "one answer has no rates"


@pytest.mark.slow
def test_a_program_with_two_runtimes(start: Start) -> None:
    process = start(
        """
        import gosched
        async def main():
            with_other = other.submit(gosched.asleep, 1000)
            print("up", flush=True)
            await gosched.asleep(1000)
        with gosched.Runtime() as other:
            gosched.run(main, gomaxprocs=3)
        """
    )
    found = json.loads(top(process.pid, "--json").stdout)
    assert len({runtime["id"] for runtime in found["runtimes"]}) == 2
    assert 3 in [runtime["stats"]["gomaxprocs"] for runtime in found["runtimes"]]
    assert "runtime 2 of 2" in top(process.pid, "--once").stdout


def test_a_hog_is_named_with_how_long(start: Start) -> None:
    process = start(
        """
        import gosched
        def hog():
            print("up", flush=True)
            while True: pass
        gosched.run(hog)
        """
    )
    running: list[dict[str, Any]] = []
    while not running:  # on a busy machine it may be suspended just then, and be on no thread's hands
        (runtime,) = json.loads(top(process.pid, "--json").stdout)["runtimes"]
        running = runtime["running"]
    (hog,) = running
    assert (hog["id"], hog["name"]) == (1, "hog")
    assert hog["state"] in ("running", "syscall")


def test_errors_are_those_of_dump(start: Start, ended: int) -> None:
    for mode in ("--once", "--json"):
        done = top(ended, mode)
        assert (done.returncode, done.stdout, done.stderr) == (1, "", f"gosched top: there is no process {ended}\n")
    if os.path.exists("/proc/self/status"):
        process = start("import time; print('up', flush=True); time.sleep(1000)")
        why = f"process {process.pid} is not in gosched.run(): only a program that is, in its main thread, can be asked"
        assert top(process.pid, "--once").stderr == f"gosched top: {why}\n"


@pytest.mark.parametrize("interval", ["0", "-1", "soon", "0.01", "nan", "inf"])
def test_intervals_that_make_no_sense(interval: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["top", "1", f"--interval={interval}"])
    assert caught.value.code == 2
    assert f"must be seconds, 0.1 or more, not {interval!r}" in capsys.readouterr().err


def test_live_needs_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["top", str(os.getpid())]) == 1
    assert capsys.readouterr().err == "gosched top: the live screen needs a terminal: use --once or --json\n"


def test_live_needs_rich(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich", None)
    assert main(["top", str(os.getpid())]) == 1
    assert capsys.readouterr().err == "gosched top: the live screen needs rich: pip install 'gosched[top]', or use --once\n"


def test_nothing_else_imports_rich(script: Script) -> None:
    done = script("import sys, gosched, gosched.cli, gosched.cli.top, gosched.testing; print('rich' in sys.modules)")
    assert (done.stdout, done.stderr) == ("False\n", "")


# ---- what is told, in virtual time ----


def test_figures_of_one_moment() -> None:
    rt = VirtualRuntime(1)

    async def waits(ch: gosched.Chan[int]) -> None:
        await ch.arecv()

    async def scene() -> dict[str, Any]:
        ch = gosched.Chan[int]()
        for _ in range(25):
            gosched.go(waits, ch, name=f"{'long ' * 100}")
        for i in range(25):
            gosched.go(waits, ch, name=str(i))
        await gosched.asleep(60)
        gosched.go(waits, ch)
        return figures([rt.sched])

    (found,) = rt.run(scene)["runtimes"]
    assert found["functions"][0] == [("long " * 100)[:120], 25] or found["functions"][0] == (("long " * 100)[:120], 25)
    assert (len(found["functions"]), found["more_functions"]) == (20, 8)
    assert len(found["longest"]) == 20
    assert {round(g["seconds"]) for g in found["longest"]} == {60}
    assert found["longest"][0]["count"] == 25
    assert [(g["id"], g["state"], g["m"]) for g in found["running"]] == [(1, "running", 0)]
    assert found["stats"]["by_state"] == {"running": 1, "waiting": 50, "runnable": 1}


# ---- live ----

Open = Callable[..., Terminal]


@pytest.fixture
def terminal() -> Iterator[Open]:
    opened: list[Terminal] = []

    def begin(*args: object, **size: int) -> Terminal:
        opened.append(Terminal("top", *map(str, args), **size))
        return opened[-1]

    yield begin
    for each in opened:
        each.close()


@pytest.mark.slow
def test_the_screen_and_its_keys(start: Start, terminal: Open) -> None:
    process = start(PROGRAM, "7")
    screen = terminal(process.pid, "--interval", "0.1")
    screen.until(rf"gosched top  pid {process.pid}  ")
    screen.until(r"turns [0-9,]+/s  preemptions")
    screen.until(r" 7  waits")
    screen.press("s")
    screen.until("sort: queue")
    screen.press("p")
    screen.until("PAUSED")
    screen.press("p")
    screen.until("every 0.1 s")
    screen.resize(140, 40)
    screen.until("functions +waiting longest")
    screen.press("q")
    assert screen.end() == 0
    assert "\x1b[?1049l" in screen.printed, "the screen that was there before is back"
    assert termios.tcgetattr(screen.slave) == screen.modes
    assert process.poll() is None
    assert process.pid not in [question.pid for question in asker.questions()]


@pytest.mark.slow
@pytest.mark.parametrize("paused", [False, True], ids=["live", "paused"])
def test_the_program_ends(start: Start, terminal: Open, paused: bool) -> None:
    process = start(PROGRAM, "7")
    screen = terminal(process.pid, "--interval", "0.1")
    screen.until("turns [0-9,]+/s")
    if paused:
        screen.press("p")
        screen.until("PAUSED")
    process.kill()
    process.wait()
    assert screen.end() == 0
    after = screen.printed.rpartition("\x1b[?1049l")[2]
    assert re.search(rf"pid {process.pid}: .*goroutines 9, .* 7  waits\r\n", after, re.DOTALL)
    assert re.search(rf"\r\n(there is no process {process.pid}|process {process.pid} has ended): these were the last figures\r\n", after)


@pytest.mark.slow
def test_the_program_is_no_program_of_ours(ended: int, terminal: Open) -> None:
    screen = terminal(ended)
    assert screen.end() == 1
    assert screen.printed == f"gosched top: there is no process {ended}\r\n"


@pytest.mark.slow
def test_a_program_that_does_not_answer_keeps_no_key_waiting(start: Start, terminal: Open) -> None:
    """It is stopped: the question stays open until q withdraws it."""
    process = start(PROGRAM, "7")
    screen = terminal(process.pid, "--interval", "0.1")
    screen.until("turns [0-9,]+/s")
    process.send_signal(signal.SIGSTOP)
    screen.press("s")
    screen.until("sort: queue")
    screen.press("q")
    assert screen.end() == 0
    assert process.pid not in [question.pid for question in asker.questions()]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_is_ended(start: Start, terminal: Open, number: signal.Signals) -> None:
    process = start(PROGRAM, "7")
    screen = terminal(process.pid, "--interval", "0.1")
    screen.until("turns [0-9,]+/s")
    screen.process.send_signal(number)
    assert screen.end() == 128 + number
    assert "\x1b[?1049l" in screen.printed, "the screen that was there before is back"
    assert "Traceback" not in screen.printed
    assert termios.tcgetattr(screen.slave) == screen.modes
