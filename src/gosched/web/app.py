"""The pages: what is asked for, and what it is answered with. Everything is a GET; who may ask has been settled before (guard.py).

    /                  the page             /assets/…          its parts, all of them in memory
    /about             what it is of        /stream            moments, as they come
    /goroutine/7       one goroutine
Handlers are coroutines, and no file is read: Starlette would use threads of its own for both, and a thread that is not ours keeps a deadlock from
being reported.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import cast

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from .feed import Feed, Recording
from .hub import LISTENERS, Hub, played
from .snapshot import about, encode

FOLDER = Path(__file__).parent / "assets"
KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}

Handler = Callable[[Request], Awaitable[Response]]


def load() -> dict[str, Response]:
    """The assets by name."""
    found = {}
    for path in sorted(FOLDER.iterdir()):
        kind = KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0]
        found[path.name] = Response(path.read_bytes(), media_type=kind)
    return found


def build(feed: Feed, hub: Hub | None) -> Starlette:
    """`hub`: of what goes on; a recording has none."""
    assets = load()

    async def page(request: Request) -> Response:
        return assets["index.html"]

    async def asset(request: Request) -> Response:
        return assets.get(request.path_params["name"]) or PlainTextResponse("there is no such part of the page\n", 404)

    async def what(request: Request) -> Response:
        return answer(about(feed.title, feed.live, *feed.span()))

    async def stream(request: Request) -> Response:
        if hub is not None and hub.full():
            return PlainTextResponse(f"{LISTENERS} pages listen already: close one\n", 503)
        messages = played(cast(Recording, feed)) if hub is None else hub.stream()
        return StreamingResponse(messages, media_type="text/event-stream")

    async def goroutine(request: Request) -> Response:
        text = request.path_params["number"]
        found = feed.goroutine(int(text)) if text.isascii() and text.isdecimal() and len(text) < 18 else None
        if found is None:
            return PlainTextResponse("there is no such goroutine, or it has ended\n", 404)
        return answer(encode(found))

    routes: list[tuple[str, Handler]] = [
        ("/", page),
        ("/assets/{name}", asset),
        ("/about", what),
        ("/stream", stream),
        ("/goroutine/{number}", goroutine),
    ]
    return Starlette(routes=[Route(path, handler, methods=["GET"]) for path, handler in routes])


def answer(text: str) -> Response:
    return Response(text, media_type="application/json")
