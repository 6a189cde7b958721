"""Errands with several periods on one tick."""

from __future__ import annotations

import itertools

import pytest

from gosched.system.ticks import Ticks

MS = 1_000_000


def times(periods: list[int], late: list[int]) -> dict[int, list[int]]:
    """When each errand was done, in ms, if the watch ticks as it does: a period after the last tick, by its own clock, and we see the n-th
    tick late[n] later. For 100 ticks."""
    done: dict[int, list[int]] = {ms: [] for ms in periods}
    ticks = Ticks()
    for ms in periods:
        ticks.every(ms * MS, lambda now, ms=ms: done[ms].append(now // MS))  # type: ignore[misc]
    clock = 1000 * MS
    for n in range(100):
        ticks.tick(clock + late[n % len(late)] * MS)
        clock += ticks.period
    return done


@pytest.mark.parametrize(
    ("periods", "period"), [([], 0), ([5], 5 * MS), ([5, 1000], 5 * MS), ([5, 7], MS), ([1000, 5], 5 * MS), ([4, 6], 2 * MS)], ids=str
)
def test_the_tick_divides_all_periods(periods: list[int], period: int) -> None:
    ticks = Ticks()
    for ms in periods:
        ticks.every(ms * MS, lambda now: None)
    assert ticks.period == period


@pytest.mark.parametrize("periods", [[5, 1000], [5, 20], [5, 7], [3, 5], [10, 15]], ids=str)
def test_each_errand_has_its_own_period(periods: list[int]) -> None:
    for ms, found in times(periods, [0]).items():
        assert found[0] == 1000
        assert {b - a for a, b in itertools.pairwise(found)} <= {ms}


@pytest.mark.parametrize("late", [[0, 4], [4, 0], [0, 0, 4, 3, 0]], ids=str)
def test_one_alone_is_done_at_every_tick_however_late_we_see_it(late: list[int]) -> None:
    assert len(times([1000], late)[1000]) == 100
    assert len(times([10], late)[10]) == 100
