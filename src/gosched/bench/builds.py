"""`python -m gosched.bench.builds NAME`: what a part of the hot path costs on the ping-pong, by a build of this checkout without it.

Two builds in a temporary directory: as it is, and with the lines of the experiment replaced. Then ping-pongs on one P, each in a fresh process, a
pair of both builds at a time, the one or the other first. The interpreters need setuptools and Cython, and a C compiler.
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
from dataclasses import dataclass
from pathlib import Path

from gosched.bench.hosts import IS_CHECKOUT, ROOT, last_line

CORE = Path("src/gosched/core")


@dataclass(frozen=True)
class Experiment:
    """What the other build has instead; the bar for the ratio of the two; what stands in the files, and what is put there. What is not found exactly
    once is an error: then the file has changed, and this has to follow. `everywhere`: what is replaced wherever it stands. `recorded`: it is not
    another build, but the same without a trace being written."""

    without: str
    limit: float
    changes: tuple[tuple[str, str, str], ...] = ()
    everywhere: tuple[str, str] | None = None
    recorded: bool = False


EXPERIMENTS = {
    # Right only as long as nobody takes a P away; so in that build nobody can.
    "userp": Experiment(
        "plain words where a P is published and taken back",
        1.10,
        (
            ("native.pxd", "publishptr(&self.pulse.userp, self.token)", "self.pulse.userp = self.token"),
            (
                "native.pxd",
                "return swapptr(&self.pulse.userp, NULL) != NULL",
                "cdef void *had = self.pulse.userp\n        self.pulse.userp = NULL\n        return had != NULL",
            ),
            ("native.pxd", "return gs_casptr(&self.pulse.userp, <void *>p, NULL)", "return False"),
            ("native.pxd", "return peekptr(&self.pulse.userp) == NULL", "return self.pulse.userp == NULL"),
        ),
    ),
    # Nobody heeds a context.
    "contexts": Experiment(
        "no current context",
        1.03,
        (
            ("execute.py", "    elif g.struck:\n        result = strike(m, g)\n", ""),
            ("execute.py", "if g.scope is not None and g.state_now() == PARKING and is_over(g):", "if False:"),
            ("execute.py", "    if g.scope is not None:\n        end_scope(g)\n", ""),
            ("spawn.py", "    g.scope = None\n    g.struck = False\n", ""),
            ("plain.py", "if g.scope is not None and is_over(g):", "if False:"),
            ("plain.py", "    if g.struck:\n        g.take_inbox()\n        return Ended\n", ""),
        ),
    ),
    # Nobody looks whether what happens is to be written down.
    "trails": Experiment("no trails", 1.05, everywhere=("m.trail is not None", "False")),
    "tracing": Experiment("nothing recorded", 1.4, recorded=True),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Status 1 if something does not build, or gives a wrong answer. A missed bar is a result, not an error."""
    parser = argparse.ArgumentParser(
        prog="python -m gosched.bench.builds", description="the ping-pong of this checkout, and of a build without a part of it"
    )
    parser.add_argument("experiment", choices=EXPERIMENTS, help="; ".join(f"{name}: {e.without}" for name, e in EXPERIMENTS.items()))
    parser.add_argument("--python", action="append", metavar="PATH", help="an interpreter, may be given several times; this one")
    parser.add_argument("--pairs", type=int, default=10, metavar="N", help="pairs of runs; 10")
    parser.add_argument("--trips", type=int, default=200_000, metavar="N", help="round trips in a run; 200,000")
    options = parser.parse_args(argv)
    if not IS_CHECKOUT:
        parser.error("it builds gosched from source: run it in a checkout")
    for python in options.python or [sys.executable]:
        with tempfile.TemporaryDirectory(prefix="gosched-builds-") as directory:
            try:
                print(compare(python, Path(directory), EXPERIMENTS[options.experiment], options.pairs, options.trips), flush=True)
            except (RuntimeError, OSError) as error:
                print(f"gosched.bench.builds: {python}: {error}", file=sys.stderr)
                return 1
    return 0


def compare(python: str, directory: Path, experiment: Experiment, pairs: int, trips: int) -> str:
    whole, other = directory / "whole", directory / "other"
    for copy in (whole,) if experiment.recorded else (whole, other):
        copy_checkout(copy)
    if not experiment.recorded:
        change(other, experiment)
    for copy in (whole,) if experiment.recorded else (whole, other):
        print(f"{python}: building {copy.name}", file=sys.stderr, flush=True)
        run(python, copy, "setup.py", "--quiet", "build_ext", "--inplace", f"-j{os.cpu_count() or 1}")
        version = about(python, copy)
    times: dict[Path, list[float]] = {whole: [], other: []}
    for i in range(pairs):
        print(f"{python}: pair {i + 1} of {pairs}", file=sys.stderr, flush=True)
        for copy in (whole, other) if i % 2 == 0 else (other, whole):
            if not experiment.recorded:
                times[copy].append(hop(python, copy, trips))
            else:
                times[copy].append(hop(python, whole, trips, directory / "hop.trace" if copy == whole else None))
    ratios = sorted(a / b for a, b in zip(times[whole], times[other], strict=True))
    ratio = statistics.median(ratios)
    return (
        f"{version}: ≤ {experiment.limit:.2f}× of {experiment.without}: **{'passed' if ratio <= experiment.limit else 'missed'}**, {ratio:.3f}× "
        f"({ratios[0]:.3f}–{ratios[-1]:.3f}, {pairs} pairs; medians {statistics.median(times[whole]):.0f} and "
        f"{statistics.median(times[other]):.0f} ns per hop)"
    )


def copy_checkout(copy: Path) -> None:
    """What a build and a cell need, with nothing that was built before."""
    copy.mkdir()
    nothing_built = shutil.ignore_patterns("*.so", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", copy / "src", ignore=nothing_built)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)


def change(copy: Path, experiment: Experiment) -> None:
    for name, old, new in experiment.changes:
        path = copy / CORE / name
        text = path.read_text()
        if text.count(old) != 1:
            raise RuntimeError(f"{name} has changed: {old!r} is there {text.count(old)} times, not once")
        path.write_text(text.replace(old, new))
    if experiment.everywhere is not None:
        for path in (copy / CORE).glob("*.py"):
            path.write_text(path.read_text().replace(*experiment.everywhere))


def hop(python: str, copy: Path, trips: int, trace: Path | None = None) -> float:
    """Nanoseconds per hop, of one run."""
    recorded = {} if trace is None else {"GOSCHED_TRACE": str(trace)}
    reading = json.loads(run(python, copy, "-m", "gosched.bench.cell", "pingpong", "gosched", str(trips), "1", "1", "off", **recorded))
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


def run(python: str, copy: Path, *args: str, **more: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(copy / "src")} | more
    done = subprocess.run([python, *args], cwd=copy, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(args[:3])}: {last_line(done.stderr) or f'exit status {done.returncode}'}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
