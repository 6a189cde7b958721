"""The tutorial, as a reader goes through it: every program is saved as step.py and run, every command is typed, and what they print is compared."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.builds import BARE

TUTORIAL = Path(__file__).resolve().parents[2] / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```(python|text|console)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
COMMANDS = {".venv/bin/python": [sys.executable], ".venv/bin/gosched": [sys.executable, "-m", "gosched"]}
HOME = "/home/me"  # where the reader saves the programs
MARKERS = re.compile(r"^ +[~^]+\n", re.MULTILINE)  # below a line of a traceback: not on every Python
FIGURE = re.compile(r"\d[\d,.]*(?: (?:[nµm]?s|%))?")
TOKEN = re.compile(r"(?<=token=)\S+")


@dataclass(frozen=True)
class Step:
    """A program, what it prints, and the commands that are typed with it, with what they print."""

    program: str
    output: str
    commands: tuple[tuple[str, str], ...]


def steps() -> list[Step]:
    """A program is followed by its output, and then perhaps by commands."""
    found: list[Step] = []
    blocks = BLOCK.findall(TUTORIAL.read_text())
    while blocks:
        (_, program), (kind, output) = blocks.pop(0), blocks.pop(0)
        assert kind == "text", program
        typed: list[tuple[str, str]] = []
        while blocks and blocks[0][0] == "console":
            typed += re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", blocks.pop(0)[1], re.MULTILINE)
        found.append(Step(program, output, tuple(typed)))
    return found


STEPS = steps()
TYPED = [step for step in STEPS if step.commands]


def shown(command: list[str], folder: Path) -> tuple[str, int]:
    """What a terminal would show, and the exit code."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONWARNINGS": "error"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    return MARKERS.sub("", done.stdout.replace(str(folder), HOME)), done.returncode


@pytest.mark.parametrize("step", STEPS, ids=lambda step: str(STEPS.index(step) + 1))
def test_program(step: Step, tmp_path: Path) -> None:
    if BARE and "gosched.stack()" in step.program:
        pytest.skip("a pure build on a free-threaded Python does not see the frames of others")
    (tmp_path / "step.py").write_text(step.program)
    fails = "Traceback" in step.output
    assert shown([sys.executable, str(tmp_path / "step.py")], tmp_path) == (step.output, int(fails))


@pytest.mark.slow
@pytest.mark.parametrize("step", TYPED, ids=lambda step: str(STEPS.index(step) + 1))
def test_commands(step: Step, tmp_path: Path) -> None:
    """Lines that are left out are an ellipsis. Figures differ from run to run, but not in virtual time."""
    (tmp_path / "step.py").write_text(step.program)
    for line, output in step.commands:
        name, *args = shlex.split(line)
        text, code = shown([*COMMANDS[name], *args], tmp_path)
        assert code == 0, text
        wanted, found = (words(each) if args[0] == "lab" else masked(words(each)) for each in (output, text))
        assert re.fullmatch(re.escape(wanted).replace("…\\\n", "(?:.*\n)*"), found), text


def words(text: str) -> str:
    """Without the widths of columns, and empty lines."""
    return "".join(" ".join(line.split()) + "\n" for line in text.splitlines() if line.strip())


def masked(text: str) -> str:
    """Without figures and secrets."""
    return FIGURE.sub("#", TOKEN.sub("#", text))


def test_every_step_is_here() -> None:
    text = TUTORIAL.read_text()
    assert text.count("```python\n") == len(STEPS)
    assert text.count("\n$ ") == sum(len(step.commands) for step in STEPS) > 3
    titles = [int(number) for number in re.findall(r"^## (\d+)\. ", text, re.MULTILINE)]
    assert titles == list(range(1, len(titles) + 1))
