"""Docstrings are written to be read with help(), not for Sphinx: here they are made into what it reads.

rows         `name   what it means`, in columns, are the parameters
text         `words` in backticks are a name, with a link if there is one; all else is meant as it stands
signatures   as a caller sees them: a twin is awaited, a context is a Context, and run() takes what it hands on to its Runtime
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.inspect import stringify_signature

import gosched
from gosched.runtime import Options

ROW = re.compile(r"(\w+) {2,}(\S.*)")
QUOTED = re.compile(r"(:\w+:`[^`]+`|`[^`]+`)")
SPECIAL = re.compile(r"([*|\\]|_(?!\w))")
PAGE = re.compile(r"\bdocs/([\w-]+)\.md\b")

# Functions whose overloads are for type checkers alone.
ONE_SIGNATURE = {"gosched.runtime": ["run"], "gosched.selecting": ["select", "aselect"], "gosched.testing": ["virtual_run"]}
# Classes that users get, and do not make.
HANDED_OUT = {
    *("Goroutine", "Context", "Task", "SendChan", "RecvChan", "RuntimeStats", "PStats", "MStats", "Deadlock", "Wait", "WaitGraph", "Node", "Edge"),
    *("ClosedChannelError", "EndOfChannel", "ThreadLimitError", "LeakError", "Listener", "Conn", "Result"),
}
AWAITED = re.compile(r"`(\w+)`, awaited")
COROUTINE = re.compile(r".*(?:Generator|Coroutine)\[~?(?:typing\.)?Any, ~?(?:typing\.)?Any, (.*)\]")
ITERATOR = re.compile(r".*Iterator(\[.*\])")
SEEN_BY_USERS = [
    (re.compile(r"(~gosched\.core\.interrupt\.)?\bCancellation\b"), "~gosched.context.Context"),
    (re.compile(r"\btls\.SSLContext\b"), "~ssl.SSLContext"),
    (re.compile(r"\bctx: ~typing\.Any = None"), "ctx: ~gosched.context.Context | None = None"),
    (re.compile(r"\[~P\]"), "P"),
    (re.compile(r"(\*args|\*\*kwargs): ~typing\.~P"), r"\1"),
]


# ---- text ----


def paragraphs(lines: Iterable[str]) -> Iterator[list[str]]:
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line)
        elif paragraph:
            yield paragraph
            paragraph = []


def plain(line: str) -> str:
    pieces = QUOTED.split(line)
    pieces[::2] = [PAGE.sub(r":doc:`/\1`", SPECIAL.sub(r"\\\1", piece)) for piece in pieces[::2]]
    return "".join(pieces)


def markup(paragraph: list[str]) -> list[str]:
    if paragraph[0].startswith(">>>"):
        return paragraph
    if ROW.fullmatch(paragraph[0]):
        rows = [ROW.fullmatch(line) for line in paragraph]
        return [f":param {row[1]}: {plain(row[2])}" if row else f"    {plain(line.strip())}" for line, row in zip(paragraph, rows, strict=True)]
    return [plain(line) for line in paragraph]


def write_docstring(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = [line for paragraph in paragraphs(lines) for line in [*markup(paragraph), ""]]


# ---- signatures ----


def write_signature(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, arguments: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    if name.rpartition(".")[2] in HANDED_OUT:
        return "", None
    if what == "class" and arguments is not None and arguments.startswith("(*_"):
        arguments = own_arguments(obj)
    if name == "gosched.run":
        arguments = stringify_signature(run_signature(), show_return_annotation=False, unqualified_typehints=True)
    for pattern, words in SEEN_BY_USERS:
        arguments = arguments and pattern.sub(words, arguments)
    return arguments, returns and what_returns(name, obj, returns)


def own_arguments(cls: type) -> str:
    """Of __init__: the __new__ of the pure build takes anything."""
    init = inspect.signature(cls.__init__)
    return stringify_signature(init.replace(parameters=list(init.parameters.values())[1:]), show_return_annotation=False)


def run_signature() -> inspect.Signature:
    """With its options by name: they are a dict for type checkers."""
    *own, _ = inspect.signature(gosched.run, eval_str=True).parameters.values()
    handed_on = inspect.signature(gosched.Runtime, eval_str=True).parameters
    return inspect.Signature([*own, *(handed_on[option] for option in Options.__annotations__)])


def what_returns(name: str, obj: Any, returns: str) -> str:
    if coroutine := COROUTINE.fullmatch(returns):
        return f"Awaitable[{coroutine[1]}]"
    if (twin := AWAITED.match(inspect.getdoc(obj) or "")) and returns.endswith("Any"):
        return f"Awaitable[{inspect.signature(getattr(owner(name), twin[1])).return_annotation}]"
    if (iterator := ITERATOR.fullmatch(returns)) and hasattr(obj, "__wrapped__"):
        return f"AbstractContextManager{iterator[1]}"
    return returns


def owner(name: str) -> Any:
    """The module or class that has it."""
    path, _, last = name.rpartition(".")[0].rpartition(".")
    return getattr(import_module(path), last) if last[0].isupper() else import_module(f"{path}.{last}".lstrip("."))


def hide_overloads() -> None:
    for module, names in ONE_SIGNATURE.items():
        analyzer = ModuleAnalyzer.for_module(module)
        analyzer.analyze()
        for name in names:
            del analyzer.overloads[name]


def setup(app: Sphinx) -> dict[str, bool]:
    hide_overloads()
    app.connect("autodoc-process-docstring", write_docstring)
    app.connect("autodoc-process-signature", write_signature)
    return {"parallel_read_safe": True}
