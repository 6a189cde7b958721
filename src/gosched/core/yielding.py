"""ayield_now: Go's Gosched.

One object without a state of its own serves every goroutine: what has to be remembered between its two calls is in the goroutine (`phase`), so a
yield makes no object and counts no shared reference.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from gosched.errors import no_runtime

from .native import current_m
from .states import RUNNABLE

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M


class YieldNow:
    """Awaitable: first tells the M to queue this goroutine globally, then, when it has its turn again, is done."""

    def __await__(self) -> Generator[Any, Any, None]:
        return self  # type: ignore[return-value]

    def __iter__(self) -> YieldNow:
        return self

    def __next__(self) -> None:
        if not yield_turn():
            raise StopIteration


def yield_turn() -> bool:
    """True: the goroutine yields now. False: it has its turn again."""
    m: M | None = current_m()
    if m is None:
        raise no_runtime("await ayield_now()", "a goroutine: run(main), go(fn)")
    g: Goroutine = m.held()
    if g.phase:
        g.phase = 0
        return False
    g.phase = 1
    g.set_state(RUNNABLE)
    return True


YIELD_NOW = YieldNow()
