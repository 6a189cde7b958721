"""The directive `command`: what a command of gosched says of itself with --help."""

from __future__ import annotations

import os
import shlex
from contextlib import redirect_stdout, suppress
from io import StringIO

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

from gosched.cli import main

COLUMNS = "88"


class Command(Directive):
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        _, *words = shlex.split(self.arguments[0])
        said = StringIO()
        os.environ["COLUMNS"] = COLUMNS
        with redirect_stdout(said), suppress(SystemExit):
            main([*words, "--help"])
        return [nodes.literal_block(said.getvalue(), said.getvalue(), language="text")]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("command", Command)
    return {"parallel_read_safe": True}
