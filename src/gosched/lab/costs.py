"""What things cost in virtual time, in ns. Goroutines say themselves how long they work: these are the scheduler's own."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Costs:
    """About what a Linux machine takes with Go's runtime. Zero everywhere: only what goroutines do takes time.

    turn      from the end of one goroutine's turn to the next one's
    search    of a thread that looks for work in other Ps' queues, before it has found any or gives up
    wake      of a thread that sleeps, until it runs
    start     of a new thread
    stop      of a goroutine that is asked to let others run, until it does

    >>> from gosched.lab import Costs, cpu, measure
    >>> measure(cpu, 0.001, costs=Costs(0, 0, 0, 0, 0)).makespan
    0.001
    """

    turn: int = 200
    search: int = 1_000
    wake: int = 5_000
    start: int = 20_000
    stop: int = 1_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int) or isinstance(value, bool):
                raise TypeError(f"Costs: {field.name} must be ns, as an int, not {value!r}")
            if not 0 <= value <= 1_000_000_000:
                raise ValueError(f"Costs: {field.name} must be from 0 to 1,000,000,000 ns, not {value}")


USUAL = Costs()
FREE = Costs(0, 0, 0, 0, 0)
