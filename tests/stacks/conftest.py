"""The places that the tests of this package are run in."""

from __future__ import annotations

import pytest

from .places import PLACES, Place


@pytest.fixture(params=[pytest.param(p, marks=() if p.light else pytest.mark.slow) for p in PLACES], ids=repr)
def place(request: pytest.FixtureRequest) -> Place:
    """Both kinds of stacks, on one P and on two."""
    found: Place = request.param
    return found


@pytest.fixture(params=[p for p in PLACES if p.light], ids=repr)
def light(request: pytest.FixtureRequest) -> Place:
    """Stacks that can be set aside, on one P and on two."""
    pytest.importorskip("greenlet")
    found: Place = request.param
    return found
