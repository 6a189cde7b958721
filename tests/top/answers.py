"""Answers of programs, made by hand: what `gosched top` is told."""

from __future__ import annotations

from typing import Any


def p(number: int, **figures: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(("queue", "schedtick", "usertick", "steals", "stolen", "handoffs", "retakes", "blocks", "forced", "timers"), 0)
    return {"id": number, "status": "idle", "runnext": False, **nothing, **figures}


def runtime(clock: float, ps: list[dict[str, Any]], **found: Any) -> dict[str, Any]:
    stats = {
        "gomaxprocs": len(ps),
        "goroutines": 3,
        "by_state": {"waiting": 2, "running": 1},
        "by_wait_reason": {"chan receive": 2},
        "global_queue": 0,
        "idle_ps": sum(p["status"] == "idle" for p in ps),
        "spinning_ms": 0,
        "idle_ms": 1,
        "locked_ms": 0,
        "threads": 2,
        "plain_parks": 0,
        "stacks_aside": 0,
        "stacks_spare": 0,
        "preemptions": 0,
        "blocking_calls": 0,
        "ps": ps,
        "ms": [{"id": 0, "state": "running", "p": 0, "goroutine": 1}, {"id": 1, "state": "parked", "p": None, "goroutine": None}],
    }
    own = {key: found.pop(key) for key in list(found) if key in ("id", "functions", "more_functions", "running", "longest")}
    return {
        "id": 1,
        "clock": clock,
        "stats": stats | found,
        "functions": [["serve", 2], ["main", 1]],
        "more_functions": 0,
        "running": [{"id": 1, "name": "main", "state": "running", "m": 0, "seconds": 0.0}],
        "longest": [{"id": 2, "name": "serve", "reason": "chan receive", "seconds": 61.0, "count": 2}],
        **own,
    }


def answer(*runtimes: dict[str, Any]) -> dict[str, Any]:
    return {
        "format": 1,
        "pid": 4711,
        "argv": ["python", "app.py"],
        "python": "3.14.0",
        "gil": False,
        "cpus": 4,
        "gosched": "0.1.0",
        "build": "compiled",
        "runtimes": list(runtimes),
    }
