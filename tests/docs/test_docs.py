"""The programs in the documentation do what is written below them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import Script

DOCS = Path(__file__).resolve().parents[2] / "docs"
# A program, and what it prints.
PROGRAM = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
PAGES = ["context.md", "top.md", "tracing.md"]


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
