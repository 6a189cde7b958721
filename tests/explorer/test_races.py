"""Every line of core that closes a race is taken out in turn, and the explorer must notice: a line that nothing proves is not there for a reason."""

from __future__ import annotations

from itertools import pairwise, starmap

import pytest

from gosched.lab.explorer import Failure, explore
from gosched.lab.purecore import core_copy

from .mutations import RaceLine, race_lines
from .programs import PROGRAMS

pytestmark = [pytest.mark.explore, pytest.mark.timeout(600)]  # some are found late, and others may need the cores
# Seeds, by rounds: most races show soon.
ROUNDS = (0, 10, *range(100, 4_001, 100))
SEEDS = ROUNDS[-1]


def first_failure(line: RaceLine) -> Failure | None:
    """The programs that are named after the line's module come first; then all take turns, so that the one which shows this race comes soon."""
    with core_copy(line.neutralise) as core:
        for program in PROGRAMS:
            if line.module in program.__name__:
                failure = explore(program, core, range(SEEDS))
                if failure is not None:
                    return failure
        for seeds in starmap(range, pairwise(ROUNDS)):
            for program in PROGRAMS:
                failure = explore(program, core, seeds)
                if failure is not None:
                    return failure
    return None


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
@pytest.mark.parametrize("line", race_lines(), ids=lambda line: line.name)
def test_race_line_is_needed(line: RaceLine) -> None:
    assert first_failure(line) is not None, f"{line.name} can go: no schedule of {SEEDS} per program fails without {line.code!r}"


def test_there_are_race_lines() -> None:
    assert len(race_lines()) >= 20
