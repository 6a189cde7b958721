"""Whether a thread that somebody is bound to looks at its note before it sleeps."""

from __future__ import annotations

import gosched
from gosched.core.linger import linger
from gosched.core.m import M
from gosched.core.sched import Scheduler
from gosched.core.states import RELUCTANCE
from gosched.core.wake import rouse

COMPILED = gosched.__build__ == "compiled"


def one(lingers: bool = True) -> M:
    sched = Scheduler(None, 1)
    sched.virtual = False
    sched.lingers = lingers
    return M(sched, 0)


def test_who_is_not_woken_does_without_for_longer_and_longer() -> None:
    m, skips = one(), []
    for _ in range(8):
        linger(m)
        assert m.skips == m.reluctance
        skips.append(m.skips)
        for left in range(m.skips - 1, -1, -1):
            linger(m)
            assert m.skips == left, "it looked, although it was to sleep at once"
    assert skips == [1, 3, 7, 15, RELUCTANCE, RELUCTANCE, RELUCTANCE, RELUCTANCE]


def test_who_is_woken_is_not_reluctant_any_more() -> None:
    m = one()
    linger(m)
    linger(m)
    assert (m.reluctance, m.skips) == (1, 0)
    rouse(m)
    linger(m)
    assert (m.reluctance, m.skips) == ((0, 0) if COMPILED else (3, 3)), "the pure build cannot look without sleeping"


def test_not_where_cores_do_not_work_side_by_side() -> None:
    m = one(lingers=False)
    linger(m)
    assert (m.reluctance, m.skips) == (0, 0)


def test_a_wake_that_came_while_it_looked_ends_the_sleep() -> None:
    m = one()
    rouse(m)
    linger(m)
    assert m.sleep_note(-1)
