"""Where a finaliser finds itself: between two bytecodes of user code, or of the runtime, which a pure build has."""

from __future__ import annotations

from typing import Any

from gosched.core.interp import interrupts_core
from tests.builds import COMPILED


def finaliser() -> bool:
    return interrupts_core()


def caller(name: str, inner: Any) -> Any:
    """A function of a module of that name, which calls `inner`."""
    space: dict[str, Any] = {"__name__": name, "inner": inner}
    exec("def call():\n    return inner()", space)
    return space["call"]


def test_a_finaliser_in_the_runtimes_own_code() -> None:
    """It must not stop there: a lock may be held. `threading` is the runtime's where the runtime has called it."""
    assert caller("gosched.core.chan", finaliser)() is not COMPILED
    assert caller("gosched.core.chan", caller("threading", finaliser))() is not COMPILED
    assert not caller("program", caller("threading", finaliser))()
    assert not finaliser()
