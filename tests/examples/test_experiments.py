"""The experiments behind docs/tuning.md, with sizes that say nothing: they run, compute what they should, and have the rows that the page shows."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from itertools import cycle
from types import ModuleType

import pytest

from .test_examples import EXAMPLES, PATIENCE, STRICT

EXPERIMENTS = EXAMPLES / "experiments"
TUNING = EXAMPLES.parent / "docs" / "tuning.md"
PROGRAMS = sorted(path.name for path in EXPERIMENTS.glob("*.py") if path.name != "measuring.py")
# What the page says of an experiment: from its command to the next heading.
SECTION = re.compile(r"^\.venv/bin/python examples/experiments/(\w+\.py)$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


@cache
def printed(program: str) -> str:
    command = [sys.executable, "-X", "dev", str(EXPERIMENTS / program), "--small"]
    done = subprocess.run(command, env=STRICT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout


def rows(text: str) -> list[str]:
    """What stands in front of the figures."""
    tables = re.findall(r"^\|.*\n\|-.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [line.split("|")[1].strip() for table in tables for line in table.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
def test_has_the_rows_of_the_page(program: str) -> None:
    shown = rows(printed(program))
    assert len(shown) > 1
    assert rows(sections()[program]) == shown


@pytest.mark.slow
def test_virtual_time_gives_the_table_of_the_page() -> None:
    assert printed("lab_procs.py").strip() in sections()["lab_procs.py"]


def test_every_experiment_is_on_the_page() -> None:
    assert sorted(sections()) == PROGRAMS


def sections() -> dict[str, str]:
    return dict(SECTION.findall(TUNING.read_text()))


@pytest.fixture
def measuring() -> ModuleType:
    spec = spec_from_file_location("measuring", EXPERIMENTS / "measuring.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_medians(measuring: ModuleType) -> None:
    """Ways take turns, so that each is measured in every round."""
    order: list[str] = []

    def way(name: str, figures: list[float]) -> object:
        feed = cycle(figures)
        return lambda: order.append(name) or measuring.Reading(42, next(feed))

    ways = {"a": way("a", [1.0, 9.0, 2.0]), "b": way("b", [5.0])}
    assert measuring.medians(ways, 42, 3) == {"a": 2.0, "b": 5.0}
    assert order == ["a", "b"] * 3


def test_a_wrong_answer_is_no_result(measuring: ModuleType) -> None:
    with pytest.raises(SystemExit, match=r"^quick: the answer is 41, and should be 42$"):
        measuring.medians({"quick": lambda: measuring.Reading(41, 1.0)}, 42, 1)
