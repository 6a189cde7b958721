"""Starts the load and reads what it measured. It is C, compiled once: it must be faster than any server, or it would measure itself."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from gosched.bench.work import Reading, Size, burn, resident

SOURCE = Path(__file__).with_name("load.c")
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gosched"
MESSAGE = 1024
NETWORK = ("echo", "echowork", "latency", "connections")
SECONDS = 2.0
# Fewer connections than this are no measurement, but a test of whether everything runs: a moment will do.
SMOKE = 100
MOMENT = 0.1


class Load(NamedTuple):
    """What came back: how many messages, in how many seconds, and percentiles of how long one took, in microseconds."""

    n: int
    seconds: float
    p50: float
    p99: float
    p999: float


def program() -> Path:
    """Compiled when it is needed, into the cache, under a name that says from what."""
    stamp = SOURCE.stat().st_mtime_ns
    path = CACHE / f"load-{stamp}"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            made = Path(scratch) / "load"
            subprocess.run([shutil.which("cc") or "gcc", "-O2", "-o", str(made), str(SOURCE)], check=True)
            made.replace(path)
    return path


def drive(port: int, size: Size, idle: bool = False) -> Load:
    """Blocks. `size.n` connections, of which 100 are busy, or none. One P: the server has the first core to itself, the load the others."""
    busy = 0 if idle else min(size.n, 100)
    seconds = MOMENT if idle or size.n < SMOKE else SECONDS
    command = [str(program()), "127.0.0.1", str(port), str(busy), str(size.n - busy), str(MESSAGE), str(seconds)]
    done = subprocess.run(command, env=os.environ | apart(size), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or f"load: exit status {done.returncode}")
    return Load(**json.loads(done.stdout))


def apart(size: Size) -> dict[str, str]:
    return {"GOSCHED_LOAD_APART": "1"} if size.procs == 1 else {}


def prepare(size: Size) -> None:
    """Before the server starts, and any thread of it."""
    program()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if size.procs == 1:
        os.sched_setaffinity(0, {0})


class Served:
    """One run of a server: what a request costs beside reading and writing it, and what was measured."""

    def __init__(self, size: Size) -> None:
        self.size = size
        self.requests = 0
        self.before = resident()
        self.after = 0

    def request(self) -> None:
        """One came: `work` is counted to in Python. With the first of the last connection all of them stand."""
        if self.size.work:
            burn(self.size.work)
        self.requests += 1
        if self.requests == self.size.n:
            self.after = resident()

    def speed(self, load: Load) -> Reading:
        """Nanoseconds per message."""
        return Reading(self.size.n, round(load.seconds * 1e9 / max(load.n, 1)))

    def lateness(self, load: Load) -> Reading:
        """Of the slowest in a hundred, in nanoseconds."""
        return Reading(self.size.n, round(load.p99 * 1000))

    def memory(self, load: Load) -> Reading:
        """Bytes, of all connections."""
        return Reading(self.size.n, self.after - self.before)
