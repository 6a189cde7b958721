"""The same program in Go and in Python says the same, line by line, at GOMAXPROCS=1.

`programs/` has a .go, a .py and a .txt of each name; the .txt is what real Go said (make_golden.py). Where Go leaves the order to chance there is
no program. A module may say `TIMED = True`: a machine that stalls for a millisecond or more at the wrong moment changes its order, in Go too (a mutex
that was waited for that long, timers that are due together), so in real time it gets several tries. `VIRTUAL = False`: it watches the clock move
while it computes, which virtual time does not.
"""

from __future__ import annotations

import pytest

import gosched
from gosched.testing import virtual_run

from .host import PROGRAMS, hosted, load

NAMES = sorted(path.stem for path in PROGRAMS.glob("*.py"))
TRIES = 5


def golden(name: str) -> list[str]:
    return (PROGRAMS / f"{name}.txt").read_text().splitlines()


def test_every_program_is_whole() -> None:
    found = {suffix: sorted(path.stem for path in PROGRAMS.glob(f"*.{suffix}")) for suffix in ("py", "go", "txt")}
    assert found == {"py": NAMES, "go": NAMES, "txt": NAMES}
    assert len(NAMES) >= 32


@pytest.mark.parametrize("name", NAMES)
def test_as_go(name: str) -> None:
    program, lines = load(name), list[str]()
    for _ in range(TRIES if getattr(program, "TIMED", False) else 1):
        lines.clear()
        gosched.run(hosted, program, lines.append, gomaxprocs=1)
        if lines == golden(name):
            break
    assert lines == golden(name)


@pytest.mark.parametrize("name", NAMES)
def test_as_go_in_virtual_time(name: str) -> None:
    program = load(name)
    if not getattr(program, "VIRTUAL", True):
        pytest.skip("watches the clock move while it computes")
    for seed in range(5):
        lines: list[str] = []
        virtual_run(hosted, program, lines.append, gomaxprocs=1, seed=seed)
        assert lines == golden(name), f"seed {seed}"
