"""What the runtime asks of the interpreter."""

from __future__ import annotations

import _thread
import sys

import pytest

from gosched import Goexit
from gosched.core.interp import raise_in
from tests.builds import COMPILED
from tests.stalls.waiting import Deadline


@pytest.mark.skipif(not COMPILED and sys.version_info < (3, 12), reason="in a pure build of 3.11 it strikes the thread that has not begun")
def test_an_exception_strikes_whom_it_is_meant_for() -> None:
    """In 3.11 a thread that has not begun bears the id of who started it."""
    for n in range(1, 101):
        begun: list[int] = []
        struck = False
        try:
            _thread.start_new_thread(begun.append, (n,))
            raise_in(_thread.get_ident(), Goexit)
            for _ in range(1000):
                pass
        except Goexit:
            struck = True
        assert struck
        deadline = Deadline("the thread to begin")
        while not begun:
            deadline.check()
