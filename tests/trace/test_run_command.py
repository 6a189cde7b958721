"""`gosched run`: a program as it is, with what it does written down."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gosched.trace import files

PROGRAM = """
import sys
import gosched
async def main():
    await gosched.ayield_now()
    return sys.argv, __name__
for _ in range(2):
    print(gosched.run(main))
"""


def gosched(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "gosched", *args], capture_output=True, text=True, check=False, timeout=60)


def test_each_runtime_has_a_file_of_its_own(tmp_path: Path) -> None:
    program, path = tmp_path / "program.py", tmp_path / "run.trace"
    program.write_text(PROGRAM)
    done = gosched("run", "--trace", str(path), str(program), "--trace", "its own")
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout == f"([{str(program)!r}, '--trace', 'its own'], '__main__')\n" * 2
    for name in ("run.trace", "run.trace.2"):
        assert files.read(tmp_path / name).end is not None
    assert gosched("trace", "check", str(path)).stdout.startswith("legal: ")


def test_flight(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import gosched\nfrom gosched import trace\nasync def main():\n    print(trace.flight_recorder().seconds)\ngosched.run(main)\n"
    )
    done = gosched("run", "--flight", "2.5", str(program))
    assert (done.stderr, done.stdout) == ("", "2.5\n")


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (["nowhere.py"], 1, "gosched run: nowhere.py: there is no such file\n"),
        (["--trace", "a", "--flight", "1", __file__], 1, "gosched run: --trace or --flight, not both\n"),
        (["--flight", "soon", __file__], 2, "argument --flight: must be a positive number, not 'soon'\n"),
    ],
)
def test_what_cannot_be_begun(args: list[str], status: int, message: str) -> None:
    done = gosched("run", *args)
    assert done.returncode == status
    assert done.stderr.endswith(message)
