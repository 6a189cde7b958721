"""Stacks that can be set aside: an M's loop runs on a greenlet, and goes on on another one while a goroutine waits on the first.

core/locked.py and core/execute.py decide when to switch; a stack is to them an object with a `switch`, and true once it was begun. The thread's own
stack runs nothing but `enter`, so that every stack of the loop is alike, and the last of them ends the thread by returning to it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

try:
    _lib: Any = import_module("greenlet")  # by name: it has no types, and users check their programs without our settings
except ImportError:
    _lib = None

from gosched.core import native
from gosched.core.interp import no_more_stacks, shows_frames, switch_stack, unwind_stack

if TYPE_CHECKING:
    from gosched.core.m import M


COMPILED = not native.__file__.endswith(".py")
FREE_THREADED = not getattr(sys, "_is_gil_enabled", lambda: True)()

if _lib is not None and FREE_THREADED:
    # When a thread ends, greenlet looks for references to its main greenlet that were left on a stack, by a pointer that it does not own any more:
    # with a GIL nobody can drop the last reference meanwhile, here another thread does, and it crashes (3.5.6). This switches that search off.
    _lib._greenlet.enable_optional_cleanup(False)


def available() -> bool:
    return _lib is not None


def advisable() -> bool:
    """Not in the pure build, where a hog keeps what is bound to its thread for long. Without a GIL only where the collector is shown what stands in
    frames that were set aside (core/parked.h): it would free a function that was deleted or redefined while it runs there."""
    return _lib is not None and COMPILED and (shows_frames or not FREE_THREADED)


class LightStacks:
    """For the threads of one runtime. `loop` is what runs on each stack."""

    def __init__(self, loop: Callable[[], object]) -> None:
        self.loop = loop

    def enter(self, m: M) -> None:
        """On m's own thread: the loop, until the thread is to end. Every new stack is started from here, or each would begin as deep as the one that
        it takes over from."""
        m.root = _lib.getcurrent()
        m.stack = m.fresh = self.new(m)
        while m.fresh is not None:
            stack, m.fresh = m.fresh, None
            switch_stack(stack)
        while m.pool:
            unwind_stack(m.pool.pop())
        m.stack = m.root = None
        no_more_stacks()

    def new(self, m: M) -> Any:
        return _lib.greenlet(self.loop, m.root)

    def end(self, m: M, stack: Any) -> None:
        """Unwinds it, and comes back. It is not left with a reference to this stack: a chain of such would be freed one inside the other."""
        stack.parent = _lib.getcurrent()
        unwind_stack(stack)
        stack.parent = m.root
