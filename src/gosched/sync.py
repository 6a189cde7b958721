"""Sync objects. WaitGroup; the others of Go's sync package come with the channels."""

from __future__ import annotations

from gosched.core.waitgroup import WaitGroup

__all__ = ["WaitGroup"]
