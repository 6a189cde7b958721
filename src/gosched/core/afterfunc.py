"""What starts a goroutine later: a timer, and the end of a context. Go's time.AfterFunc and context.AfterFunc."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .interrupt import Heir
from .native import current_m
from .spawn import spawn, spawn_outside
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


class FuncHeir(Heir):
    """Starts a goroutine when a context is over."""

    def __init__(self, sched: Scheduler, fn: Any, args: tuple[Any, ...]) -> None:
        self.sched = sched
        self.fn = fn
        self.args = args

    def told(self, error: BaseException, cause: BaseException | None) -> None:
        m: M | None = current_m()
        if m is not None and m.sched is self.sched:
            spawn(m, self.fn, self.args, None, None)
        else:
            spawn_outside(self.sched, self.fn, self.args, None, None, False)
