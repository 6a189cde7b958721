"""What is given out: an sdist with all that the checkout has, a wheel with all that the package needs, and figures that say the same everywhere.

Nothing is built here: tools/check_dist.py does that.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import gosched

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src/gosched"
DESCRIPTION: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT: dict[str, Any] = DESCRIPTION["project"]
WHEELS: dict[str, Any] = DESCRIPTION["tool"]["cibuildwheel"]
# Belongs to the checkout's hosting.
HOSTING = (".ci/", ".github/", ".gitignore")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


# ---- one version ----


def test_the_version_is_the_same_everywhere() -> None:
    version = PROJECT["version"]
    notes = ROOT / f"docs/release-notes/{version}.md"
    newest = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0]
    assert gosched.__version__ == version
    assert notes.read_text().startswith(f"# gosched {version}\n")
    assert newest in ("Unreleased", version)


def test_wheels_are_built_for_the_pythons_that_are_promised() -> None:
    """Of free-threaded ones the newest."""
    prefix = "Programming Language :: Python :: "
    promised = [name.removeprefix(prefix) for name in PROJECT["classifiers"] if re.fullmatch(prefix + r"3\.\d+", name)]
    tags = [f"cp{version.replace('.', '')}" for version in promised]
    assert WHEELS["build"].split() == [f"{tag}-*" for tag in (*tags, f"{tags[-1]}t")]
    supported = SpecifierSet(PROJECT["requires-python"])
    assert [version for version in ("3.10", *promised) if version in supported] == promised


def test_what_tests_a_wheel_is_there() -> None:
    words = f"{WHEELS['before-test']} {WHEELS['test-command']} {' '.join(WHEELS['test-sources'])}".replace("{project}/", "").split()
    paths = [word for word in words if "/" in word]
    assert len(paths) > 3
    assert not [path for path in paths if not (ROOT / path).exists()]


# ---- the sdist and the wheel ----


def checked_out() -> set[str] | None:
    """What the checkout holds, with what is new and not ignored; None: this is no checkout."""

    def listed(*options: str) -> list[str]:
        done = subprocess.run(["git", *options], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.splitlines() if done.returncode == 0 else []

    if shutil.which("git") is None or listed("rev-parse", "--show-toplevel") != [str(ROOT)]:
        return None
    return set(listed("ls-files", "--cached", "--others", "--exclude-standard")) - set(listed("ls-files", "--deleted"))


def test_the_sdist_holds_the_checkout(tmp_path: Path) -> None:
    """All of it, and nothing that git ignores."""
    files = checked_out()
    if files is None:
        pytest.skip("no git, or no checkout of it: only git knows what there should be")
    command = [sys.executable, "setup.py", "--quiet", "egg_info", "--egg-base", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    held = set((tmp_path / "gosched.egg-info/SOURCES.txt").read_text().splitlines())
    held = {name for name in held if "gosched.egg-info/" not in name}
    assert held == {name for name in files if not name.startswith(HOSTING)}


def test_the_wheel_holds_what_the_package_needs() -> None:
    """Every file but what C is made of; and every folder with code in it is a package."""
    found = {path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    needed = {path for path in found if path.suffix not in (".py", ".pyx", ".pxd", ".h", ".so")}
    data: dict[str, list[str]] = DESCRIPTION["tool"]["setuptools"]["package-data"]
    brought = {
        path for package, patterns in data.items() for pattern in patterns for path in (ROOT / "src" / package.replace(".", "/")).glob(pattern)
    }
    assert needed == {path for path in brought if path.is_file()}
    assert not [str(path) for path in found if path.suffix == ".py" and not path.with_name("__init__.py").exists()]


# ---- what it says about itself ----


@pytest.fixture
def setup(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """setup.py, without building."""
    monkeypatch.chdir(ROOT)
    spec = importlib.util.spec_from_file_location("gosched_setup", ROOT / "setup.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_link_of_the_description_leads_nowhere(setup: ModuleType) -> None:
    readme = (ROOT / "README.md").read_text()
    description = setup.description()
    assert FENCED.findall(description) == FENCED.findall(readme)
    inside = re.compile(r"\]\((?!https?://)")
    assert inside.search(FENCED.sub("", readme)), "the README has some"
    assert not inside.search(FENCED.sub("", description))


def pins() -> dict[str, str]:
    lines = [line for file in ("test", "bench") for line in (ROOT / f"requirements/{file}.txt").read_text().splitlines()]
    pinned = [re.match(r"([\w.-]+)==([\w.]+)", line) for line in lines]
    return {match[1].lower(): match[2] for match in pinned if match}


def required() -> list[str]:
    """By gosched itself, by its extras, and to build it."""
    extras = [text for texts in PROJECT["optional-dependencies"].values() for text in texts if not text.startswith("gosched[")]
    return sorted({*PROJECT["dependencies"], *extras, *DESCRIPTION["build-system"]["requires"]})


@pytest.mark.parametrize("text", required())
def test_what_is_required_is_what_is_tested(text: str) -> None:
    requirement = Requirement(text)
    assert requirement.specifier
    assert pins()[requirement.name.lower()] in requirement.specifier


def test_every_extra_that_is_spoken_of_exists() -> None:
    texts = [path.read_text() for path in [*PACKAGE.rglob("*.py"), *ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "pyproject.toml"]]
    named = {name for text in texts for names in re.findall(r"\bgosched\[([a-z,]+)\]", text) for name in names.split(",")}
    assert named <= set(PROJECT["optional-dependencies"])
    assert {"top", "web", "lab"} <= named
