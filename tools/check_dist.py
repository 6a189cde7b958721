"""Builds what a release brings, and tests it as somebody gets it: `python tools/check_dist.py --python python3.11 --python python3.14t`.

An sdist of this checkout; from the sdist, and nothing else, a wheel for each Python; each wheel in a new venv. The tests are those of the unpacked
sdist, and the gosched that they import is the installed one: compiled, then with GOSCHED_PURE=1. All of it is in a temporary directory.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
QUICK = "not stress and not explore and not browser and not slow"
# An sdist takes what it finds: not what a checkout gathers.
GATHERED = shutil.ignore_patterns(".git", ".venv*", ".*_cache", ".hypothesis", "build", "dist", "*.egg-info", "__pycache__", "*.so")
# What would let a program find another gosched, or leave no trace of that.
MISLEADING = ("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "PYTEST_", "GOSCHED_")
VERSION = "import sys, sysconfig; print('%d.%d%s' % (*sys.version_info[:2], 't' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''))"


class Failure(Exception):
    """What did not go well, and what was printed."""


@dataclass(frozen=True)
class Verdict:
    python: str
    step: str
    outcome: str
    passed: bool
    seconds: float


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tools/check_dist.py", description="builds an sdist and wheels, and tests them in new venvs")
    parser.add_argument("--python", action="append", metavar="PATH", help="an interpreter, may be given several times; this one")
    parser.add_argument("--pure", action="store_true", help="the wheel without extension modules, instead of a compiled one")
    parser.add_argument("--tests", default=QUICK, metavar="EXPR", help=f"which tests, as `pytest -m` has it; {QUICK!r}")
    parser.add_argument("--workers", default="2", metavar="N", help="processes that share the tests; 2")
    parser.add_argument("--keep", action="store_true", help="leave the temporary directory, and say where it is")
    parser.add_argument("paths", nargs="*", help="files and directories of tests; all")
    options = parser.parse_args(argv)
    work = Path(tempfile.mkdtemp(prefix="gosched-dist-"))
    try:
        verdicts = check(work, options.python or [sys.executable], options)
    finally:
        if options.keep:
            print(f"kept: {work}")
        else:
            shutil.rmtree(work)
    print(table(verdicts))
    return 0 if all(verdict.passed for verdict in verdicts) else 1


def check(work: Path, pythons: Sequence[str], options: argparse.Namespace) -> list[Verdict]:
    """All that can be tried is tried: a Python that fails does not keep the next one from its turn."""
    verdicts = [attempt("", "sdist", partial(make_sdist, work, pythons[0]))]
    if not verdicts[0].passed:
        return verdicts
    for i, python in enumerate(pythons):
        name = output([python, "-c", VERSION]).strip()
        room = work / f"{i}-{name}"
        room.mkdir()
        verdicts.append(attempt(name, "wheel", partial(make_wheel, work, room, python, options.pure)))
        if not verdicts[-1].passed:
            continue
        for build in ("pure",) if options.pure else ("compiled", "pure"):
            verdicts.append(attempt(name, f"tests, {build}", partial(run_tests, work, room, build, options)))
    return verdicts


def attempt(python: str, step: str, action: Callable[[], str]) -> Verdict:
    what = f"{python} {step}".strip()
    print(f"{what} …", flush=True)
    begun = time.monotonic()
    try:
        outcome, passed = action(), True
    except Failure as failure:
        print(failure)
        outcome, passed = str(failure).strip().splitlines()[-1], False
    seconds = time.monotonic() - begun
    print(f"{what}: {outcome} ({seconds:.0f} s)", flush=True)
    return Verdict(python, step, outcome, passed, seconds)


# ---- the steps ----


def make_sdist(work: Path, python: str) -> str:
    """From a copy, for a build writes into the tree that it builds."""
    shutil.copytree(ROOT, work / "checkout", ignore=GATHERED)
    tools = make_venv(python, work / "tools")
    output([tools, "-m", "pip", "install", "-r", ROOT / "requirements/dist.txt"])
    output([tools, "-m", "build", "--sdist", "--outdir", work / "dist", work / "checkout"])
    shutil.rmtree(work / "checkout")
    sdist = the_only(work / "dist", "*.tar.gz")
    unpack(work, work / "building")
    return judged(work, sdist)


def make_wheel(work: Path, room: Path, python: str, pure: bool) -> str:
    """All Pythons build in one tree: C is translated once. What is installed is tried before the tests, by the command that came with it."""
    venv = make_venv(python, room / "venv")
    output([venv, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", room / "dist", work / "building"], GOSCHED_PURE="1" if pure else "")
    wheel = the_only(room / "dist", "*.whl")
    if pure and not wheel.name.endswith("-py3-none-any.whl"):
        raise Failure(f"{wheel.name} is not for all Pythons")
    output([venv, "-m", "pip", "install", wheel, "-r", work / "building/requirements/test.txt"])
    return judged(work, wheel)


def run_tests(work: Path, room: Path, build: str, options: argparse.Namespace) -> str:
    """In a tree of their own, which shows afterwards whether gosched was imported from there."""
    asked = {"GOSCHED_PURE": "1"} if build == "pure" and not options.pure else {}
    about = output([room / "venv/bin/gosched", "version"], cwd=room, **asked)
    if f"({build}" not in about:
        raise Failure(f"not the {build} build: {about}")
    tree = unpack(work, room / build)
    pytest = [room / "venv/bin/python", "-m", "pytest", "-n", options.workers, "--dist", "loadfile", "-m", options.tests, *options.paths]
    said = output(pytest, cwd=tree, **asked)
    if strays := sorted({str(path.parent.relative_to(tree)) for path in (tree / "src").rglob("__pycache__")}):
        raise Failure(f"the tests imported what is not installed: {', '.join(strays)}")
    return said.splitlines()[-1].strip("= ")


# ---- what they have in common ----


def make_venv(python: str, folder: Path) -> Path:
    output([python, "-m", "venv", folder])
    return folder / "bin/python"


def unpack(work: Path, folder: Path) -> Path:
    sdist = the_only(work / "dist", "*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (inner,) = folder.iterdir()
    for path in inner.iterdir():
        path.rename(folder / path.name)
    inner.rmdir()
    return folder


def judged(work: Path, path: Path) -> str:
    """A package index would take it."""
    output([work / "tools/bin/python", "-m", "twine", "check", "--strict", path])
    return f"{path.name}, {path.stat().st_size / 1e6:.1f} MB"


def the_only(folder: Path, pattern: str) -> Path:
    (path,) = folder.glob(pattern)
    return path


def output(command: Sequence[str | Path], cwd: Path | None = None, **env: str) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(MISLEADING)}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**clean, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise Failure(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def table(verdicts: Sequence[Verdict]) -> str:
    rows = [("Python", "step", "", "outcome", "s")]
    rows += [(v.python, v.step, "passed" if v.passed else "FAILED", v.outcome, f"{v.seconds:.0f}") for v in verdicts]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n" + "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)


if __name__ == "__main__":
    sys.exit(main())
