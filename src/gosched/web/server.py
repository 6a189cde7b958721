"""The thread that serves the page: uvicorn in a loop of its own.

It is one of ours (OURS): while it lives a deadlock is still a deadlock. It ends with the runtime, and tells the pages before.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
import threading
import weakref

import uvicorn

from gosched.errors import GoschedError
from gosched.system.threads import OURS, in_forked_child

from .address import Address, listen
from .guard import LONGEST, Application, Guard
from .hub import Hub

# The head of a request may be so long, in bytes; so many connections may be open.
HEAD = 16_384
CONNECTIONS = 64

# In s: until the thread must have begun; until it must have ended.
BEGINS = 20.0
ENDS = 3.0

_servers: weakref.WeakSet[Server] = weakref.WeakSet()


class Loop(uvicorn.Server):
    """uvicorn's own looks ten times a second whether it is to end; this one is told."""

    def __init__(self, config: uvicorn.Config, begun: threading.Event) -> None:
        super().__init__(config)
        self.begun = begun
        self.stop = asyncio.Event()
        self.loop: asyncio.AbstractEventLoop | None = None

    async def main_loop(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.begun.set()
        await self.stop.wait()


class Server:
    """`name`: as which it says where it is. `hub`: is told when it ends."""

    def __init__(self, app: Application, wanted: Address, name: str = "gosched view", hub: Hub | None = None, longest: int = LONGEST) -> None:
        self.name = name
        self.hub = hub
        self.token = secrets.token_urlsafe(24)
        self.pid = os.getpid()
        self.sock, self.address = listen(wanted)
        app = Guard(app, self.address, self.token, longest)
        config = uvicorn.Config(
            app,
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            limit_concurrency=CONNECTIONS,
            timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=HEAD,
        )
        self.begun = threading.Event()
        self.inner = Loop(config, self.begun)
        self.thread = threading.Thread(target=self._serve, name=name, daemon=True)
        _servers.add(self)

    @property
    def url(self) -> str:
        return f"http://{self.address.text}/?token={self.token}"

    def start(self) -> None:
        """Until it serves. Says where."""
        self.thread.start()
        if not self.begun.wait(BEGINS) or self.inner.loop is None:
            raise GoschedError(f"{self.name}: the page did not begin to serve")
        print(f"{self.name}: {self.url}", file=sys.stderr, flush=True)

    def close(self) -> None:
        """From any thread but its own. Twice is once."""
        if in_forked_child(self.pid) or self.inner.loop is None:
            return
        if self.thread.is_alive():
            self.inner.loop.call_soon_threadsafe(self._finish)
            self.thread.join(ENDS)
        self.sock.close()

    def _finish(self) -> None:
        if self.hub is not None:
            self.hub.finish()
        self.inner.stop.set()

    def _serve(self) -> None:
        ident = threading.get_ident()
        OURS.add(ident)
        try:
            self.inner.run(sockets=[self.sock])
        finally:
            OURS.discard(ident)
            self.begun.set()


def _close_in_child() -> None:
    """The port is the parent's: a child that kept it would keep it busy when the parent has ended."""
    for server in list(_servers):
        server.sock.close()


os.register_at_fork(after_in_child=_close_in_child)
