"""The cases on uvloop: asyncio's, on another event loop."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import uvloop  # type: ignore[import-not-found, import-untyped, unused-ignore]

from gosched.bench.runtimes.asyncio import (
    case_connections,
    case_echo,
    case_echowork,
    case_fanout,
    case_latency,
    case_life,
    case_memory,
    case_mutex,
    case_pairs,
    case_pingpong,
    case_pipeline,
    case_select,
    case_sieve,
    case_skynet,
    case_spawn,
    case_timers,
    case_tree,
    case_yield,
)
from gosched.bench.work import Reading, Size

__all__ = [
    "case_connections",
    "case_echo",
    "case_echowork",
    "case_fanout",
    "case_latency",
    "case_life",
    "case_memory",
    "case_mutex",
    "case_pairs",
    "case_pingpong",
    "case_pipeline",
    "case_select",
    "case_sieve",
    "case_skynet",
    "case_spawn",
    "case_timers",
    "case_tree",
    "case_yield",
    "run",
]


def run(case: Callable[[Size], Coroutine[Any, Any, Reading]], size: Size) -> Reading:
    reading: Reading = uvloop.run(case(size))
    return reading
