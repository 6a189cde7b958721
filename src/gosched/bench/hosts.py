"""What runs a cell: a Python interpreter, or the compiled Go program."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gosched.bench.net.driving import NETWORK, apart, program
from gosched.bench.runtimes import RUNTIMES, Runtime
from gosched.bench.work import Size

HOME = Path(__file__).resolve().parent.parent.parent
"""The directory that `import gosched` finds it in: src of a checkout, or site-packages."""
ROOT = HOME.parent
IS_CHECKOUT = (ROOT / "pyproject.toml").exists()
GO_SOURCE = Path(__file__).with_name("go")
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gosched"
OLDEST_GO = (1, 25)


@dataclass(frozen=True)
class CellReading:
    """What a cell printed."""

    answer: int
    figure: int
    gil: bool = False


class Host(ABC):
    label: str
    """As the tables name it."""
    parallel: bool
    """Whether its threads run at the same time."""

    @abstractmethod
    def absence(self, runtime: Runtime) -> str:
        """Why this runtime does not run here, in words; empty: it does."""

    @abstractmethod
    def command(self, case: str, runtime: str, size: Size, collector: str) -> list[str]: ...

    @abstractmethod
    def environment(self, size: Size) -> dict[str, str]:
        """In addition to ours."""

    def run(self, case: str, runtime: str, size: Size, collector: str, timeout: float) -> CellReading | str:
        """One cell in a process of its own; a string says how it failed."""
        try:
            done = subprocess.run(
                self.command(case, runtime, size, collector),
                env=os.environ | self.environment(size),
                capture_output=True,
                text=True,
                check=False,
                timeout=timeout,
            )
        except subprocess.TimeoutExpired:
            return f"failed: no end after {timeout:g} s"
        if done.returncode < 0:
            return f"failed: {signal.Signals(-done.returncode).name}"
        if done.returncode:
            return f"failed: {last_line(done.stderr) or f'exit status {done.returncode}'}"
        return CellReading(**json.loads(done.stdout))


class PythonHost(Host):
    def __init__(self, path: str) -> None:
        found = shutil.which(path)
        if found is None:
            raise SystemExit(f"bench: --python {path}: no such program")
        self.path = os.path.abspath(found)
        about = self.probe()
        self.version: str = about["version"]
        self.parallel = about["parallel"]
        self.gosched: str = about["gosched"]
        self.packages: dict[str, str] = about["packages"]
        self.count_of_5_ms: int = about["count_of_5_ms"]
        self.label = ".".join(self.version.split(".")[:2]) + ("t" if self.parallel else "")

    def probe(self) -> dict[str, Any]:
        packages = [runtime.package for runtime in RUNTIMES.values() if runtime.package]
        command = [self.path, "-P", "-m", "gosched.bench.probe", *packages]
        done = subprocess.run(command, env=os.environ | checkout(), capture_output=True, text=True, check=False)
        if done.returncode or not done.stdout:
            raise SystemExit(f"bench: --python {self.path} does not work: {last_line(done.stderr)}")
        about: dict[str, Any] = json.loads(done.stdout)
        return about

    def absence(self, runtime: Runtime) -> str:
        if runtime.package is None or runtime.package in self.packages:
            return ""
        return f"not installed on {self.label}" + (f"; needs {runtime.needs}" if runtime.needs else "")

    def command(self, case: str, runtime: str, size: Size, collector: str) -> list[str]:
        return [self.path, "-P", "-m", "gosched.bench.cell", case, runtime, str(size.n), str(size.work), str(size.procs), collector]

    def environment(self, size: Size) -> dict[str, str]:
        return checkout()

    def __str__(self) -> str:
        versions = [f"gosched {self.gosched}", *(f"{name} {version}" for name, version in self.packages.items())]
        return f"Python {self.version}{' free-threaded' if self.parallel else ''} ({shown(self.path)}): {', '.join(versions)}"


class GoHost(Host):
    parallel = True
    program = CACHE / "bench-go"

    def __init__(self, path: str | None) -> None:
        """Takes the compiler that was asked for, or the first recent one, and builds the program. What is in the way, `missing` says."""
        self.label = "Go"
        self.missing = ""
        try:
            self.compiler, version = find_go(path)
            self.label = f"Go {version}"
            self.build()
        except LookupError as error:
            self.missing = str(error)

    def build(self) -> None:
        environment = os.environ | {"GOFLAGS": "-mod=mod", "GOCACHE": str(CACHE / "go-build"), "GOTOOLCHAIN": "local"}
        command = [self.compiler, "build", "-o", str(self.program), "."]
        done = subprocess.run(command, cwd=GO_SOURCE, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise LookupError(f"does not build: {last_line(done.stderr)}")

    def absence(self, runtime: Runtime) -> str:
        return self.missing

    def command(self, case: str, runtime: str, size: Size, collector: str) -> list[str]:
        alone = ["taskset", "-c", "0"] if case in NETWORK and size.procs == 1 else []
        return [*alone, str(self.program), case, str(size.n), str(size.work)]

    def environment(self, size: Size) -> dict[str, str]:
        return {"GOMAXPROCS": str(size.procs), "GOSCHED_LOAD": str(program())} | apart(size)

    def __str__(self) -> str:
        return f"Go: {self.missing}" if self.missing else f"{self.label} ({shown(self.compiler)})"


def find_go(path: str | None) -> tuple[str, str]:
    """A compiler that is recent enough, and its version. One that was asked for is not replaced by another."""
    asked = path or os.environ.get("GOSCHED_GO")
    reason = f"{asked}: no such program" if asked else "no Go here: give --go PATH, or GOSCHED_GO"
    for candidate in [asked] if asked else ["go", str(CACHE / "go" / "root" / "bin" / "go")]:
        compiler = shutil.which(candidate)
        if compiler is None:
            continue
        version = subprocess.run([compiler, "env", "GOVERSION"], capture_output=True, text=True, check=False).stdout.strip()
        match = re.match(r"go(\d+)\.(\d+)", version)
        if match and (int(match[1]), int(match[2])) >= OLDEST_GO:
            return os.path.abspath(compiler), version.removeprefix("go")
        reason = f"{compiler} is {version or 'no Go'}, older than 1.25: refused"
    raise LookupError(reason)


def checkout() -> dict[str, str]:
    """So that what is measured is this checkout, whatever is installed. An installed gosched measures what each interpreter has."""
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(HOME), os.environ.get("PYTHONPATH")]))} if IS_CHECKOUT else {}


def shown(path: str) -> str:
    """A path as a report names it, which may be read elsewhere: from the checkout, or from the home directory, if it is in there."""
    for base, sign in ((ROOT if IS_CHECKOUT else HOME, ""), (Path.home(), "~/")):
        if Path(path).is_relative_to(base):
            return f"{sign}{Path(path).relative_to(base)}"
    return path


def last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]
