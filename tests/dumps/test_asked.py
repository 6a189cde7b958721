"""SIGQUIT, and `gosched dump PID`: a program that is asked from outside."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gosched.system import asker
from tests.builds import needs_frames

from .conftest import Start

Ask = Callable[[int], "subprocess.CompletedProcess[str]"]

SLEEPS = """
    import gosched
    async def waits(ch):
        await ch.arecv()
    async def main():
        other = gosched.go(waits, gosched.Chan())
        while other.state != "waiting":
            await gosched.ayield_now()
        print("up", flush=True)
        await gosched.asleep(1000)
    gosched.run(main, gomaxprocs=1)
"""

BUSY = """
    import gosched
    def hog():
        while True:
            pass
    async def main():
        for _ in range(3):
            gosched.go(hog)
        print("up", flush=True)
        while True:
            pass
    gosched.run(main, gomaxprocs=2)
"""

PLAIN = """
    import gosched
    def main():
        print("up", flush=True)
        gosched.Chan().recv()
    gosched.run(main, deadlock=False)
"""

UP = {"all asleep": (SLEEPS, 2), "all busy": (BUSY, 4), "plain": (PLAIN, 1)}


@pytest.mark.parametrize("name", UP)
def test_sigquit_prints_the_dump_and_ends_with_2(start: Start, name: str) -> None:
    program, n = UP[name]
    process = start(program)
    process.send_signal(signal.SIGQUIT)
    _, text = process.communicate(timeout=60)
    assert process.returncode == 2
    assert text.startswith("SIGQUIT: quit\n\ngoroutine 1 [")
    assert sum(line.startswith("goroutine ") for line in text.split("\n")) == n


@needs_frames
def test_the_text_of_sigquit(start: Start, asked: Ask) -> None:
    process = start(SLEEPS)
    while "[sleep" not in asked(process.pid).stdout:  # it says that it is up just before it sleeps
        pass
    process.send_signal(signal.SIGQUIT)
    _, text = process.communicate(timeout=60)
    file = process.args[1]  # type: ignore[index]
    assert re.sub(", [0-9]+ seconds?", "", text) == (
        "SIGQUIT: quit\n\n"
        f"goroutine 1 [sleep]:\n__main__.main(...)\n\t{file}:11\ncreated by __main__.<module>\n\t{file}:12\n\n"
        f"goroutine 2 [chan receive]:\n__main__.waits(...)\n\t{file}:5\ncreated by __main__.main in goroutine 1\n\t{file}:7\n"
    )


def test_sigquit_while_it_closes(start: Start) -> None:
    """Main has returned, and one of the others does not come to its end: that is when one wants to know."""
    process = start(
        """
        import time, gosched
        def stuck(ch):
            try:
                ch.send("begun")
                ch.recv()
            finally:
                print("up", flush=True)
                while True:
                    try:
                        time.sleep(0.01)
                    except gosched.Goexit:  # it may be told in the middle of this, too
                        pass
        async def main():
            ch = gosched.Chan()
            gosched.go(stuck, ch)
            await ch.arecv()
        gosched.run(main, grace=1000)
        """
    )
    process.send_signal(signal.SIGQUIT)
    _, text = process.communicate(timeout=60)
    assert process.returncode == 2
    assert text.startswith("SIGQUIT: quit\n\ngoroutine 2 [")
    assert "stuck(...)" in text


def test_the_handler_stands_while_run_lives_and_only_where_the_default_stood(start: Start) -> None:
    process = start(
        """
        import signal, gosched
        from gosched.system.asker import CALL
        async def handlers():
            return [signal.getsignal(number) for number in (signal.SIGQUIT, CALL)]
        def mine(*_): pass
        print("up")
        print([callable(h) for h in gosched.run(handlers)], [signal.getsignal(n) is signal.SIG_DFL for n in (signal.SIGQUIT, CALL)])
        signal.signal(signal.SIGQUIT, mine)
        print(gosched.run(handlers)[0] is mine, signal.getsignal(signal.SIGQUIT) is mine)
        signal.signal(signal.SIGQUIT, signal.SIG_IGN)
        print(gosched.run(handlers)[0] is signal.SIG_IGN)
        signal.signal(signal.SIGQUIT, signal.SIG_DFL)
        rt = gosched.Runtime()
        with rt:
            print(callable(rt.run(handlers)[0]), signal.getsignal(signal.SIGQUIT) is signal.SIG_DFL)
        """
    )
    out, err = process.communicate(timeout=60)
    assert out.split("\n") == ["[True, True] [True, True]", "True True", "True", "True True", ""], err


def test_run_in_another_thread_installs_nothing(start: Start) -> None:
    process = start(
        """
        import threading, gosched
        async def main():
            return signal.getsignal(signal.SIGQUIT) is signal.SIG_DFL
        print("up")
        thread = threading.Thread(target=lambda: print(gosched.run(main)))
        thread.start()
        thread.join()
        """
    )
    assert process.communicate(timeout=60)[0] == "True\n"


@pytest.mark.parametrize("name", UP)
def test_dump_of_a_program_that_goes_on(start: Start, asked: Ask, name: str) -> None:
    program, n = UP[name]
    process = start(program)
    for _ in range(2):
        done = asked(process.pid)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("goroutine 1 [")
        assert sum(line.startswith("goroutine ") for line in done.stdout.split("\n")) == n
    assert process.poll() is None
    assert process.pid not in [question.pid for question in asker.questions()]


def test_nobody_at_that_number(asked: Ask, ended: int) -> None:
    done = asked(ended)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"gosched dump: there is no process {ended}\n")


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="there is no /proc to look at")
def test_a_process_that_is_not_ours(start: Start, asked: Ask) -> None:
    process = start("import time; print('up', flush=True); time.sleep(1000)")
    done = asked(process.pid)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (f"gosched dump: process {process.pid} is not in gosched.run(): only a program that is, in its main thread, can be asked\n")
    assert process.poll() is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may ask everybody")
def test_a_process_of_another_user(asked: Ask) -> None:
    done = asked(1)
    assert (done.returncode, done.stderr) == (1, "gosched dump: process 1 belongs to another user: ask as that user\n")


def test_one_that_does_not_answer(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """It catches the signal, and that is all."""
    process = start("signal.signal(signal.SIGURG, lambda *_: None); import time; print('up', flush=True); time.sleep(1000)")
    with pytest.raises(asker.NoAnswer) as caught:
        asker.fetch(process.pid, seconds=0.1)
    assert str(caught.value) == f"process {process.pid} did not answer: it may be in a C call that lets nothing else run, or is not in gosched.run()"


def test_a_directory_that_others_can_look_into_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setattr(asker, "PLACE", str(tmp_path))
    os.mkdir(asker.folder(), 0o755)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(asker.Question("dump", os.getpid(), 1).path)
    assert asker.called() == []
    question = asker.Question("dump", 1, 2)
    with pytest.raises(asker.NoAnswer, match=r"^.* must be a directory that nobody else can look into: remove it$"), asker.listening(question):
        pass
    os.unlink(asker.Question("dump", os.getpid(), 1).path)
    os.rmdir(asker.folder())
    os.symlink("/", asker.folder())
    assert not asker.is_private(asker.folder())


def test_an_urgent_signal_that_nobody_sent_for_a_dump(start: Start) -> None:
    process = start(
        """
        import os, gosched
        async def main():
            print("up")
            os.kill(os.getpid(), signal.SIGURG)
            await gosched.asleep(0.05)
            return "went on"
        print(gosched.run(main))
        """
    )
    assert process.communicate(timeout=60) == ("went on\n", "")


def test_what_is_asked_stands_in_the_name(place: Path) -> None:
    os.mkdir(asker.folder(), 0o700)
    me = os.getpid()
    for name in (f"dump-{me}-7", f"stats-{me}-8", f"stats-{me + 1}-9", f"run-{me}-7", f"dump-{me}", f"dump-{me}-x", "dump--1", "other"):
        Path(asker.folder(), name).touch()
    assert asker.called() == [asker.Question("dump", me, 7), asker.Question("stats", me, 8)]
    assert [asker.reach(question) for question in asker.called()] == [None, None]


def test_what_killed_commands_left_is_removed(place: Path, ended: int) -> None:
    os.mkdir(asker.folder(), 0o700)
    for question in (asker.Question("dump", 1, ended), asker.Question("stats", 1, os.getpid()), asker.Question("stats", 1, os.getppid())):
        Path(question.path).touch()
    question = asker.Question("stats", 1, os.getpid())
    with asker.listening(question):
        assert asker.questions() == sorted([question, asker.Question("stats", 1, os.getppid())])
    assert asker.questions() == [asker.Question("stats", 1, os.getppid())]


def test_the_directory_vanishes_before_it_is_used(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another command is done, and takes it away."""
    vanishing = [3]

    def sweep(mine: int) -> None:
        if vanishing[0]:
            vanishing[0] -= 1
            os.rmdir(asker.folder())

    monkeypatch.setattr(asker, "sweep", sweep)
    with asker.listening(asker.Question("dump", 1, os.getpid())):
        assert vanishing == [0]
    assert not os.path.exists(asker.folder())


@pytest.mark.slow
def test_several_commands_at_once(start: Start) -> None:
    process = start(SLEEPS)
    kinds = [["dump"], ["top", "--once"], ["dump"], ["top", "--json"]]
    asking = [
        subprocess.Popen([sys.executable, "-m", "gosched", *kind, str(process.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for kind in kinds
    ]
    answers = [command.communicate(timeout=60) for command in asking]
    assert [err for _, err in answers] == [""] * 4
    assert [out[:4] for out, _ in answers] == ["goro", "pid ", "goro", "{\n  "]


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="there is no pidfd")
def test_one_that_ends_instead_of_answering(start: Start) -> None:
    process = start(
        """
        import os, time
        signal.signal(signal.SIGURG, lambda *_: os._exit(0))
        print("up", flush=True)
        while True:
            time.sleep(0.01)  # a signal that comes right before a long one would wait for its end
        """
    )
    begin = time.monotonic()
    with pytest.raises(asker.Gone) as caught:
        asker.fetch(process.pid, seconds=60)
    assert str(caught.value) == f"process {process.pid} has ended"
    assert time.monotonic() - begin < 30
    with pytest.raises(asker.Gone) as caught:  # its parent, we, has not asked yet how it ended
        asker.fetch(process.pid, seconds=60)
    assert str(caught.value) == f"there is no process {process.pid}"


def test_an_answer_that_stops_in_the_middle(place: Path) -> None:
    question = asker.Question("stats", os.getpid(), os.getpid())
    with asker.listening(question) as listener:
        connection = asker.reach(question)
        assert connection is not None
        with connection:
            connection.sendall(b'{"format": ')
        with pytest.raises(asker.NoAnswer) as caught:
            asker.receive(listener, -1, 4711, time.monotonic() + 10)
    assert str(caught.value) == "process 4711 did not finish its answer: it may have ended meanwhile"
