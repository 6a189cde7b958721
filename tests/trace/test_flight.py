"""The flight recorder: what it keeps, what it drops, and when it writes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import gosched
from gosched import trace
from gosched.core.native import now
from gosched.trace import files
from gosched.trace.record import FlightRecorder, recorder_for
from gosched.trace.replay import Replay
from tests.conftest import Script

from . import workloads


def legal(path: str | Path) -> files.Recording:
    recording = files.read(path)
    assert sum(1 for _ in Replay.of(recording).run()) > 3
    return recording


def test_asked_in_the_middle(tmp_path: Path) -> None:
    async def main() -> tuple[str, str]:
        await workloads.pairs()
        first = trace.flight_recorder().dump(tmp_path / "first.trace")
        await workloads.plains()
        while gosched.num_goroutine() > 1:  # nobody waits for the pongs, and who has told a WaitGroup is not dead yet
            await gosched.ayield_now()
        return first, trace.flight_recorder().dump(tmp_path / "second.trace")

    first, second = gosched.run(main, trace=FlightRecorder(60), gomaxprocs=2)
    before, after = legal(first), legal(second)
    assert before.size < after.size
    assert after.end is not None
    assert (after.end.why, after.end.complete) == ("asked", True)
    assert [g.id for g in after.goroutines] == [1]
    assert sorted(os.listdir(tmp_path)) == ["first.trace", "second.trace"]


def test_what_is_too_much_goes_the_oldest_first(tmp_path: Path) -> None:
    recorder = FlightRecorder(600, megabytes=1)

    async def main() -> str:
        for _ in range(60):
            await workloads.pairs()
            for _ in range(10_000):
                trace.log("kind", "value")
        return trace.flight_recorder().dump(tmp_path / "flight.trace")

    recording = legal(gosched.run(main, trace=recorder, gomaxprocs=2))
    assert recording.end is not None
    assert not recording.end.complete
    assert recording.size < 3 << 20


def test_what_is_too_old_goes(tmp_path: Path) -> None:
    recorder = FlightRecorder(0.000_001)

    async def main() -> str:
        for _ in range(60):
            await workloads.pairs()
        with recorder._reading:
            recorder.read()
        return recorder.dump(tmp_path / "flight.trace")

    recording = legal(gosched.run(main, trace=recorder, gomaxprocs=1))
    assert recording.size < 200_000


def test_a_deadlock_is_written(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "flight.trace"
    done = script("import gosched\ngosched.run(gosched.Chan().arecv)\n", GOSCHED_TRACE=f"flight:5:{path}")
    assert done.returncode == 1
    assert done.stderr.startswith(f"gosched: flight recorder: wrote {path} (deadlock)\n")
    recording = files.read(path)
    assert recording.end is not None
    assert recording.end.why == "deadlock"
    assert [(g.id, g.reason) for g in recording.goroutines] == [(1, "chan receive")]


def test_sigquit_is_written(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "flight.trace"
    done = script(
        """
        import gosched, os, signal
        async def main():
            os.kill(os.getpid(), signal.SIGQUIT)
            await gosched.asleep(1000)
        gosched.run(main)
        """,
        GOSCHED_TRACE=f"flight:5:{path}",
    )
    assert done.returncode == 2
    assert done.stderr.endswith(f"gosched: flight recorder: wrote {path} (sigquit)\n")
    assert files.read(path).end is not None


def test_a_stall_is_written_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    recorder = FlightRecorder(5, tmp_path / "flight.trace", stall=0.5)

    async def main() -> None:
        for seconds in (0.4, 0.6, 0.7):
            gosched.Runtime.current().stuck(seconds)

    gosched.run(main, trace=recorder)
    assert capfd.readouterr().err == f"gosched: flight recorder: wrote {tmp_path / 'flight.trace'} (stall)\n"
    end = files.read(tmp_path / "flight.trace").end
    assert end is not None
    assert end.why == "stall"


def test_sysmon_reports_who_does_not_answer(script: Script, tmp_path: Path) -> None:
    """A C call that keeps the GIL, or its P, for longer than two slices; a second goroutine wants to run."""
    path = tmp_path / "flight.trace"
    done = script(
        """
        import gosched, os, sys
        from gosched import trace
        async def other():
            while True:
                await gosched.ayield_now()
        async def main():
            gosched.go(other)
            while not os.path.exists(sys.argv[1]):
                sum(range(3_000_000))
        gosched.run(main, gomaxprocs=1, trace=trace.FlightRecorder(5, sys.argv[1], stall=0.015))
        """,
        str(path),
    )
    assert done.returncode == 0, done.stderr
    assert "(stall)" in done.stderr
    legal(path)


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(gosched.DeadlockError):
        gosched.run(gosched.Chan[int]().arecv, trace=FlightRecorder(5, tmp_path / "nowhere" / "flight.trace"))
    assert "gosched: flight recorder: [Errno 2] No such file or directory" in capfd.readouterr().err


def test_nothing_is_written_when_all_goes_well(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    gosched.run(workloads.yields, trace=FlightRecorder(5, tmp_path / "flight.trace", stall=60))  # a busy machine is none
    assert not os.listdir(tmp_path)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seconds": 0}, "seconds must be a positive number, not 0"),
        ({"seconds": "5"}, "seconds must be a positive number, not '5'"),
        ({"stall": -1}, "stall must be seconds, more than 0, or None, not -1"),
        ({"megabytes": 0.5}, "megabytes must be 1 or more, not 0.5"),
    ],
)
def test_bad_options(options: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=f"FlightRecorder: {message}"):
        FlightRecorder(**options)  # type: ignore[arg-type]


def test_misuse(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="it records nothing yet"):
        FlightRecorder().dump()
    with pytest.raises(RuntimeError, match=r"trace\.flight_recorder\(\)"):
        trace.flight_recorder()

    async def main() -> None:
        with pytest.raises(RuntimeError, match="there is none: run"):
            trace.flight_recorder()

    gosched.run(main)
    gosched.run(main, trace=tmp_path / "run.trace")
    with pytest.raises(TypeError, match=r"trace\.region: name must be a str, not int"), trace.region(3):  # type: ignore[arg-type]
        pass
    with pytest.raises(TypeError, match=r"trace\.task: name must be a str, not NoneType"), trace.task(None):  # type: ignore[arg-type]
        pass


def test_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, seconds, path in (("flight", 10.0, None), ("flight:3", 3.0, None), ("flight:2.5:/x/y", 2.5, "/x/y")):
        monkeypatch.setenv("GOSCHED_TRACE", text)
        recorder = recorder_for(None)
        assert isinstance(recorder, FlightRecorder)
        assert (recorder.seconds, recorder.path) == (seconds, path)
    monkeypatch.setenv("GOSCHED_TRACE", "flight:soon")
    with pytest.raises(ValueError, match="GOSCHED_TRACE=flight:soon: it must be a file, flight, flight:SECONDS or flight:SECONDS:PATH"):
        recorder_for(None)


def test_the_clock_of_a_recording_is_the_runtimes(tmp_path: Path) -> None:
    before = now()
    path = tmp_path / "run.trace"
    gosched.run(workloads.yields, trace=path)
    recording = files.read(path)
    assert recording.end is not None
    assert before <= recording.header.begun <= recording.end.ended <= now()
