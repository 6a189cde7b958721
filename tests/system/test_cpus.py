"""The default of GOMAXPROCS: Go's TestCgroupGOMAXPROCS family, on a cgroup file system made for the test."""

from __future__ import annotations

from pathlib import Path

import pytest

from gosched.system import cpus
from gosched.system.cpus import default_gomaxprocs, limited, quota


def cgroup_v2(root: Path, line: str, leaf: str = "/box/inner") -> Path:
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(f"0::{leaf}\n")
    folder = root / "sys/fs/cgroup" / leaf.lstrip("/")
    folder.mkdir(parents=True)
    (folder / "cpu.max").write_text(line)
    return folder


@pytest.fixture(autouse=True)
def eight_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpus, "num_cpu", lambda: 8)


def default(root: Path, **environ: str) -> int:
    return default_gomaxprocs(environ, gil=False, root=root)


def test_cgroup_gomaxprocs(tmp_path: Path) -> None:
    """TestCgroupGOMAXPROCS: a quota of 3 CPUs."""
    cgroup_v2(tmp_path, "300000 100000\n")
    assert default(tmp_path) == 3


def test_cgroup_gomaxprocs_rounds_up(tmp_path: Path) -> None:
    """TestCgroupGOMAXPROCSRound."""
    cgroup_v2(tmp_path, "350000 100000\n")
    assert default(tmp_path) == 4


def test_cgroup_gomaxprocs_at_least_two(tmp_path: Path) -> None:
    """TestCgroupGOMAXPROCSMin: half a CPU is still two Ps."""
    cgroup_v2(tmp_path, "50000 100000\n")
    assert default(tmp_path) == 2


def test_cgroup_gomaxprocs_no_limit(tmp_path: Path) -> None:
    """TestCgroupGOMAXPROCSNoLimit."""
    cgroup_v2(tmp_path, "max 100000\n")
    assert default(tmp_path) == 8


def test_cgroup_gomaxprocs_above_the_cpus(tmp_path: Path) -> None:
    """TestCgroupGOMAXPROCSHigherThanNumCPU."""
    cgroup_v2(tmp_path, "1600000 100000\n")
    assert default(tmp_path) == 8


def test_cgroup_gomaxprocs_env_override(tmp_path: Path) -> None:
    """TestCgroupGOMAXPROCSEnvOverride: the environment variable wins, if it is a positive number."""
    cgroup_v2(tmp_path, "300000 100000\n")
    assert default(tmp_path, GOMAXPROCS="6") == 6
    assert default(tmp_path, GOMAXPROCS="0") == 3
    assert default(tmp_path, GOMAXPROCS="-1") == 3
    assert default(tmp_path, GOMAXPROCS="many") == 3


def test_cgroup_gomaxprocs_sched_affinity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TestCgroupGOMAXPROCSSchedAffinity: affinity below the quota."""
    monkeypatch.setattr(cpus, "num_cpu", lambda: 1)
    cgroup_v2(tmp_path, "300000 100000\n")
    assert default(tmp_path) == 1


def test_cgroup_v1(tmp_path: Path) -> None:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text("5:cpu,cpuacct:/box\n1:memory:/box\n")
    folder = tmp_path / "sys/fs/cgroup/cpu/box"
    folder.mkdir(parents=True)
    (folder / "cpu.cfs_quota_us").write_text("250000\n")
    (folder / "cpu.cfs_period_us").write_text("100000\n")
    assert quota(tmp_path) == 2.5
    (folder / "cpu.cfs_quota_us").write_text("-1\n")
    assert quota(tmp_path) is None


@pytest.mark.parametrize("line", ["", "nonsense", "100000 0\n", "1 2 3\n"])
def test_unreadable_quota_is_no_quota(tmp_path: Path, line: str) -> None:
    cgroup_v2(tmp_path, line)
    assert default(tmp_path) == 8


def test_without_any_cgroup(tmp_path: Path) -> None:
    assert quota(tmp_path) is None


def test_with_a_gil_the_default_is_one(tmp_path: Path) -> None:
    assert default_gomaxprocs({}, gil=True, root=tmp_path) == 1
    assert default_gomaxprocs({"GOMAXPROCS": "3"}, gil=True, root=tmp_path) == 3


def test_limited() -> None:
    assert [limited(8, q) for q in (None, 0.1, 2.0, 2.1, 99.0)] == [8, 2, 2, 3, 8]
