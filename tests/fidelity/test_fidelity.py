"""The same program in Go and in Python says the same, line by line, at GOMAXPROCS=1.

`programs/` has a .go, a .py and a .txt of each name; the .txt is what real Go said (make_golden.py). Where Go leaves the order to chance there is
no program. A module may say `TIMED = True`: a machine that stalls for a millisecond or more at the wrong moment changes its order, in Go too (a mutex
that was waited for that long, timers that are due together). Such a one is run in virtual time, where nothing stalls. The others are run for real,
without sysmon: a stall of 10 ms would send the one that runs to the global queue, in Go too, and everybody behind it comes a turn later. And with a
GIL, who waits for that looks blocked: its P would go on with another.
"""

from __future__ import annotations

import pytest

import gosched
from gosched.testing import virtual_run

from .host import PROGRAMS, hosted, load

NAMES = sorted(path.stem for path in PROGRAMS.glob("*.py"))
UNTIMED = [name for name in NAMES if not getattr(load(name), "TIMED", False)]


def golden(name: str) -> list[str]:
    return (PROGRAMS / f"{name}.txt").read_text().splitlines()


def test_every_program_is_whole() -> None:
    found = {suffix: sorted(path.stem for path in PROGRAMS.glob(f"*.{suffix}")) for suffix in ("py", "go", "txt")}
    assert found == {"py": NAMES, "go": NAMES, "txt": NAMES}
    assert len(NAMES) >= 32


@pytest.mark.parametrize("name", UNTIMED)
def test_as_go(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gosched.system.threads.run_sysmon", lambda sched: None)
    lines: list[str] = []
    gosched.run(hosted, load(name), lines.append, gomaxprocs=1)
    assert lines == golden(name)


@pytest.mark.parametrize("name", NAMES)
def test_as_go_in_virtual_time(name: str) -> None:
    program = load(name)
    for seed in range(5):
        lines: list[str] = []
        virtual_run(hosted, program, lines.append, gomaxprocs=1, seed=seed)
        assert lines == golden(name), f"seed {seed}"
