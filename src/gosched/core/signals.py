"""What an operation says to the twin that called it, beside a value: objects that no user ever sends.

They are classes, never instances: a class of a compiled module is immortal, so that all Ps can return it without counting.
"""

from __future__ import annotations


class Parked:
    """The goroutine stands in a queue, or is to be queued: yield. What comes back is the answer."""


class Again:
    """The goroutine had no P, and did nothing: it begins anew."""


class Nothing:
    """There is nothing to be had now."""


class Woken:
    """The goroutine may try again; what it waited for is not yet its own."""


class Closed:
    """The channel was closed while the goroutine waited."""


class TimedOut:
    """The time is over."""


class Ended:
    """Something else than what was waited for has ended the wait: the end of the program, or of the goroutine's context."""


class Interrupted:
    """A cancellation ended the wait. The one signal that is an instance: it carries the error to raise."""

    def __init__(self, error: BaseException) -> None:
        self.error = error
