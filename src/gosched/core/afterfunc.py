"""A timer that starts a goroutine: Go's AfterFunc."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .native import current_m
from .spawn import spawn
from .timers import Timer

if TYPE_CHECKING:
    from .m import M
    from .sched import Scheduler


class FuncTimer(Timer):
    def __init__(self, sched: Scheduler, fn: Any, args: tuple[Any, ...]) -> None:
        super().__init__(sched)
        self.fn = fn
        self.args = args

    def fire(self, when: int, seq: int) -> None:
        m: M = current_m()
        spawn(m, self.fn, self.args, None, None)
