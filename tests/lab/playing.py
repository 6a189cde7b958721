"""Runs of scenarios, for tests: as the page plays them, and as recordings."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from gosched.errors import DeadlockError
from gosched.lab.clockwork import Clockwork
from gosched.lab.costs import USUAL, Costs
from gosched.lab.scenarios import SCENARIOS, Scenario, Story
from gosched.lab.script import Script
from gosched.policy import GO, Policy
from gosched.trace import files
from gosched.trace.files import Recording
from gosched.trace.record import VirtualRecorder
from gosched.web.session import Session

ALL = 20_000


def variants() -> list[tuple[str, str]]:
    """Every scenario with Go's rules, and with each of its bends."""
    return [(scenario.id, label) for scenario in SCENARIOS.values() for label in ("", *(bend.label for bend in scenario.bends))]


def rules(scenario: Scenario, label: str) -> Policy:
    changes = {bend.label: bend.policy for bend in scenario.bends} | {"": {}}
    return replace(scenario.policy, **changes[label])


@cache
def story(name: str, label: str = "") -> Story:
    """Of a scenario, as its page plays it."""
    scenario = SCENARIOS[name]
    return play(Script(scenario.procs, 1, rules(scenario, label), (), name))


def play(script: Script) -> Story:
    session = Session(script)
    return Story(session.more(ALL), session.over)


def record(scenario: Scenario, procs: int, seed: int = 1, policy: Policy = GO, costs: Costs = USUAL) -> Recording:
    recorder = VirtualRecorder(queues=True)
    run = Clockwork(procs, seed, policy, costs, recorder)
    try:
        run.run(scenario.program)
    except DeadlockError:
        assert scenario.id == "deadlock"
    return files.parse(recorder.data, f"{scenario.id}.trace")
