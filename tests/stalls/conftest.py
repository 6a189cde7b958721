"""A hog must not outlive its test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture
def stop() -> Iterator[list[int]]:
    """What endless code looks at: empty until the test is over, whatever became of it."""
    raised: list[int] = []
    yield raised
    raised.append(1)
