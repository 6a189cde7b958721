"""The house keeps its order: a module imports only from rows below its own, no module is too long, and nothing is left to do."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "src/gosched").rglob("*.py"))
CODE = [p for folder in ("src", "tests", "tools") for p in sorted((ROOT / folder).rglob("*.py"))]
NATIVE = [p for kind in ("pyx", "pxd", "h", "go", "js", "c") for p in sorted((ROOT / "src").rglob(f"*.{kind}"))]
# From the bottom up. A name stands for the module or the whole folder.
LAYERS = [
    "debug",
    "errors",
    "core",
    "policy",
    "stacks",
    "system",
    "stats",
    "dump",
    "trace",
    "figures",
    "program",
    "quitting",
    "spelling",
    "channels",
    "selecting",
    "timing",
    "sync",
    "once",
    "pool",
    "context",
    "group",
    "runtime",
    "deadlocks",
    "signals",
    "net",
    "lab",
    "web",
    "testing",
    "bench",
    "demo",
    "cli",
    "__main__",
]


def layer(name: str) -> int:
    return LAYERS.index(name)


def imports(text: str, package: tuple[str, ...]) -> set[str]:
    """The parts of gosched that a module's text names in its imports, those for type checkers apart. `package` is the module's dotted path."""
    found = set()
    tree = ast.parse(text)
    typing_only = [node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
    hidden = {id(inner) for node in typing_only for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in hidden:
            continue
        if isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level]) if node.level else []
            full = base + (node.module.split(".") if node.module else [])
            if full[:1] == ["gosched"] and len(full) > 1:
                found.add(full[1])
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("gosched.")}
    return found


def upward(text: str, package: tuple[str, ...]) -> set[str]:
    """What a module imports from its own row or above, other than itself."""
    own = package[1]
    return {name for name in imports(text, package) - {own} if layer(name) >= layer(own)}


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT / "src/gosched")))
def test_imports_point_down(path: Path) -> None:
    package = path.relative_to(ROOT / "src").with_suffix("").parts
    if package[1] not in ("__init__", "_pure"):
        assert not upward(path.read_text(), package)


@pytest.mark.parametrize("line", ["from gosched.runtime import run", "from ..stats import collect", "import gosched.lab.virtual"])
def test_a_wrong_import_is_seen(line: str) -> None:
    assert upward(line, ("gosched", "core", "wrong"))
    assert not upward(f"if TYPE_CHECKING:\n    {line}", ("gosched", "core", "wrong"))


def test_no_module_is_above_600_lines() -> None:
    long = {str(p): n for p in CODE + NATIVE if (n := len(p.read_text().splitlines())) > 600}
    assert not long


def test_nothing_is_left_to_do() -> None:
    words = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]
    left = [f"{p}: {word}" for p in CODE for word in words if word in p.read_text()]
    assert not left


def test_every_module_says_what_it_is() -> None:
    silent = [str(p) for p in CODE if p.stat().st_size and not ast.get_docstring(ast.parse(p.read_text()))]
    assert not silent


def test_hot_modules_do_not_import_cython() -> None:
    assert not [str(p) for p in SOURCES if "import cython" in p.read_text()]


def test_nothing_but_ci_looks_outside() -> None:
    """Not in what others may be writing at the same time: other Pythons' environments, builds, caches, git."""
    outside = "../" + "shared"
    names = []
    for folder, below, files in os.walk(ROOT):
        below[:] = [name for name in below if not name.startswith(".") and name not in ("build", "__pycache__") and not name.endswith(".egg-info")]
        names += [Path(folder, name) for name in files if name.endswith((".py", ".md", ".toml", ".pyx", ".pxd", ".h", ".txt"))]
    assert len(names) > len(CODE)
    assert not [str(p) for p in names if outside in p.read_text()]
