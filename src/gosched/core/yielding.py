"""ayield_now: Go's Gosched. And yield_behind: its goyield, to the tail of the own P's queue.

One object without a state of its own serves every goroutine: what has to be remembered between its two calls is in the goroutine (`phase`), so a
yield makes no object and counts no shared reference.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from gosched.errors import no_runtime

from .native import current_m, immortal
from .states import BEHIND, GLOBAL, RUNNABLE

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M


class YieldNow:
    """Awaitable: first tells the M where to queue this goroutine, then, when it has its turn again, is done."""

    def __init__(self, where: int) -> None:
        self.where = where

    def __await__(self) -> Generator[Any, Any, None]:
        return self  # type: ignore[return-value]

    def __iter__(self) -> YieldNow:
        return self

    def __next__(self) -> None:
        if not yield_turn(self.where):
            raise StopIteration


class Done:
    """Awaitable: nothing is left to wait for."""

    def __await__(self) -> Generator[Any, Any, None]:
        return self  # type: ignore[return-value]

    def __iter__(self) -> Done:
        return self

    def __next__(self) -> None:
        raise StopIteration


def yield_turn(where: int) -> bool:
    """True: the goroutine yields now. False: it has its turn again."""
    m: M | None = current_m()
    if m is None:
        raise no_runtime("await ayield_now()", "a goroutine: run(main), go(fn)")
    g: Goroutine = m.held()
    if g.phase:
        g.phase = 0
        return False
    g.phase = where
    g.set_state(RUNNABLE)
    return True


YIELD_NOW: YieldNow = immortal(YieldNow(GLOBAL))
YIELD_BEHIND: YieldNow = immortal(YieldNow(BEHIND))
DONE: Done = immortal(Done())
