"""Asks the feed ten times a second while somebody listens, and tells all listeners.

A frame is encoded once for all that have had the one before, and once more, whole, for who has just come or could not keep up. Looking may cost the
program a sixth of its time at most: with very many goroutines it is done less often. Everything here runs in the server's loop.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import AsyncIterator

from .feed import Moments, Recording
from .snapshot import Snapshot, encode, frame

# In s: between two looks, and between two looks at who waits on what; and how many times what it cost is waited.
PAUSE = 0.1
WAITS_PAUSE = 2.0
SHARE = 5
WAITS_SHARE = 40

# Pages at once; frames that wait for a slow one.
LISTENERS = 16
BEHIND = 4


class Listener:
    """`seen`: it has a frame that the next one can build on."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.seen = False
        self.knows_waits = False

    def tell(self, message: bytes) -> None:
        self.messages.put_nowait(message)

    def behind(self) -> bool:
        return self.messages.qsize() >= BEHIND


class Hub:
    def __init__(self, feed: Moments) -> None:
        self.feed = feed
        self.listeners: set[Listener] = set()
        self.sampler: asyncio.Task[None] | None = None
        self.over = False
        self.cursor = 0
        self.last: Snapshot | None = None
        self.waits = b""

    def full(self) -> bool:
        return len(self.listeners) >= LISTENERS

    async def stream(self) -> AsyncIterator[bytes]:
        """What one page is told, until the program ends."""
        listener = Listener()
        self.listeners.add(listener)
        if self.sampler is None or self.sampler.done():
            self.sampler = asyncio.get_running_loop().create_task(self.sample())
        try:
            while not self.over or not listener.messages.empty():
                message = await listener.messages.get()
                if message is None:
                    break
                yield message
            yield event("over", "{}")
        finally:
            self.listeners.discard(listener)

    def finish(self) -> None:
        """The program is over: every page is told, and its stream ends."""
        self.over = True
        for listener in self.listeners:
            listener.messages.put_nowait(None)

    async def sample(self) -> None:
        next_waits = 0.0
        try:
            while self.listeners and not self.over:
                now = time.monotonic()
                cost = self.look()
                if now >= next_waits:
                    spent = self.look_at_waits()
                    next_waits = now + max(WAITS_PAUSE, WAITS_SHARE * spent)
                await asyncio.sleep(max(now + PAUSE - time.monotonic(), SHARE * cost))
        except Exception:
            traceback.print_exc()
            self.finish()
        finally:
            self.last = None

    def look(self) -> float:
        """What it cost, in s of this thread."""
        start = time.thread_time()
        now = self.feed.snapshot()
        self.cursor, events = self.feed.events(self.cursor)
        cost = time.thread_time() - start
        difference = whole = b""
        for listener in self.listeners:
            if listener.behind():
                listener.seen = False
            elif listener.seen and self.last is not None:
                difference = difference or event("frame", encode(frame(now, self.last, events, cost)))
                listener.tell(difference)
            else:
                whole = whole or event("frame", encode(frame(now, None, self.feed.events(0)[1], cost)))
                listener.tell(whole)
                listener.seen = True
        self.last = now
        return time.thread_time() - start

    def look_at_waits(self) -> float:
        start = time.thread_time()
        waits = event("waits", encode(self.feed.waits()))
        for listener in self.listeners:
            if not listener.behind() and (waits != self.waits or not listener.knows_waits):
                listener.tell(waits)
                listener.knows_waits = True
        self.waits = waits
        return time.thread_time() - start


async def played(recording: Recording) -> AsyncIterator[bytes]:
    """All of it, at once; others are served in between."""
    for moment in recording.frames():
        yield event("frame", encode(moment))
        await asyncio.sleep(0)
    yield event("over", "{}")


def event(kind: str, data: str) -> bytes:
    """As Server-Sent Events have it. JSON has no line ends of its own."""
    return f"event: {kind}\ndata: {data}\n\n".encode()
