"""Pages: what a program's scheduler does, live (`run(view=True)`, `gosched run --view app.py`) or recorded (`gosched view FILE`); the laboratory
(`gosched lab`).

    snapshot    what is shown of one moment, and how it is put on the wire: whole, or as what has changed
    feed        where moments come from: a scheduler that runs (live), or a recorded trace (recorded)
    following   what the tracer tells, read along; steps: how the log tells it; changes: what counters tell, where that is too much
    lints       what a reader should look at
    waiting     who waits on what, who holds it, who will wait for ever; detail: one goroutine
    hub         asks the feed while somebody listens, and only then
    guard       who may ask; address: where; app: the pages; server: the thread that serves them
    film        a run of the laboratory, a frame for each event; session: such a run for a page; labapp: its pages
    export      the laboratory as a site of files; bundle, pyodide: what is in it; inpage: what its worker asks

Starlette and uvicorn are in the extra `gosched[web]`, and are imported only when a page is opened. Nothing here is imported before that either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gosched.errors import GoschedError

if TYPE_CHECKING:
    from gosched.runtime import Runtime
    from gosched.trace.record import Recorder

    from .server import Server

MISSING = "the live page needs Starlette and uvicorn: pip install 'gosched[web]'"


def check() -> None:
    """Raises in one line if what the page needs is not installed."""
    try:
        import starlette  # noqa: F401 - only whether they are there
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise GoschedError(MISSING) from error


def open_view(runtime: Runtime, recorder: Recorder) -> Server:
    """Serves a page of this runtime, whose trails the recorder has, until `close` is called, and says on stderr where."""
    check()
    from .address import asked_for
    from .app import build
    from .hub import Hub
    from .live import LiveFeed
    from .server import Server

    feed = LiveFeed(runtime.sched, recorder)
    hub = Hub(feed)
    return started(Server(build(feed, hub), asked_for(), hub=hub))


def open_recording(path: str) -> Server:
    """The same of a recorded trace."""
    check()
    from .address import asked_for
    from .app import build
    from .recorded import RecordedFeed
    from .server import Server

    return started(Server(build(RecordedFeed(path), None), asked_for()))


def open_laboratory() -> Server:
    """Serves the laboratory."""
    check()
    from .address import asked_for
    from .labapp import LONGEST, build
    from .server import Server

    return started(Server(build(), asked_for(), "gosched lab", longest=LONGEST))


def started(server: Server) -> Server:
    server.start()
    return server
