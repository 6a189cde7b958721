"""The worlds that the tests of this package are run in."""

from __future__ import annotations

import pytest

from .worlds import EVERYWHERE, REAL, VIRTUAL, World


@pytest.fixture(params=EVERYWHERE, ids=repr)
def world(request: pytest.FixtureRequest) -> World:
    """Every spelling, in goroutines and in threads."""
    w: World = request.param
    return w


@pytest.fixture(params=REAL, ids=repr)
def runtime_world(request: pytest.FixtureRequest) -> World:
    """Every spelling, in goroutines."""
    w: World = request.param
    return w


@pytest.fixture(params=VIRTUAL, ids=repr)
def virtual(request: pytest.FixtureRequest) -> World:
    """Every spelling, in goroutines and in virtual time."""
    w: World = request.param
    return w
