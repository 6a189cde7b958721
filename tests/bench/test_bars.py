"""Bars, judged from given figures: passed, missed, or not to be judged here, and why."""

from __future__ import annotations

import pytest

from gosched.bench.bars import AtLeast, AtMost, Bar, Faster, Flat, Scales, Survives
from gosched.bench.table import Role
from gosched.bench.work import Size

from .given import Given, Rule, go, table, usual


def judged(bar: Bar, case: str, host: Given, rule: Rule = usual) -> str:
    return str(bar.judge(table(case, host, go(rule)), host))


@pytest.mark.parametrize(
    ("bar", "said"),
    [
        (Faster("asyncio", 8), "≥ 8× as fast as asyncio: **passed**, 8.00×"),
        (Faster("asyncio", 8.1), "≥ 8.1× as fast as asyncio: **missed**, 8.00×"),
        (Faster("go", 1), "no slower than go: **missed**, 0.60×"),
        (Faster("go", 0.5), "within 2× of go: **passed**, 0.60×"),
        (Faster("tonio", 1), "no slower than tonio: not judged, no figure of tonio"),
    ],
)
def test_faster_than_a_peer(bar: Bar, said: str) -> None:
    assert judged(bar, "spawn", Given(absent={"tonio": "not here"})) == said


def test_scaling_is_not_judged_under_the_gil() -> None:
    assert judged(Scales(1.8), "fanout", Given()) == "≥ 1.8× as fast with 2 Ps as with 1: not judged, 2.00× under the GIL"
    assert judged(Scales(1.8), "fanout", Given(parallel=True)) == "≥ 1.8× as fast with 2 Ps as with 1: **passed**, 2.00×"
    assert judged(Scales(2.1), "fanout", Given(parallel=True)) == "≥ 2.1× as fast with 2 Ps as with 1: **missed**, 2.00×"


def test_two_processes_are_the_most_that_could_be_gained() -> None:
    """Of the two the slower one counts: of rounds at 1, 0.5 and 2 times the cost, two at a time, those are 1, 2 and 2."""
    assert judged(Scales(1.6), "pairs", Given(parallel=True)).endswith("**passed**, 2.00×; two processes at once: 1.00×")


@pytest.mark.parametrize(
    ("bar", "case", "said"),
    [
        (AtMost(100), "memory", "≤ 100 bytes per goroutine: **passed**, 100.0"),
        (AtMost(99), "memory", "≤ 99 bytes per goroutine: **missed**, 100.0"),
        (AtMost(99, Role.FEW), "timers", "≤ 99 ns per start and stop with n = 100: **missed**, 100.0"),
        (AtMost(99, procs=2, parallel=True), "csum", "≤ 99 ms late, p99 with 2 Ps: not judged, 50.0 under the GIL"),
        (AtLeast(90), "preempted", "≥ 90 % of undisturbed: **passed**, 100.0"),
        (AtLeast(101), "preempted", "≥ 101 % of undisturbed: **missed**, 100.0"),
        (Flat(3), "timers", "with 1,000 within 3× of the figure with 100: **passed**, 1.00×"),
        (Survives(), "chain", "no crash, no recursion error: **passed**, 6 runs"),
    ],
)
def test_of_gosched_alone(bar: Bar, case: str, said: str) -> None:
    assert judged(bar, case, Given()) == said


def test_costs_that_grow_with_n_miss_the_bar() -> None:
    def grows(case: str, runtime: str, size: Size) -> float:
        return float(size.n)

    assert judged(Flat(3), "timers", Given(rule=grows)) == "with 1,000 within 3× of the figure with 100: **missed**, 10.00×"


def test_who_crashed_has_not_survived() -> None:
    assert (
        judged(Survives(), "chain", Given(rule=lambda *_: "failed: SIGSEGV"))
        == "no crash, no recursion error: **missed**, failed: SIGSEGV; failed: SIGSEGV"
    )
    assert judged(AtMost(1), "memory", Given(rule=lambda *_: "failed: SIGSEGV")) == "≤ 1 bytes per goroutine: not judged, no figure of gosched"
