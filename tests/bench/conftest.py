"""The machine of these tests has two cores, wherever they run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gosched.bench import cases


@pytest.fixture(autouse=True, scope="package")
def two_cores() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cases, "num_cpu", lambda: 2)
        yield
