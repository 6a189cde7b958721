"""The suite, run: cells in fresh processes, small; and what it says to bad arguments."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gosched.bench import hosts
from gosched.bench.cases import all_cases, ps_of
from gosched.bench.progress import Progress
from gosched.bench.runtimes import RUNTIMES, threads
from gosched.bench.table import Role, Row, Table
from gosched.bench.work import Reading, Size
from gosched.cli import main

from .given import CASES, Given, table

Captured = pytest.CaptureFixture[str]


@pytest.mark.slow
def test_both_sweeps_for_real(tmp_path: Path, capsys: Captured) -> None:
    folder = tmp_path / "report"
    arguments = ["--quick", "--cases", "life,tree", "--runtimes", "gosched,asyncio", "--report", str(folder)]
    assert main(["bench", *arguments]) == 0
    out, err = capsys.readouterr()
    life, tree = json.loads((folder / "figures.json").read_text())["cases"]
    assert [(row["runtime"], row["n"], row["answers"]) for row in life["rows"]] == [
        (runtime, n, [1_000]) for runtime in ("gosched", "asyncio") for n in (1, 10, 100, 1_000)
    ]
    assert [(row["runtime"], row["procs"], row["answers"]) for row in tree["rows"]] == [
        ("gosched", 1, [499_500]),
        ("gosched", 2, [499_500]),
        ("gosched", 4, [499_500]),
        ("asyncio", 1, [499_500]),
    ]
    assert all(len(row["figures"]) == 1 and row["figures"][0] > 0 for case in (life, tree) for row in case["rows"])
    assert (folder / "scaling-tree.svg").exists()
    assert (folder / "cost-life.svg").exists()
    assert "Answers: 12 were checked, all of them right." in out
    assert [line.partition(";")[0] for line in err.splitlines()] == ["life: round 1 of 1", "tree: round 1 of 1"]


@pytest.mark.parametrize(
    ("case", "size"),
    [
        (threads.case_spawn, Size(20, 10, 1)),
        (threads.case_memory, Size(20, 0, 1)),
        (threads.case_life, Size(5, 4, 1)),
        (threads.case_fanout, Size(6, 50, 2)),
        (threads.case_pingpong, Size(50, 1, 1)),
        (threads.case_mutex, Size(50, 0, 1)),
        (threads.case_hogs, Size(2, 20, 1)),
        (threads.case_blocking, Size(10, 0, 1)),
    ],
)
def test_threads_give_the_same_answers(case: Callable[[Size], Reading], size: Size) -> None:
    answer, figure = case(size)
    assert answer == CASES[case.__name__.removeprefix("case_")].answer(size)
    assert figure >= 0


@pytest.mark.skipif(shutil.which("cc") is None, reason="the load of the network cases is C, and there is no compiler")
@pytest.mark.parametrize("case", ["echo", "connections"])
def test_threads_serve(case: str) -> None:
    command = [sys.executable, "-m", "gosched.bench.cell", case, "threads", "5", "0", "1", "off"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    assert json.loads(done.stdout)["answer"] == 5


@pytest.mark.parametrize(("cores", "ps"), [(1, (1, 2)), (2, (1, 2, 4)), (4, (1, 2, 4, 8)), (6, (1, 2, 4, 6, 12)), (16, (1, 2, 4, 8, 16, 32))])
def test_ps_of_a_machine(cores: int, ps: tuple[int, ...]) -> None:
    assert ps_of(cores) == ps


def test_a_sweep_reaches_a_million_where_that_is_bearable() -> None:
    life = all_cases(1_000, False)["life"]
    sizes = {name: [size for _, size in life.sizes(runtime)] for name, runtime in RUNTIMES.items()}
    assert [size.n for size in sizes["gosched"]] == [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
    assert {name: max(size.n for size in found) for name, found in sizes.items()} == {
        "gosched": 1_000_000,
        "asyncio": 1_000_000,
        "uvloop": 1_000_000,
        "trio": 100_000,
        "gevent": 100_000,
        "tonio": 1_000_000,
        "threads": 10_000,
        "go": 1_000_000,
    }
    assert all(size.n * size.work >= 2_000 for found in sizes.values() for size in found), "few are repeated, so that the clock does not matter"
    assert {role for role, _ in life.sizes(RUNTIMES["go"])} == {Role.STEP}


def test_threads_are_a_pool_only_where_they_are_one() -> None:
    assert [size.procs for _, size in CASES["fanout"].sizes(RUNTIMES["threads"])] == [1, 2, 4]
    assert [size.procs for _, size in CASES["spawn"].sizes(RUNTIMES["threads"])] == [1]


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.time = 1_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def told(capsys: Captured) -> Callable[[], list[str]]:
    return lambda: capsys.readouterr().err.splitlines()


def measured(progress: Progress, made: Table, number: int) -> None:
    progress.begin(made, number)
    for row in made.rows:
        if not row.absent:
            progress.cell(made, number, row)


def test_what_is_left_is_guessed_from_what_was(told: Callable[[], list[str]]) -> None:
    absent = {name: "not here" for name in RUNTIMES if name not in ("gosched", "asyncio")}
    quick, slow = (table(name, Given(absent=absent), rounds=0) for name in ("mutex", "sleepers"))
    clock = Clock()
    progress = Progress([quick, slow], 2, clock)
    measured(progress, quick, 1)
    clock.time += 30
    measured(progress, quick, 2)
    clock.time += 30
    measured(progress, slow, 1)
    clock.time += 3_600
    measured(progress, slow, 2)
    assert told() == [
        "mutex: round 1 of 2; no estimate yet",
        "mutex: round 2 of 2; 25 % done, about 2 min left",
        "sleepers: round 1 of 2; 50 % done, about 60 s left",
        "sleepers: round 2 of 2; 75 % done, about 20 min left",
    ]


def test_in_a_terminal_one_line_changes(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    made = table("handover", Given(), rounds=0)
    progress = Progress([made], 1, Clock())
    measured(progress, made, 1)
    progress.clear()
    assert capsys.readouterr().err == "\r\x1b[2Khandover: round 1 of 1, gosched; no estimate yet\r\x1b[2K"


def test_who_failed_is_not_tried_again() -> None:
    host = Given(rule=lambda *_: "failed: no end after 1 s")
    made = table("handover", host)
    assert [(row.failure, row.figures) for row in made.rows] == [("failed: no end after 1 s", [])]


def refused(capsys: Captured, *arguments: str) -> str:
    assert main(["bench", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err.strip()


def test_bad_files(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "figures.json"
    assert refused(capsys, "--from", str(path)) == f"gosched bench: {path}: No such file or directory"
    path.write_text("{")
    assert refused(capsys, "--from", str(path)).startswith(f"gosched bench: {path} is no JSON: ")
    for text in ("[]", '{"format": 0}', '{"cases": []}'):
        path.write_text(text)
        assert refused(capsys, "--from", str(path)) == f"gosched bench: {path} holds no figures that this version's --json wrote"
    path.write_text('{"format": 1, "stamp": {}}')
    assert refused(capsys, "--from", str(path)).startswith(f"gosched bench: {path} is damaged: ")


def test_bad_arguments(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "a file"
    path.touch()
    assert (
        refused(capsys, "--from", "x", "--quick", "--cases", "spawn")
        == "gosched bench: --from measures nothing: it does not go with --cases, --quick"
    )
    assert (
        refused(capsys, "--json", str(tmp_path / "no/x.json")) == f"gosched bench: --json {tmp_path}/no/x.json: there is no directory {tmp_path}/no"
    )
    assert f"{path} is no directory" in refused(capsys, "--report", str(path))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--cases", "spawn,spwan"], "no such case: spwan; there are spawn, yield, "),
        (["--runtimes", "java"], "no such runtime: java; there are gosched, asyncio, "),
        (["--repeat", "0"], "must be a positive number, not '0'"),
    ],
)
def test_arguments_that_are_no_such_thing(arguments: list[str], said: str, capsys: Captured) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["bench", *arguments])
    assert caught.value.code == 2
    assert said in capsys.readouterr().err


def test_paths_are_named_as_others_can_read_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "ROOT", Path("/home/somebody/checkout"))
    monkeypatch.setattr(hosts, "IS_CHECKOUT", True)
    monkeypatch.setenv("HOME", "/home/somebody")
    assert hosts.shown("/home/somebody/checkout/.venv/bin/python") == ".venv/bin/python"
    assert hosts.shown("/home/somebody/.cache/go/bin/go") == "~/.cache/go/bin/go"
    assert hosts.shown("/usr/bin/python3") == "/usr/bin/python3"


def test_no_such_interpreter() -> None:
    with pytest.raises(SystemExit, match=r"^bench: --python /no/python: no such program$"):
        main(["bench", "--python", "/no/python"])


def test_a_row_says_what_it_is() -> None:
    assert str(Row("gosched", Given(), Size(1, 1, 2))) == "gosched on 3.13, 2 P"
