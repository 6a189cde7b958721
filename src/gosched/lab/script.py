"""What is played in the laboratory: a scenario, or goroutines that are started at given times. From JSON, of which nothing is trusted.

    {"scenario": "steal-half", "procs": 2, "seed": 1, "policy": {"steal": false}}
    {"procs": 4, "seed": 1, "policy": {}, "actions": [{"at": 0.0, "start": "cpu", "n": 20, "seconds": 0.003}, {"at": 0.01, "procs": 2}]}

The same script is the same run, event by event. An action that is added later, at a time that is not past, leaves everything before it as it was.
"""

from __future__ import annotations

import reprlib
from dataclasses import dataclass, field, fields, replace
from typing import Any

from gosched.core.resize import resize
from gosched.core.spawn import go
from gosched.policy import GO, Policy

from .clockwork import Clockwork
from .kinds import KINDS
from .work import arrival, connection, laboratory

# What a page may ask for: a run is to be over in a moment.
PROCS = 64
ACTIONS = 80
GOROUTINES = 2_000
SECONDS = 10.0
LATEST = 3_600.0


class ScriptError(ValueError):
    """A script that cannot be played: which part, and what would do."""


@dataclass(frozen=True)
class Action:
    """At a time, in s: n goroutines of a kind are started, or there are other Ps."""

    at: float
    start: str = ""
    n: int = 1
    seconds: float = 0.0
    procs: int = 0


@dataclass(frozen=True)
class Script:
    procs: int = 4
    seed: int = 1
    policy: Policy = GO
    actions: tuple[Action, ...] = ()
    scenario: str = ""
    given: dict[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, data: object) -> Script:
        """Of what a page sends."""
        given = known("a script", data, {"scenario", "procs", "seed", "policy", "actions"})
        scenario = given.get("scenario", "")
        if not isinstance(scenario, str) or len(scenario) > 40:
            raise ScriptError(f"scenario must be a name, not {short(scenario)}")
        procs = whole("procs", given.get("procs", 4), 1, PROCS)
        seed = whole("seed", given.get("seed", 1), 0, 2**31)
        policy = policy_of(given.get("policy", {}))
        listed = given.get("actions", [])
        if not isinstance(listed, list) or len(listed) > ACTIONS:
            raise ScriptError(f"actions must be a list of at most {ACTIONS}, not {short(listed)}")
        if scenario and listed:
            raise ScriptError(f"scenario {short(scenario)} starts its own goroutines: it takes no actions")
        actions = tuple(sorted((action_of(action) for action in listed), key=lambda action: action.at))
        started = sum(action.n * KINDS[action.start].starts for action in actions if action.start)
        if started > GOROUTINES:
            raise ScriptError(f"actions start {started:,} goroutines; a page shows at most {GOROUTINES:,}")
        return cls(procs, seed, policy, actions, scenario, given)


def known(what: str, data: object, names: set[str]) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise ScriptError(f"{what} must be an object, not {short(data)}")
    for name in data:
        if name not in names:
            raise ScriptError(f"{what} has no {short(name)}: it has {', '.join(sorted(names))}")
    return data


def action_of(data: object) -> Action:
    given = known("an action", data, {"at", "start", "n", "seconds", "procs"})
    at = real("at", given.get("at", 0), 0.0, LATEST)
    if "procs" in given:
        known("an action with procs", data, {"at", "procs"})
        return Action(at, procs=whole("procs", given["procs"], 1, PROCS))
    kind = given.get("start")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ScriptError(f"start must be one of {', '.join(KINDS)}, not {short(kind)}")
    n = whole("n", given.get("n", 1), 1, GOROUTINES)
    return Action(at, kind, n, real("seconds", given.get("seconds", KINDS[kind].seconds), 0.0, SECONDS))


def policy_of(data: object) -> Policy:
    given = known("a policy", data, {f.name for f in fields(Policy)})
    for name, value in given.items():
        if not isinstance(value, int | float):
            raise ScriptError(f"Policy: {name} must be a number or a switch, not {short(value)}")
    try:
        return replace(GO, **given)
    except (TypeError, ValueError) as error:
        raise ScriptError(str(error)) from None


def whole(name: str, value: object, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ScriptError(f"{name} must be a whole number from {least:,} to {most:,}, not {short(value)}")
    return value


def real(name: str, value: object, least: float, most: float) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= most:
        raise ScriptError(f"{name} must be a number of seconds from {least:g} to {most:g}, not {short(value)}")
    return float(value)


def short(value: object) -> str:
    """Of what may be nested deeper than repr() can go."""
    text = reprlib.repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


# ---- the program of a script without a scenario ----


async def main(actions: tuple[Action, ...]) -> None:
    """A server: what is asked for comes over the network, one request after another, and it never ends."""
    host = laboratory("main")
    assert host is not None
    requests = connection(host)
    begun = host.clock
    for action in actions:
        host.arrives(requests, max(0, begun + round(action.at * 1e9) - host.clock))
        await arrival(requests)
        serve(host, action)
    while True:
        await arrival(requests)


def serve(host: Clockwork, action: Action) -> None:
    if action.procs:
        resize(host.sched, action.procs)
    else:
        kind = KINDS[action.start]
        for _ in range(action.n):
            go(kind.body, action.seconds)
