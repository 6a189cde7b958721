"""Experiments without a page: what is run, over how many processes, and what is said of what cannot be run, word for word."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import gosched
from gosched.bench.lab import played
from gosched.cli import main
from gosched.lab import Costs, cpu, measure, sweep
from gosched.lab.sweep import Cell, ExperimentError, Row
from tests.top.terminal import Terminal

ROOT = Path(__file__).resolve().parents[2]

WORKLOADS = """
    import functools, os, time
    import gosched
    from gosched import ayield_now
    from gosched.lab import cpu

    SHY = gosched.Policy(share=0.01)
    _HIDDEN = gosched.Policy(spin=1)

    class Backwards(gosched.Policy):
        def victims(self, p, n):
            return reversed(range(n))

    BACKWARDS = Backwards()

    class Odd(Exception):
        def __init__(self, a, b):
            super().__init__(f"{a} and {b}")

    async def fan_out(n=40, seconds=0.001):
        wg = gosched.WaitGroup()
        for _ in range(n):
            wg.go(cpu, seconds)
        await wg
        return Odd(1, 2)

    async def tree(depth=5, *rest, **more):
        if depth:
            async with gosched.Group() as group:
                group.go(tree, depth - 1)
                group.go(tree, depth - 1)
        else:
            await cpu(0.0001)

    small = functools.partial(fan_out, 3)

    async def needs(n):
        pass

    async def also_needs(*, n):
        pass

    async def _private():
        pass

    def plain():
        pass
"""
BAD = """
    from gosched import Chan, go
    from gosched.lab import cpu

    class Odd(Exception):
        def __init__(self, a, b):
            super().__init__(f"{a} and {b}")

    async def raises():
        await cpu(0.001)
        raise Odd(1, 2)

    async def child_raises():
        go(raises)
        await Chan().arecv()

    async def deadlock():
        await Chan().arecv()

    async def plain():
        Chan().recv()

    async def leaves():
        raise SystemExit(3)
"""
FOREVER = """
    import os
    from gosched.lab import cpu

    async def forever():
        os.write(os.open(os.environ["FIFO"], os.O_WRONLY), b"begun\\n")
        while True:
            await cpu(1)

    async def short():
        pass
"""

Captured = pytest.CaptureFixture[str]
Write = Callable[[str], str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """A file of workloads, in a directory that is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])

    def written(text: str) -> str:
        Path("work.py").write_text(textwrap.dedent(text))
        return "work.py"

    return written


def nothing(row: Row) -> None:
    """Nobody watches."""


def swept(path: str, jobs: int = 1, procs: tuple[int, ...] = (1, 4), policies: tuple[str, ...] = ("go",), seeds: int = 1) -> list[Row]:
    book = sweep.load(path)
    return sweep.run(book, sweep.plan(book, list(procs), list(policies), list(range(1, seeds + 1))), jobs, nothing)


# ---- a file ----


def test_what_a_file_has(write: Write) -> None:
    book = sweep.load(write(WORKLOADS))
    assert list(book.workloads) == ["fan_out", "tree", "small"]
    assert list(book.policies) == [*sweep.POLICIES, "SHY", "BACKWARDS"]


def test_a_file_imports_what_stands_beside_it(write: Write) -> None:
    Path("beside_it.py").write_text("SECONDS = 0.25\n")
    path = write("import beside_it\nfrom gosched.lab import cpu\nasync def one():\n    await cpu(beside_it.SECONDS)\n    return beside_it.SECONDS")
    for jobs in (1, 2):
        assert [row.result.value for row in swept(path, jobs)] == ["0.25", "0.25"]


def test_every_policy_has_a_rule_of_its_own() -> None:
    assert len({str(policy.changes()) for policy in sweep.POLICIES.values()}) == len(sweep.POLICIES)
    assert sweep.POLICIES["go"].changes() == {}


# ---- a plan ----


def test_the_largest_come_first_and_nothing_twice(write: Write) -> None:
    book = sweep.load(write(WORKLOADS))
    cells = sweep.plan(book, [1, 1024, 1], ["go", "SHY", "go"], [1, 2], ["tree"])
    assert cells == [Cell("tree", n, policy, seed) for n in (1024, 1) for policy in ("go", "SHY") for seed in (1, 2)]
    assert str(cells[0]) == "workload tree, 1,024 Ps, policy go, seed 1"
    assert str(cells[-1]) == "workload tree, 1 P, policy SHY, seed 2"


# ---- runs ----


def test_figures_do_not_depend_on_jobs(write: Write) -> None:
    """Nor does their order."""
    path = write(WORKLOADS)
    one, three = (swept(path, jobs, policies=("go", "no-steal", "SHY", "BACKWARDS"), seeds=2) for jobs in (1, 3))
    assert [(row.cell, row.result) for row in one] == [(row.cell, row.result) for row in three]
    assert len(one) == 3 * 2 * 4 * 2


def test_policies_and_seeds_are_obeyed(write: Write) -> None:
    rows = {
        (row.cell.policy, row.cell.seed): row.result
        for row in swept(write(WORKLOADS), 1, (4,), ("go", "no-steal", "SHY", "BACKWARDS"), 3)
        if row.cell.workload == "tree"
    }
    assert all(rows["no-steal", seed].steals == 0 < rows["go", seed].steals for seed in (1, 2, 3))
    assert all(rows["SHY", seed].stolen == rows["SHY", seed].steals for seed in (1, 2, 3)), "one at a time"
    assert all(rows["no-steal", seed].makespan > 2 * rows["go", seed].makespan for seed in (1, 2, 3))
    assert len({rows["go", seed] for seed in (1, 2, 3)}) > 1
    assert len({rows["BACKWARDS", seed] for seed in (1, 2, 3)}) == 1, "it asks in an order of its own, and nothing else is drawn here"


def test_each_row_is_told_as_it_comes(write: Write) -> None:
    book = sweep.load(write(WORKLOADS))
    cells = sweep.plan(book, [1, 2], ["go"], [1], ["tree"])
    for jobs in (1, 2):
        told: list[Row] = []
        rows = sweep.run(book, cells, jobs, told.append)
        assert sorted(told, key=lambda row: -row.cell.procs) == rows


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("raises", 'Traceback (most recent call last):\n  File "{path}", line 11, in raises\n    raise Odd(1, 2)\ngosched_workloads.Odd: 1 and 2'),
        (
            "child_raises",
            'Traceback (most recent call last):\n  File "{path}", line 11, in raises\n    raise Odd(1, 2)\ngosched_workloads.Odd: 1 and 2\n'
            "in goroutine 2 (raises), created by child_raises in goroutine 1 at {path}:14",
        ),
        ("leaves", 'Traceback (most recent call last):\n  File "{path}", line 24, in leaves\n    raise SystemExit(3)\nSystemExit: 3'),
    ],
)
def test_a_workload_that_raises(write: Write, name: str, says: str, jobs: int) -> None:
    path = os.path.abspath(write(BAD))
    book = sweep.load(path)
    with pytest.raises(ExperimentError) as caught:
        sweep.run(book, sweep.plan(book, [2], ["go"], [1, 1], [name]), jobs, nothing)
    lines = [line for line in str(caught.value).splitlines() if "^^^" not in line]
    assert lines == [f"workload {name}, 2 Ps, policy go, seed 1, failed:", *says.format(path=path).splitlines()]


def test_a_workload_that_waits_for_ever(write: Write, capsys: Captured) -> None:
    assert main(["lab", "run", write(BAD), "--workloads", "deadlock", "--procs", "2", "--jobs", "1"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(
        "gosched lab: workload deadlock, 2 Ps, policy go, seed 1, failed:\ngosched.errors.DeadlockError: all goroutines are asleep - deadlock!\n\n"
        'goroutine 1 [chan receive] {name: "main"}:\ndeadlock(...)\n'
    )


def test_a_workload_that_waits_with_its_stack(write: Write, capsys: Captured) -> None:
    assert main(["lab", "run", write(BAD), "--workloads", "plain", "--procs", "1", "--jobs", "1"]) == 1
    assert capsys.readouterr().err.endswith("RuntimeError: the laboratory has no stacks to set aside: await the twin of this operation\n")


def test_a_process_that_dies(write: Write, capfd: pytest.CaptureFixture[str]) -> None:
    path = write("import os\nasync def dies():\n    os._exit(9)")
    assert main(["lab", "run", path, "--procs", "1,2", "--jobs", "2"]) == 1
    assert capfd.readouterr() == ("", "gosched lab: a process of the sweep died, perhaps for want of memory: --jobs 1 shows which run it is\n")


# ---- what cannot be run ----


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["none.py"], "none.py: there is no such file"),
        (["."], ".: there is no such file"),
        (["empty.py"], "empty.py: no workload in it: a workload is a public async function that needs no arguments"),
        (["work.py", "--policies", "go,nice"], f"policies: there is no 'nice'; there are {', '.join(sweep.POLICIES)}, SHY, BACKWARDS"),
        (["work.py", "--policies", "_HIDDEN"], f"policies: there is no '_HIDDEN'; there are {', '.join(sweep.POLICIES)}, SHY, BACKWARDS"),
        (["work.py", "--workloads", "needs"], "workloads: there is no 'needs'; there are fan_out, tree, small"),
        (["work.py", "--procs", "0"], "procs: from 1 to 1,024, not 0"),
        (["work.py", "--procs", "1,1025"], "procs: from 1 to 1,024, not 1025"),
        (["work.py", "--procs=-1"], "procs: from 1 to 1,024, not -1"),
        (["work.py", "--out", "work.py"], "out: work.py is no directory, and cannot be made one: File exists"),
        (["work.py", "--out", "work.py/a"], "out: work.py/a is no directory, and cannot be made one: Not a directory"),
    ],
)
def test_what_cannot_be_run(write: Write, capsys: Captured, options: list[str], says: str) -> None:
    """Said before anything is."""
    write(WORKLOADS)
    Path("empty.py").write_text("import gosched\nfrom gosched.lab import cpu\n")
    assert main(["lab", "run", *options]) == 1
    assert capsys.readouterr() == ("", f"gosched lab: {says}\n")
    assert not Path("lab-report").exists()


def test_a_directory_that_cannot_be_written_to(write: Write, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: (str(path), mode) != ("full", os.W_OK))
    assert main(["lab", "run", write(WORKLOADS), "--out", "full"]) == 1
    assert capsys.readouterr() == ("", "gosched lab: out: nothing can be written to full\n")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--procs", "abc"], "--procs: must be numbers such as 1,2,4, not 'abc'"),
        (["--procs", "1,,2"], "--procs: must be numbers such as 1,2,4, not '1,,2'"),
        (["--policies", ""], "--policies: must be names such as go,no-steal, not ''"),
        (["--workloads", ", "], "--workloads: must be names such as go,no-steal, not ', '"),
        (["--seeds", "0"], "--seeds: must be a number from 1 to 1,000, not '0'"),
        (["--seeds", "x"], "--seeds: must be a number from 1 to 1,000, not 'x'"),
        (["--jobs", "0"], "--jobs: must be a number from 1 to 1,000, not '0'"),
        (["--jobs", "1001"], "--jobs: must be a number from 1 to 1,000, not '1001'"),
        (["--jobs", "-1"], "--jobs: must be a number from 1 to 1,000, not '-1'"),
        (["--speed", "3"], "unrecognized arguments: --speed 3"),
    ],
)
def test_what_cannot_be_meant(capsys: Captured, options: list[str], says: str) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["lab", "run", "work.py", *options])
    assert caught.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1].partition("error: ")[2].removeprefix("argument ") == says


def test_what_a_file_raises_is_its_own(write: Write) -> None:
    with pytest.raises(ZeroDivisionError):
        main(["lab", "run", write("1 / 0"), "--jobs", "1"])


# ---- Ctrl-C, and a terminal ----


@pytest.fixture
def begun(write: Write, tmp_path: Path) -> Iterator[Callable[..., tuple[subprocess.Popen[str], int]]]:
    """A sweep whose workloads go on for ever, when n of them have begun, and a descriptor that is at its end when all of them are gone."""
    path, fifo = write(FOREVER), tmp_path / "fifo"
    os.mkfifo(fifo)
    started: list[subprocess.Popen[str]] = []

    def begin(n: int, *options: str) -> tuple[subprocess.Popen[str], int]:
        command = [sys.executable, "-m", "gosched", "lab", "run", path, *options]
        process = subprocess.Popen(command, env={**os.environ, "FIFO": str(fifo)}, stdout=-1, stderr=-1, text=True, start_new_session=True)
        started.append(process)
        reader = os.open(fifo, os.O_RDONLY)
        for _ in range(n):
            assert os.read(reader, len("begun\n")) == b"begun\n"
        return process, reader

    yield begin
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize(("jobs", "send"), [(1, os.killpg), (2, os.killpg), (2, os.kill)])
def test_ctrl_c_stops_the_workers(begun: Callable[..., tuple[subprocess.Popen[str], int]], jobs: int, send: Callable[[int, int], None]) -> None:
    """At a terminal all of them get the signal; from `kill` the first one alone."""
    process, reader = begun(jobs, "--procs", "1,2,3", "--workloads", "forever", "--jobs", str(jobs))
    send(process.pid, signal.SIGINT)
    assert process.communicate() == ("", "gosched lab: interrupted\n")
    assert process.returncode == 130
    assert os.read(reader, 1) == b"", "somebody still has it open"
    os.close(reader)


@pytest.mark.slow
def test_workers_without_work_say_nothing_at_ctrl_c(begun: Callable[..., tuple[subprocess.Popen[str], int]]) -> None:
    process, reader = begun(1, "--procs", "1,2", "--workloads", "short,forever", "--policies", "no-steal", "--jobs", "4")
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate() == ("", "gosched lab: interrupted\n")
    os.close(reader)


@pytest.mark.slow
def test_progress_is_shown_at_a_terminal(write: Write) -> None:
    terminal = Terminal("lab", "run", write(WORKLOADS), "--procs", "1,2", "--workloads", "tree", "--jobs", "1", width=80)
    try:
        terminal.until(r"playing .* 0/2")
        table = terminal.until(r"(?s)workload +Ps +policy +makespan.*results\.json")
        assert terminal.end() == 0
    finally:
        terminal.close()
    assert max(len(line.rstrip()) for line in table.splitlines()) <= 80
    assert "…" not in table


@pytest.mark.slow
def test_progress_is_not_shown_elsewhere(write: Write, capsys: Captured) -> None:
    assert main(["lab", "run", write(WORKLOADS), "--procs", "1", "--workloads", "tree", "--jobs", "1"]) == 0
    assert capsys.readouterr().err == ""


# ---- one run ----


def test_a_workload_alone_is_measured_to_its_end() -> None:
    async def alone() -> str:
        await cpu(0.5)
        await gosched.asleep(0.25)
        await cpu(0.25)
        return "done"

    result = measure(alone, procs=2, costs=Costs(0, 0, 0, 0, 0))
    assert (result.makespan, result.utilisation, result.value) == (1.0, 0.375, "done")


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"procs": 0}, ValueError, "gomaxprocs must be between 1 and 1024, not 0; gomaxprocs() without a number reads it"),
        ({"procs": 1025}, ValueError, "gomaxprocs must be between 1 and 1024, not 1025; gomaxprocs() without a number reads it"),
        ({"procs": "1"}, TypeError, "gomaxprocs must be an int, not str"),
        ({"policy": "go"}, TypeError, "policy must be a gosched.Policy, not str"),
    ],
)
def test_what_cannot_be_measured(options: dict[str, object], error: type[Exception], says: str) -> None:
    async def alone() -> None:
        await cpu(0.5)

    with pytest.raises(error) as caught:
        measure(alone, **options)  # type: ignore[arg-type]
    assert str(caught.value) == says


def test_ten_thousand_on_1024_ps() -> None:
    """The same with a million is gosched.bench.lab."""
    result = played(10_000, 1024)
    assert result.goroutines == 1 + 1_111 + 10_000
    assert 100 < result.threads <= 1024
    assert 10_000 * 0.0001 / 1024 < result.makespan < 0.1, "far less than the second that one P would take"
    assert result == played(10_000, 1024)
