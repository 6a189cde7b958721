"""Threads that make a blocking call in somebody's place: for a goroutine on a thread that other goroutines are bound to.

They are started as they are needed and end when nobody needed them for a while. `pending` counts the calls that were not answered yet: as long as
there is one, nothing is reported as a deadlock.
"""

from __future__ import annotations

import contextvars
import queue
import threading
from collections.abc import Callable
from typing import Any

from gosched.core import plainchan
from gosched.core.chan import Channel
from gosched.core.interrupt import Shielded

IDLE_SECONDS = 10.0
Job = Callable[[], object]


class Helpers:
    def __init__(self, ours: set[int]) -> None:
        self.ours = ours
        self.pending = 0
        self.jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.idle = 0
        self.closed = False

    def call(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """In a goroutine, which waits; the others go on."""
        context = contextvars.copy_context()
        answers = Channel(1)

        def job() -> None:
            try:
                answers.send_now((True, context.run(fn, *args, **kwargs)))
            except BaseException as error:
                answers.send_now((False, error))

        with self.lock:
            self.pending += 1
            start = self.idle == 0
            self.idle -= not start
        self.jobs.put(job)
        if start:
            threading.Thread(target=self._work, name="gosched helper", daemon=True).start()
        with Shielded():  # the call goes on whatever becomes of the caller's context, and what it returns must not be lost
            returned, value = plainchan.recv(answers)
        current = contextvars.copy_context()
        for var in context:
            if var not in current or current[var] is not context[var]:
                var.set(context[var])
        if returned:
            return value
        raise value

    def close(self) -> None:
        """Those that wait for a call end; those that make one end after it."""
        with self.lock:
            self.closed = True
            for _ in range(self.idle):
                self.jobs.put(None)
            self.idle = 0

    def _work(self) -> None:
        ident = threading.get_ident()
        self.ours.add(ident)
        while True:
            try:
                job = self.jobs.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                with self.lock:
                    if self.idle > 0:
                        self.idle -= 1
                        break
                continue
            if job is None:
                break
            job()
            del job
            with self.lock:
                self.pending -= 1
                if self.closed:  # race: it had answered, and was not idle yet when close() told those that were
                    break
                self.idle += 1
        self.ours.discard(ident)
