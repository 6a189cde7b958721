"""How many Ps by default: Go's rule.

The environment variable GOMAXPROCS if it is a positive number; else 1 with a GIL, because more Ps would only fight for it; else the CPUs this
process may run on, but no more than its cgroup's quota, rounded up and at least 2. Only the leaf cgroup is read.
"""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path


def num_cpu() -> int:
    """The number of CPUs that this process may run on.

    >>> import gosched
    >>> gosched.num_cpu() >= 1
    True
    """
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def gil_enabled() -> bool:
    check = getattr(sys, "_is_gil_enabled", None)
    return True if check is None else bool(check())


def default_gomaxprocs(environ: dict[str, str] | None = None, gil: bool | None = None, root: Path = Path("/")) -> int:
    """`root` is where /proc and the cgroup file system are looked for."""
    asked = (os.environ if environ is None else environ).get("GOMAXPROCS", "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    if gil_enabled() if gil is None else gil:
        return 1
    return limited(num_cpu(), quota(root))


def limited(cpus: int, limit: float | None) -> int:
    """cpus, lowered to a quota that is rounded up and at least 2; never raised."""
    return cpus if limit is None else min(cpus, max(2, math.ceil(limit)))


def quota(root: Path = Path("/")) -> float | None:
    """The CPU quota of this process's cgroup in CPUs, or None."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            found = quota_v2(root / "sys/fs/cgroup" / path.lstrip("/"))
        elif "cpu" in controllers.split(","):
            found = quota_v1(root / "sys/fs/cgroup/cpu" / path.lstrip("/"))
        else:
            continue
        if found is not None:
            return found
    return None


def quota_v2(folder: Path) -> float | None:
    try:
        limit, period = (folder / "cpu.max").read_text().split()
        return None if limit == "max" else int(limit) / int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return None


def quota_v1(folder: Path) -> float | None:
    try:
        limit = int((folder / "cpu.cfs_quota_us").read_text())
        period = int((folder / "cpu.cfs_period_us").read_text())
        return None if limit < 0 else limit / period
    except (OSError, ValueError, ZeroDivisionError):
        return None
