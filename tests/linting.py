"""The type checker, beside the tests: it takes as long as hundreds of them, and has a core of its own on most machines."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUFF, FORMAT, MYPY = ("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",)
_begun: dict[tuple[str, ...], subprocess.Popen[str]] = {}


def begin(command: tuple[str, ...]) -> None:
    _begun[command] = subprocess.Popen([sys.executable, "-m", *command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def complaints(command: tuple[str, ...]) -> str:
    """What it has to say, if it is not content."""
    if command not in _begun:
        begin(command)
    process = _begun.pop(command)
    said = process.communicate()[0]
    return said if process.returncode else ""
