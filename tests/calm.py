"""Programs on one P that nobody takes away, for tests of who comes next: on a busy machine sysmon may end a slice between any two lines."""

from __future__ import annotations

from typing import Any

from gosched import Runtime


def without_sysmon(rt: Runtime) -> Runtime:
    """Before its first goroutine: no P is ever taken from who does not give it up, nobody is asked to let others run, and no slice ends."""
    assert rt._host._first.acquire(blocking=False)  # who has it starts sysmon
    return rt


def run_calmly(main: Any, *args: Any, **options: Any) -> Any:
    """run(main, gomaxprocs=1), without sysmon."""
    with without_sysmon(Runtime(gomaxprocs=1, **options)) as rt:
        return rt._run(main, args, ends=True)
