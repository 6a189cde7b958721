"""Random programs over channels, in virtual time, against the rules of model.py."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings

from tests.properties.model import check
from tests.properties.programs import Case, Plan, Step, plans_that_end, plans_that_may_block, run_plan

pytestmark = pytest.mark.slow
quiet = settings(max_examples=600)


@quiet
@given(plans_that_end)
@example(Plan((0,), ((Step("send", 0, 1),), (Step("recv", 0, 1),)), 1, 0))
@example(
    Plan(
        (0, 0),
        (
            (Step("select", timeout=2, cases=(Case("send", 0), Case("recv", 1))),),
            (Step("select", timeout=2, cases=(Case("recv", 0), Case("send", 1))),),
        ),
        2,
        0,
    )
)
def test_with_timeouts_on_everything(plan: Plan) -> None:
    history = run_plan(plan)
    assert not history.deadlock
    check(history)


@quiet
@given(plans_that_may_block)
@example(Plan((0,), ((Step("select", cases=(Case("send", 0), Case("recv", 0))),), (Step("yield"),)), 1, 0))
def test_deadlocks_are_real(plan: Plan) -> None:
    check(run_plan(plan))
