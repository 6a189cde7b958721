"""gosched bench: gosched beside its peers, measured here."""

from __future__ import annotations

import argparse
from typing import Any

from gosched.bench import run as suite


def add(commands: Any) -> None:
    parser = commands.add_parser("bench", help="gosched beside its peers, every cell in a fresh process")
    suite.add_options(parser)


def run(options: argparse.Namespace) -> int:
    return suite.run(options)
