"""A program with a page: what it is told, and how both end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import QUIET, Page, Serve

pytestmark = pytest.mark.slow


def test_moments_come_whole_and_then_as_what_has_changed(serve: Serve) -> None:
    page = serve()
    page.settle(5)
    frames = []
    waits = None
    for kind, data in page.stream():
        if kind == "waits":
            waits = data
        else:
            frames.append(data)
        if len(frames) >= 3 and waits:
            break
    assert [f["full"] for f in frames[:3]] == [True, False, False]
    first = frames[0]
    ids = sorted(row[0] for row in first["rows"] if row[4] == "waits")
    assert [(row[1], row[4]) for row in first["rows"] if row[0] > 1] == [("w", "waits")] * 5
    assert [row[1] for row in first["rows"] if row[0] == 1] == ["s"]
    assert len(first["ps"]) == 2
    assert frames[2]["rows"] == []
    assert waits is not None
    [thing] = waits["things"]
    assert (thing[2], thing[4], thing[5]) == ("Chan", 5, ids)


def test_one_goroutine(serve: Serve) -> None:
    page = serve()
    page.settle(5)
    _, data = next(page.stream())
    some = next(row[0] for row in data["rows"] if row[4] == "waits")
    status, headers, text = page.ask(f"/goroutine/{some}")
    assert status == 200
    assert headers["content-type"] == "application/json"
    for part in ('"state":"chan receive"', '"function":"__main__.waits"', "await ch.arecv()", '"creator":1', "gosched.go(waits, ch)"):
        assert part in text


def test_very_many_are_counted(serve: Serve) -> None:
    page = serve(QUIET, "2500")
    page.settle(2500)
    kind, data = next(page.stream())
    assert kind == "frame"
    assert data["total"] == 2501
    assert data["rows"] == []
    assert [group[:4] for group in data["groups"]] == [["w", 2, "waits", 2500], ["s", 0, "main", 1]]


def test_many_pages_listen_and_one_too_many_is_told_so(serve: Serve) -> None:
    page = serve()
    streams = [page.stream() for _ in range(16)]
    assert {next(stream)[0] for stream in streams} == {"frame"}
    status, _, text = page.ask("/stream")
    assert (status, "close one" in text) == (503, True)
    streams.pop().close()
    while page.ask("/stream", "HEAD")[0] == 503:  # until the server has noticed that it went
        pass
    assert {next(stream)[0] for stream in streams} <= {"frame", "waits"}


def test_a_page_that_goes_does_no_harm(serve: Serve) -> None:
    page = serve()
    for _ in range(5):
        stream = page.stream()
        next(stream)
        stream.close()
    assert page.end() == ""
    assert page.process.returncode == 0


def test_the_program_ends_and_the_page_with_it(serve: Serve) -> None:
    page = serve()
    stream = page.stream()
    next(stream)
    page.say("end")
    assert list(stream)[-1] == ("over", {})
    assert page.end() == ""
    assert page.process.returncode == 0
    with pytest.raises(ConnectionError):
        page.ask("/about")


def test_a_deadlock_is_reported_with_the_page_open(serve: Serve) -> None:
    page = serve(
        """
        import sys, gosched

        async def main():
            gosched.blocking(sys.stdin.readline)
            await gosched.Chan().arecv()

        gosched.run(main, view=True)
        """
    )
    stream = page.stream()
    next(stream)
    page.say("now")
    assert list(stream)[-1] == ("over", {})
    assert "all goroutines are asleep - deadlock!" in page.end()
    assert page.process.returncode == 1


def test_threads_end_with_the_runtime(serve: Serve) -> None:
    page = serve(
        """
        import sys, threading, gosched, gosched.web.server

        async def main():
            gosched.blocking(sys.stdin.readline)

        gosched.web.server.ENDS = 60  # a busy machine takes longer than a user would wait
        with gosched.Runtime(view=True) as rt:
            rt.run(main)
        print([thread.name for thread in threading.enumerate()], file=sys.stderr)
        """
    )
    next(page.stream())
    assert page.end() == "['MainThread']\n"


def test_a_forked_child_does_not_keep_the_port(serve: Serve) -> None:
    page = serve(
        """
        import os, sys, gosched

        async def main():
            gosched.blocking(sys.stdin.readline)

        with gosched.Runtime(view=True) as rt:
            pid = os.fork()
            if pid == 0:
                os.write(1, b"up\\n")  # it is past what it does after the fork
                sys.stdin.buffer.raw.read(1)
                os._exit(0)
            rt.run(main)
        """
    )
    assert page.ask("/about")[0] == 200
    assert page.process.stdout is not None
    assert page.process.stdout.readline() == "up\n"
    page.say("end")
    assert page.process.wait(60) == 0
    with pytest.raises(ConnectionError):
        page.ask("/about")


def test_gosched_run_view(serve: Serve) -> None:
    page = serve(
        """
        import sys, gosched

        async def main():
            gosched.blocking(sys.stdin.readline)
            print(sys.argv[1:], __name__, file=sys.stderr)

        gosched.run(main)
        """,
        "--flag",
        "x",
        command=("-m", "gosched", "run", "--view"),
    )
    assert next(page.stream())[0] == "frame"
    assert page.end() == "['--flag', 'x'] __main__\n"


def command(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    whole = [sys.executable, "-m", "gosched", *args]
    return subprocess.run(whole, env={**os.environ, **env}, capture_output=True, text=True, timeout=60, check=False)


def test_what_cannot_be_begun_is_said_in_a_line(tmp_path: Path) -> None:
    nothing = tmp_path / "nothing"
    for args in (("run", "--view", str(nothing)), ("view", str(nothing))):
        done = command(*args)
        assert (done.returncode, done.stderr) == (1, f"gosched {args[0]}: {nothing}: there is no such file\n")
    (tmp_path / "no.trace").write_text("no trace")
    done = command("view", str(tmp_path / "no.trace"))
    assert done.returncode == 1
    assert done.stderr.startswith("gosched view: ")
    assert done.stderr.count("\n") == 1


def test_without_the_extra_a_line_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "uvicorn.py").write_text("raise ImportError('not here')")
    program = tmp_path / "program.py"
    program.write_text("import gosched\ngosched.run(print, view=True)")
    done = command("run", "--view", str(program), PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stderr) == (1, "gosched run: the live page needs Starlette and uvicorn: pip install 'gosched[web]'\n")
    plain = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=60, check=False)
    assert plain.stderr.endswith("the live page needs Starlette and uvicorn: pip install 'gosched[web]'\n")


def test_a_recording_is_told_as_moments(serve: Serve, tmp_path: Path) -> None:
    trace = tmp_path / "t.trace"
    program = tmp_path / "traced.py"
    program.write_text(f"""
import gosched
async def leaf():
    await gosched.ayield_now()
async def main():
    wg = gosched.WaitGroup()
    for _ in range(50):
        wg.go(leaf)
    await wg
gosched.run(main, trace={str(trace)!r}, gomaxprocs=2)
""")
    subprocess.run([sys.executable, str(program)], check=True, timeout=60)
    whole = [sys.executable, "-m", "gosched", "view", str(trace)]
    process = subprocess.Popen(whole, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        page = Page(process)
        told = list(page.stream())
        assert told[-1] == ("over", {})
        frames = [data for kind, data in told if kind == "frame"]
        assert [f["full"] for f in frames] == [True] + [False] * (len(frames) - 1)
        assert frames[-1]["total"] == 0
        assert max(f["total"] for f in frames) > 1
        texts = [event[3] for f in frames for event in f["events"]]
        assert any("started goroutine" in text for text in texts)
        some = next(found[1] for text in texts if (found := re.search(r"started goroutine (\d+) \(leaf\)", text)))
        status, _, text = page.ask(f"/goroutine/{some}")
        assert status == 200
        assert '"name":"leaf"' in text
        process.send_signal(signal.SIGINT)
        assert (process.communicate(timeout=60)[1], process.returncode) == ("", 0)
    finally:
        process.kill()
        process.communicate()
