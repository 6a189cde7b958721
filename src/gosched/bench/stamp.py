"""Where and when a run was made: without that its figures say little."""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gosched.bench.hosts import ROOT


@dataclass(frozen=True)
class Stamp:
    date: str
    commit: str
    cpu: str
    cores: int
    system: str
    load: float
    """Average of the minute before the run: other work on the machine."""

    @staticmethod
    def now() -> Stamp:
        return Stamp(
            date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            commit=commit(),
            cpu=cpu_model(),
            cores=len(os.sched_getaffinity(0)),
            system=f"{platform.system()} {platform.release()}",
            load=round(os.getloadavg()[0], 2),
        )


def commit() -> str:
    head = git("rev-parse", "--short", "HEAD")
    if not head:
        return "no git here"
    return f"{head} with uncommitted changes" if git("status", "--porcelain") else head


def git(*args: str) -> str:
    try:
        return subprocess.run(["git", *args], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    except FileNotFoundError:
        return ""


def cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
