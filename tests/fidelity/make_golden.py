"""Writes the golden outputs: what real Go says.

    python tests/fidelity/make_golden.py --go /path/to/go [name ...]

Each program of `programs/` (or those named) is built together with `host.go` in a temporary directory and run 30 times with GOMAXPROCS=1.
If all runs say the same, that is its .txt; if not, its order is not Go's to promise: the .txt is left alone and the exit code is 1. `--check`
writes nothing and says which files would change. Needs Go 1.25 or later (the files in the repository are from 1.27), and the Go files must be as
gofmt and vet like them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
RUNS = 30


class Refused(Exception):
    """A program that does not build, fails, or says something else each time."""


def call(command: list[str], where: Path, **env: str) -> str:
    done = subprocess.run(command, cwd=where, env={**os.environ, **env}, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise Refused(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(go: str, name: str, where: Path) -> Path:
    """The program's binary, in a module of its own."""
    where.mkdir()
    shutil.copy(HERE / "host.go", where)
    shutil.copy(PROGRAMS / f"{name}.go", where / "program.go")
    (where / "go.mod").write_text("module fidelity\n\ngo 1.25\n")
    unformatted = call([str(Path(go).with_name("gofmt")), "-l", "."], where)
    if unformatted:
        raise Refused(f"not as gofmt writes it: {unformatted.strip()}")
    call([go, "vet", "."], where)
    call([go, "build", "-o", "program", "."], where)
    return where / "program"


def play(binary: Path, runs: int) -> str:
    """What the program says, if it always says the same."""
    said = Counter(call([str(binary)], binary.parent, GOMAXPROCS="1", GODEBUG="") for _ in range(runs))
    if len(said) > 1:
        raise Refused(f"{len(said)} different outputs in {runs} runs, {said.most_common(1)[0][1]} times the same one")
    (text,) = said
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes the golden outputs of the fidelity programs.")
    parser.add_argument("--go", default=shutil.which("go"), help="the go command; gofmt lies beside it (default: the one on PATH)")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"how often each program must say the same (default {RUNS})")
    parser.add_argument("--check", action="store_true", help="write nothing, only compare")
    parser.add_argument("names", nargs="*", help="programs, without suffix (default: all)")
    options = parser.parse_args()
    if options.go is None:
        parser.error("no go on PATH: say where it is with --go")
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.names or sorted(path.stem for path in PROGRAMS.glob("*.go")):
            golden = PROGRAMS / f"{name}.txt"
            try:
                text = play(build(options.go, name, Path(scratch) / name), options.runs)
            except Refused as why:
                bad += 1
                print(f"{name}: refused: {why}")
                continue
            before = golden.read_text() if golden.exists() else None
            if text == before:
                print(f"{name}: as before")
            elif options.check:
                bad += 1
                print(f"{name}: differs from {golden.name}")
            else:
                golden.write_text(text)
                print(f"{name}: {'written' if before is None else 'changed'}, {len(text.splitlines())} lines")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
