"""The exceptions, as a tree.

    BaseException
      Goexit                      ends one goroutine quietly; thrown into the others when main is over
    Exception
      RuntimeError
        GoschedError
          DeadlockError           all goroutines are asleep
          SyncError               misuse of a sync object, in Go's words
          ThreadLimitError        more threads than the cap allows
    ResourceWarning
      AbandonedThreadWarning      a thread stayed behind in a foreign call

Messages are built here and say what would do. Imports nothing of gosched: every layer may use it.
"""

from __future__ import annotations


class Goexit(BaseException):
    """Ends the goroutine that it passes through, and nothing else. `finally` blocks run; parking in one raises it again."""


class GoschedError(RuntimeError):
    """What all errors of gosched itself have in common."""


class DeadlockError(GoschedError):
    """Every goroutine sleeps, and nothing can wake one."""


class SyncError(GoschedError):
    """Misuse of a sync object. The message is Go's."""


class ThreadLimitError(GoschedError):
    """The program needs more threads than its cap allows."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"program exceeds {limit}-thread limit: each goroutine that blocks its thread needs one; "
            "let fewer block at once, or raise Runtime(max_threads=…)"
        )


class AbandonedThreadWarning(ResourceWarning):
    """run() did not wait any longer for a thread in a foreign call."""


def no_runtime(what: str, instead: str) -> RuntimeError:
    return RuntimeError(f"{what} outside of a goroutine: use it inside {instead}")


def not_a_goroutine_body(fn: object) -> TypeError:
    return TypeError(f"go() needs a function, an async function or a coroutine, not {type(fn).__name__}: {fn!r}")


def foreign_await(value: object) -> TypeError:
    """What a goroutine yielded that no operation of gosched yields."""
    library = type(value).__module__.partition(".")[0].lstrip("_")
    if value is None:
        return TypeError("a goroutine awaited something that is not gosched's and that yields nothing (asyncio.sleep(0)?): use gosched.ayield_now()")
    hint = {
        "asyncio": "run it with asyncio.run() in a thread of its own, or use gosched's own operation",
        "trio": "run it with trio.run() in a thread of its own, or use gosched's own operation",
    }.get(library, "use gosched's own operation")
    return TypeError(f"a goroutine cannot await a {type(value).__module__}.{type(value).__qualname__}: {hint}")
