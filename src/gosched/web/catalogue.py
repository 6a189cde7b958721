"""What the laboratory's page must know before the first run: scenarios, kinds of goroutines, switches, and what they mean."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from gosched.core.states import WAIT_REASONS
from gosched.lab.kinds import KINDS
from gosched.lab.scenarios import SCENARIOS
from gosched.lab.script import ACTIONS, GOROUTINES, PROCS, SECONDS
from gosched.policy import GO, Policy

from .snapshot import STATES

# Of each field of a Policy: a label, and for numbers what can be chosen.
SWITCHES: dict[str, tuple[str, list[Any]]] = {
    "runnext": ("who was woken runs next", []),
    "inherit": ("and inherits the slice", []),
    "steal": ("work stealing", []),
    "preempt": ("preemption", []),
    "central": ("one central queue instead", []),
    "lifo": ("newest first instead", []),
    "fairness": ("global queue first, every … ticks", [0, 2, 5, 16, 61, 257]),
    "ring": ("places in a P's queue", [4, 16, 64, 256, 1024]),
    "slice": ("slice", [0.001, 0.002, 0.005, 0.01, 0.02, 0.05]),
    "share": ("a thief takes", [0.01, 0.25, 0.5, 0.75, 1.0]),
    "spin": ("spinning × … < busy Ps", [0, 1, 2, 4, 8]),
    "passes": ("passes of a thief", [1, 2, 4, 8]),
    "batch": ("most that come from the global queue at once", [1, 8, 32, 128]),
}


def catalogue() -> dict[str, Any]:
    return {
        "title": "laboratory",
        "states": STATES,
        "reasons": WAIT_REASONS,
        "scenarios": [scenario.packed() for scenario in SCENARIOS.values()],
        "kinds": [[name, kind.title, kind.what, kind.seconds, kind.starts] for name, kind in KINDS.items()],
        "switches": [[f.name, *SWITCHES[f.name], getattr(GO, f.name)] for f in fields(Policy)],
        "limits": {"procs": PROCS, "actions": ACTIONS, "goroutines": GOROUTINES, "seconds": SECONDS},
    }
