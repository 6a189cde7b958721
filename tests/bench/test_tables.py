"""What tables and summaries make of figures: medians, ratios, who is behind, who is absent, who was wrong."""

from __future__ import annotations

import pytest

from gosched.bench import report
from gosched.bench.document import Grid, Part, Points, markdown
from gosched.bench.record import Run
from gosched.bench.work import Size

from .given import COSTS, Given, go, run_of, usual


def grid(parts: list[Part], n: int = 0) -> list[dict[str, str]]:
    """The lines of the n-th table, by their heads."""
    found = [part for part in parts if isinstance(part, Grid)][n]
    return [dict(zip(found.heads, line, strict=True)) for line in found.lines]


def points(parts: list[Part]) -> list[str]:
    return [item for part in parts if isinstance(part, Points) for item in part.items]


def lines_of(run: Run, case: str) -> dict[tuple[str, str, str], dict[str, str]]:
    """Of a case's own table, by runtime, procs and n."""
    found = next(made for made in run.cases if made.name == case)
    return {(line["runtime"], line["procs"], line["n"]): line for line in grid(report.section(run, found))}


def summary_of(run: Run, n: int = 0) -> dict[tuple[str, str], dict[str, str]]:
    return {(line["case"].strip("`"), line["Ps"]): line for line in grid(list(report.summary(run)), n)}


def test_a_case_is_a_table_of_medians_with_their_spread() -> None:
    lines = lines_of(run_of(["spawn"], Given(), go()), "spawn")
    assert lines["gosched", "1", "10,000"] == {
        "runtime": "gosched",
        "interpreter": "3.13",
        "procs": "1",
        "n": "10,000",
        "ns per goroutine": "100",
        "min–max": "50–200",
        "× gosched": "1.00",
    }
    assert lines["asyncio", "1", "10,000"]["× gosched"] == "8.00"
    assert lines["threads", "1", "1,000"]["ns per goroutine"] == "40,000"
    assert lines["threads", "1", "1,000"]["× gosched"] == "400"
    assert lines["go", "2", "10,000"]["ns per goroutine"] == "30"


def test_who_is_ahead_of_gosched_is_bold_and_named() -> None:
    run = run_of(["spawn", "mutex"], Given(), go())
    lines = lines_of(run, "spawn")
    assert lines["gevent", "1", "10,000"]["× gosched"] == "**0.90**"
    assert lines["go", "2", "10,000"]["× gosched"] == "**0.60**"
    summary = summary_of(run)
    assert list(summary) == [("spawn", "1"), ("spawn", "2"), ("spawn", "4"), ("mutex", "1")]
    assert summary["spawn", "1"] == {
        "case": "`spawn`",
        "Ps": "1",
        "asyncio": "8.00",
        "uvloop": "5.50",
        "trio": "15.0",
        "gevent": "**0.90**",
        "tonio": "1.20",
        "threads": "400",
        "go": "**0.60**",
        "behind": "gevent, go",
        "gosched itself": "100 ns per goroutine",
    }
    assert summary["spawn", "4"]["asyncio"] == "–"
    assert summary["spawn", "4"]["behind"] == "go"


def test_a_draw_is_not_lost() -> None:
    def close(case: str, runtime: str, size: Size) -> float:
        return {"gosched": 1_000.0, "asyncio": 996, "uvloop": 994}.get(runtime, 2_000)

    summary = summary_of(run_of(["mutex"], Given(rule=close)))
    assert (summary["mutex", "1"]["asyncio"], summary["mutex", "1"]["uvloop"]) == ("1.00", "**0.99**")
    assert summary["mutex", "1"]["behind"] == "uvloop"


@pytest.mark.parametrize(("theirs", "ratio", "summary", "behind"), [(80.0, "0.89", "1.12", ""), (99.0, "**1.10**", "**0.91**", "go")])
def test_where_more_is_better_more_is_ahead(theirs: float, ratio: str, summary: str, behind: str) -> None:
    run = run_of(["preempted"], Given(rule=lambda *_: 90.0), go(lambda *_: theirs))
    assert lines_of(run, "preempted")["go", "1", "3"]["× gosched"] == ratio
    line = summary_of(run)["preempted", "1"]
    assert (line["go"], line["behind"]) == (summary, behind)


def test_a_step_of_a_sweep_is_compared_with_the_same_step() -> None:
    def dearer_when_alone(case: str, runtime: str, size: Size) -> float:
        return COSTS[runtime] * (10 if (runtime, size.n) == ("gosched", 1) else 1)

    run = run_of(["life"], Given(rule=dearer_when_alone), go())
    lines = lines_of(run, "life")
    assert [lines["asyncio", "1", n]["× gosched"] for n in ("1", "10", "1,000")] == ["**0.80**", "8.00", "8.00"]
    assert summary_of_nothing(run)


def summary_of_nothing(run: Run) -> bool:
    """A sweep has a table and a plot of its own, and no line in the summary."""
    return not list(report.summary(run))


def test_who_has_one_thread_is_compared_with_the_least_ps_there_are() -> None:
    summary = summary_of(run_of(["csum", "fanout"], Given(), go()))
    assert summary["csum", "2"]["asyncio"] == "16.0", "gosched ran it on two Ps only"
    assert summary["fanout", "1"]["asyncio"] == "8.00"
    assert [summary["fanout", procs]["threads"] for procs in "124"] == ["400", "400", "400"]
    assert [summary["fanout", procs]["asyncio"] for procs in "24"] == ["–", "–"]


def test_who_is_absent_says_why() -> None:
    run = run_of(["spawn"], Given(absent={"tonio": "not installed on 3.13; needs luck", "uvloop": "not installed on 3.13"}))
    lines = lines_of(run, "spawn")
    assert lines["tonio", "1", "10,000"]["ns per goroutine"] == "not installed on 3.13; needs luck"
    assert "tonio" not in {runtime for runtime, procs, _ in lines if procs == "2"}, "once is enough"
    summary = summary_of(run)
    assert [summary["spawn", procs]["tonio"] for procs in "124"] == ["absent"] * 3
    assert [summary["spawn", procs]["uvloop"] for procs in "124"] == ["absent", "–", "–"]
    assert points(report.outcome(run))[-2:] == [
        "No figures of tonio: not installed on 3.13; needs luck.",
        "No figures of uvloop: not installed on 3.13.",
    ]


def test_a_wrong_answer_is_said_with_the_right_one_and_gives_no_figure() -> None:
    run = run_of(["mutex"], Given(wrong="asyncio"), go())
    case = run.cases[0]
    assert lines_of(run, "mutex")["asyncio", "1", "5,000"]["ns per lock and unlock"] == "failed: wrong answer"
    said = points(report.section(run, case))
    assert said[0] == "3.13: ≥ 2× as fast as asyncio: not judged, no figure of asyncio"
    assert said[1].startswith("**wrong answer**: asyncio on 3.13, 1 P answered 5,001; gosched on 3.13, 1 P, uvloop on 3.13, 1 P, ")
    assert said[1].endswith("go on Go 1.27, 1 P answered 5,000, which is right")
    assert summary_of(run)["mutex", "1"]["asyncio"] == "failed"
    outcome = points(report.outcome(run))
    assert outcome[0] == f"Answers: {1 + 7 * 3} were checked, and there are **wrong ones**, named below."
    assert outcome[1] == "`mutex`, asyncio on 3.13, 1 P, n = 5,000: **failed: wrong answer**"


def test_right_answers_are_counted() -> None:
    run = run_of(["mutex"], Given(), go())
    assert points(report.section(run, run.cases[0]))[-1] == "24 answers, all right"
    assert points(report.outcome(run))[0] == "Answers: 24 were checked, all of them right."


def test_without_a_figure_of_gosched_there_are_no_ratios() -> None:
    def hangs(case: str, runtime: str, size: Size) -> float | str:
        return "failed: no end after 1 s" if runtime == "gosched" else usual(case, runtime, size)

    run = run_of(["mutex"], Given(rule=hangs), go())
    assert lines_of(run, "mutex")["asyncio", "1", "5,000"]["× gosched"] == ""
    line = summary_of(run)["mutex", "1"]
    assert (line["gosched itself"], line["asyncio"], line["behind"]) == ("failed: no end after 1 s", "no ratio", "")


def test_two_interpreters_have_a_summary_each_and_go_a_ratio_to_both() -> None:
    def slower(case: str, runtime: str, size: Size) -> float:
        return 2 * usual(case, runtime, size)

    run = run_of(["mutex"], Given("3.13"), Given("3.14t", slower, parallel=True), go())
    assert summary_of(run, 0)["mutex", "1"]["go"] == "**0.60**"
    assert summary_of(run, 1)["mutex", "1"]["go"] == "**0.30**"
    lines = grid(report.section(run, run.cases[0]))
    assert lines[-1]["× gosched"] == "**0.60 (3.13)**, **0.30 (3.14t)**"
    assert [line["interpreter"] for line in lines if line["runtime"] == "gevent"] == ["3.13", "3.14t (GIL on)"]


def test_two_processes_at_once_are_compared_with_one_p() -> None:
    lines = lines_of(run_of(["pairs"], Given(), go()), "pairs")
    assert lines["gosched", "2 × 1", "2 × 5,000"]["× gosched"] == "1.00"
    assert lines["gosched", "2 × 1", "2 × 5,000"]["min–max"] == "50–100", "the slower of the two"


def test_bars_stand_below_their_case_and_missed_ones_at_the_top() -> None:
    run = run_of(["mutex", "spawn"], Given(rule=lambda case, runtime, size: 100.0), go())
    assert points(report.section(run, run.cases[0]))[0] == "3.13: ≥ 2× as fast as asyncio: **missed**, 1.00×"
    outcome = points(report.outcome(run))
    assert outcome[1] == "Bars, what the project promises of gosched: 0 passed, 4 missed, 0 could not be judged here."
    assert outcome[2] == "**missed**: `mutex` on 3.13: ≥ 2× as fast as asyncio, 1.00×"


@pytest.mark.parametrize(
    ("figure", "unit", "text"),
    [
        (0.05, "% of a core", "0.05 % of a core"),
        (1.25, "ms late, p99", "1.2 ms late, p99"),
        (12_345, "bytes", "12,345 bytes"),
        (1_234, "ns per hop", "1.23 µs per hop"),
        (5.2e6, "ns", "5.20 ms"),
    ],
)
def test_a_figure_has_the_unit_that_suits(figure: float, unit: str, text: str) -> None:
    assert report.with_unit(figure, unit) == text


def test_markdown_of_a_section() -> None:
    run = run_of(["handover"], Given(rule=lambda *_: 4.0))
    assert markdown(report.section(run, run.cases[0])) == (
        "## handover: what a select that parked with a timeout leaves behind\n"
        "\n"
        "| runtime | interpreter | procs | n | bytes per select | min–max | × gosched |\n"
        "|---|---|--:|--:|--:|--:|--:|\n"
        "| gosched | 3.13 | 1 | 20,000 | 4.0 | 2.0–8.0 | 1.00 |\n"
        "\n"
        "- 3.13: ≤ 8 bytes per select: **passed**, 4.0\n"
        "- 3 answers, all right\n"
    )
