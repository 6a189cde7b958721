"""The README: its programs run, its figures are those of the runs that are kept, and it is short."""

from __future__ import annotations

import sys

import pytest

from tests.conftest import Script

from .test_docs import DOCS, PROGRAM

sys.path.insert(0, str(DOCS.parent / "tools"))
import ratios

README = (DOCS.parent / "README.md").read_text()


def test_its_figures_are_those_that_were_measured() -> None:
    assert ratios.with_table(README) == README, "run tools/ratios.py"


@pytest.mark.parametrize(("program", "output"), PROGRAM.findall(README))
def test_program(program: str, output: str, script: Script) -> None:
    done = script(program, PYTHONWARNINGS="error")
    assert (done.stderr, done.stdout, done.returncode) == ("", output, 0)


def test_both_spellings_are_shown() -> None:
    assert README.count("```python") == len(PROGRAM.findall(README)) == 2
