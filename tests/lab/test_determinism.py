"""Same program, same policy, same costs, same seed: the same events, in every run and on every build."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gosched
from gosched import Policy
from gosched.lab.costs import FREE, USUAL
from gosched.lab.scenarios import SCENARIOS
from tests.conftest import HOME
from tests.lab.workloads import crew, mixed, play

ROOT = Path(__file__).resolve().parents[2]
PROCS = (1, 2, 4, 64)


def scenario_digest(name: str) -> str:
    """Of a run as it is shown first."""
    scenario = SCENARIOS[name]
    return play(scenario.program, procs=scenario.procs, policy=scenario.policy, costs=USUAL).digest()


def mixed_digest(procs: int, seed: int = 1) -> str:
    return play(mixed, 10, procs=procs, seed=seed, costs=USUAL).digest()


def digests() -> dict[str, str]:
    """Of everything here, for the other build."""
    found = {name: scenario_digest(name) for name in SCENARIOS}
    for procs in PROCS:
        for seed in range(2):
            found[f"mixed {procs} {seed}"] = mixed_digest(procs, seed)
    for policy in (Policy(lifo=True), Policy(central=True), Policy(ring=2, share=1.0), Policy(share=0.01), Policy(slice=0.0002, spin=0)):
        found[f"{policy.changes()}"] = play(mixed, 10, procs=3, policy=policy).digest()
    return found


@pytest.mark.parametrize("name", SCENARIOS)
def test_ten_runs_of_a_scenario_have_one_hash(name: str) -> None:
    assert len({scenario_digest(name) for _ in range(10)}) == 1


@pytest.mark.parametrize("procs", PROCS)
def test_ten_runs_of_a_mixed_workload_have_one_hash(procs: int) -> None:
    assert len({mixed_digest(procs) for _ in range(10)}) == 1


def test_another_run_in_between_changes_nothing() -> None:
    """Nothing of a run stays in the process: no ids, no random state, no strings."""
    before = mixed_digest(4)
    play(crew, *[1] * 40, procs=7, seed=99, policy=Policy(ring=2))
    assert mixed_digest(4) == before


def test_other_seeds_policies_and_costs_are_other_runs() -> None:
    """So a hash has all of it."""
    runs = [mixed_digest(4, seed) for seed in range(5)]
    runs += [play(mixed, 10, procs=4, costs=FREE).digest(), play(mixed, 10, procs=4, costs=USUAL, policy=Policy(runnext=False)).digest()]
    assert len(set(runs)) == 7


def test_one_p_has_one_order() -> None:
    """There is nobody to steal from: the seed decides nothing, as long as no select has a choice."""
    assert len({mixed_digest(1, seed) for seed in range(5)}) == 1


def test_parity_pure_and_compiled() -> None:
    """The other build, in a process of its own, has the same hashes."""
    other = "0" if gosched.__build__.startswith("pure") else "1"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import json, gosched; from tests.lab.test_determinism import digests; print(json.dumps([gosched.__build__, digests()]))",
        ],
        env={**os.environ, "GOSCHED_PURE": other, "PYTHONPATH": f"{ROOT}{os.pathsep}{HOME}"},
        capture_output=True,
        text=True,
        check=True,
    )
    build, found = json.loads(done.stdout)
    here = digests()
    assert {name for name in here if found[name] != here[name]} == set(), f"{build} differs from {gosched.__build__}"
