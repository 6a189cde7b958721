"""Recording: what real programs leave behind is legal, complete, and says what happened."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import gosched
from gosched import trace
from gosched.core.events import NAMES
from gosched.core.trail import Trails
from gosched.lab.virtual import VirtualRuntime
from gosched.trace import files
from gosched.trace.record import FileRecorder, VirtualRecorder, recorder_for
from gosched.trace.replay import Replay
from tests.conftest import Script

from . import workloads

greenlet = pytest.importorskip("greenlet", reason="the plain spelling in virtual time needs greenlet")


def played(path: Path) -> tuple[Counter[str], Replay]:
    """How many events of each kind there are, if all of it is legal."""
    recording = files.read(path)
    assert recording.end is not None
    assert recording.notes == []
    replay = Replay.of(recording)
    return Counter(NAMES[step.kind] for step in replay.run()), replay


@pytest.mark.parametrize("gomaxprocs", [1, 2, 4])
@pytest.mark.parametrize("main", workloads.REAL, ids=lambda main: main.__name__)
def test_a_recorded_run_is_legal(tmp_path: Path, main: workloads.Workload, gomaxprocs: int) -> None:
    path = tmp_path / "run.trace"
    gosched.run(main, trace=path, gomaxprocs=gomaxprocs)
    kinds, _ = played(path)
    assert kinds["GO_CREATE"] == kinds["GO_END"]
    assert kinds["M_START"] == kinds["M_END"]
    assert kinds["LOST"] == 0


@pytest.mark.parametrize("stacks", ["greenlet", "thread"])
def test_both_kinds_of_stacks(tmp_path: Path, stacks: str) -> None:
    path = tmp_path / "run.trace"
    gosched.run(workloads.plains, trace=path, gomaxprocs=2, stacks=stacks)
    assert played(path)[0]["GO_BLOCK"] > 0


def virtual(main: workloads.Workload, seed: int, shuffle: bool = False) -> bytes:
    recorder = VirtualRecorder()
    VirtualRuntime(3, seed=seed, shuffle=shuffle, recorder=recorder).run(main)
    return recorder.data


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("main", workloads.EVERYWHERE, ids=lambda main: main.__name__)
def test_virtual_time_is_legal_and_the_same_each_time(main: workloads.Workload, shuffle: bool) -> None:
    runs = [files.parse(virtual(main, 11, shuffle), "virtual") for _ in range(10)]
    assert len({tuple(piece.data for piece in run.pieces) for run in runs}) == 1
    assert sum(1 for _ in Replay.of(runs[0]).run()) > 10


PRINTS = """
import hashlib, sys
from tests.trace.test_record import virtual
from tests.trace import workloads
from gosched.trace import files
for main in workloads.EVERYWHERE:
    pieces = files.parse(virtual(main, 5), "virtual").pieces
    print(main.__name__, hashlib.sha256(b"".join(piece.data for piece in pieces)).hexdigest())
"""


def test_pure_and_compiled_write_the_same() -> None:
    said = []
    for pure in ("", "1"):
        env = {"GOSCHED_PURE": pure, "PYTHONPATH": ":".join(sys.path), "PATH": ""}
        done = subprocess.run([sys.executable, "-c", PRINTS], env=env, capture_output=True, text=True, check=False, timeout=100)
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
    assert said[0] == said[1]
    assert said[0].count("\n") == len(workloads.EVERYWHERE)


def test_who_woke_whom(tmp_path: Path) -> None:
    """Also if the waker comes before the other has parked: then its own M tells it, and names the waker."""
    path = tmp_path / "run.trace"
    gosched.run(workloads.pairs, trace=path, gomaxprocs=2)
    replay = Replay.of(files.read(path))
    wakers = {step.args[1] for step in replay.run() if NAMES[step.kind] == "GO_UNBLOCK"}
    assert len(wakers - {0}) >= 12


def test_names_of_goroutines(tmp_path: Path) -> None:
    async def named() -> None:
        pass

    async def main() -> list[int]:
        them = [gosched.go(named), gosched.go(named, name="by hand"), gosched.go(len, "x")]
        while not all(g.is_dead() for g in them):
            await gosched.ayield_now()
        return [g.id for g in them]

    path = tmp_path / "run.trace"
    ids = gosched.run(main, trace=path, gomaxprocs=1)
    _, replay = played(path)
    assert [replay.name_of(g) for g in ids] == ["test_names_of_goroutines.<locals>.named", "by hand", "len"]


def test_stacks_say_where_it_waits(tmp_path: Path) -> None:
    async def deep(ch: gosched.Chan[int]) -> None:
        await ch.arecv()

    async def main() -> None:
        ch = gosched.Chan[int]()
        g = gosched.go(deep, ch)
        while g.wait_reason is None:
            await gosched.ayield_now()
        wg = gosched.WaitGroup()
        wg.go(lambda: (ch.send(1), gosched.sleep(0)))
        wg.go(lambda: gosched.sleep(0.0005))
        await wg

    path = tmp_path / "run.trace"
    gosched.run(main, trace=FileRecorder(path, stacks=True), gomaxprocs=1)
    assert played(path)[0]["STACK"] > 3
    stacks = [text for text in files.read(path).strings if __file__ in text]
    assert any(text.startswith("test_stacks_say_where_it_waits.<locals>.deep ") for text in stacks)
    assert any("<lambda>" in text for text in stacks)


def test_the_collector_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "run.trace"
    gosched.run(workloads.stalls, trace=path, gomaxprocs=2)
    kinds, _ = played(path)
    assert kinds["GC_BEGIN"] == kinds["GC_END"] >= 4


def test_is_enabled(tmp_path: Path) -> None:
    async def main() -> bool:
        return trace.is_enabled()

    assert gosched.run(main, trace=tmp_path / "run.trace")
    assert not gosched.run(main)
    assert not trace.is_enabled()


def test_what_is_lost_is_counted(tmp_path: Path) -> None:
    """The reader gets no more than a piece or two: the rest is lost, which is said, and what there is can still be played."""
    path = tmp_path / "run.trace"
    recorder = FileRecorder(path)
    recorder.limit = 200_000
    recorder.read = lambda: None  # type: ignore[method-assign]

    async def main() -> None:
        for _ in range(20):
            await workloads.pairs()

    gosched.run(main, trace=recorder, gomaxprocs=2)
    recording = files.read(path)
    assert sum(1 for _ in Replay.of(recording).run()) > 1000
    assert recording.size < 400_000


@pytest.mark.parametrize("wrong", [7, b"x", "", True], ids=repr)
def test_what_cannot_be_a_trace(wrong: object) -> None:
    with pytest.raises(TypeError, match=r"trace must be the name of a file, a gosched\.trace\.FlightRecorder, or None"):
        recorder_for(wrong)


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        gosched.run(workloads.yields, trace=tmp_path / "nowhere" / "run.trace")


def test_a_full_disk_ends_the_trace_and_not_the_program(capfd: pytest.CaptureFixture[str]) -> None:
    gosched.run(workloads.pairs, trace="/dev/full", gomaxprocs=1)
    assert capfd.readouterr().err == "gosched: trace: /dev/full: No space left on device: the trace ends here\n"


def test_a_recorder_serves_one_runtime(tmp_path: Path) -> None:
    recorder = FileRecorder(tmp_path / "run.trace")
    gosched.run(workloads.yields, trace=recorder)
    with pytest.raises(RuntimeError, match="it has recorded another runtime; make a new one"):
        gosched.run(workloads.yields, trace=recorder)


def test_the_environment(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "run.trace"
    done = script("import gosched\ngosched.run(gosched.ayield_now)\n", GOSCHED_TRACE=str(path))
    assert done.returncode == 0, done.stderr
    assert played(path)[0]["GO_END"] == 1


def test_sigquit_closes_the_file(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "run.trace"
    done = script(
        """
        import gosched, os, signal
        async def main():
            gosched.go(gosched.Chan().arecv)
            await gosched.ayield_now()
            os.kill(os.getpid(), signal.SIGQUIT)
            await gosched.asleep(1000)
        gosched.run(main)
        """,
        GOSCHED_TRACE=str(path),
    )
    assert done.returncode == 2
    recording = files.read(path)
    assert recording.end is not None
    assert recording.end.why == "sigquit"
    assert [g.id for g in recording.goroutines] == [1, 2]


def test_a_deadlock_is_why(tmp_path: Path) -> None:
    path = tmp_path / "run.trace"
    with pytest.raises(gosched.DeadlockError):
        gosched.run(gosched.Chan[int]().arecv, trace=path)
    recording = files.read(path)
    assert recording.end is not None
    assert recording.end.why == "deadlock"


def test_a_forked_child_leaves_the_file_alone(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "run.trace"
    done = script(
        """
        import gosched, os
        async def main():
            pid = os.fork()
            if pid == 0:
                gosched.run(gosched.ayield_now, trace=None)
                os._exit(0)
            return os.waitpid(pid, 0)[1]
        import warnings; warnings.simplefilter("ignore")
        import sys
        sys.exit(gosched.run(main, trace=sys.argv[1]))
        """,
        str(path),
    )
    assert done.returncode == 0, done.stderr
    assert played(path)[0]["GO_END"] == 1


def test_a_trail_that_two_threads_write() -> None:
    """The shared one says who speaks."""
    trails = Trails(1 << 20)
    shared = trails.all[0]
    trails.tell_outside(4, 2)
    trails.tell_outside(4, 3)
    ((_, begun, who, offset, data, more),) = shared.pieces(0, 0)
    assert (who, offset, more) == (0, 0, True)
    events = list(files.decode(files.PIECE_HEAD.pack(begun, who) + data))
    assert [(kind, args) for _, _, kind, args in events] == [(4, (2,)), (4, (3,))]
    assert shared.pieces(0, len(data))[0][4] == b""
    assert trails.number("a") == trails.number("a") != trails.number("b")
