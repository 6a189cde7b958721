"""Times and counts, as people read them: three figures that matter, and the unit that suits."""

from __future__ import annotations

UNITS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"))


def span(ns: float) -> str:
    """How long: 0 ns, 950 ns, 1.23 µs, 45.6 ms, 789 s, 12,345 s."""
    for size, unit in UNITS:
        if ns >= size * 0.9995:
            value = ns / size
            digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
            return f"{value:,.{digits}f} {unit}"
    return f"{ns:.0f} ns"


def moment(ns: int) -> str:
    """When, since the trace began: to the nanosecond, for two events may be as close as that."""
    return f"{ns / 1_000_000:.6f} ms"


def share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole > 0 else "-"


def count(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"
