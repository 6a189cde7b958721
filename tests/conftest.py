"""What all tests share: the budgets that `make` sets, and programs run in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

Script = Callable[..., "subprocess.CompletedProcess[str]"]


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


@pytest.fixture(scope="session")
def stress_seconds(request: pytest.FixtureRequest) -> float:
    """The share of one stress test. STRESS_SECONDS is for all of them together that were asked for."""
    sharing = sum("stress_seconds" in getattr(item, "fixturenames", ()) for item in request.session.items)
    return float(os.environ.get("STRESS_SECONDS", "5")) / max(1, sharing)
