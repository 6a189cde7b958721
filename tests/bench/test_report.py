"""What a report leaves: a page that stands alone, a Markdown file with its plots beside it, and figures from which both are drawn again."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gosched.bench import plots, record, report
from gosched.bench.record import Run
from gosched.bench.work import Size
from gosched.cli import main

from .given import COSTS, Given, go, run_of

Captured = pytest.CaptureFixture[str]
CASES = ["spawn", "life", "fanout", "mutex", "preempted"]
PLOTS = ["ratios-asyncio", "ratios-go", "scaling-spawn", "scaling-fanout", "cost-life"]
SVG = "{http://www.w3.org/2000/svg}"


def whole() -> Run:
    absent = {"tonio": "not installed on 3.13; needs <luck>"}
    return run_of(CASES, Given(absent=absent), go())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("report")
    report.write(whole(), made)
    return made


def parsed(path: Path) -> ElementTree.Element:
    """Well-formed to the last tag, or an error."""
    return ElementTree.fromstring(path.read_text(encoding="utf-8").removeprefix("<!DOCTYPE html>"))


def texts(tree: ElementTree.Element, tag: str) -> list[str]:
    return ["".join(element.itertext()) for element in tree.iter(tag)]


def test_what_is_written(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == sorted(["report.html", "report.md", "figures.json", *(f"{name}.svg" for name in PLOTS)])


def test_the_page_stands_alone(folder: Path) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    tree = parsed(folder / "report.html")
    tags = {element.tag.removeprefix(SVG) for element in tree.iter()}
    assert not {"script", "link", "iframe", "img", "image", "object", "embed"} & tags
    for element in tree.iter():
        for name, value in element.attrib.items():
            if name.rpartition("}")[2] in ("src", "href", "srcset", "data"):
                assert value.startswith("#"), "it points into the page itself"
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)
    assert "prefers-color-scheme:dark" in text
    assert tree.find("head/meta[@name='viewport']") is not None


def test_ids_are_its_own_and_lead_somewhere(folder: Path) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    ids = Counter(element.attrib["id"] for element in parsed(folder / "report.html").iter() if "id" in element.attrib)
    assert [name for name, n in ids.items() if n > 1] == []
    pointed = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))
    assert pointed
    assert pointed <= set(ids)


def test_the_page_says_it_all(folder: Path) -> None:
    tree = parsed(folder / "report.html")
    assert texts(tree, "h1") == ["gosched benchmarks"]
    heads = texts(tree, "h2")
    assert heads[:4] == ["Summary, 3.13", "Beside asyncio and Go", "Scaling over Ps", "Cost over the number of goroutines"]
    assert [head.partition(":")[0] for head in heads[4:]] == CASES
    said = texts(tree, "li")
    assert said[1] == "A <fast> CPU & more, 2 cores, Linux 6, load 0.5 before the run"
    assert "No figures of tonio: not installed on 3.13; needs <luck>." in said
    assert texts(tree, "strong").count("0.60") >= 5, "where gosched is behind"
    assert len(tree.findall(".//table")) == 1 + len(CASES)
    assert next(svg.attrib["aria-label"] for svg in tree.iter(f"{SVG}svg")) == "How many times as good as asyncio, by case"


def test_plots_are_named_in_plain_numbers_and_have_the_colour_of_the_page(folder: Path) -> None:
    drawn = {svg.attrib["aria-label"]: texts(svg, f"{SVG}text") for svg in parsed(folder / "report.html").iter(f"{SVG}svg")}
    cost = drawn["Time per goroutine, over the number of goroutines"]
    assert [word for word in cost if word.replace(",", "").isdecimal()] == ["1", "10", "100", "1,000"]
    assert {"100 ns", "1 µs", "10 µs", "goroutines", "gosched", "threads", "go"} <= set(cost)
    assert "tonio" not in cost
    assert {"0.1×", "1×", "spawn", "mutex", "gosched"} <= set(drawn["How many times as good as asyncio, by case"])
    assert {"1", "2", "4", "Ps", "threads"} <= set(drawn["fanout: how many times as fast with more Ps as with one"])
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert plots.INK in (folder / "cost-life.svg").read_text(encoding="utf-8")
    assert plots.INK not in text.partition("<body>")[2], "it would be dark on dark"


def test_the_markdown_has_its_plots_beside_it(folder: Path) -> None:
    text = (folder / "report.md").read_text(encoding="utf-8")
    named = re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
    assert named == [f"{name}.svg" for name in PLOTS]
    for name in named:
        svg = parsed(folder / name)
        assert svg.find(f"{SVG}rect") is not None, "a background of its own"
    assert "| `spawn` | 1 | 8.00 |" in text
    assert "\n## life: start n goroutines" in text


@pytest.mark.slow
def test_it_is_drawn_again_from_its_figures(folder: Path, tmp_path: Path, capsys: Captured) -> None:
    again = tmp_path / "a" / "b"
    assert main(["bench", "--from", str(folder / "figures.json"), "--report", str(again)]) == 0
    assert {path.name: path.read_bytes() for path in again.iterdir()} == {path.name: path.read_bytes() for path in folder.iterdir()}
    out = capsys.readouterr().out
    assert out.startswith("# gosched benchmarks\n")
    assert out.splitlines()[-1] == str(again / "cost-life.svg")


def test_figures_survive_json(tmp_path: Path) -> None:
    run = whole()
    path = tmp_path / "figures.json"
    path.write_text(record.dumps(run), encoding="utf-8")
    assert record.read(path) == run
    row = json.loads(path.read_text())["cases"][0]["rows"][0]
    assert (row["runtime"], row["procs"], row["n"], row["figures"]) == ("gosched", 1, 10_000, [100.0, 50.0, 200.0])


def test_failures_of_then_are_the_status_of_now(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "figures.json"
    path.write_text(record.dumps(run_of(["mutex"], Given(wrong="trio"))), encoding="utf-8")
    assert main(["bench", "--from", str(path)]) == 1
    assert "**wrong answer**: trio on 3.13, 1 P answered 5,001" in capsys.readouterr().out


def test_without_matplotlib_there_are_no_plots_and_a_line_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert [path.name for path in report.write(whole(), tmp_path)] == ["report.html", "report.md", "figures.json"]
    line = "No plots: matplotlib is not installed here (pip install 'gosched[bench]')."
    assert line in texts(parsed(tmp_path / "report.html"), "p")
    assert report.NO_PLOTS in (tmp_path / "report.md").read_text(encoding="utf-8").splitlines()


@pytest.mark.slow
def test_two_interpreters_have_plots_each(tmp_path: Path) -> None:
    run = run_of(["life", "mutex"], Given("3.13"), Given("3.13"), go())
    names = [picture.name for group in plots.drawn(run) for picture in group.pictures]
    assert names == ["ratios-asyncio-1", "ratios-go-1", "cost-life-1", "ratios-asyncio-2", "ratios-go-2", "cost-life-2"]


def test_a_run_without_peers_has_no_ratios_to_draw() -> None:
    assert plots.drawn(run_of(["handover"], Given(rule=lambda *_: 4.0))) == []


def test_ratios_are_better_to_the_right() -> None:
    """Also where more is better, and of the fewest Ps there are."""

    def rule(case: str, runtime: str, size: Size) -> float:
        return 80.0 if (case, runtime) == ("preempted", "go") else COSTS[runtime] * size.procs

    run = run_of(["spawn", "preempted", "csum"], Given(rule=rule), go(rule))
    spawn, preempted, csum = run.cases
    assert plots.against(run, spawn, 0, "asyncio")["gosched"] == 8.0
    assert plots.against(run, spawn, 0, "go")["gosched"] == 0.6
    assert plots.against(run, preempted, 0, "go") == {"gosched": 100 / 80}
    assert plots.against(run, csum, 0, "asyncio") == {"gosched": 4.0}
    assert plots.against(run, csum, 0, "go") == {}


@pytest.mark.parametrize(("ns", "text"), [(100, "100 ns"), (1e3, "1 µs"), (1e7, "10 ms"), (2e9, "2 s"), (0.5, "0.5 ns")])
def test_durations_on_an_axis(ns: float, text: str) -> None:
    assert plots.duration(ns) == text
