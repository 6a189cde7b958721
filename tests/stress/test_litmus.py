"""The programs of litmus.py: briefly in every run, and over and over under stress."""

from __future__ import annotations

import time

import pytest

import gosched
from gosched import run
from tests.stress.litmus import PROGRAMS, Program

SLOWER = 1 if gosched.__build__ == "compiled" else 5


def name(program: Program) -> str:
    return program.__name__


@pytest.mark.parametrize("program", PROGRAMS, ids=name)
@pytest.mark.parametrize("procs", [1, 2, 4])
def test_briefly(program: Program, procs: int) -> None:
    run(program, PROGRAMS[program] // 20 // SLOWER, gomaxprocs=procs)


@pytest.mark.stress
@pytest.mark.timeout(0)
@pytest.mark.parametrize("program", PROGRAMS, ids=name)
def test_long(program: Program, stress_seconds: float) -> None:
    end = time.monotonic() + stress_seconds
    rounds = total = 0
    while time.monotonic() < end:
        run(program, PROGRAMS[program] // SLOWER, gomaxprocs=2 + rounds % 3)
        rounds += 1
        total += PROGRAMS[program] // SLOWER
    print(f"{total:,} rounds")
