"""What all tests share: the budgets that `make` sets, and programs run in processes of their own."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import gosched

from . import linting

# Random programs are the same ones in every run.
settings.register_profile("gosched", deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
settings.load_profile("gosched")

HOME = Path(gosched.__file__).resolve().parents[1]
"""The directory that `import gosched` finds it in: src of a checkout, or site-packages. For the PYTHONPATH of programs that tests start."""
Script = Callable[..., "subprocess.CompletedProcess[str]"]


def pytest_configure() -> None:
    """A shell starts `make test &` with SIGINT and SIGQUIT ignored, and every program that a test starts would inherit that."""
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGQUIT, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)


def pytest_collection_finish(session: pytest.Session) -> None:
    """What thousands of tests are made of stays: the collector is not to walk over it again and again, which took a fifth of the suite's time."""
    settle()
    if len(session.items) > 1_000 and any(item.path.name == "test_lint.py" for item in session.items):
        linting.begin(linting.MYPY)


def settle() -> None:
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def settled() -> Iterator[None]:
    """The same for what a module has imported, and keeps for its next tests: every scenario that was played, every program that was read."""
    yield
    settle()


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Runs a program as a user would: a file of its own, a fresh interpreter."""

    def run(text: str, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
        path = tmp_path / "program.py"
        path.write_text(textwrap.dedent(text))
        return subprocess.run(
            [sys.executable, "-X", "faulthandler", str(path), *args],
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


def shares(item: pytest.Item) -> int:
    mark = item.get_closest_marker("share")
    return int(mark.args[0]) if mark is not None else 1


@pytest.fixture
def stress_seconds(request: pytest.FixtureRequest) -> float:
    """What one stress test gets. STRESS_SECONDS is for all of them together that were asked for."""
    sharing = sum(shares(item) for item in request.session.items if "stress_seconds" in getattr(item, "fixturenames", ()))
    return float(os.environ.get("STRESS_SECONDS", "5")) * shares(request.node) / sharing
