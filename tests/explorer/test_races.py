"""Every line of core that closes a race is taken out in turn, and the explorer must notice: a line that nothing proves is not there for a reason."""

from __future__ import annotations

import pytest

from gosched.lab.explorer import Failure, explore
from gosched.lab.purecore import core_copy

from .mutations import RaceLine, race_lines
from .programs import PROGRAMS

pytestmark = pytest.mark.explore
ROUNDS, PER_ROUND = 40, 100


def first_failure(line: RaceLine) -> Failure | None:
    """All programs take turns, so that the one which shows this race comes soon."""
    with core_copy(line.neutralise) as core:
        for round_ in range(ROUNDS):
            for program in PROGRAMS:
                failure = explore(program, core, range(round_ * PER_ROUND, (round_ + 1) * PER_ROUND))
                if failure is not None:
                    return failure
    return None


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
@pytest.mark.parametrize("line", race_lines(), ids=lambda line: line.name)
def test_race_line_is_needed(line: RaceLine) -> None:
    assert first_failure(line) is not None, f"{line.name} can go: no schedule of {ROUNDS * PER_ROUND} per program fails without {line.code!r}"


def test_there_are_race_lines() -> None:
    assert len(race_lines()) >= 20
