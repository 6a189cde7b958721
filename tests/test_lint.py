"""ruff and mypy are part of the tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .linting import FORMAT, MYPY, ROOT, RUFF, complaints


@pytest.mark.parametrize("command", [RUFF, FORMAT, MYPY], ids=" ".join)
def test_lint(command: tuple[str, ...]) -> None:
    assert complaints(command) == ""


def test_use_is_typed(tmp_path: Path) -> None:
    """A user's program passes mypy --strict, and its types say something."""
    program = tmp_path / "program.py"
    program.write_text(
        "import gosched\n"
        "async def main(n: int) -> str:\n"
        "    wg = gosched.WaitGroup()\n"
        "    g: gosched.Goroutine = wg.go(print, n)\n"
        "    await wg\n"
        "    await gosched.ayield_now()\n"
        "    return g.name\n"
        "reveal_type(gosched.run(main, 3))\n"
        "reveal_type(gosched.stats().ps[0].queue)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", str(program)],
        cwd=tmp_path,
        env={"MYPYPATH": str(ROOT / "src"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'Revealed type is "str"' in done.stdout.replace("builtins.", "")
    assert 'Revealed type is "int"' in done.stdout.replace("builtins.", "")
