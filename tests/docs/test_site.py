"""The site: nothing is left out of it, every link leads somewhere, and its pages need no network."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
import subprocess
import sys
from contextlib import redirect_stdout
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import gosched
from gosched import deadlocks, lab, net, testing, trace
from gosched.cli import main
from tests.conftest import Script
from tests.test_exports import PUBLIC

from .test_docs import DOCS, programs

ROOT = DOCS.parent
PAGES = sorted(DOCS.rglob("*.md"))
OTHERS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md", "src/gosched/bench/README.md")]
AUTO = re.compile(r"^\.\. (?:currentmodule|auto\w+):: ([\w.]+)$", re.MULTILINE)


def loaded(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


texts = loaded(DOCS / "_extensions" / "texts.py")


# ---- pages and links ----


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_every_page_is_in_the_navigation() -> None:
    listed = {(DOCS / target).resolve() for target, _ in texts.links((DOCS / "index.md").read_text())}
    assert [named(page) for page in PAGES if (texts.lender(page) or page) not in {*listed, DOCS / "index.md"}] == []


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=named)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target, place in texts.links(page.read_text()):
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), f"there is no {target}"
        if place:
            assert place[1:] in texts.places(file.read_text()), f"{file.name} has no heading for {place}"


def test_the_program_on_the_first_page(script: Script) -> None:
    ((program, output),) = programs("index.md")
    done = script(program, PYTHONWARNINGS="error")
    assert (done.stderr, done.stdout, done.returncode) == ("", output, 0)


# ---- the reference ----


def on_reference_pages() -> set[str]:
    found = set()
    for page in (DOCS / "reference").glob("*.md"):
        module = ""
        for name in AUTO.findall(page.read_text()):
            if name.startswith("gosched"):
                module = name
            else:
                found.add(f"{module}.{name}")
    return found


def public(module: ModuleType) -> list[str]:
    """What it imports as itself, and its own functions that say what they do."""
    tree = ast.parse(inspect.getsource(module))
    imported = [name.asname for node in tree.body if isinstance(node, ast.ImportFrom) for name in node.names if name.asname == name.name]
    own = [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and ast.get_docstring(node)]
    return [*imported, *own]


NAMES = {
    gosched: [*PUBLIC, "__build__"],
    net: public(net),
    trace: public(trace),
    testing: testing.__all__,
    lab: list(lab.HOMES),
    deadlocks: [name for name in deadlocks.__all__ if name not in PUBLIC],
}


def test_every_name_is_on_a_reference_page() -> None:
    assert on_reference_pages() == {f"{module.__name__}.{name}" for module, names in NAMES.items() for name in names}


@pytest.mark.parametrize("module", [gosched, net, trace, testing, lab], ids=lambda module: module.__name__)
def test_every_name_has_an_example(module: ModuleType) -> None:
    """tests/test_exports.py runs them."""
    assert [name for name in NAMES[module] if name != "__build__" and ">>>" not in getattr(module, name).__doc__] == []


def test_every_command_is_on_its_page() -> None:
    shown = re.findall(r"^```\{command\} (.+)$", (DOCS / "reference" / "command-line.md").read_text(), re.MULTILINE)
    assert sorted(shown) == sorted(" ".join(("gosched", *command)) for command in [(), *commands()])


def commands(*above: str) -> list[tuple[str, ...]]:
    """As --help lists them, each followed by its own."""
    said = StringIO()
    with redirect_stdout(said), pytest.raises(SystemExit):
        main([*above, "--help"])
    found = [(*above, name) for name in re.findall(r"^    ([a-z]+) +\S", said.getvalue(), re.MULTILINE)]
    return [command for name in found for command in (name, *commands(*name))]


def test_every_variable_is_on_that_page() -> None:
    page = (DOCS / "reference" / "command-line.md").read_text()
    source = "".join(path.read_text() for path in (ROOT / "src" / "gosched").rglob("*.py") if "bench" not in path.parts)
    read = set(re.findall(r'"(GOSCHED_[A-Z]+|GOMAXPROCS)"', source))
    assert "GOSCHED_DEBUG" in read
    assert {name for name in read if f"| `{name}` |" not in page} == set()


# ---- the site ----


class Loads(HTMLParser):
    """What a browser fetches for a page, by the page's own words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("src", "srcset", "data", "poster", "xlink:href") or (name == "href" and tag in ("link", "use", "image")):
                self.found.append(value or "")


def from_elsewhere(file: Path) -> list[str]:
    text = file.read_text()
    if file.suffix == ".css":
        found = re.findall(r"""(?:url\(|@import)\s*["']?([^"')\s]+)""", text)
    else:
        found = Loads(text).found
    return [where for where in found if re.match(r"(\w+:)?//", where)]


def test_what_a_page_loads_is_found(tmp_path: Path) -> None:
    page, style = tmp_path / "page.html", tmp_path / "page.css"
    page.write_text('<a href="https://go.dev">Go</a><link href="//a/b.css"><script src="https://c/d.js"></script><img src="e.png">')
    style.write_text('@import "https://f/g.css"; p { background: url(https://h/i.png) } q { background: url(data:image/png;base64,x//y) }')
    assert (from_elsewhere(page), from_elsewhere(style)) == (["//a/b.css", "https://c/d.js"], ["https://f/g.css", "https://h/i.png"])


def test_what_others_need_as_well_is_pinned_alike() -> None:
    """All go into one venv."""
    mine, theirs = (
        dict(re.findall(r"^([\w.-]+)==(\S+)", (ROOT / "requirements" / name).read_text().lower(), re.MULTILINE)) for name in ("docs.txt", "test.txt")
    )
    shared = mine.keys() & theirs.keys()
    assert "markdown-it-py" in shared
    assert {name: mine[name] for name in shared} == {name: theirs[name] for name in shared}


@pytest.mark.slow
def test_the_site_is_built_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    for name in ("sphinx", "furo", "myst_parser"):
        pytest.importorskip(name, reason=f"{name} is not installed: make docs installs what the site needs")
    site = tmp_path / "site"
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", str(tmp_path / "read"), "docs", str(site)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=110)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
    built = [file for file in site.rglob("*") if file.suffix in (".html", ".css", ".svg")]
    assert {page.relative_to(DOCS).with_suffix(".html") for page in PAGES} <= {file.relative_to(site) for file in built}
    assert {str(file.relative_to(site)): where for file in built if (where := from_elsewhere(file))} == {}
