"""What a sweep leaves: a table, pictures, and a page that stands alone."""

from __future__ import annotations

import io
import json
import struct
import sys
import zlib
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console

from gosched.cli import main
from gosched.lab import Result, report
from gosched.lab.sweep import Cell, Row

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/lab_sweep.py"

Captured = pytest.CaptureFixture[str]


def row(workload: str, procs: int, policy: str, seed: int = 1, **figures: float) -> Row:
    usual = {"makespan": 0.0123456, "utilisation": 0.5, "p50": 2e-7, "p99": 3e-3, "longest": 0.25, "fairness": 0.98765}
    counts = {"goroutines": 11, "turns": 12_345, "steals": 3, "stolen": 40, "preemptions": 2, "threads": 4}
    return Row(Cell(workload, procs, policy, seed), Result(**{**usual, **counts, **figures}, value="None"), 0.5)  # type: ignore[arg-type]


ROWS = [row("fan", 1024, "go"), row("fan", 1024, "SHY", steals=1_000), row("tree", 1024, "go"), row("fan", 1, "go"), row("fan", 1, "SHY")]


def printed(rows: list[Row], width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(report.fitting(rows, console))
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines() if line.strip()]


def test_a_table() -> None:
    assert printed(ROWS, 200) == [
        "  workload      Ps   policy   makespan     busy   wait p50       p99   longest   fairness    turns   steals   stolen   stopped   threads",
        " ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────",
        "  fan            1   go        12.3 ms   50.0 %     200 ns   3.00 ms    250 ms      0.988   12,345        3       40         2         4",
        "  fan            1   SHY       12.3 ms   50.0 %     200 ns   3.00 ms    250 ms      0.988   12,345        3       40         2         4",
        "  fan        1,024   go        12.3 ms   50.0 %     200 ns   3.00 ms    250 ms      0.988   12,345        3       40         2         4",
        "  fan        1,024   SHY       12.3 ms   50.0 %     200 ns   3.00 ms    250 ms      0.988   12,345    1,000       40         2         4",
        "  tree       1,024   go        12.3 ms   50.0 %     200 ns   3.00 ms    250 ms      0.988   12,345        3       40         2         4",
        "                                                             in virtual time",
    ]


def test_a_narrow_table_has_fewer_columns() -> None:
    lines = printed(ROWS, 80)
    assert lines[0].split() == ["workload", "Ps", "policy", "makespan", "busy", "p99", "fairness", "steals"]
    assert lines[4].split() == ["fan", "1,024", "go", "12.3", "ms", "50.0", "%", "3.00", "ms", "0.988", "3"]
    assert max(map(len, lines)) <= 80


def test_of_several_seeds_the_median() -> None:
    rows = [row("fan", 1, "go", seed, makespan=seconds, steals=steals) for seed, seconds, steals in ((1, 9.0, 7), (2, 1.0, 9), (3, 2.0, 8))]
    lines = printed(rows, 200)
    assert lines[2].split()[:5] == ["fan", "1", "go", "2.00", "s"]
    assert lines[2].split()[-4] == "8"
    assert lines[3].strip() == "in virtual time; medians of 3 seeds"


class Page(HTMLParser):
    """What a page would load, and what it says."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.tags: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "data")]

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def size(png: bytes) -> tuple[int, int]:
    """Of an image whose chunks are whole and whose pixels can be unpacked."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, found, pixels = 8, (0, 0), b""
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        data = png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(name + data)
        if name == b"IHDR":
            found = struct.unpack(">II", data[:8])
        elif name == b"IDAT":
            pixels += data
        at += 12 + length
    lines = zlib.decompress(pixels)
    assert len(lines) % found[1] == 0
    assert len(set(lines)) > 10, "nothing is drawn"
    return found


@pytest.fixture
def folder(tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The report of the example."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.setattr(sys, "argv", ["/usr/bin/gosched", "lab", "run", "a file.py"])
    policies = "go,no-steal,SHY"
    assert (
        main(["lab", "run", str(EXAMPLE), "--procs", "1,2", "--policies", policies, "--workloads", "fan_out,tree", "--jobs", "1", "--out", "a/b"])
        == 0
    )
    out = capsys.readouterr().out.splitlines()
    assert out[-4:] == ["a/b/report.html", "a/b/fan_out.png", "a/b/tree.png", "a/b/results.json"]
    assert out[1].split()[:4] == ["workload", "Ps", "policy", "makespan"]
    assert sum(line.startswith("  fan_out") for line in out) == sum(line.startswith("  tree") for line in out) == 6
    return tmp_path / "a/b"


def test_a_report(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == ["fan_out.png", "report.html", "results.json", "tree.png"]
    for name in ("fan_out", "tree"):
        width, height = size((folder / f"{name}.png").read_bytes())
        assert width > 1_000 < 2 * height

    text = (folder / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert [address[:22] for address in page.loads] == ["data:image/png;base64,"] * 2
    assert not {"script", "link", "iframe"} & set(page.tags)
    assert "http" not in text, "it stands alone"
    assert "url(" not in text
    assert "gosched lab run 'a file.py'" in page.words
    assert page.tags.count("tr") == 1 + 2 * 2 * 3

    data = json.loads((folder / "results.json").read_text())
    assert data["stamp"]["workloads"] == str(EXAMPLE)
    assert len(data["rows"]) == 2 * 2 * 3
    assert {"workload", "procs", "policy", "seed", "makespan", "utilisation", "p50", "p99", "steals", "fairness", "took"} <= set(data["rows"][0])
    spans = {(row["workload"], row["procs"], row["policy"]): row["makespan"] for row in data["rows"]}
    assert spans["fan_out", 2, "no-steal"] > 1.9 * spans["fan_out", 2, "go"]


def test_names_are_written_as_they_are(tmp_path: Path) -> None:
    """And none is taken for a tag."""
    text = report.page([row("fan", 1, "<b>&amp;")], [], "<i>.py")
    page = Page(text)
    assert "<b>&amp;" in page.words
    assert "<i>.py" in page.words
    assert not {"b", "i"} & set(page.tags)


@pytest.mark.parametrize("name", ["matplotlib", "rich"])
def test_without_what_reports_need(name: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    assert main(["lab", "run", str(EXAMPLE)]) == 1
    assert capsys.readouterr() == ("", f"gosched lab: reports need {name}: pip install 'gosched[lab]'\n")
