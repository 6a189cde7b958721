"""A wake is for the one that waits: who only looks leaves it alone."""

from __future__ import annotations

import time
from typing import Any

import pytest

from gosched import run
from gosched.core.native import current_m
from gosched.core.timers import clock
from gosched.system.poller import new_net_poller

LONG = 60.0


@pytest.mark.parametrize("looks", [0, 1])
def test_a_wake_before_the_wait_is_kept(poller: str, looks: int) -> None:
    def main() -> float:
        m: Any = current_m()
        mine = new_net_poller(m.sched)
        try:
            mine.wake()
            for _ in range(looks):
                mine.look()
            begin = time.monotonic()
            mine.wait(clock(m.sched) + int(LONG * 1e9))
            return time.monotonic() - begin
        finally:
            mine.close()

    assert run(main) < LONG - 1
