"""What serves a page until Ctrl-C: gosched view, gosched lab."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gosched.web.server import Server

# A signal that comes just before a thread goes to sleep is noticed when it wakes: let that be soon.
GLANCE = 0.5


def serve(opened: Callable[[], Server]) -> int:
    """Until Ctrl-C, whenever that comes."""
    with contextlib.suppress(KeyboardInterrupt):
        server = opened()
        try:
            while True:
                time.sleep(GLANCE)
        finally:
            server.close()
    return 0
