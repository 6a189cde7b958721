"""The programs in the documentation do what is written below them."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from dataclasses import fields
from inspect import signature
from pathlib import Path

import pytest

from gosched import Policy
from gosched.lab.sweep import POLICIES
from tests.conftest import Script

DOCS = Path(__file__).resolve().parents[2] / "docs"
# A program, and what it prints.
PROGRAM = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
PAGES = ["context.md", "from-asyncio.md", "from-go.md", "go-facts.md", "lab.md", "policies.md", "top.md", "tracing.md"]
# A command of `gosched lab`, and what it prints.
COMMAND = re.compile(r"^\$ gosched (lab .*)\n((?:.*\n)*?)```\n", re.MULTILINE)


def programs(page: str) -> list[tuple[str, str]]:
    return PROGRAM.findall((DOCS / page).read_text())


CASES = [pytest.param(*case, id=f"{page} {i}") for page in PAGES for i, case in enumerate(programs(page))]


@pytest.mark.parametrize(("program", "output"), CASES)
def test_program(program: str, output: str, script: Script) -> None:
    done = script(program, PYTHONWARNINGS="error")
    assert (done.stderr, done.stdout, done.returncode) == ("", output, 0)


@pytest.mark.parametrize("page", PAGES)
def test_every_program_is_run(page: str) -> None:
    assert (DOCS / page).read_text().count("```python") == len(programs(page)) > 0


@pytest.mark.slow
def test_the_experiment_of_the_laboratory(tmp_path: Path) -> None:
    ((command, output),) = COMMAND.findall((DOCS / "lab.md").read_text())
    (tmp_path / "examples").symlink_to(DOCS.parent / "examples")
    done = subprocess.run(
        [sys.executable, "-m", "gosched", *shlex.split(command)], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert (done.stderr, [line for line in lines if line], done.returncode) == ("", output.splitlines(), 0)


def test_every_rule_of_a_policy_is_explained() -> None:
    """With Go's value."""
    rows = re.findall(r"^\| `(\w+)` \| `?([\w.]+)`? \|", (DOCS / "policies.md").read_text(), re.MULTILINE)
    assert rows == [(f.name, str(f.default)) for f in fields(Policy)]
    hooks = re.findall(r"^\| `(\w+)\((.*)\)` \|", (DOCS / "policies.md").read_text(), re.MULTILINE)
    assert hooks == [(name, ", ".join(list(signature(getattr(Policy, name)).parameters)[1:])) for name in ("place", "global_first", "victims")]


def test_every_policy_of_a_sweep_is_named() -> None:
    (row,) = [line for line in (DOCS / "lab.md").read_text().splitlines() if line.startswith("| `--policies")]
    assert re.findall(r"`([a-z-]+)`", row.split("|")[2])[: len(POLICIES)] == list(POLICIES)
