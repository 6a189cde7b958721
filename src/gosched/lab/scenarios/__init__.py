"""What the scheduler's mechanisms are for: small programs, each with an essay that plays beside it (scenario.py)."""

from __future__ import annotations

from .queues import IMBALANCE, OVERFLOW, STEAL_HALF, TICK_61
from .scenario import Bend as Bend
from .scenario import Mark as Mark
from .scenario import Scenario as Scenario
from .scenario import Story as Story
from .slices import CONVOY, INHERITANCE, NEXT
from .threads import HANDOFF, NETPOLLER, RETURNS, SPINNING
from .waits import DEADLOCK, SKYNET, TIMERS

# In the order of the essay.
SCENARIOS: dict[str, Scenario] = {
    scenario.id: scenario
    for scenario in (
        IMBALANCE,
        STEAL_HALF,
        OVERFLOW,
        TICK_61,
        NEXT,
        INHERITANCE,
        CONVOY,
        HANDOFF,
        RETURNS,
        NETPOLLER,
        SPINNING,
        TIMERS,
        DEADLOCK,
        SKYNET,
    )
}
