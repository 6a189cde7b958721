"""`python -m bench.userp`: what it costs on the ping-pong that an M publishes its P and takes it back with atomic operations.

Two builds of this checkout in a temporary directory: as it is, and with plain loads and stores in place of the atomic ones, which is right only as
long as nobody takes a P away; so in that build nobody can. Then ping-pongs on one P, each in a fresh process, a pair of both builds at a time, the
one or the other first. The interpreters need setuptools and Cython, and a C compiler.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.hosts import ROOT, last_line

LIMIT = 1.10

WORDS = Path("src/gosched/core/native.pxd")

# Atomic, and plain. What is not found is an error: then native.pxd has changed, and this has to follow.
PLAIN = (
    ("publishptr(&self.pulse.userp, self.token)", "self.pulse.userp = self.token"),
    (
        "return swapptr(&self.pulse.userp, NULL) != NULL",
        "cdef void *had = self.pulse.userp\n        self.pulse.userp = NULL\n        return had != NULL",
    ),
    ("return gs_casptr(&self.pulse.userp, <void *>p, NULL)", "return False"),
    ("return peekptr(&self.pulse.userp) == NULL", "return self.pulse.userp == NULL"),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Status 1 if something does not build, or gives a wrong answer. A missed bar is a result, not an error."""
    parser = argparse.ArgumentParser(prog="python -m bench.userp", description="atomic against plain publishing of the P, on the ping-pong")
    parser.add_argument("--python", action="append", metavar="PATH", help="an interpreter, may be given several times; this one")
    parser.add_argument("--pairs", type=int, default=10, metavar="N", help="pairs of runs; 10")
    parser.add_argument("--trips", type=int, default=200_000, metavar="N", help="round trips in a run; 200,000")
    options = parser.parse_args(argv)
    for python in options.python or [sys.executable]:
        with tempfile.TemporaryDirectory(prefix="gosched-userp-") as directory:
            try:
                print(compare(python, Path(directory), options.pairs, options.trips), flush=True)
            except (RuntimeError, OSError) as error:
                print(f"bench.userp: {python}: {error}", file=sys.stderr)
                return 1
    return 0


def compare(python: str, directory: Path, pairs: int, trips: int) -> str:
    atomic, plain = directory / "atomic", directory / "plain"
    for copy in (atomic, plain):
        copy_checkout(copy)
    make_plain(plain / WORDS)
    for copy in (atomic, plain):
        print(f"{python}: building {copy.name}", file=sys.stderr, flush=True)
        run(python, copy, "setup.py", "--quiet", "build_ext", "--inplace", f"-j{os.cpu_count() or 1}")
        version = about(python, copy)
    times: dict[Path, list[float]] = {atomic: [], plain: []}
    for i in range(pairs):
        print(f"{python}: pair {i + 1} of {pairs}", file=sys.stderr, flush=True)
        for copy in (atomic, plain) if i % 2 == 0 else (plain, atomic):
            times[copy].append(hop(python, copy, trips))
    ratios = sorted(a / p for a, p in zip(times[atomic], times[plain], strict=True))
    ratio = statistics.median(ratios)
    return (
        f"{version}: ≤ {LIMIT:.2f}× of plain words: **{'passed' if ratio <= LIMIT else 'missed'}**, {ratio:.3f}× "
        f"({ratios[0]:.3f}–{ratios[-1]:.3f}, {pairs} pairs; medians {statistics.median(times[atomic]):.0f} and "
        f"{statistics.median(times[plain]):.0f} ns per hop)"
    )


def copy_checkout(copy: Path) -> None:
    """What a build and a cell need, with nothing that was built before."""
    copy.mkdir()
    nothing_built = shutil.ignore_patterns("*.so", "__pycache__", "*.egg-info", "bin")
    for name in ("src", "bench"):
        shutil.copytree(ROOT / name, copy / name, ignore=nothing_built)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)


def make_plain(words: Path) -> None:
    text = words.read_text()
    for old, new in PLAIN:
        if text.count(old) != 1:
            raise RuntimeError(f"{WORDS} has changed: {old!r} is there {text.count(old)} times, not once")
        text = text.replace(old, new)
    words.write_text(text)


def hop(python: str, copy: Path, trips: int) -> float:
    """Nanoseconds per hop, of one run."""
    reading = json.loads(run(python, copy, "-m", "bench.cell", "pingpong", "gosched", str(trips), "1", "1", "off"))
    if reading["answer"] != trips:
        raise RuntimeError(f"the {copy.name} build answered {reading['answer']}, not {trips}")
    return float(reading["figure"]) / (2 * trips)


def about(python: str, copy: Path) -> str:
    """The interpreter. It is this build that runs there, or else an error."""
    look = "import sys, gosched; import gosched.core.native as n; print(sys.version.split(' (')[0], gosched.__build__, n.__file__, sep=chr(10))"
    version, build, file = run(python, copy, "-c", look).splitlines()
    if build != "compiled" or not file.startswith(str(copy)):
        raise RuntimeError(f"it is not the {copy.name} build that runs: {file}, {build}")
    return version


def run(python: str, copy: Path, *args: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(copy / "src")}
    done = subprocess.run([python, *args], cwd=copy, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(args[:3])}: {last_line(done.stderr) or f'exit status {done.returncode}'}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
